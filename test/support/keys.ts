// Keys for tests. RSA keys come from a stock, because generating one takes more processor time than most tests.

import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportAuthorityKey, type GeneratedAuthorityKey } from '../../src/areas/ssh/authorities/authority-key.ts';
import type { KeyKind } from '../../src/domain/access/key-kind.ts';
import { generatePrivateKey } from '../../src/storage/keys/key-generation.ts';
import { root } from './source-files.ts';

/** The stock, which all workers and later runs share. */
const directory = join(root, 'node_modules/.cache/sallyport-keys');
/** More keys of one use than any test compares with each other. */
const stockSize = 12;
const given = new Map<string, number>();

/** Returns RSA keys from the stock in turn. Keys of different uses are different. */
export function rsaKeyFromStock(bits: number, use: 'server' | 'identity-provider' | 'well-known'): KeyObject {
  const name = `${use}-${bits}`;
  const place = given.get(name) ?? 0;
  given.set(name, (place + 1) % stockSize);
  const path = join(directory, `${name}-${place}.pem`);
  if (existsSync(path)) return createPrivateKey(readFileSync(path));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  mkdirSync(directory, { recursive: true });
  // Another worker may do the same at the same time.
  writeFileSync(`${path}.${process.pid}`, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  renameSync(`${path}.${process.pid}`, path);
  return privateKey;
}

/** Returns RSA keys from the stock, and generates keys of other kinds. */
export const keyFromStock: typeof generatePrivateKey = async (kind, signal) =>
  kind.privateKeyType === 'rsa' ? rsaKeyFromStock(kind.keySize, 'server') : generatePrivateKey(kind, signal);

/** Returns the key of an authority. */
export async function generateAuthorityKey(kind: KeyKind): Promise<GeneratedAuthorityKey> {
  return exportAuthorityKey(await keyFromStock(kind));
}
