// The properties of an identity provider that logins need: its signing keys, and where it accepts requests. Pure.

import { X509Certificate } from 'node:crypto';
import { bindingOf, readDescriptor, type SsoService } from './descriptor.ts';
import type { BindingName } from './names.ts';

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
  /** Certificates of its signing keys, in PEM, one for each key. Only the key in a certificate counts. */
  readonly signingCertificates: readonly string[];
  /** Where it accepts login requests; null if nowhere. */
  readonly sso: Endpoint | null;
  /** Where it accepts logout requests, and where responses to its own; null if nowhere. */
  readonly logout: { readonly requests: Endpoint; readonly responses: Endpoint } | null;
}

/** Most keys that a signature is checked against. For a forged signature, each 4,096-bit key costs 0.2 ms (measured). */
export const signingKeysMax = 5;

/** Parses stored metadata for a login. Throws as `readDescriptor`. */
export function readLoginProvider(metadata: string): LoginProvider {
  const { entityId, validUntil, signingCertificates, ssoServices, logoutServices } = readDescriptor(
    'idpMetadata',
    metadata,
  );
  const byKey = new Map(signingCertificates.flatMap(readKey));
  const logout = preferred(logoutServices);
  const isResponseLocationUsable =
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

/** Returns the key of a certificate (SPKI in base64) and the certificate in PEM; nothing if it cannot be read. */
function readKey(base64: string): [key: string, pem: string][] {
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const key = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    return [[key, certificate.toString()]];
  } catch {
    return [];
  }
}
