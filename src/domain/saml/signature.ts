// Extracts the signed part of a message, the only step that is left to a library. The library digests the whole message before it
// checks the signature, and again for every key, so it is called only after the key that made the signature is known. Pure.

import { verify, X509Certificate } from 'node:crypto';
import { getVerifiedXml } from '@node-saml/node-saml/lib/xml.js';
import type { Element } from '@xmldom/xmldom';
import { LoginRefusal } from './refusal.ts';
import { findSigner } from './signer.ts';

/**
 * Returns a signed element as XML that consists only of the bytes that were signed.
 *
 * @param xml the message that contains the element
 * @param certificates the certificates of the keys to try, in PEM
 * @throws LoginRefusal with the reason `signature`
 */
export function readSigned(xml: string, element: Element, certificates: readonly string[]): string {
  if (certificates.length === 0) throw new LoginRefusal('signature', 'The metadata has no signing certificate.');
  const signer = findSigner(element, certificates);
  let signed: string | null = null;
  try {
    // The library uses the DOM types of browsers, but needs nothing that our elements lack.
    signed = getVerifiedXml(xml, element as unknown as globalThis.Element, [signer]);
  } catch (error) {
    throw new LoginRefusal('signature', error instanceof Error ? error.message : 'The signature cannot be verified.');
  }
  if (signed === null) throw new LoginRefusal('signature', `The ${element.localName} is not what was signed.`);
  return signed;
}

/** Signature algorithms of queries, with Node's names for their digests. No SHA-1, and no algorithm without a private key. */
const queryAlgorithms: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
]);

/** A signed query: the signed text, byte for byte as it was sent, the algorithm, and the signature. */
export interface SignedQuery {
  readonly signed: string;
  readonly algorithm: string;
  readonly signature: Uint8Array;
}

/**
 * Verifies the signature of a query (SAML bindings 3.4.4.1).
 *
 * @throws LoginRefusal with the reasons `weak_algorithm` and `signature`
 */
export function verifyQuery({ signed, algorithm, signature }: SignedQuery, certificates: readonly string[]): void {
  const digest = queryAlgorithms.get(algorithm);
  if (digest === undefined) throw new LoginRefusal('weak_algorithm', `The algorithm ${algorithm} is refused.`);
  const isBy = (certificate: string) => {
    const { publicKey } = new X509Certificate(certificate);
    return publicKey.asymmetricKeyType === 'rsa' && verify(digest, Buffer.from(signed), publicKey, signature);
  };
  if (!certificates.some(isBy)) {
    throw new LoginRefusal('signature', 'The query is not signed by a key of the metadata.');
  }
}
