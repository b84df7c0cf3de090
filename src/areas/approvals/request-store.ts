// Requests for approvals in the database, and what people make of them.

import { type KeyScope, readScopes } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { readChoice } from '../../domain/values/decode.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import type { Identity } from '../../storage/keys/credentials.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { type ApprovalState, stateOf, storedStates, waitingMs } from './rules.ts';

export const requests = collectionOf('ApprovalRequest');

/** Returns what has become of a request. */
export function stateOfRequest({ state, expiresAt }: Row<'ApprovalRequest'>, now: Date): ApprovalState {
  return stateOf(readChoice(storedStates, state), expiresAt, now);
}

/** Returns why somebody can not approve or refuse a request, as an error; null if nothing is in the way. */
export function whyNotDecide(
  request: Row<'ApprovalRequest'>,
  { personId, dashboardSessionId, rights }: Identity,
): SallyportError | null {
  if (personId === undefined || dashboardSessionId === undefined) {
    return forbidden(
      'Only a person who is signed in to the dashboard approves or refuses: an API key cannot, nor can one of a person.',
    );
  }
  if (personId === request.requesterId) {
    return forbidden('It is your own request: somebody else has to approve it. You can withdraw it.');
  }
  const missing = lacksOf(request, { rights });
  if (missing.length === 0) return null;
  return forbidden(`Whoever approves the change must be allowed to make it, and your roles lack ${quoted(missing)}.`);
}

/** Returns the scopes that somebody lacks for approving a request. */
export function lacksOf(
  { scopes }: Pick<Row<'ApprovalRequest'>, 'scopes'>,
  { rights }: Pick<Identity, 'rights'>,
): KeyScope[] {
  return readScopes(scopes).filter((scope) => !rights.has(scope));
}

/** Names scopes in a message. */
export const quoted = (scopes: readonly KeyScope[]) => scopes.map((scope) => `"${scope}"`).join(', ');

/**
 * Approves a request: whoever asked can make the change once, within 15 minutes.
 *
 * @throws NOT_FOUND; FORBIDDEN as `whyNotDecide`; OUT_OF_ORDER for a request that waits for nobody any more
 */
export function approveRequest(scope: AccountScope, id: string, identity: Identity): Promise<Row<'ApprovalRequest'>> {
  return decide(scope, id, ['open'], (request, now) => {
    const refusal = whyNotDecide(request, identity);
    if (refusal !== null) throw refusal;
    return { state: 'approved', ...decidedBy(identity, now), expiresAt: new Date(now.getTime() + waitingMs) };
  });
}

/** Refuses a request, or takes an approval back that was not used. Throws as `approveRequest`. */
export function refuseRequest(scope: AccountScope, id: string, identity: Identity): Promise<Row<'ApprovalRequest'>> {
  return decide(scope, id, ['open', 'approved'], (request, now) => {
    const refusal = whyNotDecide(request, identity);
    if (refusal !== null) throw refusal;
    return { state: 'refused', ...decidedBy(identity, now) };
  });
}

/** Withdraws a request of one's own. Throws as `approveRequest`; FORBIDDEN for those of others. */
export function withdrawRequest(scope: AccountScope, id: string, identity: Identity): Promise<Row<'ApprovalRequest'>> {
  return decide(scope, id, ['open', 'approved'], ({ requesterId }) => {
    if (requesterId !== identity.personId)
      throw forbidden('Only who has asked withdraws a request. You can refuse it.');
    return { state: 'withdrawn' };
  });
}

type Decision = Partial<
  Pick<Row<'ApprovalRequest'>, 'state' | 'deciderId' | 'deciderName' | 'decidedAt' | 'expiresAt'>
>;

function decidedBy({ actor, actorDescription = '' }: Identity, decidedAt: Date): Decision {
  // In a session, the person is the actor.
  return { deciderId: actor, deciderName: actorDescription, decidedAt };
}

async function decide(
  scope: AccountScope,
  id: string,
  from: readonly ApprovalState[],
  decision: (request: Row<'ApprovalRequest'>, now: Date) => Decision,
): Promise<Row<'ApprovalRequest'>> {
  const request = await requests.get(scope, id);
  const now = scope.now();
  const columns = decision(request, now);
  const state = stateOfRequest(request, now);
  if (!from.includes(state)) throw new SallyportError('OUT_OF_ORDER', whatBecame(request, state));
  try {
    return await requests.update(scope, id, columns, request.version);
  } catch (error) {
    if (!(error instanceof SallyportError) || error.code !== 'VERSION_CONFLICT') throw error;
    // Somebody else has decided first, or the approval was used: nobody changes a request more than a few times.
    return decide(scope, id, from, decision);
  }
}

/** Says what has become of a request that waits for nobody. */
function whatBecame({ deciderName, expiresAt }: Row<'ApprovalRequest'>, state: ApprovalState): string {
  const words: Readonly<Record<ApprovalState, string>> = {
    open: 'The request waits for an approval.',
    approved: `${deciderName} has approved the request.`,
    refused: `${deciderName} has refused the request.`,
    withdrawn: 'The request was withdrawn.',
    used: 'The change was made.',
    expired: `The request ended at ${formatTimestamp(expiresAt)}. Whoever asked repeats the change to ask again.`,
  };
  return words[state];
}

function forbidden(message: string): SallyportError {
  return new SallyportError('FORBIDDEN', message);
}
