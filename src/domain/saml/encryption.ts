// The algorithms of encryption that are accepted from identity providers (XML Encryption 1.1), and how they decrypt. Nothing here says
// why something cannot be decrypted: whoever may ask often, and learns that, can decrypt what others have sent. Pure: random bytes
// are an argument.

import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';

const xmlenc = 'http://www.w3.org/2001/04/xmlenc#';
const xmlenc11 = 'http://www.w3.org/2009/xmlenc11#';
const sha1 = 'http://www.w3.org/2000/09/xmldsig#sha1';
const mgf1sha1 = `${xmlenc11}mgf1sha1`;

export interface ContentAlgorithm {
  readonly algorithm: string;
  readonly mode: 'gcm' | 'cbc';
  readonly keyBytes: 16 | 24 | 32;
}

/**
 * The algorithms for content, preferred ones first. Nothing tells whether what CBC decrypts has been changed, but several identity
 * providers know nothing else: a signature has to. 3DES is left out: it has blocks of 64 bits.
 */
export const contentAlgorithms: readonly ContentAlgorithm[] = [
  { algorithm: `${xmlenc11}aes128-gcm`, mode: 'gcm', keyBytes: 16 },
  { algorithm: `${xmlenc11}aes256-gcm`, mode: 'gcm', keyBytes: 32 },
  { algorithm: `${xmlenc11}aes192-gcm`, mode: 'gcm', keyBytes: 24 },
  { algorithm: `${xmlenc}aes256-cbc`, mode: 'cbc', keyBytes: 32 },
  { algorithm: `${xmlenc}aes128-cbc`, mode: 'cbc', keyBytes: 16 },
];

/** The older form of RSA-OAEP, which has no choice of mask. */
export const rsaOaepMgf1p = `${xmlenc}rsa-oaep-mgf1p`;

export interface KeyTransport {
  readonly algorithm: string;
  readonly digest: string;
  readonly mask: string;
  /** Node's name of the hash of both. */
  readonly hash: 'sha1' | 'sha256';
}

/**
 * The forms of RSA-OAEP, preferred ones first. SHA-1 is secure in it. Node has one hash for the digest and the mask, and another
 * implementation would have to take the same time for whatever it decrypts (Manger, 2001). PKCS #1 v1.5 is left out: it can be
 * decrypted by asking often (Bleichenbacher, 1998).
 */
export const keyTransports: readonly KeyTransport[] = [
  { algorithm: rsaOaepMgf1p, digest: sha1, mask: mgf1sha1, hash: 'sha1' },
  { algorithm: `${xmlenc11}rsa-oaep`, digest: `${xmlenc}sha256`, mask: `${xmlenc11}mgf1sha256`, hash: 'sha256' },
  { algorithm: `${xmlenc11}rsa-oaep`, digest: sha1, mask: mgf1sha1, hash: 'sha1' },
];

/** What is assumed where an algorithm does not say its digest or its mask (XML Encryption 1.1, section 5.5.2). */
export const assumed = { digest: sha1, mask: mgf1sha1 } as const;

/**
 * Decrypts the key of some content with the first of our keys that can. If none can, it returns a random key, so that all that
 * follows is the same for whoever waits for the answer.
 */
export function decryptKey(
  encrypted: Uint8Array,
  { hash }: KeyTransport,
  { keyBytes }: ContentAlgorithm,
  keys: readonly KeyObject[],
  randomBytes: (size: number) => Uint8Array,
): Uint8Array {
  let found = randomBytes(keyBytes);
  for (const key of keys) {
    // The same number in another length would be another text, and be tried anew.
    if (encrypted.length * 8 !== key.asymmetricKeyDetails?.modulusLength) continue;
    try {
      const opened = privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash }, encrypted);
      if (opened.length === keyBytes) found = opened;
    } catch {
      // Another key may be the right one.
    }
  }
  return found;
}

const gcm = { nonceBytes: 12, tagBytes: 16 } as const;
const blockBytes = 16;

/** Decrypts content with its key; null if that is not possible. */
export function decryptContent(
  encrypted: Uint8Array,
  { mode, keyBytes }: ContentAlgorithm,
  key: Uint8Array,
): Uint8Array | null {
  return mode === 'gcm' ? openGcm(encrypted, keyBytes, key) : openCbc(encrypted, keyBytes, key);
}

/** XML Encryption 1.1, section 5.2.4: the nonce, the text, and the tag, whose length is not for the sender to choose. */
function openGcm(encrypted: Uint8Array, keyBytes: ContentAlgorithm['keyBytes'], key: Uint8Array): Uint8Array | null {
  if (encrypted.length < gcm.nonceBytes + gcm.tagBytes) return null;
  const textEnd = encrypted.length - gcm.tagBytes;
  const nonce = encrypted.subarray(0, gcm.nonceBytes);
  const decipher = createDecipheriv(`aes-${keyBits(keyBytes)}-gcm`, key, nonce, { authTagLength: gcm.tagBytes });
  decipher.setAuthTag(encrypted.subarray(textEnd));
  const text = decipher.update(encrypted.subarray(gcm.nonceBytes, textEnd));
  try {
    return Buffer.concat([text, decipher.final()]);
  } catch {
    return null;
  }
}

/** XML Encryption 1.1, section 5.2.2: the last byte says how many bytes of the last block are padding, whatever the others are. */
function openCbc(encrypted: Uint8Array, keyBytes: ContentAlgorithm['keyBytes'], key: Uint8Array): Uint8Array | null {
  if (encrypted.length < 2 * blockBytes || encrypted.length % blockBytes !== 0) return null;
  const start = encrypted.subarray(0, blockBytes);
  const decipher = createDecipheriv(`aes-${keyBits(keyBytes)}-cbc`, key, start).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(encrypted.subarray(blockBytes)), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  return padding < 1 || padding > blockBytes ? null : padded.subarray(0, padded.length - padding);
}

function keyBits(bytes: ContentAlgorithm['keyBytes']): 128 | 192 | 256 {
  return ({ 16: 128, 24: 192, 32: 256 } as const)[bytes];
}
