// Evaluates IP restrictions from compiled rules.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPauses } from '../../domain/concurrency/pauses.ts';
import { createSharedWork } from '../../domain/concurrency/shared-work.ts';
import { atOnce, inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { SallyportError } from '../../domain/errors.ts';
import { compileRules, type RuleTable } from '../../domain/ip/rule-table.ts';
import type { Kind } from '../../domain/values/ids.ts';
import { type AccountView, perDatabase } from '../../storage/objects/account-scope.ts';
import {
  createVersioned,
  haveSameVersions,
  type Made,
  type Versioned,
  type VersionedId,
} from '../../storage/objects/versioned.ts';
import { evaluatedPoliciesMax, evaluatedRestrictionsMax, evaluatedRulesMax, type RestrictionType } from './rules.ts';
import { countOf, type DecidingPart, type ReadyRestrictions, readyRestrictions } from './verdict-store.ts';

/** The columns that affect a decision. With thousands of restrictions, nothing else is read, nor held while they are evaluated. */
const decidingColumns = ['id', 'description', 'version', 'enforced'] as const satisfies (keyof DecidingPart)[];

/** The restrictions of one type, ready for evaluating addresses. */
export interface Evaluation extends ReadyRestrictions {
  /** When it was read. It includes everything stored before that. */
  readonly readAt: Moment;
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

/** The kinds that a decision depends on: restrictions, which refer to policies, and policy rules. A policy row decides nothing. */
const decidingKinds = ['IpRestriction', 'IpPolicyRule'] as const satisfies readonly Kind[];

/** Returns the current moment. */
export function momentOf({ changeCount }: AccountView): Moment {
  return { changeCount: changeCount(decidingKinds), ms: performance.now() };
}

/** Which restrictions of a type to prepare. */
export interface Extent {
  /** Leaves out restrictions that only warn. */
  readonly enforcedOnly: boolean;
  /** Memory an evaluation may take, measured in rules. */
  readonly sizeMax: number;
}

const everything: Extent = { enforcedOnly: false, sizeMax: Number.POSITIVE_INFINITY };

/** Memory overhead of a policy besides its rules, measured in rules. */
const rulesPerPolicy = 32;

// What evaluations are built from, made once per version of a restriction or policy.
const madeOf = perDatabase(() => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 100 });
  return {
    evaluations: createSharedWork<Evaluation>(),
    policyIds: createVersioned<readonly string[]>({ sizeMax: 1_000_000, sizeOf: (ids) => ids.length + 1, queue }),
    tables: createVersioned<RuleTable>({
      sizeMax: 2_500_000,
      sizeOf: ({ ruleCount }) => ruleCount + rulesPerPolicy,
      queue,
    }),
  };
});

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
  const { policyIds, tables } = madeOf(scope);
  // Held for the next round, because the cache is shared by all accounts and may evict the first value before the last is made.
  const heldIds = new Map<string, Made<readonly string[]>>();
  const heldTables = new Map<string, Made<RuleTable>>();
  let before: readonly VersionedId[] = [];
  for (let round = 1; ; round += 1) {
    const readAt = momentOf(scope);
    const restrictions = await restrictionsOfType(scope, type, enforcedOnly, signal);
    const named = await upToDate(scope, policyIds, heldIds, restrictions, readPolicyIds, signal);
    const policyCount = countOf(named.values);
    if (policyCount > evaluatedPoliciesMax) throw tooMany('policies', evaluatedPoliciesMax);
    const ids = await stepByStep(scope, policyCount, distinctIn(named.values), signal);
    const { policies, ruleCount } = await policyVersions(scope, ids, signal);
    const size = 1 + restrictions.length + policyCount + policies.length * rulesPerPolicy + ruleCount;
    if (ruleCount > evaluatedRulesMax || size > sizeMax) throw tooMany('rules', evaluatedRulesMax);
    const compiled = await upToDate(scope, tables, heldTables, policies, compilePolicy, signal);
    const read = [...restrictions, ...policies];
    const isOneTurn = restrictions.length < restrictionsAtOnce && policyCount <= policiesAtOnce;
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
      return { readAt, size, ...(await stepByStep(scope, policyCount, preparing, signal)) };
    }
  }
}

/** Rows and ids read, or looked at, per turn of the event loop. */
const restrictionsAtOnce = 500;
const policiesAtOnce = 2_048;

/** Does work on a number of rows or ids: at once if they are few, because requests wait for it. */
async function stepByStep<T>(
  { accountId }: AccountView,
  count: number,
  steps: Steps<T>,
  signal: AbortSignal,
): Promise<T> {
  return count <= policiesAtOnce ? atOnce(steps) : inTurns(accountId, steps, signal);
}

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
  signal: AbortSignal,
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
    signal.throwIfAborted();
  }
}

/** Upper bound on the rules versions of a policy between two restores, because an `Int` column holds no more. */
const rulesVersions = 2 ** 31;

/** Reads the versions of the policies that still exist, and their total number of rules. */
async function policyVersions(
  scope: AccountView,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<{ policies: VersionedId[]; ruleCount: number }> {
  const policies: VersionedId[] = [];
  let ruleCount = 0;
  for (let start = 0; start < ids.length; start += policiesAtOnce) {
    if (start > 0) await nextTurn();
    signal.throwIfAborted();
    const some = ids.slice(start, start + policiesAtOnce);
    const rows = await scope.rows.pick('IpPolicy', ['id', 'restoredVersion', 'rulesVersion', 'ruleCount'], 'id', some);
    for (const row of rows) {
      policies.push({ id: row.id, version: row.restoredVersion * rulesVersions + row.rulesVersion });
      ruleCount += row.ruleCount;
    }
  }
  return { policies, ruleCount };
}

/** Returns the value made from each row's version, in row order, and whether any value was not cached. */
async function upToDate<T>(
  scope: AccountView,
  source: Versioned<T>,
  held: Map<string, Made<T>>,
  rows: readonly VersionedId[],
  make: (scope: AccountView, id: string) => Promise<T>,
  signal: AbortSignal,
): Promise<{ values: T[]; made: boolean }> {
  const known = await stepByStep(scope, rows.length, knownOf(source, held, rows), signal);
  const made = known.includes(undefined);
  const values: T[] = [];
  const pauses = createPauses(policiesAtOnce);
  for (const [index, row] of rows.entries()) {
    const found = known[index] ?? (await source.make(scope.accountId, row, () => make(scope, row.id)));
    values.push(found.value);
    if (!made) continue;
    held.set(row.id, found);
    if (pauses.due(1)) await nextTurn();
    signal.throwIfAborted();
  }
  return { values, made };
}

/** Returns what has been made from each row's version. */
function* knownOf<T>(
  source: Versioned<T>,
  held: ReadonlyMap<string, Made<T>>,
  rows: readonly VersionedId[],
): Steps<(Made<T> | undefined)[]> {
  const known: (Made<T> | undefined)[] = [];
  for (const row of rows) {
    const before = held.get(row.id);
    yield known.push(before?.version === row.version ? before : source.kept(row));
  }
  return known;
}

/** Prepares a restriction as if it referred to the given policies. Policies that do not exist have no rules. */
export async function prepareAsIf(
  scope: AccountView,
  restriction: DecidingPart,
  policyIds: readonly string[],
): Promise<Pick<Evaluation, 'ask'>> {
  const { signal } = new AbortController();
  const { policies } = await policyVersions(scope, policyIds, signal);
  const { values } = await upToDate(scope, madeOf(scope).tables, new Map(), policies, compilePolicy, signal);
  return atOnce(readyRestrictions([restriction], [policyIds], policies, values));
}

/** Reads the ids of the policies that a restriction refers to. */
export async function readPolicyIds(scope: AccountView, id: string): Promise<readonly string[]> {
  const refs = await scope.rows.pick('IpRestrictionPolicy', ['ipPolicyId'], 'ipRestrictionId', [id]);
  return refs.map(({ ipPolicyId }) => ipPolicyId);
}

async function compilePolicy(scope: AccountView, id: string): Promise<RuleTable> {
  const rules = await scope.rows.pick('IpPolicyRule', ['id', 'action', 'range'], 'ipPolicyId', [id]);
  await nextTurn();
  return compileRules(rules);
}

function tooMany(what: string, max: number): SallyportError {
  return new SallyportError('QUERY_TOO_COMPLEX', `evaluateIp evaluates at most ${max} ${what}.`);
}
