// A cache of opened private keys of certificate authorities.

import { LRUCache } from 'lru-cache';
import { called } from '../../../domain/wording.ts';
import { ownerOf } from '../../../storage/keys/secrets.ts';
import { type AccountScope, perDatabase } from '../../../storage/objects/account-scope.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { agentSigner } from '../agents/agent-store.ts';
import { type AuthorityKey, openAuthorityKey, outsideAuthorityKey } from './authority-key.ts';

/** Milliseconds for which a key stays open at most: another server may have deleted its authority or erased the key. */
const openedKeyMs = 1_000;
/**
 * The opened private keys of the authorities that signed most recently. They are cached because opening costs more than signing. A
 * key is dropped after a second, or when this server stops its authority from signing; all are dropped when the secret key changes
 * or the database closes.
 */
export const openedAuthorityKeys = perDatabase(
  () => new LRUCache<string, AuthorityKey>({ max: 1_000, ttl: openedKeyMs, ttlAutopurge: true }),
  (keys) => keys.clear(),
);

/** Returns the key of an authority, and whether this call opened it. */
export function openKey(
  scope: AccountScope,
  authority: Row<'SshCertificateAuthority'>,
): { key: AuthorityKey; isNew: boolean } {
  const opened = openedAuthorityKeys(scope);
  const known = opened.get(authority.id);
  if (known !== undefined) return { key: known, isNew: false };
  const owner = ownerOf('SshCertificateAuthority', authority.id);
  if (authority.signingAgent !== null) {
    const { signingAgent: agent, publicKey } = authority;
    return {
      key: outsideAuthorityKey(
        publicKey,
        agentSigner(scope, agent, `of the certificate authority ${called(authority)}`),
      ),
      isNew: false,
    };
  }
  const key = openAuthorityKey(scope.secrets.open(authority.sealedPrivateKey, owner));
  opened.set(authority.id, key);
  return { key, isNew: true };
}
