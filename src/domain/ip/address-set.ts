// Sets of addresses, and the set that rules let pass: the decisions that `rule-table.ts` makes address by address, as a list of
// ranges that other programs can enforce. Pure.

import ipaddr from 'ipaddr.js';
import { type Address, type AddressWords, readStoredWords, wordsOf } from './cidr.ts';

/** All addresses from the first to the last, both included, as numbers. */
export interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** Addresses of both IP versions: sorted intervals that neither overlap nor touch. */
export interface AddressSet {
  readonly ipv4: readonly Interval[];
  readonly ipv6: readonly Interval[];
}

type Version = keyof AddressSet;
const bitsOf: Readonly<Record<Version, number>> = { ipv4: 32, ipv6: 128 };

export const everybody: AddressSet = {
  ipv4: [{ first: 0n, last: lastOf('ipv4') }],
  ipv6: [{ first: 0n, last: lastOf('ipv6') }],
};

export const nobody: AddressSet = { ipv4: [], ipv6: [] };

/** The part of a rule that decides. `range` is in canonical form. */
export interface SetRule {
  readonly action: string;
  readonly range: string;
}

/** The addresses that rules allow, and those that they deny. An address may be in both. */
export interface DecidedSets {
  readonly allowed: AddressSet;
  readonly denied: AddressSet;
}

/** Returns the addresses that at least one of the rules allows, and those that at least one denies. */
export function decidedBy(rules: readonly SetRule[]): DecidedSets {
  const rangesThat = (wanted: string) => rules.flatMap(({ action, range }) => (action === wanted ? [range] : []));
  return { allowed: coveredBy(rangesThat('allow')), denied: coveredBy(rangesThat('deny')) };
}

/** Returns the addresses that rules together let pass: those that at least one rule allows and none denies. */
export function passedBy(rules: readonly SetRule[]): AddressSet {
  return passedTogether([decidedBy(rules)]);
}

/** Joins what several sets of rules decide. */
export function together(sets: readonly DecidedSets[]): DecidedSets {
  return { allowed: union(sets.map(({ allowed }) => allowed)), denied: union(sets.map(({ denied }) => denied)) };
}

/** Returns the addresses that the rules behind several sets together let pass, as `passedBy`. */
export function passedTogether(sets: readonly DecidedSets[]): AddressSet {
  const { allowed, denied } = together(sets);
  return difference(allowed, denied);
}

/** Returns the addresses in any of the ranges, which must be in canonical form. */
export function coveredBy(ranges: readonly string[]): AddressSet {
  const found: Record<Version, Interval[]> = { ipv4: [], ipv6: [] };
  for (const range of ranges) {
    const [lowest, prefixBits] = readStoredWords(range);
    const version = versionOf(lowest);
    const first = numberOf(lowest);
    found[version].push({ first, last: first + (1n << BigInt(bitsOf[version] - prefixBits)) - 1n });
  }
  return { ipv4: merged(found.ipv4), ipv6: merged(found.ipv6) };
}

/** Returns the addresses in at least one of the sets. */
export function union(sets: readonly AddressSet[]): AddressSet {
  const [first = nobody, second] = sets;
  if (second === undefined) return first;
  return { ipv4: merged(sets.flatMap(({ ipv4 }) => ipv4)), ipv6: merged(sets.flatMap(({ ipv6 }) => ipv6)) };
}

/** Returns the addresses in `a` that are not in `b`. */
export function difference(a: AddressSet, b: AddressSet): AddressSet {
  return intersection(a, complement(b));
}

/** Returns whether a set contains an address. */
export function includes(set: AddressSet, address: Address): boolean {
  const words = wordsOf(address);
  const [value, intervals] = [numberOf(words), set[versionOf(words)]];
  const next = intervals[firstEndingAt(intervals, value)];
  return next !== undefined && next.first <= value;
}

/** Returns the index of the first interval that ends at an address or after it. */
function firstEndingAt(intervals: readonly Interval[], value: bigint): number {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[middle]?.last ?? 0n) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first interval of a range that a set contains, and the first that it does not; undefined if there is none. */
export interface RangeParts {
  readonly inside: string | undefined;
  readonly outside: string | undefined;
}

/** Looks a range up in a set, by binary search. It must be in canonical form. */
export function partsOf(set: AddressSet, range: string): RangeParts {
  const asked = coveredBy([range]);
  const version = asked.ipv4.length > 0 ? 'ipv4' : 'ipv6';
  const intervals = set[version];
  const [first] = asked[version].map((interval) => firstEndingAt(intervals, interval.first));
  const near = intervals.slice(first, (first ?? 0) + 2);
  const inside = overlaps(asked[version], near);
  const outside = overlaps(asked[version], gaps(near, lastOf(version)));
  const [shownIn, shownOut] = [inside, outside].map(([one]) => one && formatInterval(one, version));
  return { inside: shownIn, outside: shownOut };
}

/** Returns the addresses that are in both sets. */
export function intersection(a: AddressSet, b: AddressSet): AddressSet {
  return { ipv4: overlaps(a.ipv4, b.ipv4), ipv6: overlaps(a.ipv6, b.ipv6) };
}

/** Counts the intervals of a set. */
export function setSize({ ipv4, ipv6 }: AddressSet): number {
  return ipv4.length + ipv6.length;
}

/** Returns whether a set contains no address. */
export function isEmpty(set: AddressSet): boolean {
  return setSize(set) === 0;
}

/** Returns whether a set contains every address. */
export function isEverybody({ ipv4, ipv6 }: AddressSet): boolean {
  return [ipv4, ipv6].every(
    (intervals, index) =>
      intervals.length === 1 &&
      intervals[0]?.first === 0n &&
      intervals[0].last === lastOf(index === 0 ? 'ipv4' : 'ipv6'),
  );
}

/** Formats the addresses of one version as the fewest possible ranges in CIDR notation, in order. */
export function rangesOf(set: AddressSet, version: Version): string[] {
  return set[version].flatMap((interval) => blocksOf(interval, version));
}

/** Formats the addresses of one version as intervals, such as `10.0.0.0-10.0.0.5`, in order. */
export function intervalsOf(set: AddressSet, version: Version): string[] {
  return set[version].map((interval) => formatInterval(interval, version));
}

function formatInterval({ first, last }: Interval, version: Version): string {
  if (first === last) return formatAddress(first, version);
  return `${formatAddress(first, version)}-${formatAddress(last, version)}`;
}

/** One interval of a set, formatted for display. */
export interface ShownRange {
  readonly first: string;
  readonly last: string;
  /** In CIDR notation if it is one block, such as `10.0.0.0/8`; otherwise an interval, such as `10.0.0.0-10.0.0.5`. */
  readonly text: string;
}

/** Formats the first intervals of a set, at most `countMax`, IPv4 before IPv6. */
export function firstRanges(set: AddressSet, countMax: number): ShownRange[] {
  const versions = ['ipv4', 'ipv6'] as const;
  const shown = versions.flatMap((version) =>
    set[version].slice(0, countMax).map((interval): ShownRange => {
      const [first, last] = [formatAddress(interval.first, version), formatAddress(interval.last, version)];
      const [block = '', another] = blocksOf(interval, version, 2);
      return { first, last, text: another === undefined ? block : `${first}-${last}` };
    }),
  );
  return shown.slice(0, countMax);
}

function lastOf(version: Version): bigint {
  return 2n ** BigInt(bitsOf[version]) - 1n;
}

function versionOf({ length }: AddressWords): Version {
  return length === 1 ? 'ipv4' : 'ipv6';
}

function numberOf(words: AddressWords): bigint {
  return words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);
}

function merged(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort(byFirst);
  const result: Interval[] = [];
  for (const { first, last } of sorted) {
    const before = result.at(-1);
    if (before === undefined || first > before.last + 1n) result.push({ first, last });
    else if (last > before.last) result.splice(-1, 1, { first: before.first, last });
  }
  return result;
}

function byFirst(a: Interval, b: Interval): number {
  if (a.first === b.first) return 0;
  return a.first < b.first ? -1 : 1;
}

function complement(set: AddressSet): AddressSet {
  return { ipv4: gaps(set.ipv4, lastOf('ipv4')), ipv6: gaps(set.ipv6, lastOf('ipv6')) };
}

function gaps(intervals: readonly Interval[], end: bigint): Interval[] {
  const starts = [0n, ...intervals.map(({ last }) => last + 1n)];
  const ends = [...intervals.map(({ first }) => first - 1n), end];
  return starts.flatMap((first, index) => {
    const last = ends[index] ?? end;
    return first <= last ? [{ first, last }] : [];
  });
}

function overlaps(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  let [inA, inB] = [0, 0];
  for (;;) {
    const [one, other] = [a[inA], b[inB]];
    if (one === undefined || other === undefined) return result;
    const { first } = byFirst(one, other) < 0 ? other : one;
    const endsFirst = one.last < other.last ? one : other;
    const { last } = endsFirst;
    if (first <= last) result.push({ first, last });
    if (endsFirst === one) inA += 1;
    else inB += 1;
  }
}

/** Splits an interval into the largest blocks that begin at a multiple of their size; returns at most `countMax` of them. */
function blocksOf({ first, last }: Interval, version: Version, countMax = Number.POSITIVE_INFINITY): string[] {
  const blocks: string[] = [];
  for (let at = first; at <= last && blocks.length < countMax; ) {
    let hostBits = 0;
    while (hostBits < bitsOf[version]) {
      const size = 2n ** BigInt(hostBits + 1);
      if (at % size !== 0n || at + size - 1n > last) break;
      hostBits += 1;
    }
    blocks.push(`${formatAddress(at, version)}/${bitsOf[version] - hostBits}`);
    at += 2n ** BigInt(hostBits);
  }
  return blocks;
}

function formatAddress(value: bigint, version: Version): string {
  const bytes = Array.from({ length: bitsOf[version] / 8 }, (_, index) =>
    Number((value >> BigInt(bitsOf[version] - 8 - index * 8)) & 255n),
  );
  return ipaddr.fromByteArray(bytes).toString();
}
