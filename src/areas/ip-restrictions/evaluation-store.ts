// Evaluates IP restrictions from compiled rules.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSharedWork } from '../../domain/concurrency/shared-work.ts';
import { atOnce, type Steps } from '../../domain/concurrency/steps.ts';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { SallyportError } from '../../domain/errors.ts';
import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { endlessMs } from '../../domain/ip/rule-end.ts';
import type { Kind } from '../../domain/values/ids.ts';
import { compiledPolicies, policyVersions, type TimedTable } from '../../storage/ip/policy-tables.ts';
import { type AccountView, perDatabase } from '../../storage/objects/account-scope.ts';
import { createVersioned, haveSameVersions, type Made, type VersionedId } from '../../storage/objects/versioned.ts';
import { rowsAtOnce, stepByStep, upToDate, type ValueSource } from '../../storage/objects/versioned-values.ts';
import { evaluatedPoliciesMax, evaluatedRestrictionsMax, evaluatedRulesMax } from './rules.ts';
import { countOf, type DecidingPart, type ReadyRestrictions, readyRestrictions } from './verdict-store.ts';

/** The columns that affect a decision. With thousands of restrictions, nothing else is read, nor held while they are evaluated. */
const decidingColumns = ['id', 'description', 'version', 'enforced'] as const satisfies (keyof DecidingPart)[];

/** The restrictions of one type, ready for evaluating addresses. */
export interface Evaluation extends ReadyRestrictions {
  /** When it was read. It includes everything stored before that. */
  readonly readAt: Moment;
  /** When the first of its rules ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
  /** Memory it takes, measured in rules. */
  readonly size: number;
}

/** A moment in the life of an account's data, as this process knows it. */
export interface Moment {
  /** The scope's `changeCount` for `decidingKinds`. */
  readonly changeCount: number;
  /** By the monotonic clock. */
  readonly ms: number;
}

/** The kinds that a decision depends on: restrictions, which refer to policies, policy rules and sources. A policy row decides nothing. */
const decidingKinds = ['IpRestriction', 'IpPolicyRule', 'IpPolicySource'] as const satisfies readonly Kind[];

/** Returns the current moment. */
export function momentOf({ changeCount }: AccountView): Moment {
  return { changeCount: changeCount(decidingKinds), ms: performance.now() };
}

export interface Extent {
  /** Leaves out restrictions that only warn. */
  readonly enforcedOnly: boolean;
  /** Memory an evaluation may take, measured in rules. */
  readonly sizeMax: number;
}

const everything: Extent = { enforcedOnly: false, sizeMax: Number.POSITIVE_INFINITY };

// The policies that restrictions refer to, read once per version of a restriction.
const madeOf = perDatabase(() => ({
  evaluations: createSharedWork<Evaluation>(),
  policyIds: {
    cache: createVersioned({
      sizeMax: 1_000_000,
      sizeOf: (ids) => ids.length + 1,
      queue: createWorkQueue({ atOnce: 1, waitingMax: 100 }),
    }),
    make: readPolicyIds,
  } satisfies ValueSource<readonly string[]>,
}));

/** Maximum number of rounds in which an evaluation checks whether anything changed while it was compiling. */
const roundsMax = 10;

/**
 * Prepares the restrictions of a type for evaluation. Reads only versions, and whatever has changed since the last time: changed
 * rules are read and compiled policy by policy, with other work running in between. Concurrent calls share one read.
 *
 * @param signal stops the work when nobody is waiting for it any more
 * @throws QUERY_TOO_COMPLEX for more rules than are evaluated, and the reason of the signal
 */
export function prepareEvaluation(
  scope: AccountView,
  type: RestrictionType,
  signal?: AbortSignal,
  extent: Extent = everything,
): Promise<Evaluation> {
  const work = (abandoned: AbortSignal) => prepare(scope, type, extent, abandoned);
  const key = `${scope.accountId} ${type} ${extent.enforcedOnly} ${extent.sizeMax}`;
  return madeOf(scope).evaluations.run(key, work, signal);
}

async function prepare(
  scope: AccountView,
  type: RestrictionType,
  { enforcedOnly, sizeMax }: Extent,
  signal: AbortSignal,
): Promise<Evaluation> {
  const { policyIds } = madeOf(scope);
  // Held for the next round, because the cache is shared by all accounts and may evict the first value before the last is made.
  const heldIds = new Map<string, Made<readonly string[]>>();
  const heldTables = new Map<string, Made<TimedTable>>();
  let before: readonly VersionedId[] = [];
  for (let round = 1; ; round += 1) {
    const readAt = momentOf(scope);
    const restrictions = await restrictionsOfType(scope, type, enforcedOnly, signal);
    const named = await upToDate(scope, policyIds, heldIds, restrictions, signal);
    const policyCount = countOf(named.values);
    if (policyCount > evaluatedPoliciesMax) throw tooMany('policies', evaluatedPoliciesMax);
    const ids = await stepByStep(scope, policyCount, distinctIn(named.values), signal);
    const { policies, ruleCount, size: sizeOfPolicies } = await policyVersions(scope, ids, signal);
    const size = 1 + restrictions.length + policyCount + sizeOfPolicies;
    if (ruleCount > evaluatedRulesMax || size > sizeMax) throw tooMany('rules', evaluatedRulesMax);
    const compiled = await compiledPolicies(scope, policies, heldTables, signal);
    const read = [...restrictions, ...policies];
    const isOneTurn = restrictions.length < restrictionsAtOnce && policyCount <= rowsAtOnce;
    // Restrictions and policies are read one after the other, in one turn if there are few. If two successive rounds read the
    // same versions, all of them were current at the moment between the two rounds. An account that keeps changing its rules still
    // gets an answer, in which nothing is older than the question.
    const isOneMoment =
      !named.made &&
      !compiled.made &&
      ((isOneTurn && scope.rows.turnIsMoment) ||
        (await stepByStep(scope, read.length, haveSameVersions(before, read), signal)));
    before = read;
    if (isOneMoment || round === roundsMax) {
      const preparing = readyRestrictions(restrictions, named.values, policies, compiled.values);
      const validUntilMs = compiled.values.reduce(
        (earliest, table) => Math.min(earliest, table.validUntilMs),
        endlessMs,
      );
      return { readAt, validUntilMs, size, ...(await stepByStep(scope, policyCount, preparing, signal)) };
    }
  }
}

/** Restrictions read per turn of the event loop. */
const restrictionsAtOnce = 500;

function* distinctIn(lists: readonly (readonly string[])[]): Steps<string[]> {
  const found = new Set<string>();
  for (const list of lists) {
    for (const id of list) found.add(id);
    yield;
  }
  return [...found];
}

async function restrictionsOfType(
  scope: AccountView,
  type: RestrictionType,
  enforcedOnly: boolean,
  signal?: AbortSignal,
): Promise<DecidingPart[]> {
  // However many only warn, an index finds the enforced ones.
  const equal = enforcedOnly ? { type, enforced: true } : { type };
  const all: DecidingPart[] = [];
  let last: string | undefined;
  for (;;) {
    const range = { equal, lessThan: undefined, greaterThan: last, ascending: true, take: restrictionsAtOnce };
    const rows = await scope.rows.pickRange('IpRestriction', decidingColumns, range);
    last = rows.at(-1)?.id;
    all.push(...rows);
    if (all.length > evaluatedRestrictionsMax) throw tooMany('restrictions of this type', evaluatedRestrictionsMax);
    if (rows.length < restrictionsAtOnce) return all;
    await nextTurn();
    signal?.throwIfAborted();
  }
}

/** The restrictions of a type, and the ids of all that decides about its traffic: these and the policies that they name. */
export interface Restricting extends Pick<Evaluation, 'restrictions'> {
  readonly ids: ReadonlySet<string>;
}

/**
 * Finds the restrictions of a type, whether or not they are enforced, without their rules.
 *
 * @throws QUERY_TOO_COMPLEX for more than are evaluated, and the reason of the signal
 */
export async function findRestricting(
  scope: AccountView,
  type: RestrictionType,
  signal?: AbortSignal,
): Promise<Restricting> {
  const restrictions = await restrictionsOfType(scope, type, false, signal);
  const named = await upToDate(scope, madeOf(scope).policyIds, new Map(), restrictions, signal);
  const policyCount = countOf(named.values);
  if (policyCount > evaluatedPoliciesMax) throw tooMany('policies', evaluatedPoliciesMax);
  const policyIds = await stepByStep(scope, policyCount, distinctIn(named.values), signal);
  return { restrictions, ids: new Set([...restrictions.map(({ id }) => id), ...policyIds]) };
}

/** Prepares a restriction as if it referred to the given policies. Policies that do not exist have no rules. */
export async function prepareAsIf(
  scope: AccountView,
  restriction: DecidingPart,
  policyIds: readonly string[],
): Promise<Pick<Evaluation, 'ask'>> {
  const { policies } = await policyVersions(scope, policyIds);
  const { values } = await compiledPolicies(scope, policies, new Map());
  return atOnce(readyRestrictions([restriction], [policyIds], policies, values));
}

/** Reads the ids of the policies that a restriction refers to. */
export async function readPolicyIds(scope: AccountView, id: string): Promise<readonly string[]> {
  const refs = await scope.rows.pick('IpRestrictionPolicy', ['ipPolicyId'], 'ipRestrictionId', [id]);
  return refs.map(({ ipPolicyId }) => ipPolicyId);
}

function tooMany(what: string, max: number): SallyportError {
  return new SallyportError('QUERY_TOO_COMPLEX', `evaluateIp evaluates at most ${max} ${what}.`);
}
