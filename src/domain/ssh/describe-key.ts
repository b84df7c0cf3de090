// What a public key is, for somebody who is about to have it signed. Pure.

import sshpk from 'sshpk';
import { fingerprint, formatLine, type KeyType, parsePublicKey } from './public-key.ts';

/** What can be said of a public key. */
export interface KeyDescription {
  readonly keyType: KeyType;
  /** The length of the modulus, or of the field of the curve. */
  readonly bits: number;
  readonly fingerprint: string;
  /** What follows the key in the line; null for nothing. */
  readonly comment: string | null;
}

/** Describes a key as `ssh-keygen -l` does. Throws INVALID_INPUT as `parsePublicKey`. */
export function describeKey(text: string): KeyDescription {
  const { keyType, algorithm, blob } = parsePublicKey(text);
  const { size } = sshpk.parseKey(formatLine(algorithm, blob), 'ssh');
  const [, comment = ''] = /^\S+[ \t]+\S+[ \t]+(.*)$/.exec(text.trim()) ?? [];
  return { keyType, bits: size, fingerprint: fingerprint(blob), comment: comment === '' ? null : comment };
}
