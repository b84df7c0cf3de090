// The proxies that may ask, and the address of the client that they ask for. Pure.

import { type Address, contains, parseAddress, parseRange, type Range } from '../cidr.ts';

/** The proxies that are configured. */
export type Proxies = readonly Range[];

/**
 * Reads which proxies are configured: addresses and ranges in CIDR notation.
 *
 * @throws INVALID_INPUT for what is neither
 */
export function readProxies(list: readonly string[]): Proxies {
  return list.map((text) => {
    if (text.includes('/')) return parseRange('proxies', text);
    const address = parseAddress('proxies', text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/** Tells whether an address is one of a proxy. */
export function isProxy(proxies: Proxies, address: Address): boolean {
  return proxies.some((range) => contains(range, address));
}

/** Reads an address as programs write it; null for anything else. */
export function readAddress(text: string): Address | null {
  try {
    return parseAddress('address', text);
  } catch {
    return null;
  }
}

/**
 * Finds the client in a list of addresses to which every proxy has added whom it was asked by: the last one that is no proxy of
 * ours. What stands before it, the client may have made up. Where all are proxies, the first one is the client.
 *
 * @returns null when an address on the way is none
 */
export function clientAddress(forwardedFor: string, proxies: Proxies): Address | null {
  // Nearly all requests have only one.
  if (!forwardedFor.includes(',')) return readAddress(forwardedFor.trim());
  let client: Address | null = null;
  for (const text of forwardedFor.split(',').reverse()) {
    client = readAddress(text.trim());
    if (client === null || !isProxy(proxies, client)) return client;
  }
  return client;
}
