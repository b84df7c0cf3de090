// What IP restrictions say of an address, from rules that are compiled. It reads nothing.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Address, wordsOf } from '../../domain/cidr.ts';
import { createPauses } from '../../domain/pauses.ts';
import { denies, noRank, type RuleTable } from '../../domain/rule-table.ts';
import type { Decision } from './rules.ts';

/** What of a restriction decides. */
export interface DecidingPart {
  readonly id: string;
  readonly version: number;
  readonly enforced: boolean;
}

/** What one restriction says of an address. */
export interface Verdict extends Decision<{ id: string }> {
  readonly restriction: DecidingPart;
}

/** Restrictions that can be asked about addresses. */
export interface ReadyRestrictions {
  /** How many policies an answer looks at, each counted as often as a restriction names it. */
  readonly policyCount: number;
  /** The restrictions that answer, oldest first. */
  readonly restrictions: readonly DecidingPart[];
  /** Tells whether one of them names a policy, which may be gone. */
  hasPolicy(policyId: string): boolean;
  /**
   * Tells at once whether all restrictions let an address pass. False may also mean that there are too many policies to look at
   * without a pause: `ask` tells.
   */
  passesAll(address: Address): boolean;
  /**
   * Asks each restriction whether it lets an address pass, oldest first.
   *
   * @param instead rules to take for those that a policy has, or had if it is gone
   */
  ask(address: Address, instead?: { readonly policyId: string; readonly table: RuleTable }): Promise<Verdict[]>;
}

/** Most policies that are looked at without the means to pause: a look takes less than a tenth of a microsecond. */
const policiesUnpausedMax = 1_000;
/** Policies that are looked at in one turn. */
const looksAtOnce = 50_000;

/**
 * Gets restrictions ready.
 *
 * @param named for each restriction, the ids of its policies
 * @param policies those that exist, in the order of their tables
 */
export function readyRestrictions(
  restrictions: readonly DecidingPart[],
  named: readonly (readonly string[])[],
  policies: readonly { readonly id: string }[],
  tables: readonly RuleTable[],
): ReadyRestrictions {
  const placeOf = new Map(policies.map(({ id }, place) => [id, place]));
  const placeAt = (id: string) => {
    const place = placeOf.get(id) ?? placeOf.size;
    placeOf.set(id, place);
    return place;
  };
  // A policy that was deleted has a place behind the tables, and so no rules.
  const places = named.map((ids) => ids.map(placeAt));
  const policyCount = countOf(named);
  return {
    policyCount,
    restrictions,
    hasPolicy: (policyId) => placeOf.has(policyId),
    passesAll(address) {
      if (policyCount > policiesUnpausedMax) return false;
      const words = wordsOf(address);
      return places.every((looked) => {
        let rank = noRank;
        for (const place of looked) rank = Math.max(rank, tables[place]?.rankOf(words) ?? noRank);
        return rank !== noRank && !denies(rank);
      });
    },
    async ask(address, instead) {
      const words = wordsOf(address);
      const replaced = instead === undefined ? undefined : placeOf.get(instead.policyId);
      const tableAt = (place: number) => (place === replaced ? instead?.table : tables[place]);
      const pauses = createPauses(looksAtOnce);
      // Each policy once, however many restrictions name it.
      const ranks: number[] = [];
      for (const place of placeOf.values()) {
        ranks.push(tableAt(place)?.rankOf(words) ?? noRank);
        if (pauses.due(1)) await nextTurn();
      }
      const verdicts: Verdict[] = [];
      for (const [index, restriction] of restrictions.entries()) {
        const looked = places[index] ?? [];
        const rank = looked.reduce((highest, place) => Math.max(highest, ranks[place] ?? noRank), noRank);
        const deciding = rank === noRank ? [] : looked.filter((place) => ranks[place] === rank);
        const [oldest] = deciding.map((place) => tableAt(place)?.decidingId(words) ?? '').sort();
        const decidedBy = oldest === undefined ? null : { id: oldest };
        verdicts.push({ restriction, passes: decidedBy !== null && !denies(rank), decidedBy });
        if (pauses.due(looked.length)) await nextTurn();
      }
      return verdicts;
    },
  };
}

/** Counts what is in lists together. */
export function countOf(lists: readonly (readonly string[])[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0);
}
