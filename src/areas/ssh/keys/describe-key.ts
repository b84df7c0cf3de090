// Describes a public key to somebody who is about to have it signed. Pure.

import sshpk from 'sshpk';
import { fingerprint, formatLine, type KeyType, parsePublicKey } from './public-key.ts';

export interface KeyDescription {
  readonly keyType: KeyType;
  /** The length of the modulus (RSA) or of the field of the curve. */
  readonly bits: number;
  readonly fingerprint: string;
  /** The text after the key in the line; null if there is none. */
  readonly comment: string | null;
}

/** Describes a key as `ssh-keygen -l` does. Throws INVALID_INPUT as `parsePublicKey`. */
export function describeKey(text: string): KeyDescription {
  const { keyType, algorithm, blob } = parsePublicKey(text);
  const { size } = sshpk.parseKey(formatLine(algorithm, blob), 'ssh');
  // With `s`, so that it takes all: otherwise, a line separator would be looked for from each of many spaces before it.
  const [, comment = ''] = /^\S+[ \t]+\S+[ \t]+(.*)$/s.exec(text.trim()) ?? [];
  return { keyType, bits: size, fingerprint: fingerprint(blob), comment: comment === '' ? null : comment };
}
