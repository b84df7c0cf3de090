// The algorithms of signatures that are accepted from identity providers, and how such a signature is verified. Pure.

import { constants, createHash, type KeyObject, verify } from 'node:crypto';

/** An algorithm: its digest by Node's name, and its scheme. */
interface SignatureAlgorithm {
  readonly digest: string;
  readonly scheme: 'rsa' | 'rsa-pss' | 'ecdsa';
}

const more2001 = 'http://www.w3.org/2001/04/xmldsig-more#';
const more2007 = 'http://www.w3.org/2007/05/xmldsig-more#';

/**
 * The algorithms by their names (RFC 9231). SHA-1 is not secure: two texts with the same digest can be constructed. HMAC is left
 * out because it would take a public key for a shared secret.
 */
export const signatureAlgorithms: ReadonlyMap<string, SignatureAlgorithm> = new Map(
  ['sha256', 'sha384', 'sha512'].flatMap((digest): [string, SignatureAlgorithm][] => [
    [`${more2001}rsa-${digest}`, { digest, scheme: 'rsa' }],
    [`${more2001}ecdsa-${digest}`, { digest, scheme: 'ecdsa' }],
    [`${more2007}${digest}-rsa-MGF1`, { digest, scheme: 'rsa-pss' }],
  ]),
);

/** The digests of signed content by their names, with Node's. */
export const digestAlgorithms: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  [`${more2001}sha384`, 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);

/** Returns the digest of a text in Base64, by Node's name of the algorithm. */
export function digestOf(digest: string, text: string): string {
  return createHash(digest).update(text).digest('base64');
}

/** The curves of ECDSA keys by OpenSSL's names, with the length of each half of a signature in bytes. */
const curves: ReadonlyMap<string, number> = new Map([
  ['prime256v1', 32],
  ['secp384r1', 48],
  ['secp521r1', 66],
]);

/** What keys can be, as part of a sentence. */
export const supportedKeys = 'RSA keys and ECDSA keys on P-256, P-384 or P-521';

/** Returns why no signature of a key is accepted, as the name of its kind; null if signatures are accepted. */
export function unsupportedKind({ asymmetricKeyType: kind, asymmetricKeyDetails }: KeyObject): string | null {
  if (kind === 'rsa' || kind === 'rsa-pss') return null;
  if (kind !== 'ec') return kind ?? 'unknown';
  const { namedCurve = 'an unnamed curve' } = asymmetricKeyDetails ?? {};
  return curves.has(namedCurve) ? null : `ec on ${namedCurve}`;
}

/**
 * Returns whether a key has made a signature. The kind of the key must be that of the algorithm.
 *
 * @param algorithm its name; no signature by an algorithm that is not accepted is valid
 */
export function isSignedBy(key: KeyObject, algorithm: string, signed: string, signature: Uint8Array): boolean {
  const { digest, scheme } = signatureAlgorithms.get(algorithm) ?? {};
  const { asymmetricKeyType: kind, asymmetricKeyDetails: { namedCurve = '' } = {} } = key;
  const text = Buffer.from(signed);
  try {
    if (scheme === 'rsa' && kind === 'rsa') return verify(digest, text, key, signature);
    if (scheme === 'rsa-pss' && (kind === 'rsa' || kind === 'rsa-pss')) {
      const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
      return verify(digest, text, { key, padding, saltLength }, signature);
    }
    const half = curves.get(namedCurve);
    if (scheme !== 'ecdsa' || kind !== 'ec' || half === undefined) return false;
    // XML signatures are the two halves (RFC 9231, section 2.3.6). Libraries in Java sign queries with ASN.1.
    const dsaEncoding = signature.length === 2 * half ? 'ieee-p1363' : 'der';
    return verify(digest, text, { key, dsaEncoding }, signature);
  } catch {
    // OpenSSL throws for a key whose own parameters exclude the algorithm.
    return false;
  }
}
