// The proxies that may ask the gate, and the address of the client that they ask about. Pure.

import { type Address, contains, parseAddress, parseRange, type Range } from '../ip/cidr.ts';
import { readNode } from '../ip/node-address.ts';

export type Proxies = readonly Range[];

/**
 * Parses the list of configured proxies: addresses and ranges in CIDR notation.
 *
 * @throws INVALID_INPUT for an entry that is neither
 */
export function readProxies(list: readonly string[]): Proxies {
  return list.map((text) => {
    if (text.includes('/')) return parseRange('proxies', text);
    const address = parseAddress('proxies', text);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/** Returns whether an address belongs to a proxy. */
export function isProxy(proxies: Proxies, address: Address): boolean {
  return proxies.some((range) => contains(range, address));
}

/**
 * Finds the client in a list to which each proxy has appended the address of its peer: the last address that is not one of our
 * proxies. The client may have made up anything before it. If all addresses are proxies, the first one is the client.
 *
 * @returns null if an entry that has to be examined is not an address
 */
export function clientAddress(forwardedFor: string, proxies: Proxies): Address | null {
  // Nearly all requests have only one address.
  if (!forwardedFor.includes(',')) return readNode(forwardedFor);
  let client: Address | null = null;
  for (const text of forwardedFor.split(',').reverse()) {
    client = readNode(text);
    if (client === null || !isProxy(proxies, client)) return client;
  }
  return client;
}
