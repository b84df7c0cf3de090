// Addresses at which servers listen, as proxies and the people who set them up write them: `host:port`. Pure.

import { isIP } from 'node:net';
import { invalid } from '../errors.ts';

/** Longest host and port, in characters. */
const serverAddressCharactersMax = 259;

/**
 * Checks the address at which a server listens, such as `10.0.0.5:8080`, `[2001:db8::1]:443` or `app.internal:443`.
 *
 * @throws INVALID_INPUT for anything but a host name or an IP address with a port
 */
export function checkServerAddress(field: string, address: string): string {
  if (isServerAddress(address)) return address;
  throw invalid(field, 'must be a host and a port, such as 10.0.0.5:8080 or [2001:db8::1]:8080.');
}

/** Returns whether a text is the address of a server. */
export function isServerAddress(address: string): boolean {
  if (address.length > serverAddressCharactersMax) return false;
  const [host, port] = splitServerAddress(address);
  return isHost(host) && /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535;
}

/** A label of a name that a proxy looks up. Names of containers may have underscores. */
const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i;

function isHost(host: string): boolean {
  // No zone: the interface has that name on this machine, not on the proxy's, and programs write it differently.
  if (host.startsWith('[')) return /^\[[^%]+\]$/.test(host) && isIP(host.slice(1, -1)) === 6;
  // A name that ends with a number is parsed as an IPv4 address, possibly in an unusual form.
  if (/(?:^|\.)(?:\d+|0x[\da-f]*)$/i.test(host)) return isIP(host) === 4;
  return host.split('.').every((part) => label.test(part));
}

/** Splits an address at its last colon. The host of an IPv6 address keeps its brackets. */
export function splitServerAddress(address: string): readonly [host: string, port: string] {
  const colon = address.lastIndexOf(':');
  return [address.slice(0, Math.max(colon, 0)), address.slice(colon + 1)];
}
