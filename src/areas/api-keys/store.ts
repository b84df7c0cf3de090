// API keys in the database. Tokens are never stored, only their hashes.

import { formatToken, tokenBytes } from '../../domain/api-token.ts';
import { hashOf } from '../../domain/hash.ts';
import { checkScopes, formatScopes } from '../../domain/key-scopes.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import { parseExpiry } from '../../domain/time.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/collection.ts';
import { apiKeys, prepareRevokedApiKey } from '../../storage/collections.ts';
import { type Rights, refuseStronger } from './rules.ts';

export { apiKeys };

/** A new key with its token, which cannot be read again. */
export type CreatedApiKey = Row<'ApiKey'> & { readonly token: string };

/** The input for a new key. */
export interface NewApiKey extends Notes {
  readonly scopes?: readonly string[] | null | undefined;
  /** As an RFC 3339 timestamp. */
  readonly expiresAt?: string | null | undefined;
}

/**
 * Creates an API key. Scopes and expiry default to those of its maker.
 *
 * @param maker the rights of the key that creates it; `unlimited` for the operator
 * @throws INVALID_INPUT for notes that are too long, for unknown scopes and for an expiry that is not in the future; FORBIDDEN for
 *   a key with more rights or a later expiry than its maker
 */
export async function createApiKey(
  scope: AccountScope,
  { scopes, expiresAt, ...notes }: NewApiKey,
  maker: Rights,
): Promise<CreatedApiKey> {
  const rights: Rights = {
    scopes: scopes == null ? maker.scopes : checkScopes('scopes', scopes),
    expiresAt: expiresAt == null ? maker.expiresAt : parseExpiry('expiresAt', expiresAt, scope.now()),
  };
  refuseStronger(rights, maker);
  const token = formatToken(scope.randomBytes(tokenBytes));
  const columns = {
    tokenHash: hashOf(token),
    scopes: formatScopes(rights.scopes),
    expiresAt: rights.expiresAt,
    ...notesForCreate(notes),
  };
  const apiKey = await apiKeys.create(scope, columns, { remembered: { token } });
  return { ...apiKey, token };
}

/** Revokes an API key: at once in this process, and within a second in others. Throws as `collection.remove`. */
export async function deleteApiKey(scope: AccountScope, id: string, expectedVersion?: ExpectedVersion): Promise<void> {
  const key = await apiKeys.get(scope, id);
  await apiKeys.remove(scope, id, expectedVersion, {
    following: [prepareRevokedApiKey(scope, key)],
    acknowledged: () => scope.credentials.forget(key.tokenHash),
  });
}
