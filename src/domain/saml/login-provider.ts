// What a login needs to know of an identity provider: the keys that it signs with, and where it takes requests. Pure.

import { X509Certificate } from 'node:crypto';
import { readDescriptor, takesRedirects } from './descriptor.ts';

/** An identity provider, as logins need it. */
export interface LoginProvider {
  readonly entityId: string;
  /** When the metadata expires; null if unspecified. */
  readonly validUntil: Date | null;
  /** Certificates of the keys that it signs with, in PEM, one for each key. What they say beside the key does not count. */
  readonly signingCertificates: readonly string[];
  /** Where it takes requests by redirect; null if it does not. */
  readonly ssoLocation: string | null;
}

/** Most keys that a signature is tried with: a forgery costs the time of all of them. */
export const signingKeysMax = 5;

/** Reads stored metadata for a login. Throws as `readDescriptor`. */
export function readLoginProvider(metadata: string): LoginProvider {
  const { entityId, validUntil, signingCertificates, ssoServices } = readDescriptor('idpMetadata', metadata);
  const byKey = new Map(signingCertificates.flatMap(readKey));
  return {
    entityId,
    validUntil: validUntil === null ? null : new Date(validUntil),
    signingCertificates: [...byKey.values()].slice(0, signingKeysMax),
    ssoLocation: ssoServices.find(takesRedirects)?.location ?? null,
  };
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
