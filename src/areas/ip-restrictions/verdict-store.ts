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
   * @param instead rules to use in place of those of a policy, which may have been deleted
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
  const placeOf = new Map<string, number>();
  for (const { id } of policies) yield placeOf.set(id, placeOf.size);
  const placeAt = (id: string) => {
    const place = placeOf.get(id) ?? placeOf.size;
    placeOf.set(id, place);
    return place;
  };
  // A deleted policy gets a place past the end of `tables`, so it has no rules.
  const places: number[][] = [];
  for (const ids of named) yield places.push(ids.map(placeAt));
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
      // Look at each policy once, however many restrictions refer to it.
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

/** Returns the total length of the lists. */
export function countOf(lists: readonly (readonly string[])[]): number {
  return lists.reduce((sum, { length }) => sum + length, 0);
}
