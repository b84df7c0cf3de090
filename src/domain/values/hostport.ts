// The hosts and ports that an edge answers on. Pure.

import { isIP } from 'node:net';
import { toASCII } from 'tr46';
import { invalid } from '../errors.ts';
import { checkText } from './text.ts';

/** Most hosts and ports of one edge; the schema enforces this limit. */
export const hostportsMax = 100;
/** Longest host name, in bytes (RFC 1035, section 2.3.4, without the root's dot). */
const hostBytesMax = 253;
/** Longest `host:port`, in bytes. */
const hostportBytesMax = hostBytesMax + ':65535'.length;

/**
 * Checks the hosts and ports of an edge and returns them in the order given, each once: a repetition changes nothing, so it is
 * dropped rather than refused, as in every list of the API. An empty list is kept: the edge does not answer anywhere yet.
 *
 * @throws INVALID_INPUT on `hostports[i]` unless it is `host:port` with a host name in lower case, whose first label may be a
 *   wildcard, and a port from 1 to 65535
 */
export function checkHostports(hostports: readonly string[]): string[] {
  for (const [index, hostport] of hostports.entries()) checkHostport(`hostports[${index}]`, hostport);
  return [...new Set(hostports)];
}

function checkHostport(field: string, hostport: string): void {
  checkText(field, hostport, hostportBytesMax);
  if (/\P{ASCII}/u.test(hostport)) {
    throw invalid(field, 'must be ASCII. Send an international name in its xn-- form, as in the DNS.');
  }
  const [, host, port] = /^(.+):([^:]*)$/.exec(hostport) ?? [];
  // The last test distinguishes the address ::1 from the host ":" with port 1.
  if (host === undefined || port === undefined || isIP(hostport) !== 0) {
    throw invalid(field, 'must be a host and a port, such as example.com:443.');
  }
  checkHost(field, host);
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw invalid(field, 'must have a port from 1 to 65535, in plain digits.');
  }
  if (host !== host.toLowerCase()) {
    throw invalid(field, `must be in lower case, as edges compare it: write ${hostport.toLowerCase()}.`);
  }
}

/**
 * How international names are checked (UTS #46, with the choices of the URL standard). Node's own check depends on its version: from
 * 24 on, it accepts every label of ASCII characters.
 */
const internationalNames = { checkBidi: true, checkJoiners: true };

/** A label of a host name (RFC 1123, section 2.1), in either case. */
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

function checkHost(field: string, host: string): void {
  // The last label of a name is never a number: such a host is parsed as an IPv4 address, possibly in an unusual form.
  if (host.startsWith('[') || isIP(host) !== 0 || /(^|\.)\d+\.?$/.test(host)) {
    throw invalid(
      field,
      'must name the host. A client that connects to an address sends no name (RFC 6066, section 3).',
    );
  }
  const name = host.startsWith('*.') ? host.slice(2) : host;
  if (name.includes('*')) {
    throw invalid(field, 'must have a wildcard only as the whole first label: *.example.com:443.');
  }
  if (host.length > hostBytesMax) throw invalid(field, `must have a host of at most ${hostBytesMax} bytes.`);
  if (!name.split('.').every((part) => label.test(part))) {
    throw invalid(
      field,
      'must have a host name: labels of 1 to 63 letters, digits and inner dashes, between single dots, such as ' +
        'example.com:443.',
    );
  }
  // Not every xn-- label encodes a name (RFC 5891, section 4.4), and hardly a client can ask for one that does not.
  if (/xn--/i.test(name) && toASCII(name, internationalNames) !== name.toLowerCase()) {
    throw invalid(field, 'must not have an xn-- label that does not encode an international name.');
  }
}
