// Where a request comes from, as far as that is known.

import type { IncomingMessage } from 'node:http';
import type { Address } from '../domain/ip/cidr.ts';
import { readNode } from '../domain/ip/node-address.ts';

/**
 * Returns the address of the client. Without proxies, it is that of the connection. Each proxy appends the address that called it
 * to `X-Forwarded-For`: entries before the first of theirs may come from the client.
 *
 * @param proxies number of proxies in front, one behind the other
 * @returns null if unknown: there are fewer entries than proxies, or the entry is not an address
 */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: number): Address | null {
  const text = proxies === 0 ? socket.remoteAddress : forwardedFor(headers).at(-proxies);
  return readNode(text ?? '');
}

/**
 * Returns the network of a client, for limits on what one client may have at a time: the owner of an IPv6 address has its whole
 * 64-bit network. All clients with unknown addresses share one network.
 */
export function clientNetwork(request: IncomingMessage, proxies: number): string {
  return networkOf(clientAddress(request, proxies));
}

/** Returns the network of an address as `clientNetwork` does; null is an unknown one. */
export function networkOf(address: Address | null): string {
  return address?.toByteArray().slice(0, 8).join('.') ?? '';
}

/** Returns the entries of the header; Node joins repeated headers of this name. */
function forwardedFor({ 'x-forwarded-for': header = '' }: IncomingMessage['headers']): string[] {
  return String(header).split(',');
}
