// Reads the metadata of an identity provider, and finds problems in it that prevent logins. Pure: the clock is an
// argument.

import { X509Certificate } from 'node:crypto';
import { invalid } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { formatTimestamp } from '../time.ts';
import { bindingOf, readDescriptor, type SsoService } from './descriptor.ts';

// Types rather than interfaces, because TypeScript accepts only types as JSON. They are stored next to the metadata text.

/** The certificate of a signing key of an identity provider. */
export type SigningCertificate = {
  /** SHA-256 of the certificate: upper-case hexadecimal digits in pairs, separated by colons. */
  readonly fingerprint: string;
  /** RFC 3339. */
  readonly expiresAt: string;
};

/** The stored summary of metadata. */
export type IdentityProvider = {
  readonly entityId: string;
  /** When the metadata expires, in RFC 3339; null if unspecified or unreadable. */
  readonly validUntil: string | null;
  readonly ssoServices: readonly SsoService[];
  readonly signingCertificates: readonly SigningCertificate[];
  /** The number of signing certificates that cannot be read. */
  readonly unreadableCertificates: number;
};

/** Returns whether a value from the database has the shape that `readIdentityProvider` returns. */
export function isIdentityProvider(value: unknown): value is IdentityProvider {
  return (
    isJsonObject(value) &&
    typeof value.entityId === 'string' &&
    (value.validUntil === null || typeof value.validUntil === 'string') &&
    isListOfTexts(value.ssoServices, 'binding', 'location') &&
    isListOfTexts(value.signingCertificates, 'fingerprint', 'expiresAt') &&
    typeof value.unreadableCertificates === 'number'
  );
}

/** Most signing certificates in metadata. An identity provider has two or three; parsing each takes 0.2 ms. */
const signingCertificatesMax = 100;

/** Returns whether a value is a list of objects that have a string under each of the names. */
function isListOfTexts(value: unknown, ...names: string[]): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => isJsonObject(item) && names.every((name) => typeof item[name] === 'string'))
  );
}

/**
 * Parses metadata. Problems that make it unusable but can be fixed at the identity provider are not errors: see `warningsOf`.
 *
 * @throws INVALID_INPUT as `readDescriptor`, and for too many signing certificates
 */
export function readIdentityProvider(field: string, metadata: string): IdentityProvider {
  const { entityId, validUntil, ssoServices, signingCertificates: texts } = readDescriptor(field, metadata);
  if (texts.length > signingCertificatesMax) {
    throw invalid(field, `has ${texts.length} signing certificates; the maximum is ${signingCertificatesMax}.`);
  }
  const certificates = texts.map(readCertificate);
  return {
    entityId,
    validUntil,
    ssoServices,
    signingCertificates: certificates.filter((certificate) => certificate !== null),
    unreadableCertificates: certificates.filter((certificate) => certificate === null).length,
  };
}

function readCertificate(base64: string): SigningCertificate | null {
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    // `formatTimestamp` throws if `validTo` is not a date.
    return { fingerprint: certificate.fingerprint256, expiresAt: formatTimestamp(new Date(certificate.validTo)) };
  } catch {
    return null;
  }
}

/** The problems that prevent logins. */
const warningCodes = [
  'no_sso_location',
  'no_signing_certificate',
  'unreadable_certificate',
  'metadata_expired',
  'certificate_expired',
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** A problem that prevents logins, described for the person who can fix it. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** Lists the problems that prevent logins at an identity provider at a given time. */
export function warningsOf(provider: IdentityProvider, now: Date): Warning[] {
  const { validUntil, ssoServices, signingCertificates, unreadableCertificates } = provider;
  const past = (timestamp: string) => new Date(timestamp) <= now;
  const warnings: Warning[] = [];
  if (ssoServices.every((service) => bindingOf(service) === null)) {
    warnings.push({
      code: 'no_sso_location',
      message: 'There is no SingleSignOnService with an http(s) Location and the binding HTTP-Redirect or HTTP-POST.',
    });
  }
  if (signingCertificates.length + unreadableCertificates === 0) {
    warnings.push({
      code: 'no_signing_certificate',
      message: 'There is no signing certificate, so assertions cannot be verified.',
    });
  }
  if (unreadableCertificates > 0) {
    warnings.push({
      code: 'unreadable_certificate',
      message: `Signing certificates that cannot be read as X.509: ${unreadableCertificates}.`,
    });
  }
  if (validUntil !== null && past(validUntil)) {
    warnings.push({ code: 'metadata_expired', message: `The metadata expired at ${validUntil}.` });
  }
  for (const { fingerprint, expiresAt } of signingCertificates.filter((certificate) => past(certificate.expiresAt))) {
    warnings.push({ code: 'certificate_expired', message: `The certificate ${fingerprint} expired at ${expiresAt}.` });
  }
  return warnings;
}
