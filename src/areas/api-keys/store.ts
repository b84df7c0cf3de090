// API keys in the database. Tokens are never stored, only their hashes.

import { formatToken, hashToken, tokenBytes } from '../../domain/api-token.ts';
import { type Notes, notesForCreate } from '../../domain/text.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import { collection, type Row } from '../../storage/collection.ts';

export const apiKeys = collection('ApiKey');

/** A new key with its token, which nobody can read again. */
export type CreatedApiKey = Row<'ApiKey'> & { readonly token: string };

/**
 * Makes an API key.
 *
 * @throws INVALID_INPUT for notes that are too long
 */
export async function createApiKey(scope: AccountScope, notes: Notes): Promise<CreatedApiKey> {
  const { accountId, db, newId, now, randomBytes } = scope;
  const token = formatToken(randomBytes(tokenBytes));
  const apiKey = await db.apiKey.create({
    data: { id: newId('ApiKey'), accountId, tokenHash: hashToken(token), ...notesForCreate(notes), createdAt: now() },
  });
  return { ...apiKey, token };
}

/** Revokes an API key: it ends at once here, and within seconds in other processes. Throws as `collection.remove`. */
export async function deleteApiKey(scope: AccountScope, id: string, expectedVersion?: number | null): Promise<void> {
  const { tokenHash } = await apiKeys.get(scope, id);
  await apiKeys.remove(scope, id, expectedVersion);
  scope.credentials.forget(tokenHash);
}
