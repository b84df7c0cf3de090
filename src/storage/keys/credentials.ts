// Whom a request acts for: the owners of tokens, with their last uses, and people. The one look-up that is not bound to an account.

import { LRUCache } from 'lru-cache';
import { impliedScopes, type KeyScope, readScopes, widest } from '../../domain/access/key-scopes.ts';
import { type PassRight, passScope, readPassRight } from '../../domain/access/pass-right.ts';
import { personalKeyDays } from '../../domain/access/roles.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { dayMs } from '../../domain/values/time.ts';
import { isMissingRow } from '../errors.ts';
import type { Changes, RowWriter } from '../objects/changes.ts';
import { trustMs } from '../objects/freshness.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { joined, type Sql, sql, toPowerOfTwo } from '../sql/statement.ts';
import { createKeyWatch } from './key-watch.ts';
import { createPeopleReads } from './people.ts';

/** Whom a request acts for: an API key or a person, or what a caller without either proves to hold. */
export interface Identity {
  /** The actor in the trail: the id of an API key, of a person, or of the object that the caller proves to hold. */
  readonly actor: string;
  /** Whether the caller belongs to the account, as API keys and people do. Any other may do only what the proof allows. */
  readonly isMember: boolean;
  /** What the trail calls the actor; absent for an API key of the account, whose description the trail looks up. */
  readonly actorDescription?: string | undefined;
  readonly accountId: string;
  /** The scopes that the key was created with, or that the roles of the person have, within those of a personal key. */
  readonly scopes: readonly KeyScope[];
  /** The scopes and all that they imply. */
  readonly rights: ReadonlySet<KeyScope>;
  /** When the key expires; null if never. */
  readonly expiresAt: Date | null;
  /** How a program with the key passes the gate; absent without the scope `gate:pass`. */
  readonly pass?: PassRight | undefined;
  /** The person who acts, in a session or by a personal key; absent for others. */
  readonly personId?: string | undefined;
  /** The dashboard session through which the key or the person acts; absent if the key itself was sent. */
  readonly dashboardSessionId?: string | undefined;
}

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
  /**
   * Finds what a person may do now, by the groups that came with the last sign-in and by the roles that they stand for; null for a
   * person who is blocked, has no role left, or whose provider is disabled or gone.
   */
  identifyPerson(personId: string): Promise<Identity | null>;
  /** Finds the newest people of an account who are let in, at most a hundred, and what they may do now. Notes no use. */
  rightsOfPeople(accountId: string): Promise<ReadonlyMap<string, Pick<Identity, 'rights'>>>;
  /**
   * Calls `ended` once, within a second after a key was revoked or has expired, or a person was kept out. Returns a function that
   * ends the watch.
   */
  watch(actor: string, ended: () => void): () => void;
  /** Finds the retired key of a token; null for a token that was never a key's or is still accepted. */
  recognize(tokenHash: string): Promise<RetiredKey | null>;
  /** Makes this process forget a token that has just been revoked, so that it stops working at once. */
  forget(tokenHash: string): void;
  /** Makes this process forget what people may do, because a person, a role or a provider has just been changed. */
  forgetPeople(): void;
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
  const trusted = new LRUCache<string, Known>({ max: trustedTokensMax, ttl: trustMs });
  let revocations = 0;
  let lastUses = new Map<string, Date>();
  const readJson = reads.decode.Json ?? ((value: unknown) => value);
  const timeOf = (value: unknown) => (value === null ? null : reads.decode.DateTime(value));
  const people = createPeopleReads(reads);
  const keyWatch = createKeyWatch({
    async find(ids) {
      const keys = await reads.rows(
        sql`SELECT "id", "expiresAt", "personId" FROM "ApiKey" WHERE "id" IN (${joined(toPowerOfTwo(ids))})`,
      );
      const others = ids.filter((id) => isIdOf('Person', id));
      const personIds = [...others, ...keys.flatMap(([, , personId]) => (personId === null ? [] : [String(personId)]))];
      const allowed = await people.findAllowed(personIds);
      return [
        ...keys.flatMap(([id, expiresAt, personId]) =>
          personId === null || allowed.has(String(personId)) ? [{ id: String(id), expiresAt: timeOf(expiresAt) }] : [],
        ),
        ...others.flatMap((id) => (allowed.has(id) ? [{ id, expiresAt: null }] : [])),
      ];
    },
    now,
    everyMs: trustMs,
    onFailure: onWatchFailure,
  });

  /** Keeps a personal key within the rights of its person; null if the person has none. */
  const withinPerson = async (identity: Identity, description: string, personId: string): Promise<Known | null> => {
    const person = await people.find(personId);
    if (person === null) return null;
    const rights = new Set([...identity.rights].filter((scope) => person.rights.has(scope)));
    const scopes = widest([...rights]);
    if (scopes.length === 0) return null;
    const actorDescription = `${description || 'API key'}, of ${person.called}`;
    const restsAt = new Date(person.signedInAt.getTime() + personalKeyDays * dayMs);
    const pass = rights.has(passScope) ? identity.pass : undefined;
    return {
      identity: { ...identity, actorDescription, scopes, rights, pass, personId },
      restsAt,
      readAtMs: person.readAtMs,
    };
  };

  return {
    async identify(tokenHash) {
      let known = trusted.get(tokenHash);
      if (known === undefined) {
        const revocationsBefore = revocations;
        // The answer is as of the time of the query, however long it takes.
        const start = performance.now();
        const [key] = await reads.rows(
          sql`SELECT "id", "accountId", "scopes", "expiresAt", "passGroups", "passAt", "description", "personId" FROM "ApiKey" WHERE "tokenHash" = ${tokenHash}`,
        );
        if (key === undefined) return null;
        const [id, accountId, stored, ends, groups, at, description, personId] = key;
        const scopes = readScopes(String(stored));
        const expiresAt = timeOf(ends);
        const rights = impliedScopes(scopes);
        const pass = readPassRight(scopes, readJson(groups), at);
        const whole = {
          actor: String(id),
          isMember: true,
          accountId: String(accountId),
          scopes,
          rights,
          expiresAt,
          pass,
        };
        const within =
          personId === null
            ? { identity: whole, restsAt: null, readAtMs: start }
            : await withinPerson(whole, String(description), String(personId));
        if (within === null) return null;
        known = within;
        // A token found before a revocation may be the one that was revoked. What is known of its person may have been read before.
        const { readAtMs } = known;
        if (revocations === revocationsBefore) trusted.set(tokenHash, known, { start: Math.min(start, readAtMs) });
      }
      const time = now();
      const { identity, restsAt } = known;
      if (identity.expiresAt !== null && identity.expiresAt <= time) return null;
      if (restsAt !== null && restsAt <= time) return null;
      lastUses.set(identity.actor, time);
      return identity;
    },

    async identifyPerson(personId) {
      const person = await people.find(personId);
      if (person === null || person.scopes.length === 0) return null;
      lastUses.set(personId, now());
      const { accountId, called: actorDescription, scopes, rights } = person;
      return {
        actor: personId,
        isMember: true,
        actorDescription,
        accountId,
        scopes,
        rights,
        expiresAt: null,
        personId,
      };
    },

    rightsOfPeople: (accountId) => people.findNewest(accountId),

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

    forgetPeople() {
      revocations += 1;
      trusted.clear();
      people.forget();
      keyWatch.look();
    },

    watch: keyWatch.watch,

    async flush() {
      const uses = lastUses;
      lastUses = new Map();
      const write = async (id: string, lastUsedAt: Date) => {
        try {
          await changes.apply({ write: rowWriter(useOf(id, lastUsedAt)) });
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

/** The owner of a token, as far as it is known. */
interface Known {
  readonly identity: Identity;
  /** When a personal key rests until its person signs in again; null for a key of the account. */
  readonly restsAt: Date | null;
  /** As of when all of this is (`performance.now`). */
  readonly readAtMs: number;
}

/** Writes the statement that stores a use by a key or a person, unless a later one is stored. */
function useOf(id: string, usedAt: Date): Sql {
  return isIdOf('Person', id)
    ? sql`UPDATE "Person" SET "lastSeenAt" = ${usedAt} WHERE "id" = ${id} AND "lastSeenAt" < ${usedAt} RETURNING "id"`
    : sql`UPDATE "ApiKey" SET "lastUsedAt" = ${usedAt}
        WHERE "id" = ${id} AND ("lastUsedAt" IS NULL OR "lastUsedAt" < ${usedAt}) RETURNING "id"`;
}

function retired(id: unknown, accountId: unknown, description: unknown, reason: RetiredKey['reason']): RetiredKey {
  return { apiKeyId: String(id), accountId: String(accountId), description: String(description), reason };
}
