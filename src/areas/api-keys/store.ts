// API keys in the database. Tokens are never stored, only their hashes.

import { formatToken, hashToken, tokenBytes } from '../../domain/api-token.ts';
import { checkScopes, formatScopes } from '../../domain/key-scopes.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import { parseExpiry } from '../../domain/time.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/collection.ts';
import { apiKeys, prepareRevokedApiKey } from '../../storage/collections.ts';
import { type Rights, refuseStronger } from './rules.ts';

export { apiKeys };

/** A new key with its token, which nobody can read again. */
export type CreatedApiKey = Row<'ApiKey'> & { readonly token: string };

/** What a new key shall be. */
export interface NewApiKey extends Notes {
  readonly scopes?: readonly string[] | null | undefined;
  /** As an RFC 3339 timestamp. */
  readonly expiresAt?: string | null | undefined;
}

/**
 * Makes an API key. What is not given is as for the key that makes it.
 *
 * @param maker what the key that makes it may; `unlimited` for the operator
 * @throws INVALID_INPUT for notes that are too long, for unknown scopes and for an end that is not in the future; FORBIDDEN
 *   for a key that could do something that its maker cannot, or that later
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
    tokenHash: hashToken(token),
    scopes: formatScopes(rights.scopes),
    expiresAt: rights.expiresAt,
    ...notesForCreate(notes),
  };
  const apiKey = await apiKeys.create(scope, columns, { remembered: { token } });
  return { ...apiKey, token };
}

/** Revokes an API key: it ends at once here, and within a second in other processes. Throws as `collection.remove`. */
export async function deleteApiKey(scope: AccountScope, id: string, expectedVersion?: ExpectedVersion): Promise<void> {
  const key = await apiKeys.get(scope, id);
  await apiKeys.remove(scope, id, expectedVersion, {
    following: [prepareRevokedApiKey(scope, key)],
    acknowledged: () => scope.credentials.forget(key.tokenHash),
  });
}
