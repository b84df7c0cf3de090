// The address of a program at the other end of a connection, as sockets and proxies write it. Pure.

import { type Address, parseAddress } from './cidr.ts';

/** An IPv6 address, after which a link-local one may have a zone: it names an interface of the machine which wrote it (RFC 4007). */
const ipv6 = String.raw`([\da-f]*:[\da-f:.]*)(?:(?<=fe[89ab][\da-f]:[\da-f:.]*)%[\w.%-]+)?`;
/** What may stand around an address: quotes (RFC 7239, section 4), brackets, and a port. */
const node = new RegExp(String.raw`^"?(?:\[${ipv6}\](?::\d{1,5})?|${ipv6}|([\d.]+)(?::\d{1,5})?)"?$`, 'i');

/** Longest text that is looked at: an address, a zone and a port have fewer characters. */
const charactersMax = 100;

/** Reads an address with whatever may stand around it; null for anything else, such as a name or `unknown`. */
export function readNode(text: string): Address | null {
  const given = text.trim();
  if (given.length > charactersMax) return null;
  const [, inBrackets, plain = inBrackets, ipv4 = plain] = node.exec(given) ?? [];
  if (ipv4 === undefined) return null;
  try {
    return parseAddress('address', ipv4);
  } catch {
    return null;
  }
}
