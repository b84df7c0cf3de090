// A long list of ranges, packed into numbers: sorted, and none inside another, so that whether one contains an address is one
// binary search, and nothing has to be compiled. Pure.

import ipaddr from 'ipaddr.js';
import type { Steps } from '../concurrency/steps.ts';
import { type AddressSet, coveredBy, type DecidedSets, type Interval, intersection, nobody } from './address-set.ts';
import type { AddressWords } from './cidr.ts';
import { lastAtOrBefore, noRank, type RuleTable, rankOfRule } from './rule-table.ts';

/** The ranges of one IP version. */
interface Packed {
  /** The lowest address of each range, word by word. */
  readonly starts: Uint32Array;
  /** The number of leading bits that the addresses of each range share. */
  readonly bits: Uint8Array;
}

export interface RangeList {
  readonly ipv4: Packed;
  readonly ipv6: Packed;
  readonly size: number;
}

/** A list, and what it does with the addresses in it, as one source of a policy has it. */
export interface ActedList {
  readonly sourceId: string;
  readonly action: string;
  readonly list: RangeList;
}

/** The number of 32-bit words of an address. */
export const wordsOf = { ipv4: 1, ipv6: 4 } as const;
export type Version = keyof typeof wordsOf;
export const versions = ['ipv4', 'ipv6'] as const;

/** How many ranges a step of long work handles. */
export const rangesPerStep = 500;

/** The list without ranges. */
export const emptyList: RangeList = unpackRanges(new Uint8Array(8));

/** Unpacks what `packRanges` has packed. */
export function unpackRanges(packed: Uint8Array): RangeList {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let at = 0;
  const read = (words: number): Packed => {
    const count = view.getUint32(at);
    at += 4;
    const starts = new Uint32Array(count * words);
    for (let index = 0; index < starts.length; index += 1) starts[index] = view.getUint32(at + 4 * index);
    at += 4 * starts.length;
    const bits = packed.slice(at, at + count);
    at += count;
    return { starts, bits };
  };
  const [ipv4, ipv6] = [read(1), read(4)];
  return { ipv4, ipv6, size: ipv4.bits.length + ipv6.bits.length };
}

/** Returns the ranges of a list in canonical form and ascending order. */
export function rangesOfList(list: RangeList): string[] {
  return versions.flatMap((version) =>
    Array.from(list[version].bits, (_, index) => textAt(list[version], version, index)),
  );
}

/** Returns the rank that a list gives an address, as `RuleTable.rankOf`. */
export function rankInList({ action, list }: ActedList, address: AddressWords): number {
  const { starts, bits } = address.length === 1 ? list.ipv4 : list.ipv6;
  const words = address.length;
  const index = lastAtOrBefore(starts, address);
  if (index < 0) return noRank;
  const prefixBits = bits[index] ?? 0;
  for (let word = 0; word < words; word += 1) {
    const hostBits = Math.min(32, Math.max(0, 32 * (word + 1) - prefixBits));
    const scale = 2 ** hostBits;
    if (Math.floor((starts[index * words + word] ?? 0) / scale) !== Math.floor((address[word] ?? 0) / scale))
      return noRank;
  }
  return rankOfRule(action, prefixBits);
}

/** How many ranges of lists take the memory of one compiled rule, with its id (measured: 5 to 17 bytes each). */
const rangesPerRule = 4;

/** Returns the memory that a number of ranges takes, measured in rules. */
export function sizeOfRanges(count: number): number {
  return Math.ceil(count / rangesPerRule);
}

/** Adds lists to the compiled rules of a policy. Where a rule and a list are equally specific, the rule is said to decide. */
export function withLists(table: RuleTable, lists: readonly ActedList[]): RuleTable {
  if (lists.length === 0) return table;
  const ranges = lists.reduce((sum, { list }) => sum + list.size, 0);
  const rankOf = (address: AddressWords) => {
    let rank = table.rankOf(address);
    for (const acted of lists) rank = Math.max(rank, rankInList(acted, address));
    return rank;
  };
  return {
    ruleCount: table.ruleCount + sizeOfRanges(ranges),
    rankOf,
    decidingId(address) {
      const rank = rankOf(address);
      if (table.rankOf(address) === rank) return table.decidingId(address);
      return lists.find((acted) => rankInList(acted, address) === rank)?.sourceId ?? null;
    },
  };
}

/** Counts the ranges of a list that overlap a set. */
export function countWithin(list: RangeList, within: AddressSet): number {
  return versions.reduce((sum, version) => {
    return within[version].reduce((some, interval) => {
      const [from, to] = overlapping(list[version], version, interval);
      return some + Math.max(0, to - from);
    }, sum);
  }, 0);
}

/** Returns what lists decide about the addresses of a set. */
export function listsWithin(lists: readonly ActedList[], within: AddressSet): DecidedSets[] {
  return lists.map(({ action, list }) => {
    const ranges = versions.flatMap((version) =>
      within[version].flatMap((interval) => {
        const [from, to] = overlapping(list[version], version, interval);
        return Array.from({ length: Math.max(0, to - from) }, (_, index) =>
          textAt(list[version], version, from + index),
        );
      }),
    );
    const set = intersection(coveredBy(ranges), within);
    return action === 'deny' ? { allowed: nobody, denied: set } : { allowed: set, denied: nobody };
  });
}

/** How two lists differ. */
export interface ListDifference {
  readonly added: number;
  readonly removed: number;
  /** The first ranges of each, in canonical form and ascending order. */
  readonly addedRanges: readonly string[];
  readonly removedRanges: readonly string[];
}

/** Compares two lists range by range; names at most `most` of each kind. */
export function* differenceOf(before: RangeList, after: RangeList, most: number): Steps<ListDifference> {
  let [added, removed, steps] = [0, 0, 0];
  const [addedRanges, removedRanges]: [string[], string[]] = [[], []];
  for (const version of versions) {
    const [old, now] = [before[version], after[version]];
    let [inOld, inNow] = [0, 0];
    while (inOld < old.bits.length || inNow < now.bits.length) {
      if (steps++ % rangesPerStep === 0) yield;
      const order = compareAt(old, inOld, now, inNow, wordsOf[version]);
      if (order < 0) {
        removed += 1;
        if (removedRanges.length < most) removedRanges.push(textAt(old, version, inOld));
      } else if (order > 0) {
        added += 1;
        if (addedRanges.length < most) addedRanges.push(textAt(now, version, inNow));
      }
      if (order <= 0) inOld += 1;
      if (order >= 0) inNow += 1;
    }
  }
  return { added, removed, addedRanges, removedRanges };
}

/** Compares a range of each list; a list that has ended comes last. */
function compareAt(one: Packed, inOne: number, other: Packed, inOther: number, words: number): number {
  if (inOne >= one.bits.length) return 1;
  if (inOther >= other.bits.length) return -1;
  for (let word = 0; word < words; word += 1) {
    const difference = (one.starts[inOne * words + word] ?? 0) - (other.starts[inOther * words + word] ?? 0);
    if (difference !== 0) return difference;
  }
  return (one.bits[inOne] ?? 0) - (other.bits[inOther] ?? 0);
}

/** Returns the indexes of the ranges that overlap an interval: from the first, to that after the last. */
function overlapping(packed: Packed, version: Version, { first, last }: Interval): [from: number, to: number] {
  const search = (isBefore: (index: number) => boolean) => {
    let [low, high] = [0, packed.bits.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const bitsMax = version === 'ipv4' ? 32 : 128;
  const lowestAt = (index: number) => {
    const words = packed.starts.subarray(index * wordsOf[version], (index + 1) * wordsOf[version]);
    return words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);
  };
  const highestAt = (index: number) => lowestAt(index) + (1n << BigInt(bitsMax - (packed.bits[index] ?? 0))) - 1n;
  return [search((index) => highestAt(index) < first), search((index) => lowestAt(index) <= last)];
}

function textAt({ starts, bits }: Packed, version: Version, index: number): string {
  const words = [...starts.subarray(index * wordsOf[version], (index + 1) * wordsOf[version])];
  return `${textOfWords(words)}/${bits[index] ?? 0}`;
}

/** Writes an address in canonical form. */
function textOfWords(words: readonly number[]): string {
  const bytes = words.flatMap((word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255]);
  return String(ipaddr.fromByteArray(bytes));
}
