// IP restrictions in the database, and the question whom they let pass.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Address, wordsOf } from '../../domain/cidr.ts';
import { SallyportError, unknownReference } from '../../domain/errors.ts';
import { createPauses } from '../../domain/pauses.ts';
import { compileRules, denies, noRank, type RuleTable } from '../../domain/rule-table.ts';
import { createSharedWork } from '../../domain/shared-work.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/text.ts';
import { createWorkQueue } from '../../domain/work-queue.ts';
import { type AccountScope, perDatabase } from '../../storage/account-scope.ts';
import type { ExpectedVersion, Row, Selection } from '../../storage/collection.ts';
import { ipPolicies, ipRestrictions } from '../../storage/collections.ts';
import type { InnerList } from '../../storage/plain-reads.ts';
import { createVersioned, type Made, type Versioned, type VersionedId } from '../../storage/versioned.ts';
import {
  checkPolicyIds,
  type Decision,
  evaluatedPoliciesMax,
  evaluatedRestrictionsMax,
  evaluatedRulesMax,
  type RestrictionType,
} from './rules.ts';

export { ipPolicies, ipPolicyRules, ipRestrictions } from '../../storage/collections.ts';

/**
 * Makes an IP restriction.
 *
 * @throws INVALID_INPUT, and UNKNOWN_REFERENCE for a policy that is not of this account
 */
export async function createIpRestriction(
  scope: AccountScope,
  input: Notes & { type: RestrictionType; enforced?: boolean | null | undefined; ipPolicyIds: readonly string[] },
  selection?: Selection,
): Promise<Row<'IpRestriction'>> {
  const notes = notesForCreate(input);
  const refs = await policyRefs(scope, input.ipPolicyIds);
  const columns = { type: input.type, enforced: input.enforced ?? false, ...notes, policyRefs: { create: refs } };
  return ipRestrictions.create(scope, columns, { selection });
}

/** Changes an IP restriction; null keeps. Throws as `collection.update` and `createIpRestriction`. */
export async function updateIpRestriction(
  scope: AccountScope,
  input: Notes & {
    id: string;
    enforced?: boolean | null | undefined;
    ipPolicyIds?: readonly string[] | null | undefined;
    expectedVersion?: ExpectedVersion;
  },
  selection?: Selection,
): Promise<Row<'IpRestriction'>> {
  const notes = notesForUpdate(input);
  const refs = input.ipPolicyIds == null ? undefined : await policyRefs(scope, input.ipPolicyIds);
  const change = {
    ...notes,
    ...(input.enforced == null ? {} : { enforced: input.enforced }),
    ...(refs === undefined ? {} : { policyRefs: { deleteMany: {}, create: refs } }),
  };
  return ipRestrictions.update(scope, input.id, change, input.expectedVersion, { selection });
}

async function policyRefs(scope: AccountScope, ipPolicyIds: readonly string[]) {
  const distinct = checkPolicyIds(ipPolicyIds);
  // A policy that is deleted between this question and the write leaves a reference to a policy with zero rules, just
  // as if it had been deleted after the write.
  const unknown = distinct[await ipPolicies.firstUnknown(scope, distinct)];
  if (unknown !== undefined) {
    throw unknownReference(`ipPolicyIds[${ipPolicyIds.indexOf(unknown)}]`, 'IP policy', unknown);
  }
  return distinct.map((ipPolicyId, position) => ({ ipPolicyId, position }));
}

/** The policies that a restriction refers to, in the order given; some may be gone. */
export const policiesOfRestriction = {
  model: 'IpRestrictionPolicy',
  parent: 'ipRestrictionId',
  value: 'ipPolicyId',
  order: 'position',
  direction: 'ASC',
} as const satisfies InnerList;

/** The restrictions that refer to a policy, newest first. */
export const restrictionsOfPolicy = {
  model: 'IpRestrictionPolicy',
  parent: 'ipPolicyId',
  value: 'ipRestrictionId',
  order: 'ipRestrictionId',
  direction: 'DESC',
} as const satisfies InnerList;

/** What of a restriction decides: of thousands, no more is read, nor held while they are asked. */
const decidingColumns = ['id', 'version', 'enforced'] as const;
type DecidingPart = Pick<Row<'IpRestriction'>, (typeof decidingColumns)[number]>;

/** What one restriction says of an address. */
export interface Verdict extends Decision<{ id: string }> {
  readonly restriction: DecidingPart;
}

/** The restrictions of one type, ready to be asked about addresses. */
export interface Evaluation {
  /** How many policies an answer looks at, each counted as often as a restriction names it. */
  readonly policyCount: number;
  /** How many restrictions answer. */
  readonly restrictionCount: number;
  /** Asks each restriction whether it lets an address pass, oldest first. */
  ask(address: Address): Promise<Verdict[]>;
}

// What questions need, made once for each version of a restriction or policy. A policy in it takes as much as its rules and
// some dozens more.
const madeOf = perDatabase(() => {
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 100 });
  return {
    evaluations: createSharedWork<Evaluation>(),
    policyIds: createVersioned<readonly string[]>({ sizeMax: 1_000_000, sizeOf: (ids) => ids.length + 1, queue }),
    tables: createVersioned<RuleTable>({ sizeMax: 2_500_000, sizeOf: ({ ruleCount }) => ruleCount + 32, queue }),
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
  scope: AccountScope,
  type: RestrictionType,
  signal?: AbortSignal,
): Promise<Evaluation> {
  const work = (abandoned: AbortSignal) => prepare(scope, type, abandoned);
  return madeOf(scope).evaluations.run(`${scope.accountId} ${type}`, work, signal);
}

async function prepare(scope: AccountScope, type: RestrictionType, signal: AbortSignal): Promise<Evaluation> {
  const { policyIds, tables } = madeOf(scope);
  // Held for the next round: of what is kept for all accounts, the first may be gone before the last is made.
  const heldIds = new Map<string, Made<readonly string[]>>();
  const heldTables = new Map<string, Made<RuleTable>>();
  for (let round = 1; ; round += 1) {
    const restrictions = await restrictionsOfType(scope, type, signal);
    const named = await upToDate(scope, policyIds, heldIds, restrictions, readPolicyIds, signal);
    if (countOf(named.values) > evaluatedPoliciesMax) throw tooMany('policies', evaluatedPoliciesMax);
    const policies = await policyVersions(scope, [...new Set(named.values.flat())], signal);
    const compiled = await upToDate(scope, tables, heldTables, policies, compilePolicy, signal);
    // Nothing was made: all of it has the versions that were read in this round, which on SQLite is one turn of the event loop and
    // so one moment. On PostgreSQL, restrictions and policies are read one after the other. An account that goes on changing its
    // rules gets an answer, too; nothing in it is older than the question.
    if ((!named.made && !compiled.made) || round === roundsMax) {
      return evaluationOf(restrictions, named.values, policies, compiled.values);
    }
  }
}

/** Rows, and ids, that are read in one turn of the event loop. */
const restrictionsAtOnce = 500;
const policiesAtOnce = 2_048;
/** Policies that are looked at in one turn. */
const looksAtOnce = 50_000;

async function restrictionsOfType(
  scope: AccountScope,
  type: RestrictionType,
  signal: AbortSignal,
): Promise<DecidingPart[]> {
  const all: DecidingPart[] = [];
  for (;;) {
    const range = { equal: { type }, lessThan: undefined, greaterThan: all.at(-1)?.id, ascending: true };
    const rows = await scope.rows.pickRange('IpRestriction', decidingColumns, { ...range, take: restrictionsAtOnce });
    all.push(...rows);
    if (all.length > evaluatedRestrictionsMax) throw tooMany('restrictions of this type', evaluatedRestrictionsMax);
    if (rows.length < restrictionsAtOnce) return all;
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Reads the versions of the policies that still exist. */
async function policyVersions(
  scope: AccountScope,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<VersionedId[]> {
  const found: VersionedId[] = [];
  let ruleCount = 0;
  for (let start = 0; start < ids.length; start += policiesAtOnce) {
    if (start > 0) await nextTurn();
    signal.throwIfAborted();
    const some = ids.slice(start, start + policiesAtOnce);
    const rows = await scope.rows.pick('IpPolicy', ['id', 'rulesVersion', 'ruleCount'], 'id', some);
    for (const row of rows) {
      found.push({ id: row.id, version: row.rulesVersion });
      ruleCount += row.ruleCount;
    }
  }
  if (ruleCount > evaluatedRulesMax) throw tooMany('rules', evaluatedRulesMax);
  return found;
}

/** Gets what is made of each row in its version, in their order, and tells whether any of it had to be made. */
async function upToDate<T>(
  scope: AccountScope,
  source: Versioned<T>,
  held: Map<string, Made<T>>,
  rows: readonly VersionedId[],
  make: (scope: AccountScope, id: string) => Promise<T>,
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

async function readPolicyIds(scope: AccountScope, id: string): Promise<readonly string[]> {
  const refs = await scope.rows.pick('IpRestrictionPolicy', ['ipPolicyId'], 'ipRestrictionId', [id]);
  return refs.map(({ ipPolicyId }) => ipPolicyId);
}

async function compilePolicy(scope: AccountScope, id: string): Promise<RuleTable> {
  const rules = await scope.rows.pick('IpPolicyRule', ['id', 'action', 'range'], 'ipPolicyId', [id]);
  await nextTurn();
  return compileRules(rules);
}

function evaluationOf(
  restrictions: readonly DecidingPart[],
  named: readonly (readonly string[])[],
  policies: readonly VersionedId[],
  tables: readonly RuleTable[],
): Evaluation {
  const placeOf = new Map(policies.map(({ id }, place) => [id, place]));
  // A policy that was deleted has no place, and so no rules.
  const places = named.map((ids) => ids.flatMap((id) => placeOf.get(id) ?? []));
  return {
    policyCount: countOf(named),
    restrictionCount: restrictions.length,
    async ask(address) {
      const words = wordsOf(address);
      const pauses = createPauses(looksAtOnce);
      // Each policy once, however many restrictions name it.
      const ranks: number[] = [];
      for (const table of tables) {
        ranks.push(table.rankOf(words));
        if (pauses.due(1)) await nextTurn();
      }
      const verdicts: Verdict[] = [];
      for (const [index, restriction] of restrictions.entries()) {
        const looked = places[index] ?? [];
        const rank = looked.reduce((highest, place) => Math.max(highest, ranks[place] ?? noRank), noRank);
        const deciding = rank === noRank ? [] : looked.filter((place) => ranks[place] === rank);
        const [oldest] = deciding.map((place) => tables[place]?.decidingId(words) ?? '').sort();
        const decidedBy = oldest === undefined ? null : { id: oldest };
        verdicts.push({ restriction, passes: decidedBy !== null && !denies(rank), decidedBy });
        if (pauses.due(looked.length)) await nextTurn();
      }
      return verdicts;
    },
  };
}

function countOf(lists: readonly (readonly string[])[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0);
}

function tooMany(what: string, max: number): SallyportError {
  return new SallyportError('QUERY_TOO_COMPLEX', `evaluateIp evaluates at most ${max} ${what}.`);
}
