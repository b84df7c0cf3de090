// What of a message is signed: the one question that is left to a library. Pure.

import { verify, X509Certificate } from 'node:crypto';
import { SAML } from '@node-saml/node-saml';
import { getVerifiedXml } from '@node-saml/node-saml/lib/xml.js';
import type { Element } from '@xmldom/xmldom';
import { LoginRefusal } from './refusal.ts';

/** Gives the signed assertion as it is, where the library would check its content by a clock of its own. */
class SignatureCheck extends SAML {
  // The library's own declaration has no other type for it.
  protected override async processValidlySignedAssertionAsync(assertionXml: string) {
    return { profile: { issuer: '', nameID: '', nameIDFormat: '', assertionXml }, loggedOut: false };
  }
}

/**
 * Gives the assertion of a response, made of nothing but the bytes that were signed.
 *
 * @param responseIsSigned whether the response itself has a signature, which must be right too
 * @param certificates those of the keys to try, in PEM
 * @throws LoginRefusal with the reason `signature`
 */
export async function readSignedAssertion(
  responseXml: string,
  responseIsSigned: boolean,
  certificates: readonly string[],
): Promise<string> {
  if (certificates.length === 0) throw new LoginRefusal('signature', 'The metadata has no signing certificate.');
  const check = new SignatureCheck({
    idpCert: [...certificates],
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: responseIsSigned,
    // Required by the library, and used for nothing here.
    issuer: 'unused',
    callbackUrl: 'https://unused.invalid',
  });
  const SAMLResponse = Buffer.from(responseXml).toString('base64');
  const { profile } = await check.validatePostResponseAsync({ SAMLResponse }).catch((error: unknown) => {
    throw new LoginRefusal('signature', error instanceof Error ? error.message : 'The signature cannot be verified.');
  });
  const assertionXml = profile?.assertionXml;
  if (typeof assertionXml !== 'string') throw new LoginRefusal('signature', 'No assertion is signed.');
  return assertionXml;
}

/**
 * Gives a message whose root is signed, made of nothing but the bytes that were signed.
 *
 * @throws LoginRefusal with the reason `signature`
 */
export function readSignedRoot(xml: string, root: Element, certificates: readonly string[]): string {
  let signed: string | null = null;
  try {
    // The types of the library are those of browsers; the element is one of the parser that it uses itself.
    signed = getVerifiedXml(xml, root as unknown as globalThis.Element, [...certificates]);
  } catch (error) {
    throw new LoginRefusal('signature', error instanceof Error ? error.message : 'The signature cannot be verified.');
  }
  if (signed === null) throw new LoginRefusal('signature', 'The message is not signed by a key of the metadata.');
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
