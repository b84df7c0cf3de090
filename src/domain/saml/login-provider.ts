// The properties of an identity provider that logins need: its signing keys, and where it accepts requests. Pure.

import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Steps } from '../concurrency/steps.ts';
import { formatTimestamp } from '../values/time.ts';
import { unsupportedKind } from './algorithms.ts';
import { bindingOf, readDescriptor, type SsoService } from './descriptor.ts';
import type { BindingName } from './namespaces.ts';

/** Where an identity provider accepts messages, and the binding to send them with. */
export interface Endpoint {
  readonly binding: BindingName;
  readonly location: string;
}

/** An identity provider, with the properties that logins need. */
export interface LoginProvider {
  readonly entityId: string;
  /** When the metadata expires; null if unspecified. */
  readonly validUntil: Date | null;
  /** Its signing keys. Nothing else in their certificates counts. */
  readonly signingKeys: readonly KeyObject[];
  /** Where it accepts login requests; null if nowhere. */
  readonly sso: Endpoint | null;
  /** Where it accepts logout requests, and where responses to its own; null if nowhere. */
  readonly logout: { readonly requests: Endpoint; readonly responses: Endpoint } | null;
}

/**
 * Most keys that a signature is checked against. A key only checks signatures of its own kind; for a forged one, a 4,096-bit key
 * costs 0.2 ms (measured). Federations list all keys of a year, which are fewer.
 */
export const signingKeysMax = 20;

/** The certificate of a signing key of an identity provider. A type, because TypeScript accepts no interface as JSON. */
export type SigningCertificate = {
  /** SHA-256 of the certificate: upper-case hexadecimal digits in pairs, separated by colons. */
  readonly fingerprint: string;
  /** RFC 3339. */
  readonly expiresAt: string;
};

/** The signing keys in metadata, and what cannot be used of them. */
export interface SigningKeys {
  /** Every certificate that can be read. */
  readonly certificates: readonly SigningCertificate[];
  /** The keys that logins are checked against: each once. */
  readonly usable: readonly KeyObject[];
  /** How many certificates cannot be read. */
  readonly unreadable: number;
  /** The kinds of keys of which no signatures are accepted, by name, each once. */
  readonly unsupported: readonly string[];
  /** How many keys are left out because there are more than `signingKeysMax`. */
  readonly leftOut: number;
}

/** Reads signing keys from certificates in Base64. The same for logins and for the warnings about metadata. */
export function* readSigningKeys(texts: readonly string[]): Steps<SigningKeys> {
  const certificates: SigningCertificate[] = [];
  const keys = new Map<string, KeyObject>();
  const unsupported = new Set<string>();
  for (const text of texts) {
    yield;
    try {
      const certificate = new X509Certificate(Buffer.from(text, 'base64'));
      const { publicKey } = certificate;
      // Throws if `validTo` is not a date.
      const expiresAt = formatTimestamp(new Date(certificate.validTo));
      const kind = unsupportedKind(publicKey);
      if (kind !== null) unsupported.add(kind);
      else keys.set(publicKey.export({ type: 'spki', format: 'der' }).toString('base64'), publicKey);
      certificates.push({ fingerprint: certificate.fingerprint256, expiresAt });
    } catch {
      // Counted below.
    }
  }
  return {
    certificates,
    usable: [...keys.values()].slice(0, signingKeysMax),
    unreadable: texts.length - certificates.length,
    unsupported: [...unsupported],
    leftOut: Math.max(keys.size - signingKeysMax, 0),
  };
}

/** Returns where requests for a login are sent; null if nowhere. The same for logins and for the warnings about metadata. */
export function loginEndpoint(services: readonly SsoService[]): Endpoint | null {
  return preferred(services)?.endpoint ?? null;
}

/** Returns whether metadata has expired. The same for logins and for the warnings about metadata. */
export function isOver(validUntil: Date | null, now: Date): boolean {
  return validUntil !== null && validUntil <= now;
}

/** Parses stored metadata for a login. Throws as `readDescriptor`. */
export function* readLoginProvider(metadata: string): Steps<LoginProvider> {
  const { entityId, validUntil, signingCertificates, ssoServices, logoutServices } = yield* readDescriptor(
    'idpMetadata',
    metadata,
  );
  const { usable } = yield* readSigningKeys(signingCertificates);
  const logout = preferred(logoutServices);
  const isResponseLocationUsable =
    logout !== null && bindingOf({ ...logout.service, location: logout.service.responseLocation }) !== null;
  return {
    entityId,
    validUntil: validUntil === null ? null : new Date(validUntil),
    signingKeys: usable,
    sso: loginEndpoint(ssoServices),
    logout:
      logout === null
        ? null
        : {
            requests: logout.endpoint,
            responses: isResponseLocationUsable
              ? { ...logout.endpoint, location: logout.service.responseLocation }
              : logout.endpoint,
          },
  };
}

/** Finds the service to send to. Redirects are preferred to forms, because they need neither a form nor a script. */
function preferred<S extends SsoService>(services: readonly S[]): { service: S; endpoint: Endpoint } | null {
  const usable = services.flatMap((service) => {
    const binding = bindingOf(service);
    return binding === null ? [] : [{ service, endpoint: { binding, location: service.location } }];
  });
  return usable.find(({ endpoint }) => endpoint.binding === 'redirect') ?? usable[0] ?? null;
}
