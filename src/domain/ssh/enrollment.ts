// What an enrollment token allows, and what a host may ask for with one. No I/O, no clock; may import only the address parsers, the
// times, and its neighbours on this floor.

import { canonicalAddress, contains, formatRange, parseAddress, parseRange, readStoredRange } from '../cidr.ts';
import { invalid, SallyportError } from '../errors.ts';
import { formatTimestamp } from '../time.ts';
import { type CheckedHostCertificate, checkHostCertificate, type HostCertificateRequest } from './host-certificate.ts';
import { checkPrincipal, principalsMax } from './principals.ts';
import { type KeyType, keyTypes } from './public-key.ts';
import { isTooShort, renewableSecondsMin } from './renewal.ts';

/** What a token allows for each of the certificates that it is good for. */
export interface EnrollmentBounds {
  /** Names, wildcards such as `*.db.example.com`, and ranges of addresses. */
  readonly principals: readonly string[];
  readonly keyTypes: readonly KeyType[];
  /** Longest validity of a certificate, in seconds. */
  readonly validitySeconds: number;
}

/** Validity that a token allows unless it is made for another, in seconds: 90 days, as long as hosts that renew need. */
export const validitySecondsDefault = 90 * 86_400;
/** Shortest and longest validity that a token can allow, in seconds: a minute, and 10 years of 365 days. */
const validitySecondsMin = renewableSecondsMin;
export const validitySecondsMax = 3_650 * 86_400;
/** Most certificates that a token can be good for. */
export const usesMax = 100_000;
/** How long a token is good unless it is made for another time, in milliseconds: 24 hours. */
export const enrollmentMsDefault = 86_400_000;

/**
 * Checks the names that a token shall allow, and gives each once: names and wildcards as certificates have them, and ranges in CIDR
 * notation.
 *
 * @throws INVALID_INPUT on `principals` for an empty list, and on `principals[i]` for what is neither, or not in the form in which it
 *   is compared
 */
export function checkAllowedPrincipals(principals: readonly string[]): string[] {
  if (principals.length === 0) {
    throw invalid(
      'principals',
      'must not be empty: list the names, patterns or address ranges that hosts may ask for.',
    );
  }
  if (principals.length > principalsMax) {
    throw invalid('principals', `must have at most ${principalsMax} entries. Use wildcards or address ranges.`);
  }
  for (const [index, principal] of principals.entries()) checkAllowed(`principals[${index}]`, principal);
  return [...new Set(principals)];
}

function checkAllowed(field: string, principal: string): void {
  if (!principal.includes('/')) {
    checkPrincipal(field, principal);
    return;
  }
  const canonical = formatRange(parseRange(field, principal));
  if (canonical !== principal) throw invalid(field, `must be in the canonical form of the range: write ${canonical}.`);
}

/** Checks the types of keys that a token shall allow; all where none are given. Throws INVALID_INPUT for an empty list. */
export function checkKeyTypes(given: readonly KeyType[] | null | undefined): KeyType[] {
  if (given == null) return [...keyTypes];
  if (given.length === 0) throw invalid('keyTypes', 'must not be empty: leave it out to allow all types.');
  return keyTypes.filter((type) => given.includes(type));
}

/** Checks the validity that a token shall allow, in seconds. Throws INVALID_INPUT outside of a minute to ten years. */
export function checkMaxValidity(seconds: number | null | undefined): number {
  return checkWhole('maxValidity', seconds ?? validitySecondsDefault, validitySecondsMin, validitySecondsMax);
}

/** Checks how many certificates a token shall be good for; one where that is not given. Throws INVALID_INPUT. */
export function checkMaxUses(uses: number | null | undefined): number {
  return checkWhole('maxUses', uses ?? 1, 1, usesMax);
}

function checkWhole(field: string, given: number, min: number, max: number): number {
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  throw invalid(field, `must be a whole number from ${min} to ${max}.`);
}

/**
 * Checks what a host asks for, first by itself and then against what its token allows. Without an end, the certificate is valid for as
 * long as the token allows.
 *
 * @param now the time of creation
 * @throws INVALID_INPUT as `checkHostCertificate`, and for no names at all; FORBIDDEN, with the field, for a name, a type of key or an
 *   end that the token does not allow, and for wildcards, which no token allows
 */
export function checkEnrollment(
  request: Omit<HostCertificateRequest, 'validAfter'>,
  { principals: allowed, keyTypes, validitySeconds }: EnrollmentBounds,
  now: Date,
): CheckedHostCertificate {
  const longest = new Date(now.getTime() + validitySeconds * 1000);
  const checked = checkHostCertificate(
    { ...request, validAfter: null, validUntil: request.validUntil ?? longest },
    now,
  );
  const { principals, validUntil, publicKey } = checked;
  if (principals.length === 0) throw invalid('principals', 'must not be empty: name the host.');
  if (!keyTypes.includes(publicKey.keyType)) {
    const types = keyTypes.join(', ');
    throw forbidden('publicKey', `must be of a type that the enrollment token allows: ${types}.`);
  }
  for (const [index, principal] of (request.principals ?? []).entries()) {
    checkAsked(`principals[${index}]`, principal, allowed);
  }
  if (isTooShort(checked)) {
    throw forbidden('validUntil', `must be at least ${renewableSecondsMin} seconds from now: a host renews by itself.`);
  }
  if (validUntil > longest) {
    const end = formatTimestamp(longest);
    throw forbidden('validUntil', `must not be later than the enrollment token allows, which is ${end} at this time.`);
  }
  return checked;
}

function checkAsked(field: string, principal: string, allowed: readonly string[]): void {
  if (principal.includes('*'))
    throw forbidden(field, 'must be one name or address: a host cannot enroll with a wildcard.');
  if (allowed.some((pattern) => allows(pattern, principal))) return;
  throw forbidden(field, 'must be a name or address that the enrollment token allows. It allows others.');
}

/**
 * Tells whether an entry of a token allows a name: both in their canonical forms. `*` allows all. `*.example.com` allows the names
 * below, of any depth, as it matches in OpenSSH (match.c, `match_pattern`), but never an address; a range allows its addresses.
 */
export function allows(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true;
  const isAddress = canonicalAddress(name) !== null;
  if (pattern.includes('/')) return isAddress && contains(readStoredRange(pattern), parseAddress('principals', name));
  return pattern.startsWith('*.') && !isAddress && name.endsWith(pattern.slice(1));
}

function forbidden(field: string, message: string): SallyportError {
  return new SallyportError('FORBIDDEN', message, { field });
}
