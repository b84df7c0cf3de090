// Keys for tests.

import type { KeyObject } from 'node:crypto';
import { exportAuthorityKey, type GeneratedAuthorityKey } from '../../src/areas/ssh/authorities/authority-key.ts';
import type { KeyKind } from '../../src/domain/access/key-kind.ts';
import { signingKeyKind } from '../../src/domain/saml/signing-key.ts';
import { generatePrivateKey } from '../../src/storage/keys/key-generation.ts';

/** Generates the key of an authority. */
export async function generateAuthorityKey(kind: KeyKind): Promise<GeneratedAuthorityKey> {
  return exportAuthorityKey(await generatePrivateKey(kind));
}

/** More keys than any test compares with each other. */
const stockSize = 12;
const stock: Promise<KeyObject>[] = [];
let given = 0;

/**
 * Returns keys of the kind that SAML modules have from a stock, in turn, because generating one takes more processor time than most
 * tests. Generates keys of other kinds.
 */
export const keyFromStock: typeof generatePrivateKey = async (kind, signal) => {
  if (kind.privateKeyType !== signingKeyKind.privateKeyType || kind.keySize !== signingKeyKind.keySize) {
    return generatePrivateKey(kind, signal);
  }
  const place = given++ % stockSize;
  stock[place] ??= generatePrivateKey(kind);
  return stock[place];
};
