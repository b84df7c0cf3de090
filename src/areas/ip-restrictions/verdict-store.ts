// What IP restrictions say about an address, computed from compiled rules. It reads nothing from the database.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPauses } from '../../domain/concurrency/pauses.ts';
import type { Steps } from '../../domain/concurrency/steps.ts';
import { type Address, wordsOf } from '../../domain/ip/cidr.ts';
import { denies, noRank, type RuleTable } from '../../domain/ip/rule-table.ts';
import type { Decision } from './rules.ts';

/** The part of a restriction that affects decisions. */
export interface DecidingPart {
  readonly id: string;
  readonly description: string;
  readonly version: number;
  readonly enforced: boolean;
}

/** What one restriction says about an address. */
export interface Verdict extends Decision<{ id: string }> {
  readonly restriction: DecidingPart;
}

/** Restrictions that can be asked about addresses. */
export interface ReadyRestrictions {
  /** Number of policies that an answer looks at, counted once per reference by a restriction. */
  readonly policyCount: number;
  /** The restrictions that answer, oldest first. */
  readonly restrictions: readonly DecidingPart[];
  /** Returns whether any of them refers to a policy, even if the policy has been deleted. */
  hasPolicy(policyId: string): boolean;
  /**
   * Returns synchronously whether all restrictions let an address pass. False may also mean that there are too many policies to
   * look at without a pause; use `ask` then.
   */
  passesAll(address: Address): boolean;
  /**
   * Asks each restriction whether it lets an address pass, oldest first.
   *
   * @param instead rules to use instead of those of a policy, which may have been deleted
   */
  ask(address: Address, instead?: { readonly policyId: string; readonly table: RuleTable }): Promise<Verdict[]>;
}

/** Maximum number of policies that are looked at synchronously: one look takes less than a tenth of a microsecond. */
const policiesUnpausedMax = 1_000;
/** Policies looked at per turn of the event loop. */
const looksAtOnce = 10_000;

/**
 * Prepares restrictions for evaluation, with a step for each policy and each restriction.
 *
 * @param named for each restriction, the ids of its policies
 * @param policies the policies that exist, in the order of `tables`
 */
export function* readyRestrictions(
  restrictions: readonly DecidingPart[],
  named: readonly (readonly string[])[],
  policies: readonly { readonly id: string }[],
  tables: readonly RuleTable[],
): Steps<ReadyRestrictions> {
  const indexOf = new Map<string, number>();
  for (const { id } of policies) yield indexOf.set(id, indexOf.size);
  const indexFor = (id: string) => {
    const index = indexOf.get(id) ?? indexOf.size;
    indexOf.set(id, index);
    return index;
  };
  // A deleted policy gets an index past the end of `tables`, so it has no rules.
  const indexes: number[][] = [];
  for (const ids of named) yield indexes.push(ids.map(indexFor));
  const policyCount = countOf(named);
  return {
    policyCount,
    restrictions,
    hasPolicy: (policyId) => indexOf.has(policyId),
    passesAll(address) {
      if (policyCount > policiesUnpausedMax) return false;
      const words = wordsOf(address);
      return indexes.every((looked) => {
        let rank = noRank;
        for (const index of looked) rank = Math.max(rank, tables[index]?.rankOf(words) ?? noRank);
        return rank !== noRank && !denies(rank);
      });
    },
    async ask(address, instead) {
      const words = wordsOf(address);
      const replaced = instead === undefined ? undefined : indexOf.get(instead.policyId);
      const tableAt = (index: number) => (index === replaced ? instead?.table : tables[index]);
      const pauses = createPauses(looksAtOnce);
      // Look at each policy once, however many restrictions refer to it.
      const ranks: number[] = [];
      for (const index of indexOf.values()) {
        ranks.push(tableAt(index)?.rankOf(words) ?? noRank);
        if (pauses.due(1)) await nextTurn();
      }
      const verdicts: Verdict[] = [];
      for (const [index, restriction] of restrictions.entries()) {
        const looked = indexes[index] ?? [];
        const rank = looked.reduce((highest, index) => Math.max(highest, ranks[index] ?? noRank), noRank);
        const deciding = rank === noRank ? [] : looked.filter((index) => ranks[index] === rank);
        const [oldest] = deciding.map((index) => tableAt(index)?.decidingId(words) ?? '').sort();
        const decidedBy = oldest === undefined ? null : { id: oldest };
        verdicts.push({ restriction, passes: decidedBy !== null && !denies(rank), decidedBy });
        if (pauses.due(looked.length)) await nextTurn();
      }
      return verdicts;
    },
  };
}

/** Returns the total length of the lists. */
export function countOf(lists: readonly (readonly string[])[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0);
}
