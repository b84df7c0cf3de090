// The names that a host certificate is valid for; only names that can match what an OpenSSH client looks up are accepted. No I/O;
// may import only the address parsers and its neighbours on this floor.

import { isIPv6, SocketAddress } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../../../domain/errors.ts';

/**
 * Most names in one certificate, a limit that the schema enforces: OpenSSH cannot read a certificate with more
 * (`SSHKEY_CERT_MAX_PRINCIPALS` in its sshkey.c).
 */
export const principalsMax = 256;
/** Longest name, in bytes: the longest host name in the DNS (RFC 1035, section 2.3.4, without the root's dot). */
export const principalBytesMax = 253;

/**
 * Checks the names of a host certificate and returns them in the order given, each once. A repeated name changes
 * nothing, so it is dropped rather than refused, as in every list of the API. An empty list is kept: the certificate is
 * then valid for all hosts (spec, "SSH host certificate").
 *
 * A client compares host names in lower case, addresses in the form of `inet_ntop`, and never a port (OpenSSH, ssh.c
 * `resolve_canonicalize`; measured). A name in another form can never match, so it is refused, and the error gives the form
 * that matches: if it were corrected silently, the response would differ from the request.
 *
 * @throws INVALID_INPUT on `principals[i]` for a name that is empty, too long, not a host name, an address or one of the
 *   wildcards `*` and `*.example.com`, or not in canonical form
 */
export function checkPrincipals(principals: readonly string[]): string[] {
  for (const [index, principal] of principals.entries()) checkPrincipal(`principals[${index}]`, principal);
  return [...new Set(principals)];
}

/** What to do instead of a wildcard that is not accepted, in a certificate: even those that are work with few clients. */
const insteadOfWildcards =
  'must be one name or address: list each. Only `*`, alone or as the whole first label, is accepted, and clients before ' +
  'OpenSSH 10.3 refuse even that.';

/**
 * Checks one name of a host certificate. Throws INVALID_INPUT on `field`, as `checkPrincipals`.
 *
 * @param wildcardRule what the error says of a wildcard that is not accepted
 */
export function checkPrincipal(field: string, principal: string, wildcardRule = insteadOfWildcards): void {
  checkText(field, principal);
  checkPattern(field, principal, wildcardRule);
  const canonical = canonicalForm(principal);
  if (canonical === null) {
    throw invalid(
      field,
      'must be a host name, or an IPv4 or IPv6 address. A host name has letters, digits, `-` and `_` between single dots.',
    );
  }
  if (canonical !== principal) throw invalid(field, `${fault(principal)}: write ${JSON.stringify(canonical)}.`);
}

/** Refuses text whose characters or length rule out a single name. */
function checkText(field: string, principal: string): void {
  if (principal === '') {
    throw invalid(field, 'must not be empty: an empty name matches no host. Remove the entry.');
  }
  if (/[\p{Cc}\p{Surrogate}]/u.test(principal)) {
    throw invalid(field, 'must not contain control characters or ill-formed Unicode. Remove them.');
  }
  const bytes = Buffer.byteLength(principal);
  if (bytes > principalBytesMax) {
    throw invalid(field, `must be at most ${principalBytesMax} bytes; it has ${bytes}. No host name is longer.`);
  }
  if (/[\s,]/.test(principal)) {
    throw invalid(field, 'must be one name, without spaces or commas. Send each name as a separate entry.');
  }
  if (/\P{ASCII}/u.test(principal)) {
    throw invalid(field, 'must be ASCII. Send an international name in its xn-- form, as in the DNS.');
  }
}

/**
 * Refuses ways to name several hosts that certificates do not support. `*` and `*.example.com` pass: OpenSSH matches them from
 * 10.3 on. It matches other patterns too, but those are more often a mistake than intended.
 */
function checkPattern(field: string, principal: string, wildcardRule: string): void {
  if (principal.includes('/')) {
    throw invalid(
      field,
      'must not have a slash: certificates contain neither ranges nor URLs. List the names or addresses.',
    );
  }
  if (principal.includes('%')) {
    throw invalid(field, 'must not have a zone, which differs between clients. Use a host name.');
  }
  if (/[*?]/.test(principal.replace(/^\*(?=$|\.)/, ''))) {
    throw invalid(field, wildcardRule);
  }
}

const withPort = /^(?:\[([^\]]*)\]|([^:[\]]+)):\d*$/;
const withBrackets = /^\[([^\]]*)\]$/;
const hostName = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

/** Returns the form of a name that clients compare; null if the text is not a name in any form. */
function canonicalForm(text: string): string | null {
  if (text === '*') return text;
  const [, bracketed, plain] = withPort.exec(text) ?? withBrackets.exec(text) ?? [];
  const name = (bracketed ?? plain ?? text).toLowerCase().replace(/\.$/, '');
  if (isIPv6(name)) return canonicalIpv6(name);
  if (name.startsWith('*.')) return hostName.test(name.slice(2)) ? name : null;
  if (!hostName.test(name)) return null;
  // Clients take 10.1, 010.0.0.5 and 0x7f.1 for addresses, and look up their four-part form.
  if (ipaddr.IPv4.isValid(name)) return ipaddr.IPv4.parse(name).toString();
  const isAddressOutOfRange = /^\d+(\.\d+){3}$/.test(name);
  return isAddressOutOfRange ? null : name;
}

/**
 * Formats an IPv6 address as `inet_ntop` does, which is the form that clients compare: RFC 5952, with the last 32 bits of
 * `::/96` and `::ffff:0:0/96` in dotted form. SocketAddress uses Node's own copy of `inet_ntop`.
 */
function canonicalIpv6(address: string): string {
  return new SocketAddress({ address, family: 'ipv6' }).address;
}

/** Says why a name is not in canonical form; of several faults, the coarsest. */
function fault(name: string): string {
  if (withPort.test(name)) return 'must not have a port, as clients look up the name alone';
  if (withBrackets.test(name)) return 'must not have brackets';
  if (name.endsWith('.')) return 'must not end with a dot';
  if (isIPv6(name) || ipaddr.IPv4.isValid(name)) {
    return 'must be in the canonical form of the address, as clients look it up';
  }
  return 'must be in lower case, as clients look it up';
}
