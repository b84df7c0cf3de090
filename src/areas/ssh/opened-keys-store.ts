// The private keys of certificate authorities, opened.

import { LRUCache } from 'lru-cache';
import { type AuthorityKey, openAuthorityKey } from '../../domain/ssh/certificate-authority.ts';
import { type AccountScope, perDatabase } from '../../storage/account-scope.ts';
import type { Row } from '../../storage/collection.ts';
import { ownerOf } from '../../storage/secrets.ts';

/** Longest time that a key stays open, in milliseconds: another server may have deleted its authority, or have erased its key. */
const openedKeyMs = 1_000;
/**
 * The private keys of the authorities that signed last, opened, because opening costs more than signing. A key is dropped after a
 * second or when its authority signs no more here, and all are when the secret key changes or the database closes.
 */
export const openedAuthorityKeys = perDatabase(
  () => new LRUCache<string, AuthorityKey>({ max: 1_000, ttl: openedKeyMs, ttlAutopurge: true }),
  (keys) => keys.clear(),
);

/** Gives the key of an authority, and whether it was opened only now. */
export function openKey(
  scope: AccountScope,
  authority: Row<'SshCertificateAuthority'>,
): { key: AuthorityKey; isNew: boolean } {
  const opened = openedAuthorityKeys(scope);
  const known = opened.get(authority.id);
  if (known !== undefined) return { key: known, isNew: false };
  const owner = ownerOf('SshCertificateAuthority', authority.id);
  const key = openAuthorityKey(scope.secrets.open(authority.sealedPrivateKey, owner));
  opened.set(authority.id, key);
  return { key, isNew: true };
}
