// Drafts of an account, in which documents are tried out, and requests undone.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { createTimedPauses } from '../../domain/concurrency/pauses.ts';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import type { SallyportError } from '../../domain/errors.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { Budget } from '../../load/budget.ts';
import { isDuplicate, isMissingReference, isMissingRow } from '../../storage/errors.ts';
import type { AccountDraft, AccountScope } from '../../storage/objects/account-scope.ts';
import type { Effects } from '../../storage/objects/effects.ts';
import { commandLine } from '../../storage/trail/origin.ts';
import { loadParts } from '../parts.ts';
import { createAsking } from './asking-schema.ts';
import type { ConfiguredKind } from './kind-schema.ts';
import { configuredKinds } from './kinds-schema.ts';
import { tookTooLong } from './rules.ts';
import { createRun } from './state-schema.ts';

/** A document is planned with all of its objects in memory: one at a time for an account, and two for all. As many wait as large answers. */
const plans = createWorkQueue({ atOnce: 2, atOnceOfOwner: 1, waitingMax: 100 });

/** How long a plan may take once its turn has come, in milliseconds: a plan of another account may wait for it. */
const planMsMax = 60_000;

/** How often a document is planned again because something else has changed meanwhile. */
const attemptsMax = 3;

/**
 * Does work with a draft of the account, in the turn of the account.
 *
 * @param work gets the draft, and the signal that fires when the client leaves or the time is over
 * @throws UNAVAILABLE if too many wait, or it takes too long; the reason of the signal if the client leaves; the errors of
 *   `Context.identifyAgain` if it has waited
 */
export function withDraft<T>(
  context: Context,
  schema: GraphQLSchema,
  work: (draft: AccountDraft, ends: AbortSignal) => Promise<T>,
): Promise<T> {
  const { scope, signal } = context;
  let hasWaited = false;
  const open = async () => {
    if (hasWaited) await context.identifyAgain();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tookTooLong(planMsMax)), planMsMax);
    try {
      const ends = AbortSignal.any([signal(), late.signal]);
      const draft = await scope.draft(draftedKinds(configuredKinds(schema)), ends);
      try {
        return await work(draft, ends);
      } finally {
        await draft.close();
      }
    } finally {
      clearTimeout(timer);
    }
  };
  const done = plans.run(scope.accountId, open, signal);
  // If there was no need to wait, the work has already begun.
  hasWaited = true;
  return done;
}

/** The kinds of objects that a draft needs. */
export function draftedKinds(kinds: readonly ConfiguredKind[]): string[] {
  return kinds.flatMap(({ kind, modules }) => [kind, ...modules.flatMap(({ listedKind }) => listedKind ?? [])]);
}

/** Attempts to store a draft, again if something else has changed meanwhile. Throws `why` if that happens each time: no failure to be logged. */
export async function afterFailures<T>(
  attempt: () => Promise<T>,
  why: () => SallyportError,
  left = attemptsMax,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const isOvertaken = isMissingRow(error) || isDuplicate(error) || isMissingReference(error);
    if (!isOvertaken) throw error;
    if (left > 1) return afterFailures(attempt, why, left - 1);
    throw why();
  }
}

/** Asks the areas what the changes of a draft would do. */
export async function effectsOf(
  { scope, clientAddress, traffic, identity }: Context,
  after: AccountScope,
): Promise<Effects> {
  const client =
    identity.actor === commandLine.actor ? null : { address: clientAddress, traffic, personId: identity.personId };
  const found: Effects[] = [];
  const pauses = createTimedPauses();
  for (const { findEffects } of await loadParts('effects')) {
    found.push(await findEffects({ before: scope, after, client, rights: identity.rights }));
    if (pauses.due()) await nextTurn();
  }
  return {
    access: found.flatMap(({ access }) => access),
    refusals: found.flatMap(({ refusals }) => refusals),
    acknowledged: () => {
      for (const { acknowledged } of found) acknowledged?.();
    },
  };
}

/**
 * Returns what acts in a draft as the caller would in the account.
 *
 * @param asking what its changes ask in place of servers of others
 */
export function inDraft(
  draft: AccountDraft,
  context: Context,
  ends: AbortSignal,
  asking: DraftContext = createAsking(context),
) {
  const { identity } = context;
  const scope = draft.actingFor({ actor: identity.actor, surface: 'graphql', requestId: null, clientAddress: null });
  return { scope, run: createRun(draftContext(context, scope, ends, asking)) };
}

type DraftContext = Pick<Context, 'outgoing' | 'examineProvider'>;

/**
 * Creates a context whose changes go to a draft. Lockouts and the limits of single requests do not hold there. All members are named, so
 * that whoever adds one decides what it is in a draft.
 */
function draftContext(context: Context, scope: AccountScope, ends: AbortSignal, asking: DraftContext): Context {
  const { requestId, baseUrl, identity, trace, clientAddress, traffic, dashboardSessions, accounts } = context;
  const { readActivity, warningsOf, service, renewalGraceDays, gateRulesFor } = context;
  return {
    requestId,
    baseUrl,
    identity,
    trace,
    clientAddress,
    traffic,
    dashboardSessions,
    accounts,
    readActivity,
    warningsOf,
    service,
    renewalGraceDays,
    gateRulesFor,
    scope,
    outgoing: asking.outgoing,
    examineProvider: asking.examineProvider,
    signal: () => ends,
    expectClient: () => ends.throwIfAborted(),
    idempotency: null,
    budget: new Budget(false),
    untrustedDocument: false,
    body: undefined,
    refuseLockout: async () => {},
    secondPerson: null,
    charge: () => {},
    noteRefusal: () => {},
    identifyAgain: async () => undefined,
  };
}
