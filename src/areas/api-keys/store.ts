// API keys in the database. Tokens are never stored, only their hashes.

import { formatToken, hashToken, tokenBytes } from '../../domain/api-token.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/collection.ts';
import { apiKeys } from '../../storage/collections.ts';

export { apiKeys };

/** A new key with its token, which nobody can read again. */
export type CreatedApiKey = Row<'ApiKey'> & { readonly token: string };

/**
 * Makes an API key.
 *
 * @throws INVALID_INPUT for notes that are too long
 */
export async function createApiKey(scope: AccountScope, notes: Notes): Promise<CreatedApiKey> {
  const token = formatToken(scope.randomBytes(tokenBytes));
  const apiKey = await apiKeys.create(scope, { tokenHash: hashToken(token), ...notesForCreate(notes) });
  return { ...apiKey, token };
}

/** Revokes an API key: it ends at once here, and within seconds in other processes. Throws as `collection.remove`. */
export async function deleteApiKey(scope: AccountScope, id: string, expectedVersion?: ExpectedVersion): Promise<void> {
  const { tokenHash } = await apiKeys.get(scope, id);
  await apiKeys.remove(scope, id, expectedVersion, { acknowledged: () => scope.credentials.forget(tokenHash) });
}
