// Secrets at rest: sealed with a key that is not in the database, and bound to their row.

import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';

export const secretKeyBytes = 32;

const version = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + nonceBytes + tagBytes;

/** Names the row that a secret belongs to, for `seal` and `open`. */
export function ownerOf(model: string, id: string): string {
  return `${model} ${id}`;
}

export class OtherKeyError extends Error {}

/** Returns the id of the key that bytes are sealed under, in hexadecimal: it tells nothing about the key. */
export function keyIdOf(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(1, 1 + keyIdBytes)).toString('hex');
}

/** Seals and opens secrets under one key. */
export interface Secrets {
  /**
   * Seals bytes with AES-256-GCM.
   *
   * @param owner the row that the secret belongs to (see `ownerOf`): it opens for no other owner
   * @returns a version byte, the key id, the nonce, the tag, and the sealed bytes
   */
  seal(plain: Uint8Array, owner: string): Uint8Array<ArrayBuffer>;
  /** Opens sealed bytes. Throws OtherKeyError if they were sealed under another key, Error if for another owner or changed. */
  open(sealed: Uint8Array, owner: string): Buffer;
  /**
   * Returns secrets under another key, derived from this one by HKDF, for data that outsiders can have sealed any number of times:
   * with random nonces, a key is used up after 2^32 texts (NIST SP 800-38D, 8.3). The same purpose yields the same key.
   */
  derive(purpose: string): Secrets;
  /** Returns the HMAC-SHA-256 of a text. Use a key that was derived for this alone. */
  codeOf(text: string): Buffer;
}

/** Creates the secrets of a key. `randomBytes` supplies the nonces. Throws Error if the key does not have 32 bytes. */
export function createSecrets(key: Uint8Array, randomBytes: (size: number) => Uint8Array): Secrets {
  if (key.length !== secretKeyBytes) throw new Error(`The secret key must have ${secretKeyBytes} bytes.`);
  // Identifies the key without revealing anything about it, so that a wrong key can be told from a damaged secret.
  const keyId = createHash('sha256').update('sallyport key id').update(key).digest().subarray(0, keyIdBytes);
  const derived = new Map<string, Secrets>();
  return {
    seal(plain, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return new Uint8Array(Buffer.concat([Buffer.from([version]), keyId, nonce, cipher.getAuthTag(), sealed]));
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed);
      if (bytes.length < headerBytes || bytes[0] !== version) throw new Error(`The secret of ${owner} is damaged.`);
      if (!bytes.subarray(1, 1 + keyIdBytes).equals(keyId)) {
        throw new OtherKeyError(`The secret of ${owner} is sealed under another secret key.`);
      }
      const nonce = bytes.subarray(1 + keyIdBytes, 1 + keyIdBytes + nonceBytes);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(headerBytes - tagBytes, headerBytes));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(headerBytes)), decipher.final()]);
      } catch (cause) {
        throw new Error(`The secret of ${owner} is damaged.`, { cause });
      }
    },
    codeOf: (text) => createHmac('sha256', key).update(text).digest(),
    derive(purpose) {
      const known = derived.get(purpose);
      if (known !== undefined) return known;
      const made = createSecrets(
        new Uint8Array(hkdfSync('sha256', key, '', `sallyport ${purpose}`, secretKeyBytes)),
        randomBytes,
      );
      derived.set(purpose, made);
      return made;
    },
  };
}
