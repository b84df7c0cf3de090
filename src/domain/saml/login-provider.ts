// What a login needs to know of an identity provider: the keys that it signs with, and where it takes requests. Pure.

import { X509Certificate } from 'node:crypto';
import { bindingOf, readDescriptor, type SsoService } from './descriptor.ts';
import type { BindingName } from './names.ts';

/** Where an identity provider takes messages, and how they get there. */
export interface Endpoint {
  readonly binding: BindingName;
  readonly location: string;
}

/** An identity provider, as logins need it. */
export interface LoginProvider {
  readonly entityId: string;
  /** When the metadata expires; null if unspecified. */
  readonly validUntil: Date | null;
  /** Certificates of the keys that it signs with, in PEM, one for each key. What they say beside the key does not count. */
  readonly signingCertificates: readonly string[];
  /** Where it takes requests to log in; null if nowhere. */
  readonly sso: Endpoint | null;
  /** Where it takes requests to log out, and where the responses to its own; null if nowhere. */
  readonly logout: { readonly requests: Endpoint; readonly responses: Endpoint } | null;
}

/** Most keys that a signature is tried with. Each costs a forgery 0.2 ms, where it has 4,096 bits (measured). */
export const signingKeysMax = 5;

/** Reads stored metadata for a login. Throws as `readDescriptor`. */
export function readLoginProvider(metadata: string): LoginProvider {
  const { entityId, validUntil, signingCertificates, ssoServices, logoutServices } = readDescriptor(
    'idpMetadata',
    metadata,
  );
  const byKey = new Map(signingCertificates.flatMap(readKey));
  const logout = preferred(logoutServices);
  const isUsable =
    logout !== null && bindingOf({ ...logout.service, location: logout.service.responseLocation }) !== null;
  return {
    entityId,
    validUntil: validUntil === null ? null : new Date(validUntil),
    signingCertificates: [...byKey.values()].slice(0, signingKeysMax),
    sso: preferred(ssoServices)?.endpoint ?? null,
    logout:
      logout === null
        ? null
        : {
            requests: logout.endpoint,
            responses: isUsable ? { ...logout.endpoint, location: logout.service.responseLocation } : logout.endpoint,
          },
  };
}

/** Finds the service to send to: one that takes redirects, which need no form and no script, before one that takes forms. */
function preferred<S extends SsoService>(services: readonly S[]): { service: S; endpoint: Endpoint } | null {
  const usable = services.flatMap((service) => {
    const binding = bindingOf(service);
    return binding === null ? [] : [{ service, endpoint: { binding, location: service.location } }];
  });
  return usable.find(({ endpoint }) => endpoint.binding === 'redirect') ?? usable[0] ?? null;
}

/** Gives the key in a certificate with the certificate; nothing for one that cannot be read. */
function readKey(base64: string): [key: string, pem: string][] {
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const key = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    return [[key, certificate.toString()]];
  } catch {
    return [];
  }
}
