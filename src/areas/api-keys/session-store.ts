// Browser sessions at the dashboard. Each acts for the API key or the person that signed in, and ends with that one's access. Rights
// and expiry are always those that the key or the person has at the moment.

import { LRUCache } from 'lru-cache';
import { personSessionSecondsMax } from '../../domain/access/roles.ts';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { SallyportError } from '../../domain/errors.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import { endOf, isUseDue, latestUses, type Uses } from '../../domain/gate/session-rule.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { truncateText } from '../../domain/values/text.ts';
import { isMissingReference } from '../../storage/errors.ts';
import type { Credentials, FoundSession, Identity } from '../../storage/keys/credentials.ts';
import { createKeyWatch } from '../../storage/keys/key-watch.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { joined, sql, toPowerOfTwo } from '../../storage/sql/statement.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Origin } from '../../storage/trail/origin.ts';

export const dashboardSessions = collectionOf('DashboardSession');

/** Maximum length of a stored user agent, in bytes of UTF-8. */
const userAgentBytesMax = 255;
/**
 * Maximum number of open sessions of a key or a person. When another begins, the oldest ends. No person has so many, and a stolen key
 * cannot fill the database.
 */
const sessionsOfOneMax = 100;
/** Maximum number of sign-ins waiting per key or person: each takes a few milliseconds. */
const beginningMax = 100;
/** Maximum number of sessions whose last use is kept in memory. For others, only the stored use is known. */
const notedMax = 10_000;
/** Milliseconds between checks of the sessions of open streams: if another process ends a session, its stream ends within a second. */
const watchMs = 900;

export interface DashboardSessionOptions {
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Seconds without a use after which a session ends. */
  readonly idleSeconds: number;
  /** Maximum duration of a session in seconds. */
  readonly secondsMax: number;
  /** Called with the reason when writing a use, or checking the sessions of open streams, has failed. Both are retried. */
  readonly reportFailure: (error: unknown) => void;
}

/** Creates the store of dashboard sessions. */
export function createDashboardSessions(
  { server, actingFor, credentials }: Pick<Storage, 'server' | 'actingFor'> & { readonly credentials: Credentials },
  { now, randomBytes, idleSeconds, secondsMax, reportFailure }: DashboardSessionOptions,
) {
  /** Runs the sign-ins of a key one after the other, because concurrent ones would all end the same oldest sessions. */
  const beginning = createWorkQueue({ atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner: 1, waitingMax: beginningMax });
  const usesOf = new LRUCache<string, Uses>({ max: notedMax });
  const watch = createKeyWatch({
    async find(ids) {
      const instant = server.decode.DateTime;
      const rows = await server.rows(sql`
        SELECT "id", "createdAt", "endsAt", "lastUsedAt" FROM "DashboardSession" WHERE "id" IN (${joined(ids)})`);
      return rows.map(([id, createdAt, endsAt, lastUsedAt]) => {
        const uses = latestUses(instant(lastUsedAt), usesOf.get(String(id)));
        const span = { createdAt: instant(createdAt), endsAt: instant(endsAt), lastUsedAt: uses.lastUsedAt };
        return { id: String(id), expiresAt: nextEndOf(span, idleSeconds) };
      });
    },
    now,
    everyMs: watchMs,
    onFailure: reportFailure,
  });

  /** Ends the oldest sessions of a key or a person with too many, with one audit event each. */
  const endOldest = async (scope: AccountScope, holder: Holder): Promise<void> => {
    const where = { ...openSessions(scope, idleSeconds), ...holder };
    const beyond = { where, orderBy: { id: 'desc' }, skip: sessionsOfOneMax, select: { id: true } } as const;
    const newest = await scope.db.dashboardSession.findFirst(beyond);
    if (newest === null) return;
    await dashboardSessions.removeAll(scope, { ...where, id: { lte: newest.id } });
    watch.look();
  };

  return {
    idleSeconds,

    /**
     * Begins a session for a key or a person and returns the token of its cookie, which cannot be read again. If there are too many
     * sessions, the oldest ends.
     *
     * @param origin where the request comes from, for the audit trail
     * @param userAgent the `User-Agent` of the browser
     * @throws UNAUTHENTICATED if the key was revoked in the meantime, UNAVAILABLE if too many sign-ins with it are waiting
     */
    async begin({ accountId, actor, expiresAt }: Identity, origin: Origin, userAgent: string) {
      const scope = actingFor(accountId, origin);
      const object = dashboardSessions.newObject(scope);
      const holder = holderOf(actor);
      const seconds = holder.personId === null ? secondsMax : Math.min(secondsMax, personSessionSecondsMax);
      const latest = new Date(object.createdAt.getTime() + seconds * 1000);
      const endsAt = expiresAt !== null && expiresAt < latest ? expiresAt : latest;
      const token = newSecret(randomBytes, 32);
      const columns = {
        tokenHash: hashOf(token),
        ...holder,
        clientAddress: origin.clientAddress,
        userAgent: truncateText(userAgent, userAgentBytesMax),
        endsAt,
        lastUsedAt: object.createdAt,
      };
      await beginning.run(actor, async () => {
        try {
          await dashboardSessions.create(scope, columns, { object });
        } catch (error) {
          if (!isMissingReference(error)) throw error;
          throw new SallyportError('UNAUTHENTICATED', 'The API key has been revoked.');
        }
        await endOldest(scope, holder);
      });
      return { id: object.id, token, endsAt };
    },

    /** Finds the first of several sessions that is open, by their tokens, and whom it acts for; null if there is none. */
    async find(tokens: readonly string[]): Promise<FoundSession | null> {
      const hashes = tokens.map(hashOf);
      const rows = await server.rows(sql`
        SELECT s."tokenHash", s."id", s."createdAt", s."endsAt", s."lastUsedAt", k."tokenHash", s."personId"
        FROM "DashboardSession" s LEFT JOIN "ApiKey" k ON k."id" = s."apiKeyId" WHERE s."tokenHash" IN (${joined(toPowerOfTwo(hashes))})`);
      const instant = server.decode.DateTime;
      const rowOf = new Map(rows.map(([hash, ...row]) => [String(hash), row]));
      for (const hash of hashes) {
        const [sessionId, created, ends, used, keyHash, personId] = rowOf.get(hash) ?? [];
        if (sessionId === undefined) continue;
        const [id, endsAt] = [String(sessionId), instant(ends)];
        const uses = latestUses(instant(used), usesOf.get(id));
        const span = { createdAt: instant(created), endsAt, lastUsedAt: uses.lastUsedAt };
        if (now() >= nextEndOf(span, idleSeconds)) continue;
        usesOf.set(id, uses);
        const identity = await (keyHash === null
          ? credentials.identifyPerson(String(personId))
          : credentials.identify(String(keyHash)));
        if (identity !== null) return { id, identity: { ...identity, dashboardSessionId: id }, endsAt };
      }
      return null;
    },

    /**
     * Records a use of a session by its user. It is written to the database about once a minute, without waiting for the write. If
     * that fails, the next due use is written.
     */
    noteUse(id: string): void {
      const uses = usesOf.get(id);
      if (uses === undefined) return;
      const usedAt = now();
      uses.lastUsedAt = usedAt;
      if (!isUseDue(uses.writtenAt, { inactivitySeconds: idleSeconds }, usedAt)) return;
      uses.writtenAt = usedAt;
      const write = sql`UPDATE "DashboardSession" SET "lastUsedAt" = ${usedAt}
        WHERE "id" = ${id} AND "lastUsedAt" < ${usedAt}`;
      server.change(write).catch(reportFailure);
    },

    /** Ends a session; a no-op if it has already ended. */
    async end({ identity, id }: Pick<FoundSession, 'identity' | 'id'>, origin: Origin): Promise<void> {
      await dashboardSessions.removeAll(actingFor(identity.accountId, origin), { id });
      watch.look();
    },

    /**
     * Calls `ended` once, within a second, when a session has ended, or the key or the person is not let in any more. Returns a
     * function that stops watching.
     */
    watch(id: string, actor: string, ended: () => void): () => void {
      let isOver = false;
      const over = () => {
        if (isOver) return;
        isOver = true;
        unwatch();
        ended();
      };
      const ends = [watch.watch(id, over), credentials.watch(actor, over)];
      const unwatch = () => {
        for (const end of ends) end();
      };
      return unwatch;
    },

    /** Checks the sessions of open streams immediately, because this process may have ended one of them. */
    look: watch.look,
  };
}

/** Whom a session acts for: one of the two is set. */
type Holder = Pick<Row<'DashboardSession'>, 'apiKeyId' | 'personId'>;

function holderOf(actor: string): Holder {
  return isIdOf('Person', actor) ? { apiKeyId: null, personId: actor } : { apiKeyId: actor, personId: null };
}

/** Returns when a session ends unless it is used before then. */
export function nextEndOf(
  session: Pick<Row<'DashboardSession'>, 'createdAt' | 'endsAt' | 'lastUsedAt'>,
  idleSeconds: number,
): Date {
  return endOf(session, { inactivitySeconds: idleSeconds, maximumSeconds: 0 });
}

/** Returns the condition for sessions that have not ended, judged by the stored uses. */
export function openSessions({ now }: Pick<AccountScope, 'now'>, idleSeconds: number) {
  const time = now();
  // The last use comes first: an index finds the sessions of an account by it (`storage/objects/counting.ts`).
  return { lastUsedAt: { gt: new Date(time.getTime() - idleSeconds * 1000) }, endsAt: { gt: time } };
}
