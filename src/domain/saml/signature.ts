// Extracts the signed part of a message, the only step that is left to a library. The library digests the whole message before it
// checks the signature, so it is called only after the key that made the signature is known. Pure.

import type { KeyObject } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import { isSignedBy, signatureAlgorithms } from './algorithms.ts';
import { LoginRefusal } from './refusal.ts';
import { createSignedXml, findSigner, forLibrary } from './signer.ts';

/**
 * Returns a signed element as XML that consists only of the bytes that were signed.
 *
 * @param xml the message that contains the element
 * @param keys the keys to try
 * @throws LoginRefusal with the reason `signature`
 */
export function readSigned(xml: string, element: Element, keys: readonly KeyObject[]): string {
  if (keys.length === 0) throw new LoginRefusal('signature', 'The metadata has no signing key that can be used.');
  const { signature, signer } = findSigner(element, keys);
  const signed = verified(xml, forLibrary(signature), signer);
  if (signed === null) throw new LoginRefusal('signature', `The ${element.localName} is not what was signed.`);
  return signed;
}

/** Verifies the only signature of an element. Returns the signed bytes as XML; null if the signature is of something else. */
function verified(xml: string, signature: globalThis.Element, key: KeyObject): string | null {
  const library = createSignedXml();
  library.publicCert = key;
  try {
    library.loadSignature(signature);
    // A parser of XML turns all ends of lines into line feeds (XML 1.0, section 2.11), which the library leaves to its users.
    if (!library.checkSignature(xml.replace(/\r\n?/g, '\n'))) return null;
  } catch (error) {
    throw new LoginRefusal('signature', error instanceof Error ? error.message : 'The signature cannot be verified.');
  }
  const [signed, ...others] = library.getSignedReferences();
  return signed === undefined || others.length > 0 ? null : signed;
}

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
export function verifyQuery({ signed, algorithm, signature }: SignedQuery, keys: readonly KeyObject[]): void {
  if (!signatureAlgorithms.has(algorithm)) {
    throw new LoginRefusal('weak_algorithm', `The algorithm ${algorithm} is refused.`);
  }
  if (!keys.some((key) => isSignedBy(key, algorithm, signed, signature))) {
    throw new LoginRefusal('signature', 'The query is not signed by a key of the metadata.');
  }
}
