// Reads the metadata of an identity provider, and finds problems in it that prevent logins. Pure: the clock is an
// argument.

import type { Steps } from '../concurrency/steps.ts';
import { invalid } from '../errors.ts';
import { isJsonObject } from '../values/json.ts';
import { truncateText } from '../values/text.ts';
import { counted } from '../wording.ts';
import { supportedKeys } from './algorithms.ts';
import { isWebAddress, type LogoutService, readDescriptor, type SsoService } from './descriptor.ts';
import { isOver, loginEndpoint, readSigningKeys, type SigningCertificate, signingKeysMax } from './login-provider.ts';
import { bindings } from './namespaces.ts';

// A type rather than an interface, because TypeScript accepts only types as JSON. It is stored next to the metadata text.

/** The stored summary of metadata. */
export type IdentityProvider = {
  readonly entityId: string;
  /** When the metadata expires, in RFC 3339; null if unspecified or unreadable. */
  readonly validUntil: string | null;
  readonly ssoServices: readonly SsoService[];
  readonly signingCertificates: readonly SigningCertificate[];
  /** The number of signing certificates that cannot be read. */
  readonly unreadableCertificates: number;
  // Metadata that was stored by an earlier version lacks what follows.
  /** The kinds of signing keys that cannot be used. */
  readonly unsupportedKeys?: readonly string[];
  /** The number of signing keys that logins are checked against. */
  readonly usableKeys?: number;
  /** The number of signing keys that are left out because there are too many. */
  readonly leftOutKeys?: number;
  /** What is said about the expiry but is not a time; null if nothing. */
  readonly unreadableExpiry?: string | null;
  /** Seconds after which it says to be read again; null if unspecified. */
  readonly cacheSeconds?: number | null;
};

/** Returns what stands in a plan for metadata that nobody has read yet: nothing is wrong with it. */
export function unreadIdentityProvider(entityId: string, url: string): IdentityProvider {
  return {
    entityId,
    validUntil: null,
    ssoServices: [{ binding: bindings.redirect, location: url }],
    signingCertificates: [],
    unreadableCertificates: 0,
    usableKeys: 1,
  };
}

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

/** Most signing certificates in metadata. An identity provider has two or three, and all of a year are fewer. Each takes 0.2 to 0.5 ms. */
const signingCertificatesMax = 40;

// The bounds of endpoints hold for metadata that is saved, not for logins: those of modules that were saved before go on.

/** Most endpoints of a kind. An identity provider has two or three. */
const servicesMax = 40;
/** Longest location and binding of an endpoint, in characters. Browsers and proxies accept no longer ones. */
const serviceCharactersMax = 2_048;

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
 * @throws INVALID_INPUT as `readDescriptor`, and for too many signing certificates or endpoints, or a long endpoint
 */
export function* readIdentityProvider(field: string, metadata: string): Steps<IdentityProvider> {
  const descriptor = yield* readDescriptor(field, metadata);
  const { entityId, validUntil, unreadableExpiry, cacheSeconds, ssoServices, signingCertificates } = descriptor;
  checkServices(field, 'SingleSignOnService', ssoServices);
  checkServices(field, 'SingleLogoutService', descriptor.logoutServices);
  if (signingCertificates.length > signingCertificatesMax) {
    throw invalid(
      field,
      `has ${signingCertificates.length} signing certificates; the maximum is ${signingCertificatesMax}.`,
    );
  }
  const { certificates, unreadable, unsupported, usable, leftOut } = yield* readSigningKeys(signingCertificates);
  return {
    entityId,
    validUntil,
    ssoServices,
    signingCertificates: certificates,
    unreadableCertificates: unreadable,
    unsupportedKeys: unsupported,
    usableKeys: usable.length,
    leftOutKeys: leftOut,
    unreadableExpiry,
    cacheSeconds,
  };
}

/** Throws INVALID_INPUT if the endpoints of a kind are too many or too long. */
function checkServices(field: string, name: string, services: readonly (SsoService & Partial<LogoutService>)[]): void {
  if (services.length > servicesMax) {
    throw invalid(field, `must have at most ${servicesMax} elements ${name}; it has ${services.length}.`);
  }
  for (const { binding, location, responseLocation = location } of services) {
    const attributes = { Binding: binding, Location: location, ResponseLocation: responseLocation };
    const long = Object.entries(attributes).find(([, text]) => text.length > serviceCharactersMax);
    if (long === undefined) continue;
    throw invalid(field, `must have a ${long[0]} of at most ${serviceCharactersMax} characters on each ${name}.`);
  }
}

/** Seconds until metadata is read again: by default, at least, and at most. */
export const readingSeconds = { default: 3_600, min: 300, max: 86_400 };

/** Returns after how many seconds metadata is read again: before three quarters of the time for which it says that it holds are over. */
export function secondsToReading({ validUntil, cacheSeconds = null }: IdentityProvider, now: Date): number {
  const left = validUntil === null ? null : (new Date(validUntil).getTime() - now.getTime()) / 1000;
  const holds = [left, cacheSeconds].filter((seconds) => seconds !== null);
  const { default: usual, min, max } = readingSeconds;
  return holds.length === 0 ? usual : Math.min(Math.max(Math.floor(0.75 * Math.min(...holds)), min), max);
}

/** The problems that prevent logins. */
const warningCodes = [
  'no_sso_location',
  'no_signing_certificate',
  'unreadable_certificate',
  'unsupported_key',
  'too_many_keys',
  'unreadable_expiry',
  'metadata_expired',
  'certificate_expired',
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** A problem that prevents logins, described for the person who can fix it. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

/** Most bytes of a location that a warning shows. */
const shownBytesMax = 100;

/** Lists the problems that prevent logins at an identity provider at a given time. */
export function warningsOf(provider: IdentityProvider, now: Date): Warning[] {
  const { ssoServices, signingCertificates, unreadableCertificates, unsupportedKeys = [] } = provider;
  const { usableKeys = signingCertificates.length, leftOutKeys = 0, unreadableExpiry = null } = provider;
  const validUntil = provider.validUntil === null ? null : new Date(provider.validUntil);
  const warnings: Warning[] = [];
  const warn = (applies: boolean, code: WarningCode, message: string) => {
    if (applies) warnings.push({ code, message });
  };
  const other = ssoServices.find(({ location }) => !isWebAddress(location))?.location;
  const found = other === undefined ? '' : ` Nobody is sent to ${JSON.stringify(truncateText(other, shownBytesMax))}.`;
  warn(
    loginEndpoint(ssoServices) === null,
    'no_sso_location',
    `There is no SingleSignOnService with an http(s) Location and the binding HTTP-Redirect or HTTP-POST.${found}`,
  );
  warn(
    usableKeys === 0,
    'no_signing_certificate',
    'There is no signing certificate whose key can be used, so assertions cannot be verified.',
  );
  warn(
    unreadableCertificates > 0,
    'unreadable_certificate',
    `Signing certificates that cannot be read as X.509: ${unreadableCertificates}.`,
  );
  warn(
    unsupportedKeys.length > 0,
    'unsupported_key',
    `Signatures of some keys (${unsupportedKeys.join(', ')}) are refused; accepted are ${supportedKeys}.`,
  );
  warn(
    leftOutKeys > 0,
    'too_many_keys',
    `There are ${counted(usableKeys + leftOutKeys, 'signing key')}; only the first ${signingKeysMax} are accepted.`,
  );
  warn(
    unreadableExpiry !== null,
    'unreadable_expiry',
    `The \`validUntil\` ${JSON.stringify(unreadableExpiry)} is not a time, so it does not count.`,
  );
  warn(isOver(validUntil, now), 'metadata_expired', `The metadata expired at ${provider.validUntil}.`);
  for (const { fingerprint, expiresAt } of signingCertificates) {
    const message = `The certificate ${fingerprint} expired at ${expiresAt}.`;
    warn(isOver(new Date(expiresAt), now), 'certificate_expired', message);
  }
  return warnings;
}
