// The rules and lists of IP policies, compiled once per version of a policy, and again when one of them has ended.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { sizeOfRanges, withLists } from '../../domain/ip/range-list.ts';
import { compileRules, type RuleTable } from '../../domain/ip/rule-table.ts';
import { type AccountView, perDatabase } from '../objects/account-scope.ts';
import { proposalOf } from '../objects/proposed-view.ts';
import { rowsChanged } from '../objects/row-deltas.ts';
import { createVersioned, type Made, type VersionedId } from '../objects/versioned.ts';
import { rowsAtOnce, upToDate, type ValueSource } from '../objects/versioned-values.ts';
import { readListsOf } from './range-lists.ts';
import { readRulesInForce } from './rules-in-force.ts';

/** Memory overhead of a policy besides its rules, measured in rules. */
const rulesPerPolicy = 32;

/** The compiled rules of a policy that have not ended. */
export interface TimedTable extends RuleTable {
  /** When the first of them ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
}

const tablesOf = perDatabase(
  (): ValueSource<TimedTable> => ({
    cache: createVersioned({
      sizeMax: 2_500_000,
      sizeOf: ({ ruleCount }) => ruleCount + rulesPerPolicy,
      queue: createWorkQueue({ atOnce: 1, waitingMax: 100 }),
    }),
    make: compilePolicy,
    isValid: ({ validUntilMs }, now) => now.getTime() < validUntilMs,
  }),
);

export interface PolicyVersions {
  /** Those that still exist. */
  readonly policies: readonly VersionedId[];
  /** How many rules they have, with the ranges of their sources measured in rules. */
  readonly ruleCount: number;
  /** Memory that their compiled rules take, measured in rules. */
  readonly size: number;
}

const decidingColumns = ['id', 'restoredVersion', 'rulesVersion', 'ruleCount', 'sourceRangeCount'] as const;

/** Upper bound on the rules versions of a policy between two restores, because an `Int` column holds no more. */
const rulesVersions = 2 ** 31;

/** Reads the versions of the policies that still exist. Throws the reason of the signal. */
export async function policyVersions(
  scope: AccountView,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<PolicyVersions> {
  const policies: VersionedId[] = [];
  let ruleCount = 0;
  for (let start = 0; start < ids.length; start += rowsAtOnce) {
    if (start > 0) await nextTurn();
    signal?.throwIfAborted();
    const some = ids.slice(start, start + rowsAtOnce);
    const rows = await scope.rows.pick('IpPolicy', decidingColumns, 'id', some);
    for (const row of rows) {
      policies.push({ id: row.id, version: row.restoredVersion * rulesVersions + row.rulesVersion });
      ruleCount += row.ruleCount + sizeOfRanges(row.sourceRangeCount);
    }
  }
  return { policies, ruleCount, size: policies.length * rulesPerPolicy + ruleCount };
}

/** Returns the compiled rules of policies, as `upToDate`. */
export async function compiledPolicies(
  scope: AccountView,
  policies: readonly VersionedId[],
  held: Map<string, Made<TimedTable>>,
  signal?: AbortSignal,
): Promise<{ values: TimedTable[]; made: boolean }> {
  const proposal = proposalOf(scope);
  if (proposal === undefined) return upToDate(scope, tablesOf(scope), held, policies, signal);
  // Those that the proposed change leaves alone are compiled already. Every change of rules counts up their policy.
  const changed = rowsChanged(proposal.deltas, 'IpPolicy');
  const values: TimedTable[] = [];
  for (const policy of policies) {
    const { base } = proposal;
    const [view, known] = changed(policy.id) ? [scope, held] : [base, new Map<string, Made<TimedTable>>()];
    values.push(...(await upToDate(view, tablesOf(view), known, [policy], signal)).values);
  }
  return { values, made: false };
}

async function compilePolicy(scope: AccountView, id: string): Promise<TimedTable> {
  const [{ rules, validUntilMs }, lists] = await Promise.all([readRulesInForce(scope, [id]), readListsOf(scope, id)]);
  await nextTurn();
  return { ...withLists(compileRules(rules), lists), validUntilMs };
}
