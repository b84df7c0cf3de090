// Asks for the approvals of calls: finds the approval of a call, or stores the request for one.

import { formatScopes, readScopes, widest } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { remedies } from '../../domain/remedies.ts';
import { isJsonObject } from '../../domain/values/json.ts';
import { truncateText } from '../../domain/values/text.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import { called } from '../../domain/wording.ts';
import type { Identity } from '../../storage/keys/credentials.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row } from '../../storage/objects/collection.ts';
import { nameableIn } from '../../storage/objects/names.ts';
import type { Approval, AskedCall, SecondPerson } from '../../storage/objects/second-person.ts';
import type { TouchedObject } from '../../storage/trail/trail.ts';
import { nounOf } from '../nouns.ts';
import { lacksOf, quoted, requests, stateOfRequest } from './request-store.ts';
import { hashOfCall, shownInput, waitingMax, waitingMs, waitingOfPersonMax } from './rules.ts';
import { isRequired } from './settings-store.ts';

const summaryBytesMax = 1_024;

/**
 * Asks a second person about the calls of a caller.
 *
 * @param scope what the caller acts in, without the record of an idempotency key: asking is not the change that was asked for
 */
export function createSecondPerson(scope: () => AccountScope, identity: Identity): SecondPerson {
  return {
    isRequired: () => isRequired(scope()),
    ask: (call) => ask(scope(), identity, call),
  };
}

/** @throws as `AskSecondPerson` */
async function ask(scope: AccountScope, { personId, actorDescription }: Identity, call: AskedCall) {
  if (!(await isRequired(scope))) return null;
  if (personId === undefined) {
    const command = remedies.suspendApprovals(scope.accountId);
    throw new SallyportError(
      'FORBIDDEN',
      'The change waits for a second person here, and an API key of the account is not even a first one: sign in to the dashboard as a ' +
        `person, or use a personal API key, to ask for it. If nobody can, whoever runs the server ends that: ${command}`,
      { command },
    );
  }
  const now = scope.now();
  const callHash = hashOfCall(personId, call.mutation, call.input);
  const scopes = formatScopes(widest(call.scopes));
  const where = { requesterId: personId, state: { in: ['open', 'approved'] }, expiresAt: { gt: now } };
  const own = await scope.db.approvalRequest.findMany({ where, orderBy: { id: 'asc' }, take: waitingOfPersonMax });
  const same = own.filter((request) => request.callHash === callHash);
  for (const request of same) {
    if (request.state === 'open') throw required(request);
    // Who has lost the rights meanwhile, or was blocked, has approved nothing; nor has who lacks what the call has come to need: what a
    // document leaves out may be more than it was.
    const { deciderId } = request;
    const decider = deciderId === null ? null : await scope.credentials.identifyPerson(deciderId);
    if (decider !== null && lacksOf({ scopes }, decider).length === 0) return approvalOf(scope, request);
  }
  if (own.length >= waitingOfPersonMax) throw tooMany(`You have asked for ${waitingOfPersonMax} approvals`);
  const waiting = await scope.db.approvalRequest.findMany({
    where: { state: { in: ['open', 'approved'] }, expiresAt: { gt: now } },
    select: { id: true },
    take: waitingMax,
  });
  if (waiting.length >= waitingMax) throw tooMany(`${waitingMax} requests for approvals wait in the account`);
  const columns = {
    mutation: call.mutation,
    summary: await summaryOf(scope, call),
    input: shownInput(call.input),
    callHash,
    scopes,
    requesterId: personId,
    requesterName: actorDescription ?? '',
    expiresAt: new Date(now.getTime() + waitingMs),
  };
  throw required(await requests.create(scope, columns));
}

function approvalOf(scope: AccountScope, { id, version, deciderName }: Row<'ApprovalRequest'>): Approval {
  return {
    approver: deciderName,
    use: requests.prepareUpdate(scope, { id, version, state: 'approved' }, { state: 'used', ...countedUp }),
    async whyFailed(error) {
      const now = await scope.db.approvalRequest.findFirst({ where: { id } });
      if (now !== null && stateOfRequest(now, scope.now()) === 'approved') return error;
      return new SallyportError(
        'APPROVAL_REQUIRED',
        'The approval was used, or taken back, meanwhile. Nothing was changed. Repeat the request to ask for another one.',
      );
    },
  };
}

/** Says in a sentence what a call does. */
async function summaryOf(scope: AccountView, { mutation, input, touched, overrides }: AskedCall): Promise<string> {
  const [first] = touched;
  const name = first === undefined ? null : await nameOf(scope, first, input);
  const others = touched.length > 1 ? `, and ${touched.length - 1} more` : '';
  const words = `${nounOf(mutation)}${name === null ? '' : ` ${name}`}${others}.`;
  const what = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return truncateText(overrides === null ? what : `${what} By force: ${overrides}`, summaryBytesMax);
}

/** Returns by what people know an object: as the trail last had it, or as it is going to be. Null for a new one without a name. */
async function nameOf({ db }: AccountView, { id, action }: TouchedObject, input: unknown): Promise<string | null> {
  const where = { objectId: id };
  const event = await db.auditEvent.findFirst({ where, orderBy: { version: 'desc' }, select: { state: true } });
  const isNew = event === null || action === 'create';
  const state: unknown = isNew ? input : JSON.parse(event.state);
  const nameable = nameableIn(id, state);
  const { name } = isJsonObject(state) ? state : {};
  if (typeof name === 'string') return called({ ...nameable, description: name });
  return isNew && nameable.description === '' ? null : called(nameable);
}

/** Creates the error that says whom a change waits for. */
function required({ id, summary, scopes, expiresAt }: Row<'ApprovalRequest'>): SallyportError {
  const who = scopes === '' ? 'somebody else' : `somebody else whose roles have ${quoted(readScopes(scopes))}`;
  return new SallyportError(
    'APPROVAL_REQUIRED',
    `It waits for a second person, and nothing was changed: ${summary} Until ${formatTimestamp(expiresAt)}, ${who} can approve it in the ` +
      `dashboard (${id}). Then repeat the same request, within 15 minutes.`,
  );
}

function tooMany(what: string): SallyportError {
  return new SallyportError(
    'APPROVAL_REQUIRED',
    `${what}, the maximum. Have some approved or refused, or withdraw yours.`,
  );
}
