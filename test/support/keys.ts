// New keys for tests.

import {
  type AuthorityKind,
  exportAuthorityKey,
  type GeneratedAuthorityKey,
} from '../../src/domain/ssh/certificate-authority.ts';
import { generatePrivateKey } from '../../src/storage/key-generation.ts';

/** Generates the key of an authority. */
export async function generateAuthorityKey(kind: AuthorityKind): Promise<GeneratedAuthorityKey> {
  return exportAuthorityKey(await generatePrivateKey(kind));
}
