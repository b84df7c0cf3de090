// The question whom IP restrictions let pass, answered from compiled rules.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { SallyportError } from '../../domain/errors.ts';
import type { Kind } from '../../domain/ids.ts';
import { compileRules, type RuleTable } from '../../domain/rule-table.ts';
import { createSharedWork } from '../../domain/shared-work.ts';
import { createWorkQueue } from '../../domain/work-queue.ts';
import { type AccountView, perDatabase } from '../../storage/account-scope.ts';
import {
  createVersioned,
  haveSameVersions,
  type Made,
  type Versioned,
  type VersionedId,
} from '../../storage/versioned.ts';
import { evaluatedPoliciesMax, evaluatedRestrictionsMax, evaluatedRulesMax, type RestrictionType } from './rules.ts';
import { countOf, type DecidingPart, type ReadyRestrictions, readyRestrictions } from './verdict-store.ts';

/** What of a restriction decides: of thousands, no more is read, nor held while they are asked. */
const decidingColumns = ['id', 'version', 'enforced'] as const satisfies (keyof DecidingPart)[];

/** The restrictions of one type, ready to be asked about addresses. */
export interface Evaluation extends ReadyRestrictions {
  /** When it was read: whatever was stored before that is in it. */
  readonly readAt: Moment;
  /** How much memory it takes, in terms of rules. */
  readonly size: number;
}

/** A moment in the life of an account's data, as this process knows it. */
export interface Moment {
  /** What `changeCount` of the scope gave for `decidingKinds`. */
  readonly changeCount: number;
  /** By the clock that nobody sets. */
  readonly ms: number;
}

/** The kinds that a decision depends on: restrictions, which name policies, and the rules of these. A policy itself decides nothing. */
const decidingKinds = ['IpRestriction', 'IpPolicyRule'] as const satisfies readonly Kind[];

/** Tells what moment it is. */
export function momentOf({ changeCount }: AccountView): Moment {
  return { changeCount: changeCount(decidingKinds), ms: performance.now() };
}

/** Which restrictions of a type to get ready. */
export interface Extent {
  /** Leaves out those that only warn. */
  readonly enforcedOnly: boolean;
  /** How much memory an evaluation may take, in terms of rules. */
  readonly sizeMax: number;
}

const everything: Extent = { enforcedOnly: false, sizeMax: Number.POSITIVE_INFINITY };

/** How many rules take the memory that a policy takes beside its own. */
const rulesPerPolicy = 32;

// What questions need, made once for each version of a restriction or policy.
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

/** How often an evaluation looks again whether something has changed while it made something. */
const roundsMax = 10;

/**
 * Gets the restrictions of a type ready. Only versions are read, and what has changed since the last time: rules that are read
 * and compiled, policy by policy, while everybody else goes on. Questions at the same time share one reading.
 *
 * @param signal stops the work when nobody waits for it any more
 * @throws QUERY_TOO_COMPLEX for more rules than can be looked at, and the reason of the signal
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
  // Held for the next round: the cache is that of all accounts, and may drop the first before the last is made.
  const heldIds = new Map<string, Made<readonly string[]>>();
  const heldTables = new Map<string, Made<RuleTable>>();
  let before: readonly VersionedId[] = [];
  for (let round = 1; ; round += 1) {
    const readAt = momentOf(scope);
    const restrictions = await restrictionsOfType(scope, type, enforcedOnly, signal);
    const named = await upToDate(scope, policyIds, heldIds, restrictions, readPolicyIds, signal);
    const policyCount = countOf(named.values);
    if (policyCount > evaluatedPoliciesMax) throw tooMany('policies', evaluatedPoliciesMax);
    const { policies, ruleCount } = await policyVersions(scope, [...new Set(named.values.flat())], signal);
    const size = 1 + restrictions.length + policyCount + policies.length * rulesPerPolicy + ruleCount;
    if (ruleCount > evaluatedRulesMax || size > sizeMax) throw tooMany('rules', evaluatedRulesMax);
    const compiled = await upToDate(scope, tables, heldTables, policies, compilePolicy, signal);
    const read = [...restrictions, ...policies];
    const isOneTurn = restrictions.length < restrictionsAtOnce && policies.length <= policiesAtOnce;
    // Restrictions and policies are read one after the other. Where two rounds have read the same versions, all of them were
    // stored together at the moment between the two. An account that goes on changing its rules gets an answer, too; nothing in
    // it is older than the question.
    const isOneMoment =
      !named.made && !compiled.made && ((isOneTurn && scope.rows.turnIsMoment) || haveSameVersions(before, read));
    before = read;
    if (isOneMoment || round === roundsMax) {
      return { readAt, size, ...readyRestrictions(restrictions, named.values, policies, compiled.values) };
    }
  }
}

/** Rows, and ids, that are read in one turn of the event loop. */
const restrictionsAtOnce = 500;
const policiesAtOnce = 2_048;

async function restrictionsOfType(
  scope: AccountView,
  type: RestrictionType,
  enforcedOnly: boolean,
  signal: AbortSignal,
): Promise<DecidingPart[]> {
  const all: DecidingPart[] = [];
  let last: string | undefined;
  for (;;) {
    const range = { equal: { type }, lessThan: undefined, greaterThan: last, ascending: true };
    const rows = await scope.rows.pickRange('IpRestriction', decidingColumns, { ...range, take: restrictionsAtOnce });
    last = rows.at(-1)?.id;
    all.push(...rows.filter(({ enforced }) => enforced || !enforcedOnly));
    if (all.length > evaluatedRestrictionsMax) throw tooMany('restrictions of this type', evaluatedRestrictionsMax);
    if (rows.length < restrictionsAtOnce) return all;
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** As many versions as the rules of a policy can have between two restorations: an `Int` holds no more. */
const rulesVersions = 2 ** 31;

/** Reads the versions of the policies that still exist, and how many rules they have together. */
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

/** Gets what is made of each row in its version, in their order, and tells whether any of it had to be made. */
async function upToDate<T>(
  scope: AccountView,
  source: Versioned<T>,
  held: Map<string, Made<T>>,
  rows: readonly VersionedId[],
  make: (scope: AccountView, id: string) => Promise<T>,
  signal: AbortSignal,
): Promise<{ values: T[]; made: boolean }> {
  const known = rows.map((row) => {
    const before = held.get(row.id);
    return before?.version === row.version ? before : source.kept(row);
  });
  const made = known.includes(undefined);
  const values: T[] = [];
  for (const [place, row] of rows.entries()) {
    const found = known[place] ?? (await source.make(scope.accountId, row, () => make(scope, row.id)));
    values.push(found.value);
    if (!made) continue;
    held.set(row.id, found);
    signal.throwIfAborted();
  }
  return { values, made };
}

/** Gets a restriction ready as if it had certain policies. Those that do not exist have no rules. */
export async function prepareAsIf(
  scope: AccountView,
  restriction: DecidingPart,
  policyIds: readonly string[],
): Promise<Pick<Evaluation, 'ask'>> {
  const { signal } = new AbortController();
  const { policies } = await policyVersions(scope, policyIds, signal);
  const { values } = await upToDate(scope, madeOf(scope).tables, new Map(), policies, compilePolicy, signal);
  return readyRestrictions([restriction], [policyIds], policies, values);
}

/** Reads the policies that a restriction names. */
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
