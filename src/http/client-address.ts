// Where a request comes from, as far as that can be known.

import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress } from '../domain/cidr.ts';

/**
 * Tells the address of the client. Without proxies, it is that of the connection. Behind them, each has added the address that it
 * was called from to the end of `X-Forwarded-For`: whatever stands before the first of theirs may come from the client.
 *
 * @param proxies how many stand in front, one behind the other
 * @returns null where it cannot be known: there are fewer entries than proxies, or what should be an address is none
 */
export function clientAddress({ headers, socket }: IncomingMessage, proxies: number): Address | null {
  // The system names the interface of a link-local address; a header has no business to.
  const text = proxies === 0 ? socket.remoteAddress?.replace(/%.*$/, '') : forwardedFor(headers).at(-proxies)?.trim();
  if (text === undefined) return null;
  try {
    return parseAddress('address', text);
  } catch {
    return null;
  }
}

/**
 * Names the network that a client is in, for what one client may have at a time: whoever has an address of IPv6 has all of its
 * network, of 64 bits. All clients whose addresses cannot be known are in one.
 */
export function clientNetwork(request: IncomingMessage, proxies: number): string {
  return clientAddress(request, proxies)?.toByteArray().slice(0, 8).join('.') ?? '';
}

/** Gives the entries of the header; Node joins headers of this name. */
function forwardedFor({ 'x-forwarded-for': header = '' }: IncomingMessage['headers']): string[] {
  return String(header).split(',');
}
