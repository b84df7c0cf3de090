// What of a message is signed: the one question that is left to a library. It digests all of a message before it looks at the
// signature, and again for every key, so that it is asked only about what a known key has signed. Pure.

import { verify, X509Certificate } from 'node:crypto';
import { getVerifiedXml } from '@node-saml/node-saml/lib/xml.js';
import type { Element } from '@xmldom/xmldom';
import { LoginRefusal } from './refusal.ts';
import { findSigner } from './signer.ts';

/**
 * Gives an element that is signed itself, made of nothing but the bytes that were signed.
 *
 * @param xml the message that the element is in
 * @param certificates those of the keys to try, in PEM
 * @throws LoginRefusal with the reason `signature`
 */
export function readSigned(xml: string, element: Element, certificates: readonly string[]): string {
  if (certificates.length === 0) throw new LoginRefusal('signature', 'The metadata has no signing certificate.');
  const signer = findSigner(element, certificates);
  let signed: string | null = null;
  try {
    // The types of the library are those of browsers; it needs no more of an element than ours have.
    signed = getVerifiedXml(xml, element as unknown as globalThis.Element, [signer]);
  } catch (error) {
    throw new LoginRefusal('signature', error instanceof Error ? error.message : 'The signature cannot be verified.');
  }
  if (signed === null) throw new LoginRefusal('signature', `The ${element.localName} is not what was signed.`);
  return signed;
}

/** Algorithms that sign queries, as Node names them. SHA-1 is not among them, nor is anything that needs no private key. */
const queryAlgorithms: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
]);

/** A signed query: what is signed, byte by byte as it was sent, by which algorithm, and the signature. */
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
