// Sets of addresses, and which of them rules let pass: the same that `rule-table.ts` decides address by address, as a list of
// ranges that other programs can enforce. Pure.

import ipaddr from 'ipaddr.js';
import { readStoredRange } from './cidr.ts';

/** Addresses from the first to the last, as numbers. */
export interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

/** Addresses of both versions: intervals that are sorted, and neither overlap nor touch. */
export interface AddressSet {
  readonly ipv4: readonly Interval[];
  readonly ipv6: readonly Interval[];
}

type Version = keyof AddressSet;
const bitsOf: Readonly<Record<Version, number>> = { ipv4: 32, ipv6: 128 };

/** Every address. */
export const everybody: AddressSet = {
  ipv4: [{ first: 0n, last: lastOf('ipv4') }],
  ipv6: [{ first: 0n, last: lastOf('ipv6') }],
};

/** A rule, as far as it decides. `range` is in canonical form. */
export interface SetRule {
  readonly action: string;
  readonly range: string;
}

/** Finds whom rules let pass together: whom at least one allows and none denies. */
export function passedBy(rules: readonly SetRule[]): AddressSet {
  const allowed = unionOf(rules.filter(({ action }) => action === 'allow'));
  const denied = unionOf(rules.filter(({ action }) => action === 'deny'));
  return intersection(allowed, complement(denied));
}

/** Finds what is in both of two sets. */
export function intersection(a: AddressSet, b: AddressSet): AddressSet {
  return { ipv4: overlaps(a.ipv4, b.ipv4), ipv6: overlaps(a.ipv6, b.ipv6) };
}

/** Tells whether a set holds no address. */
export function isEmpty({ ipv4, ipv6 }: AddressSet): boolean {
  return ipv4.length === 0 && ipv6.length === 0;
}

/** Tells whether a set holds every address. */
export function isEverybody({ ipv4, ipv6 }: AddressSet): boolean {
  return [ipv4, ipv6].every(
    (intervals, place) =>
      intervals.length === 1 &&
      intervals[0]?.first === 0n &&
      intervals[0].last === lastOf(place === 0 ? 'ipv4' : 'ipv6'),
  );
}

/** Writes the addresses of one version as the fewest ranges in CIDR notation, in order. */
export function rangesOf(set: AddressSet, version: Version): string[] {
  return set[version].flatMap((interval) => blocksOf(interval, version));
}

/** Writes the addresses of one version as intervals, such as `10.0.0.0-10.0.0.5`, in order. */
export function intervalsOf(set: AddressSet, version: Version): string[] {
  return set[version].map(({ first, last }) =>
    first === last ? formatAddress(first, version) : `${formatAddress(first, version)}-${formatAddress(last, version)}`,
  );
}

function lastOf(version: Version): bigint {
  return 2n ** BigInt(bitsOf[version]) - 1n;
}

function unionOf(rules: readonly SetRule[]): AddressSet {
  const found: Record<Version, Interval[]> = { ipv4: [], ipv6: [] };
  for (const { range } of rules) {
    const [lowest, prefixBits] = readStoredRange(range);
    const version = lowest.kind();
    const first = lowest.toByteArray().reduce((value, byte) => value * 256n + BigInt(byte), 0n);
    found[version].push({ first, last: first + 2n ** BigInt(bitsOf[version] - prefixBits) - 1n });
  }
  return { ipv4: merged(found.ipv4), ipv6: merged(found.ipv6) };
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
  return starts.flatMap((first, place) => {
    const last = ends[place] ?? end;
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

/** Cuts an interval into the largest blocks that begin at a multiple of their size. */
function blocksOf({ first, last }: Interval, version: Version): string[] {
  const blocks: string[] = [];
  for (let at = first; at <= last; ) {
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
  const bytes = Array.from({ length: bitsOf[version] / 8 }, (_, place) =>
    Number((value >> BigInt(bitsOf[version] - 8 - place * 8)) & 255n),
  );
  return ipaddr.fromByteArray(bytes).toString();
}
