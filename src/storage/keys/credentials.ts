// Who a token belongs to, and when it was last used: the one look-up that is not bound to an account.

import { LRUCache } from 'lru-cache';
import { impliedScopes, type KeyScope, readScopes } from '../../domain/access/key-scopes.ts';
import { type PassRight, readPassRight } from '../../domain/access/pass-right.ts';
import { isMissingRow } from '../errors.ts';
import type { Changes, RowWriter } from '../objects/changes.ts';
import { trustMs } from '../objects/freshness.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { joined, sql, toPowerOfTwo } from '../sql/statement.ts';
import { createKeyWatch } from './key-watch.ts';

/** Whom a request acts for. */
export interface Identity {
  /** The actor in the trail: the id of an API key or, for a caller without one, of the object that it proves to hold. */
  readonly actor: string;
  /** Whether the caller has an API key. Without one, it may do only what the proof allows. */
  readonly hasKey: boolean;
  /** The description of an actor that is not an API key; the trail looks up the descriptions of keys. */
  readonly actorDescription?: string | undefined;
  readonly accountId: string;
  /** The scopes that the key was created with. */
  readonly scopes: readonly KeyScope[];
  /** The scopes and all that they imply. */
  readonly rights: ReadonlySet<KeyScope>;
  /** When the key expires; null if never. */
  readonly expiresAt: Date | null;
  /** How a program with the key passes the gate; absent without the scope `gate:pass`. */
  readonly pass?: PassRight | undefined;
  /** The dashboard session through which the key acts; absent if the key itself was sent. */
  readonly dashboardSessionId?: string | undefined;
}

/** A dashboard session that was found. */
export interface FoundSession {
  readonly id: string;
  /** Whom the session acts for. */
  readonly identity: Identity;
  /** When the session ends at the latest; sooner if it is not used. */
  readonly endsAt: Date;
}

/** A key that is no longer accepted. */
export interface RetiredKey {
  readonly apiKeyId: string;
  readonly accountId: string;
  readonly description: string;
  readonly reason: 'expired' | 'revoked';
}

/** Finds the owners of tokens. Tokens themselves never get here, only their SHA-256 hashes. */
export interface Credentials {
  /** Finds whom a token belongs to, and notes the use; null for a token that is unknown, revoked or expired. */
  identify(tokenHash: string): Promise<Identity | null>;
  /** Calls `ended` once, within a second after a key was revoked or has expired. Returns a function that ends the watch. */
  watch(apiKeyId: string, ended: () => void): () => void;
  /** Finds the retired key of a token; null for a token that was never a key's or is still accepted. */
  recognize(tokenHash: string): Promise<RetiredKey | null>;
  /** Makes this process forget a token that has just been revoked, so that it stops working at once. */
  forget(tokenHash: string): void;
  /**
   * Stores the noted uses. Called from time to time, and before the end. A use that cannot be stored is kept for the next time.
   * Throws the first error then.
   */
  flush(): Promise<void>;
}

const trustedTokensMax = 1_000;
/** Last uses that are written at once: as many as share a commit, so that changes of clients get in between. */
const usesAtOnce = 50;

/** How credentials reach the database: without Prisma's client, whose query compiler every server would have to load for them. */
interface CredentialsDatabase {
  readonly reads: ServerReads;
  readonly rowWriter: RowWriter;
  readonly changes: Changes;
}

/**
 * Creates the look-up. Last uses are collected in memory, one per key, so that a request never writes.
 *
 * @param onWatchFailure called once per outage with the reason why watched keys could not be looked up
 */
export function createCredentials(
  { reads, rowWriter, changes }: CredentialsDatabase,
  now: () => Date,
  onWatchFailure: (error: unknown) => void,
): Credentials {
  const trusted = new LRUCache<string, Identity>({ max: trustedTokensMax, ttl: trustMs });
  let revocations = 0;
  let lastUses = new Map<string, Date>();
  const readJson = reads.decode.Json ?? ((value: unknown) => value);
  const timeOf = (value: unknown) => (value === null ? null : reads.decode.DateTime(value));
  const keyWatch = createKeyWatch({
    async find(ids) {
      const found = await reads.rows(
        sql`SELECT "id", "expiresAt" FROM "ApiKey" WHERE "id" IN (${joined(toPowerOfTwo(ids))})`,
      );
      return found.map(([id, expiresAt]) => ({ id: String(id), expiresAt: timeOf(expiresAt) }));
    },
    now,
    everyMs: trustMs,
    onFailure: onWatchFailure,
  });

  return {
    async identify(tokenHash) {
      let identity = trusted.get(tokenHash);
      if (identity === undefined) {
        const revocationsBefore = revocations;
        // The answer is as of the time of the query, however long it takes.
        const start = performance.now();
        const [key] = await reads.rows(
          sql`SELECT "id", "accountId", "scopes", "expiresAt", "passGroups", "passAt" FROM "ApiKey" WHERE "tokenHash" = ${tokenHash}`,
        );
        if (key === undefined) return null;
        const [id, accountId, stored, ends, groups, at] = key;
        const scopes = readScopes(String(stored));
        const expiresAt = timeOf(ends);
        const rights = impliedScopes(scopes);
        const pass = readPassRight(scopes, readJson(groups), at);
        identity = { actor: String(id), hasKey: true, accountId: String(accountId), scopes, rights, expiresAt, pass };
        // A token found before a revocation may be the one that was revoked.
        if (revocations === revocationsBefore) trusted.set(tokenHash, identity, { start });
      }
      const time = now();
      if (identity.expiresAt !== null && identity.expiresAt <= time) return null;
      lastUses.set(identity.actor, time);
      return identity;
    },

    async recognize(tokenHash) {
      const [key] = await reads.rows(
        sql`SELECT "id", "accountId", "description", "expiresAt" FROM "ApiKey" WHERE "tokenHash" = ${tokenHash}`,
      );
      if (key !== undefined) {
        const [id, accountId, description, ends] = key;
        const expiresAt = timeOf(ends);
        if (expiresAt === null || expiresAt > now()) return null;
        return retired(id, accountId, description, 'expired');
      }
      const [revoked] = await reads.rows(
        sql`SELECT "apiKeyId", "accountId", "description" FROM "RevokedApiKey" WHERE "tokenHash" = ${tokenHash}`,
      );
      if (revoked === undefined) return null;
      const [id, accountId, description] = revoked;
      return retired(id, accountId, description, 'revoked');
    },

    forget(tokenHash) {
      revocations += 1;
      trusted.delete(tokenHash);
      keyWatch.look();
    },

    watch: keyWatch.watch,

    async flush() {
      const uses = lastUses;
      lastUses = new Map();
      const write = async (id: string, lastUsedAt: Date) => {
        try {
          await changes.apply({
            write: rowWriter(
              sql`UPDATE "ApiKey" SET "lastUsedAt" = ${lastUsedAt}
                WHERE "id" = ${id} AND ("lastUsedAt" IS NULL OR "lastUsedAt" < ${lastUsedAt}) RETURNING "id"`,
            ),
          });
        } catch (error) {
          // The key has been deleted meanwhile, or another process has noted a later use.
          if (isMissingRow(error)) return;
          // Unless it has been used again since.
          if (!lastUses.has(id)) lastUses.set(id, lastUsedAt);
          throw error;
        }
      };
      const all = [...uses];
      const failures: unknown[] = [];
      for (let start = 0; start < all.length; start += usesAtOnce) {
        const some = all.slice(start, start + usesAtOnce);
        const written = await Promise.allSettled(some.map(([id, lastUsedAt]) => write(id, lastUsedAt)));
        failures.push(...written.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Reads a retired key from the values of its row. */
function retired(id: unknown, accountId: unknown, description: unknown, reason: RetiredKey['reason']): RetiredKey {
  return { apiKeyId: String(id), accountId: String(accountId), description: String(description), reason };
}
