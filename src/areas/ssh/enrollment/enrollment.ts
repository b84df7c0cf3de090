// What an enrollment token allows, and the check of what a host asks for with it. No I/O, no clock; may import only the address
// parsers, the times, and its neighbours on this floor.

import { invalid, SallyportError } from '../../../domain/errors.ts';
import {
  canonicalAddress,
  contains,
  formatRange,
  parseAddress,
  parseRange,
  readStoredRange,
} from '../../../domain/ip/cidr.ts';
import { formatTimestamp } from '../../../domain/values/time.ts';
import {
  type CheckedHostCertificate,
  checkHostCertificate,
  type HostCertificateRequest,
} from '../certificates/host-certificate.ts';
import { checkPrincipal, principalsMax } from '../certificates/principals.ts';
import { type KeyType, keyTypes } from '../keys/public-key.ts';
import { isTooShort, renewableSecondsMin } from '../renewal/renewal.ts';

/** What a token allows for each certificate issued with it. */
export interface EnrollmentBounds {
  /** Names, wildcards such as `*.db.example.com`, and ranges of addresses. */
  readonly principals: readonly string[];
  readonly keyTypes: readonly KeyType[];
  /** Longest validity of a certificate, in seconds. */
  readonly validitySeconds: number;
}

/** Default of the longest validity that a token allows, in seconds: 90 days, which is enough for hosts that renew. */
export const validitySecondsDefault = 90 * 86_400;
/** Bounds of the longest validity that a token can allow, in seconds: a minute, and 10 years of 365 days. */
const validitySecondsMin = renewableSecondsMin;
export const validitySecondsMax = 3_650 * 86_400;
/** Most certificates that one token can issue. */
export const usesMax = 100_000;
/** Default lifetime of a token, in milliseconds: 24 hours. */
export const enrollmentMsDefault = 86_400_000;

/**
 * Checks the principals that a new token is to allow, and returns each once: names and wildcards as in certificates, and ranges in
 * CIDR notation.
 *
 * @throws INVALID_INPUT on `principals` for an empty or too long list, and on `principals[i]` for an entry that is none of these or
 *   is not in canonical form
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
    const rule = 'must have a wildcard only as `*` alone or as the whole first label: *.example.com.';
    checkPrincipal(field, principal, rule);
    return;
  }
  const canonical = formatRange(parseRange(field, principal));
  if (canonical !== principal) throw invalid(field, `must be in the canonical form of the range: write ${canonical}.`);
}

/** Checks the key types that a new token is to allow; all types if not given. Throws INVALID_INPUT for an empty list. */
export function checkKeyTypes(given: readonly KeyType[] | null | undefined): KeyType[] {
  if (given == null) return [...keyTypes];
  if (given.length === 0) throw invalid('keyTypes', 'must not be empty: leave it out to allow all types.');
  return keyTypes.filter((type) => given.includes(type));
}

/** Checks the longest validity that a new token is to allow, in seconds. Throws INVALID_INPUT outside a minute to ten years. */
export function checkMaxValidity(seconds: number | null | undefined): number {
  return checkWhole('maxValidity', seconds ?? validitySecondsDefault, validitySecondsMin, validitySecondsMax);
}

/** Checks how many certificates a new token is to issue; one if not given. Throws INVALID_INPUT outside 1 to `usesMax`. */
export function checkMaxUses(uses: number | null | undefined): number {
  return checkWhole('maxUses', uses ?? 1, 1, usesMax);
}

function checkWhole(field: string, given: number, min: number, max: number): number {
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  throw invalid(field, `must be a whole number from ${min} to ${max}.`);
}

/**
 * Checks a host's request, first by itself and then against what its token allows. If the request has no end, the certificate is
 * valid for as long as the token allows.
 *
 * @param now the time of creation
 * @throws INVALID_INPUT as `checkHostCertificate`, and if there are no names; FORBIDDEN, with the field, for a name, key type or
 *   end that the token does not allow, for wildcards, which no token allows, and for a validity too short to be renewed
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
  throw forbidden(field, `must be a name or address that the enrollment token allows, which ${principal} is not.`);
}

/**
 * Returns whether an entry of a token allows a name; both are in canonical form. `*` allows every name. `*.example.com` allows all
 * names below it, at any depth, as in OpenSSH (match.c, `match_pattern`), but never an address. A range allows its addresses.
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
