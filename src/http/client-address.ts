// Where a request comes from, as far as that can be known.

import type { IncomingMessage } from 'node:http';
import { type Address, parseAddress } from '../domain/cidr.ts';

/**
 * Tells the address of the client. Without a proxy, it is that of the connection. Behind one, it is the last of
 * `X-Forwarded-For`, which the proxy itself has added: whatever stands before it may come from the client.
 *
 * @param behindProxy whether all requests come through a proxy that sets the header
 * @returns null where it cannot be known: the header is missing, or what should be an address is none
 */
export function clientAddress({ headers, socket }: IncomingMessage, behindProxy: boolean): Address | null {
  // The system names the interface of a link-local address; a header has no business to.
  const text = behindProxy ? lastOf(headers['x-forwarded-for']) : socket.remoteAddress?.replace(/%.*$/, '');
  if (text === undefined) return null;
  try {
    return parseAddress('address', text);
  } catch {
    return null;
  }
}

/** Gives the last entry of a header that is a list. Node joins headers of the same name. */
function lastOf(header: string | readonly string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(',').at(-1)?.trim();
}
