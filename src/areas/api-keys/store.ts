// API keys in the database. Tokens are never stored, only their hashes.

import { formatToken, tokenBytes } from '../../domain/access/api-token.ts';
import { checkScopes, formatScopes, impliedScopes, readScopes } from '../../domain/access/key-scopes.ts';
import { lockout } from '../../domain/errors.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { type Notes, notesForCreate } from '../../domain/values/text.ts';
import { parseExpiry } from '../../domain/values/time.ts';
import { called } from '../../domain/wording.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row, Write } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { records } from '../../storage/objects/records.ts';
import { entriesOfRow, rowSlices } from '../../storage/sql/read-slices.ts';
import { type Rights, refuseStronger } from './rules.ts';

export const apiKeys = collectionOf('ApiKey');
/** Revoked keys, to recognize requests that still use them. */
const revokedKeys = records('RevokedApiKey');

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

/** How an API key is revoked. */
interface Revocation {
  readonly expectedVersion?: ExpectedVersion;
  /** The id of the key that the request comes with; null for the operator. */
  readonly own: string | null;
  /** Whether to revoke it even if that locks the client, or everybody, out. */
  readonly force?: boolean | null | undefined;
}

/**
 * Revokes an API key: at once in this process, and within a second in others.
 *
 * @throws LOCKOUT as `keepWayIn`, and as `collection.remove` and `unlessOvertaken`
 */
export async function deleteApiKey(
  scope: AccountScope,
  id: string,
  { expectedVersion, own, force }: Revocation,
): Promise<void> {
  await unlessOvertaken(async () => {
    const key = await apiKeys.get(scope, id);
    const { tokenHash, description } = key;
    await apiKeys.remove(scope, id, expectedVersion, {
      alongside: force === true ? [] : await keepWayIn(scope, key, own),
      following: [revokedKeys.prepareCreate(scope, { tokenHash, apiKeyId: id, description, revokedAt: scope.now() })],
      acknowledged: () => scope.credentials.forget(tokenHash),
    });
  });
}

/**
 * Throws if revoking a key would lock out the client that revokes it, or leave the account without a valid key that has all rights.
 *
 * @returns the write that goes alongside the revocation: it fails (`isMissingRow`) if the key that remains is revoked meanwhile. It
 *   changes nothing, but waits for the turn of that key, so that two keys which revoke each other at once do not both go.
 * @throws LOCKOUT
 */
async function keepWayIn(scope: AccountScope, key: Row<'ApiKey'>, own: string | null): Promise<Write[]> {
  const name = called(key);
  if (key.id === own) throw lockout(`The API key ${name} is the one that this request comes with.`);
  const isWayIn = ({ scopes, expiresAt }: Pick<Row<'ApiKey'>, 'scopes' | 'expiresAt'>) =>
    impliedScopes(readScopes(scopes)).has('write') && (expiresAt === null || expiresAt > scope.now());
  if (!isWayIn(key)) return [];
  let last = '';
  const look = async (most: number) => {
    const page = await scope.db.apiKey.findMany({
      where: { id: { gt: last } },
      orderBy: { id: 'asc' },
      select: { id: true, scopes: true, expiresAt: true },
      take: most,
    });
    last = page.at(-1)?.id ?? '';
    const value = page.find((other) => other.id !== key.id && isWayIn(other));
    return { value, entries: page.length * entriesOfRow, isLast: page.length < most };
  };
  for await (const other of scope.rows.slices(rowSlices, look)) {
    if (other !== undefined) return [apiKeys.prepareUpdate(scope, { id: other.id }, { scopes: other.scopes })];
  }
  throw lockout(
    `The API key ${name} is the last valid one of the account with all rights: without it, only the operator of the server can ` +
      'make another.',
  );
}
