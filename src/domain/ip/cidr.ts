// IP addresses and CIDR ranges: parsing, formatting, and whether a range contains an address. Pure.

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../errors.ts';

/** An IPv4 or IPv6 address. An IPv4 address in IPv6 notation (`::ffff:a.b.c.d`) counts as IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses: the lowest address, and the number of leading bits that all addresses share. */
export type Range = readonly [lowest: Address, prefixBits: number];

/**
 * Parses an address.
 *
 * @throws INVALID_INPUT for anything but the usual forms of IPv4 and IPv6: octal, shortened and numeric forms (`010.0.0.1`, `10.1`,
 *   `2130706433`) and zone ids mean different addresses to different programs
 */
export function parseAddress(field: string, text: string): Address {
  const octets = octetsOf(text);
  if (octets !== null) return new ipaddr.IPv4(octets);
  if (isIP(text) === 0 || text.includes('%')) {
    throw invalid(field, 'must be an IPv4 or IPv6 address such as 192.0.2.1 or 2001:db8::1.');
  }
  const address = ipaddr.parse(inHexadecimal(text));
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Parses a range in CIDR notation, such as `10.0.0.0/8`.
 *
 * @throws INVALID_INPUT if the address is invalid, the mask is missing or out of range, or the address is not the lowest of the
 *   range; the message suggests the correct form if there is one
 */
export function parseRange(field: string, text: string): Range {
  // Three parts are enough to see that there are too many.
  const [addressText = '', maskText, ...rest] = text.split('/', 3);
  const version = addressText.includes('%') ? 0 : isIP(addressText);
  if (version === 0 || rest.length > 0) {
    throw invalid(field, 'must be an IPv4 or IPv6 range in CIDR notation, such as 10.0.0.0/8 or 2001:db8::/32.');
  }
  const bitsMax = version === 4 ? 32 : 128;
  if (maskText === undefined) {
    throw invalid(field, `must have a mask; for this one address write ${addressText}/${bitsMax}.`);
  }
  if (!/^(0|[1-9]\d{0,2})$/.test(maskText) || Number(maskText) > bitsMax) {
    throw invalid(field, `must have a mask from /0 to /${bitsMax}, in plain digits.`);
  }
  const address = ipaddr.parse(inHexadecimal(addressText));
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) {
    throw invalid(field, `must be written as an IPv4 range; the address is ${address.toIPv4Address()}.`);
  }
  const range: Range = [address, Number(maskText)];
  if (!isLowest(range)) {
    throw invalid(field, `must start at the lowest address of its range: write ${lowestAddress(range)}/${maskText}.`);
  }
  return range;
}

/** Formats a range in canonical form (RFC 5952 for IPv6), in which equal ranges are equal text. */
export function formatRange([lowest, prefixBits]: Range): string {
  return `${lowest}/${prefixBits}`;
}

/** The ranges of all addresses of each IP version, in canonical form. */
export const everyRange = ['0.0.0.0/0', '::/0'] as const;

/** Returns whether a range contains an address. A range never contains addresses of the other IP version. */
export function contains([lowest, prefixBits]: Range, address: Address): boolean {
  return lowest.kind() === address.kind() && address.match(lowest, prefixBits);
}

/**
 * Returns whether a range contains an address, both in the forms that expressions allow: the range need not start at its lowest
 * address, and the result is false if either text is invalid.
 */
export function containsText(addressText: string, rangeText: string): boolean {
  const range = networkOf(rangeText);
  if (range === null || isIP(addressText) === 0 || addressText.includes('%')) return false;
  return contains(readStoredRange(range), parseAddress('address', addressText));
}

/** Returns the canonical form of a range, which need not start at its lowest address; null if the text is not a range. */
export function networkOf(text: string): string | null {
  const [address = '', bits = '', ...rest] = text.split('/', 3);
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128))
    return null;
  const range: Range = [ipaddr.parse(inHexadecimal(address)), Number(bits)];
  return `${lowestAddress(range)}/${Number(bits)}`;
}

/** Returns the canonical form of an address; null if the text is not an address. */
export function canonicalAddress(text: string): string | null {
  return isIP(text) === 0 || text.includes('%') ? null : String(parseAddress('address', text));
}

/** Returns all ranges that contain an address, in canonical form; none if the text is not an address. */
export function rangesHolding(text: string): string[] {
  const address = canonicalAddress(text);
  if (address === null) return [];
  const bitsMax = address.includes(':') ? 128 : 32;
  return Array.from({ length: bitsMax + 1 }, (_, bits) => networkOf(`${address}/${bits}`)).filter(
    (range) => range !== null,
  );
}

/** Parses a range that was checked before it was stored. Throws `Error` for anything else, a broken invariant. */
export function readStoredRange(text: string): Range {
  return ipaddr.parseCIDR(text);
}

/** An address as 32-bit numbers, the most significant first: one for IPv4, four for IPv6. */
export type AddressWords = readonly number[];

/** Returns the words of an address. */
export function wordsOf(address: Address): AddressWords {
  if (address instanceof ipaddr.IPv4) {
    const [a = 0, b = 0, c = 0, d = 0] = address.octets;
    return [((a * 256 + b) * 256 + c) * 256 + d];
  }
  const bytes = address.toByteArray();
  const words: number[] = [];
  for (let index = 0; index < bytes.length; index += 4) {
    words.push(bytes.slice(index, index + 4).reduce((value, byte) => value * 256 + byte, 0));
  }
  return words;
}

/**
 * Parses the same as `readStoredRange`, but to numbers and in a tenth of the time, because thousands of rules are read at once. The
 * text must be in canonical form, which is not checked.
 */
export function readStoredWords(text: string): readonly [lowest: AddressWords, prefixBits: number] {
  const slash = text.indexOf('/');
  const address = text.slice(0, slash);
  const prefixBits = Number(text.slice(slash + 1));
  if (!address.includes(':')) {
    return [[address.split('.').reduce((value, octet) => value * 256 + Number(octet), 0)], prefixBits];
  }
  const [before = '', after = ''] = address.split('::');
  const [head, tail] = [groupsOf(before), groupsOf(after)];
  const groups = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
  return [[0, 2, 4, 6].map((index) => (groups[index] ?? 0) * 65_536 + (groups[index + 1] ?? 0)), prefixBits];
}

/** Returns whether a range that `readStoredWords` has read contains an address: as `contains`, but in a tenth of the time. */
export function covers([lowest, prefixBits]: ReturnType<typeof readStoredWords>, address: AddressWords): boolean {
  if (lowest.length !== address.length) return false;
  return lowest.every((word, index) => {
    const hostBits = Math.min(32, Math.max(0, 32 * (index + 1) - prefixBits));
    return Math.floor(word / 2 ** hostBits) === Math.floor((address[index] ?? 0) / 2 ** hostBits);
  });
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/**
 * Parses the octets of an IPv4 address; null for anything but four numbers up to 255 without leading zeros. Runs for every request,
 * so it goes digit by digit: `isIP` and `ipaddr.js` take three times as long.
 */
function octetsOf(text: string): number[] | null {
  const octets: number[] = [];
  let octet = -1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === dot) {
      if (octet === -1) return null;
      octets.push(octet);
      octet = -1;
      continue;
    }
    const digit = code - zero;
    if (digit < 0 || digit > 9 || octet === 0) return null;
    octet = octet === -1 ? digit : octet * 10 + digit;
    if (octet > 255) return null;
  }
  if (octet === -1 || octets.length !== 3) return null;
  octets.push(octet);
  return octets;
}

const dot = 0x2e;
const zero = 0x30;

/** Rewrites a dotted end of an IPv6 address: ipaddr.js parses `::192.0.2.1` as `::ffff:192.0.2.1`, a different address. */
function inHexadecimal(text: string): string {
  if (!text.includes(':')) return text;
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...octets: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = octets.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

/** Returns whether no bit beyond the mask is set. Works on bytes, because a policy may have thousands of ranges to check. */
function isLowest([address, prefixBits]: Range): boolean {
  return address.toByteArray().every((byte, index) => {
    const bits = prefixBits - index * 8;
    return bits >= 8 || (byte & (0xff >> Math.max(bits, 0))) === 0;
  });
}

function lowestAddress(range: Range): Address {
  const text = formatRange(range);
  const { IPv4, IPv6 } = ipaddr;
  return range[0].kind() === 'ipv4' ? IPv4.networkAddressFromCIDR(text) : IPv6.networkAddressFromCIDR(text);
}
