// Addresses and ranges as numbers: what single texts mean, and the CIDR ranges that cover an interval. Pure.

import ipaddr from 'ipaddr.js';

/** An address: 32 or 128 bits, and its value. */
export interface Address {
  readonly bits: number;
  readonly value: bigint;
}

/** Parses an address in its usual form; null for anything else, such as `10.1` or `010.0.0.1`. */
export function readAddress(text: string): Address | null {
  if (text.includes('%') || !(ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))) return null;
  const bytes = ipaddr.parse(text).toByteArray();
  return { bits: bytes.length * 8, value: bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) };
}

/** Formats the range of the addresses that share the first `prefix` bits with an address. */
export function formatRange({ bits, value }: Address, prefix: number): string {
  const rest = BigInt(bits - prefix);
  const lowest = (value >> rest) << rest;
  const bytes = Array.from({ length: bits / 8 }, (_, index) =>
    Number((lowest >> BigInt(bits - 8 * (index + 1))) & 255n),
  );
  return `${ipaddr.fromByteArray(bytes)}/${prefix}`;
}

/** Returns whether an address is the lowest of the range with a prefix. */
export const isLowest = ({ bits, value }: Address, prefix: number): boolean =>
  value % (1n << BigInt(bits - prefix)) === 0n;

const all = (1n << 32n) - 1n;

/**
 * Returns the length of the prefix that a mask of an IPv4 address stands for: a netmask such as `255.255.255.0`, or a wildcard as
 * routers write it, such as `0.0.0.255`; null if it is neither. `0.0.0.0` is a wildcard, for a single address, unless it goes with
 * `0.0.0.0`, which stands for all addresses.
 */
export function prefixOfMask(mask: Address, of: Address): number | null {
  if (mask.bits !== 32 || of.bits !== 32) return null;
  const prefixes = Array.from({ length: 33 }, (_, prefix) => prefix);
  const asNetmask = prefixes.find((prefix) => mask.value === (all ^ (all >> BigInt(prefix))));
  const asWildcard = prefixes.find((prefix) => mask.value === all >> BigInt(prefix));
  return (asNetmask === 0 && of.value !== 0n ? undefined : asNetmask) ?? asWildcard ?? null;
}

/** Returns the fewest ranges that together hold the addresses from `first` to `last`. */
export function rangesBetween({ bits, value: first }: Address, { value: last }: Address): string[] {
  const ranges: string[] = [];
  for (let low = first; low <= last; ) {
    let free = 0;
    const fits = (rest: bigint) => low % (1n << rest) === 0n && low + (1n << rest) - 1n <= last;
    while (free < bits && fits(BigInt(free + 1))) free += 1;
    ranges.push(formatRange({ bits, value: low }, bits - free));
    low += 1n << BigInt(free);
  }
  return ranges;
}
