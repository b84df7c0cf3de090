// API keys in the database. Tokens are never stored, only their hashes.

import { formatToken, tokenBytes } from '../../domain/access/api-token.ts';
import { checkScopes, formatScopes, impliedScopes, readScopes } from '../../domain/access/key-scopes.ts';
import { type PassRight, passScope } from '../../domain/access/pass-right.ts';
import { invalid, lockout, unknownReference } from '../../domain/errors.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { type Notes, notesForCreate } from '../../domain/values/text.ts';
import { parseExpiry } from '../../domain/values/time.ts';
import { called } from '../../domain/wording.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import { getAddressed } from '../../storage/objects/addressed.ts';
import type { Addressed, Row, Write, WriteOptions } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { records } from '../../storage/objects/records.ts';
import { entriesOfRow, rowSlices } from '../../storage/sql/read-slices.ts';
import { checkPassGroups, ownerOfNew, type Rights, refuseStronger } from './rules.ts';

export const apiKeys = collectionOf('ApiKey');
/** Revoked keys, to recognize requests that still use them. */
const revokedKeys = records('RevokedApiKey');

/** A new key with its token, which cannot be read again. */
export type CreatedApiKey = Row<'ApiKey'> & { readonly token: string };

export interface NewApiKey extends Notes {
  readonly scopes?: readonly string[] | null | undefined;
  /** As an RFC 3339 timestamp. */
  readonly expiresAt?: string | null | undefined;
  /** Only with the scope `gate:pass`, as `passAt`. */
  readonly passGroups?: readonly string[] | null | undefined;
  readonly passAt?: string | null | undefined;
  /** Whether it is the key of the person who makes it, as is the default; false for a key of the account. */
  readonly personal?: boolean | null | undefined;
  /** Of clients of the API family: the account, or nothing. */
  readonly ownerId?: string | null | undefined;
}

/**
 * Creates an API key. Scopes, expiry and what `gate:pass` is limited to default to those of its maker.
 *
 * @param maker who creates it, with what rights; `unlimited` for the operator
 * @throws INVALID_INPUT for notes that are too long, for unknown scopes and for an expiry that is not in the future; FORBIDDEN for
 *   a key with more rights or a later expiry than its maker, and as `ownerOfNew`; UNKNOWN_REFERENCE for a `passAt` that is no edge or
 *   route of the account
 */
export async function createApiKey(
  scope: AccountScope,
  { scopes: givenScopes, expiresAt, passGroups, passAt, personal, ownerId, ...notes }: NewApiKey,
  maker: Rights & { readonly personId?: string | undefined },
): Promise<CreatedApiKey> {
  if (ownerId && ownerId !== scope.accountId) {
    throw invalid(
      'ownerId',
      'must be left out, or be the identifier of the account of the request: keys belong to accounts.',
    );
  }
  const scopes = givenScopes == null ? maker.scopes : checkScopes('scopes', givenScopes);
  const pass = scopes.includes(passScope)
    ? { groups: checkPassGroups(passGroups ?? []), at: passAt ?? maker.pass?.at ?? null }
    : refusePass({ passGroups, passAt });
  const rights: Rights = {
    scopes,
    expiresAt: expiresAt == null ? maker.expiresAt : parseExpiry('expiresAt', expiresAt, scope.now()),
    pass,
  };
  refuseStronger(rights, maker);
  if (passAt != null) await checkPassAt(scope, passAt);
  const token = formatToken(scope.randomBytes(tokenBytes));
  const columns = {
    tokenHash: hashOf(token),
    scopes: formatScopes(rights.scopes),
    expiresAt: rights.expiresAt,
    passGroups: [...(pass?.groups ?? [])],
    passAt: pass?.at ?? null,
    personId: ownerOfNew(personal, maker),
    ...notesForCreate(notes),
  };
  const apiKey = await apiKeys.create(scope, columns, { remembered: { token } });
  return { ...apiKey, token };
}

/** Throws INVALID_INPUT for settings that only keys with the scope `gate:pass` have. */
function refusePass({ passGroups, passAt }: Pick<NewApiKey, 'passGroups' | 'passAt'>): PassRight | undefined {
  const field = passGroups != null && passGroups.length > 0 ? 'passGroups' : passAt != null ? 'passAt' : null;
  if (field !== null)
    throw invalid(field, `needs the scope ${passScope}, without which the key does not pass the gate.`);
  return undefined;
}

async function checkPassAt({ db }: AccountScope, id: string): Promise<void> {
  const where = { where: { id }, select: { id: true } } as const;
  const found = isIdOf('HttpsEdge', id)
    ? await db.httpsEdge.findFirst(where)
    : isIdOf('HttpsEdgeRoute', id)
      ? await db.httpsEdgeRoute.findFirst(where)
      : null;
  if (found === null) throw unknownReference('passAt', 'HTTPS edge or route', id);
}

interface Revocation extends Pick<WriteOptions, 'remembered'> {
  /** The id of the key that the request comes with; null for the operator. */
  readonly own: string | null;
  /** Whether to revoke them even if that locks the client, or everybody, out. */
  readonly force?: boolean | null | undefined;
}

/**
 * Revokes API keys, all or none: at once in this process, and within a second in others.
 *
 * @throws LOCKOUT as `keepWayIn`, and as `getAddressed`, `collection.removeTogether` and `unlessOvertaken`
 */
export async function deleteApiKeys(
  scope: AccountScope,
  objects: readonly Addressed[],
  { own, force, remembered }: Revocation,
): Promise<void> {
  await unlessOvertaken(async () => {
    const keys = await getAddressed(apiKeys, scope, objects);
    const revokedAt = scope.now();
    await apiKeys.removeTogether(scope, objects, {
      remembered,
      alongside: force === true ? [] : await keepWayIn(scope, keys, own),
      following: keys.map(({ id, tokenHash, description }) =>
        revokedKeys.prepareCreate(scope, { tokenHash, apiKeyId: id, description, revokedAt }),
      ),
      acknowledged() {
        for (const { tokenHash } of keys) scope.credentials.forget(tokenHash);
      },
    });
  });
}

/**
 * Throws if revoking keys would lock out the client that revokes them, or leave the account without a valid key that has all rights.
 *
 * @returns the write that goes alongside the revocation: it fails (`isMissingRow`) if the key that remains is revoked meanwhile. It
 *   changes nothing, but waits for the turn of that key, so that two keys which revoke each other at once do not both go.
 * @throws LOCKOUT
 */
async function keepWayIn(scope: AccountScope, keys: readonly Row<'ApiKey'>[], own: string | null): Promise<Write[]> {
  const ownKey = keys.find(({ id }) => id === own);
  if (ownKey !== undefined) throw lockout(`The API key ${called(ownKey)} is the one that this request comes with.`);
  // The key of a person ends with the person's rights.
  const isWayIn = ({ scopes, expiresAt, personId }: Pick<Row<'ApiKey'>, 'scopes' | 'expiresAt' | 'personId'>) =>
    personId === null &&
    impliedScopes(readScopes(scopes)).has('write') &&
    (expiresAt === null || expiresAt > scope.now());
  const last = keys.find(isWayIn);
  if (last === undefined) return [];
  const ids = new Set(keys.map(({ id }) => id));
  let passed = '';
  const look = async (most: number) => {
    const page = await scope.db.apiKey.findMany({
      where: { id: { gt: passed } },
      orderBy: { id: 'asc' },
      select: { id: true, scopes: true, expiresAt: true, personId: true },
      take: most,
    });
    passed = page.at(-1)?.id ?? '';
    const value = page.find((other) => !ids.has(other.id) && isWayIn(other));
    return { value, entries: page.length * entriesOfRow, isLast: page.length < most };
  };
  for await (const other of scope.rows.slices(rowSlices, look)) {
    if (other !== undefined) return [apiKeys.prepareUpdate(scope, { id: other.id }, { scopes: other.scopes })];
  }
  throw lockout(
    `The API key ${called(last)} is the last valid one of the account with all rights: without it, only the operator of the server can ` +
      'make another.',
  );
}

/** Most keys that are listed of a person, and that a person makes. */
export const keysOfPersonMax = 100;

/** Reads the keys of a person, newest first. */
export function keysOfPerson({ db }: AccountView, personId: string): Promise<Row<'ApiKey'>[]> {
  return db.apiKey.findMany({ where: { personId }, orderBy: { id: 'desc' }, take: keysOfPersonMax });
}
