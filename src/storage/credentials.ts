// Who a token belongs to, and when it was last used: the one look-up that is not bound to an account.

import { LRUCache } from 'lru-cache';
import { impliedScopes, type KeyScope, readScopes } from '../domain/key-scopes.ts';
import type { Changes } from './changes.ts';
import type { PrismaClient } from './generated/client/client.ts';
import { createKeyWatch } from './key-watch.ts';
import type { ServerReads } from './server-scope.ts';
import { sql } from './statement.ts';

/** Whom a request acts for. */
export interface Identity {
  /** The actor in the trail: the id of an API key, or of the object that a caller without one proves to hold. */
  readonly actor: string;
  /** False without an API key: the caller may do only what the proof allows. */
  readonly hasKey: boolean;
  /** The description of an actor that is not an API key; the trail looks up those of keys. */
  readonly actorDescription?: string;
  readonly accountId: string;
  /** What the key was made for. */
  readonly scopes: readonly KeyScope[];
  /** The same, with all that they imply. */
  readonly rights: ReadonlySet<KeyScope>;
  /** When the key ends; null if it never does. */
  readonly expiresAt: Date | null;
  /** The session of the dashboard by which the key acts; none where the key itself was sent. */
  readonly dashboardSessionId?: string;
}

/** A session of the dashboard that was found. */
export interface FoundSession {
  readonly id: string;
  /** Whom it acts for. */
  readonly identity: Identity;
  /** The latest end; sooner if it is not used. */
  readonly endsAt: Date;
}

/** A key that is not accepted any more. */
export interface RetiredKey {
  readonly apiKeyId: string;
  readonly accountId: string;
  readonly description: string;
  readonly reason: 'expired' | 'revoked';
}

/** Finds the owners of tokens. Tokens themselves never come here, only their SHA-256 hashes. */
export interface Credentials {
  /** Finds whom a token belongs to, and notes the use; null for a token that is unknown, revoked or expired. */
  identify(tokenHash: string): Promise<Identity | null>;
  /** Tells, once, that a key was revoked or has expired: within a second. Gives what ends the watch. */
  watch(apiKeyId: string, ended: () => void): () => void;
  /** Finds the retired key of a token; null for a token that never was one, or is still accepted. */
  recognize(tokenHash: string): Promise<RetiredKey | null>;
  /** Makes this process forget a token that has just been revoked, so that it ends at once. */
  forget(tokenHash: string): void;
  /**
   * Writes the noted uses down. Called now and then, and before the end. A use that cannot be written is kept for the next
   * time. Throws the first error then.
   */
  flush(): Promise<void>;
}

/**
 * Milliseconds for which a found token is trusted: a key that another process has revoked ends within a second. Asking anew costs
 * one look-up for each key and second, on every engine and behind every pooler; being told would need a connection that stays.
 */
const trustMs = 900;
const trustedTokensMax = 1_000;

/** What credentials are kept in. */
interface CredentialsDatabase {
  readonly client: PrismaClient;
  readonly reads: ServerReads;
  readonly changes: Changes;
}

/**
 * Creates the look-up. Last uses are collected in memory, one per key, so that a request never writes.
 *
 * @param onWatchFailure told once per outage why watched keys could not be looked up
 */
export function createCredentials(
  { client, reads, changes }: CredentialsDatabase,
  now: () => Date,
  onWatchFailure: (error: unknown) => void,
): Credentials {
  const trusted = new LRUCache<string, Identity>({ max: trustedTokensMax, ttl: trustMs });
  let revocations = 0;
  let lastUses = new Map<string, Date>();
  const keyWatch = createKeyWatch({
    find: (ids) => client.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, expiresAt: true } }),
    now,
    everyMs: trustMs,
    onFailure: onWatchFailure,
  });

  return {
    async identify(tokenHash) {
      let identity = trusted.get(tokenHash);
      if (identity === undefined) {
        const revocationsBefore = revocations;
        // What is found was true when it was asked, however long the answer takes.
        const start = performance.now();
        const [key] = await reads.rows(
          sql`SELECT "id", "accountId", "scopes", "expiresAt" FROM "ApiKey" WHERE "tokenHash" = ${tokenHash}`,
        );
        if (key === undefined) return null;
        const [id, accountId, stored, ends] = key;
        const scopes = readScopes(String(stored));
        const expiresAt = ends === null ? null : reads.decode.DateTime(ends);
        const rights = impliedScopes(scopes);
        identity = { actor: String(id), hasKey: true, accountId: String(accountId), scopes, rights, expiresAt };
        // What was found before a revocation may be what was revoked.
        if (revocations === revocationsBefore) trusted.set(tokenHash, identity, { start });
      }
      const time = now();
      if (identity.expiresAt !== null && identity.expiresAt <= time) return null;
      lastUses.set(identity.actor, time);
      return identity;
    },

    async recognize(tokenHash) {
      const select = { accountId: true, description: true } as const;
      const where = { tokenHash };
      const key = await client.apiKey.findUnique({ where, select: { ...select, id: true, expiresAt: true } });
      if (key !== null) {
        const { id: apiKeyId, expiresAt, ...known } = key;
        return expiresAt !== null && expiresAt <= now() ? { ...known, apiKeyId, reason: 'expired' } : null;
      }
      const revoked = await client.revokedApiKey.findUnique({ where, select: { ...select, apiKeyId: true } });
      return revoked === null ? null : { ...revoked, reason: 'revoked' };
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
          // `updateMany` finds nothing to do where the key has been deleted meanwhile, or another process has noted a later use.
          const where = { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: lastUsedAt } }] };
          await changes.apply({ write: client.apiKey.updateMany({ where, data: { lastUsedAt } }) });
        } catch (error) {
          // Unless it has been used again.
          if (!lastUses.has(id)) lastUses.set(id, lastUsedAt);
          throw error;
        }
      };
      const written = await Promise.allSettled([...uses].map(([id, lastUsedAt]) => write(id, lastUsedAt)));
      const failed = written.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
  };
}
