// Addresses as numbers. Pure.

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
