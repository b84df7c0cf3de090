// Sessions of browsers at the dashboard: each acts with the API key that it was begun with, and ends with it. Whatever counts of a key,
// its rights, its end and its last use, is asked of the key itself.

import { LRUCache } from 'lru-cache';
import { SallyportError } from '../../domain/errors.ts';
import { hashOf, newSecret } from '../../domain/gate/secrets.ts';
import { endOf, isUseDue } from '../../domain/gate/session.ts';
import { createWorkQueue } from '../../domain/work-queue.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { Row } from '../../storage/collection.ts';
import { dashboardSessions } from '../../storage/collections.ts';
import type { Credentials, FoundSession, Identity } from '../../storage/credentials.ts';
import { isMissingReference } from '../../storage/errors.ts';
import { createKeyWatch } from '../../storage/key-watch.ts';
import type { Origin } from '../../storage/origin.ts';
import { joined, sql } from '../../storage/statement.ts';
import type { Storage } from '../../storage/storage.ts';

export { dashboardSessions };

/** Longest name of a browser that is kept, in bytes of UTF-8. */
const userAgentBytesMax = 255;
/** Most open sessions of a key: when another begins, the oldest ends. No person has so many, and a key that is stolen fills no database. */
const sessionsOfKeyMax = 100;
/** How many may wait to sign in with a key: each takes a few milliseconds. */
const beginningMax = 100;
/** How many sessions' last uses are kept in memory; those of others are known only as far as they are written down. */
const notedMax = 10_000;
/** Milliseconds between two looks at the sessions of open streams: one that another process has ended ends within a second. */
const watchMs = 900;

/** What sessions work with. */
export interface DashboardSessionOptions {
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Seconds without a use after which a session ends. */
  readonly idleSeconds: number;
  /** Most seconds of a session. */
  readonly secondsMax: number;
  /** Told why a use could not be written down, or open streams could not be looked after. Both are tried again. */
  readonly reportFailure: (error: unknown) => void;
}

/** When a session was used last, and what of that is written down. */
interface Uses {
  usedAt: Date;
  writtenAt: Date;
}

/** Creates what remembers sessions. */
export function createDashboardSessions(
  { server, actingFor, credentials }: Pick<Storage, 'server' | 'actingFor'> & { readonly credentials: Credentials },
  { now, randomBytes, idleSeconds, secondsMax, reportFailure }: DashboardSessionOptions,
) {
  /** One sign-in of a key after the other: at once, each would end the same oldest sessions. */
  const beginning = createWorkQueue({ atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner: 1, waitingMax: beginningMax });
  const usesOf = new LRUCache<string, Uses>({ max: notedMax });
  /** Tells when a session was used last: by what is written, and by what is in memory alone. */
  const lastUseOf = (id: string, writtenAt: Date): Date => {
    const noted = usesOf.get(id)?.usedAt;
    return noted !== undefined && noted > writtenAt ? noted : writtenAt;
  };
  const watch = createKeyWatch({
    async find(ids) {
      const instant = server.decode.DateTime;
      const rows = await server.rows(sql`
        SELECT "id", "createdAt", "endsAt", "lastUsedAt" FROM "DashboardSession" WHERE "id" IN (${joined(ids)})`);
      return rows.map(([id, createdAt, endsAt, lastUsedAt]) => {
        const lastUsed = lastUseOf(String(id), instant(lastUsedAt));
        const span = { createdAt: instant(createdAt), endsAt: instant(endsAt), lastUsedAt: lastUsed };
        return { id: String(id), expiresAt: nextEndOf(span, idleSeconds) };
      });
    },
    now,
    everyMs: watchMs,
    onFailure: reportFailure,
  });

  /** Ends the oldest sessions of a key that has too many, with an event each. */
  const endOldest = async (scope: AccountScope, apiKeyId: string): Promise<void> => {
    const where = { ...openSessions(scope, idleSeconds), apiKeyId };
    const beyond = { where, orderBy: { id: 'desc' }, skip: sessionsOfKeyMax, select: { id: true } } as const;
    const newest = await scope.db.dashboardSession.findFirst(beyond);
    if (newest === null) return;
    await dashboardSessions.removeAll(scope, { ...where, id: { lte: newest.id } });
    watch.look();
  };

  return {
    idleSeconds,

    /**
     * Begins a session with a key, and gives the token of its cookie, which nobody can read again. The oldest of too many ends.
     *
     * @param origin where the browser is, for the trail
     * @param userAgent what it calls itself
     * @throws UNAUTHENTICATED where the key is revoked meanwhile, UNAVAILABLE where too many sign in with it at once
     */
    async begin({ accountId, actor, expiresAt }: Identity, origin: Origin, userAgent: string) {
      const scope = actingFor(accountId, origin);
      const object = dashboardSessions.newObject(scope);
      const latest = new Date(object.createdAt.getTime() + secondsMax * 1000);
      const endsAt = expiresAt !== null && expiresAt < latest ? expiresAt : latest;
      const token = newSecret(randomBytes, 32);
      const columns = {
        tokenHash: hashOf(token),
        apiKeyId: actor,
        clientAddress: origin.clientAddress,
        userAgent: shortened(userAgent),
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
        await endOldest(scope, actor);
      });
      return { id: object.id, token, endsAt };
    },

    /** Finds the session of a token, and whom it acts for; null for one that never was, and one that has ended. */
    async find(token: string): Promise<FoundSession | null> {
      const [row] = await server.rows(sql`
        SELECT s."id", s."createdAt", s."endsAt", s."lastUsedAt", k."tokenHash"
        FROM "DashboardSession" s JOIN "ApiKey" k ON k."id" = s."apiKeyId" WHERE s."tokenHash" = ${hashOf(token)}`);
      if (row === undefined) return null;
      const [sessionId, created, ends, used, keyHash] = row;
      const instant = server.decode.DateTime;
      const [id, writtenAt, endsAt] = [String(sessionId), instant(used), instant(ends)];
      const usedAt = lastUseOf(id, writtenAt);
      if (now() >= nextEndOf({ createdAt: instant(created), endsAt, lastUsedAt: usedAt }, idleSeconds)) return null;
      usesOf.set(id, { usedAt, writtenAt });
      const identity = await credentials.identify(String(keyHash));
      return identity === null ? null : { id, identity: { ...identity, dashboardSessionId: id }, endsAt };
    },

    /** Notes that the person of a session has asked for something. It is written down about once a minute, and nobody waits for that. */
    noteUse(id: string): void {
      const uses = usesOf.get(id);
      if (uses === undefined) return;
      const usedAt = now();
      uses.usedAt = usedAt;
      if (!isUseDue(uses.writtenAt, { inactivitySeconds: idleSeconds }, usedAt)) return;
      uses.writtenAt = usedAt;
      const write = sql`UPDATE "DashboardSession" SET "lastUsedAt" = ${usedAt}
        WHERE "id" = ${id} AND "lastUsedAt" < ${usedAt}`;
      server.change(write).catch(reportFailure);
    },

    /** Ends a session. One that has ended already is left as it is. */
    async end({ identity, id }: Pick<FoundSession, 'identity' | 'id'>, origin: Origin): Promise<void> {
      await dashboardSessions.removeAll(actingFor(identity.accountId, origin), { id });
      watch.look();
    },

    /** Tells, once, that a session or its key has ended: within a second. Gives what ends the watch. */
    watch(id: string, apiKeyId: string, ended: () => void): () => void {
      let isOver = false;
      const over = () => {
        if (isOver) return;
        isOver = true;
        unwatch();
        ended();
      };
      const ends = [watch.watch(id, over), credentials.watch(apiKeyId, over)];
      const unwatch = () => {
        for (const end of ends) end();
      };
      return unwatch;
    },

    /** Looks at the sessions of open streams at once: one of them may have been ended here. */
    look: watch.look,
  };
}

/** Tells when a session ends unless it is used before then. */
export function nextEndOf(
  session: Pick<Row<'DashboardSession'>, 'createdAt' | 'endsAt' | 'lastUsedAt'>,
  idleSeconds: number,
): Date {
  return endOf(session, { inactivitySeconds: idleSeconds, maximumSeconds: 0 });
}

/** Makes the condition for the sessions that have not ended, to within what is not written down yet. */
export function openSessions({ now }: Pick<AccountScope, 'now'>, idleSeconds: number) {
  const time = now();
  return { endsAt: { gt: time }, lastUsedAt: { gt: new Date(time.getTime() - idleSeconds * 1000) } };
}

/** Cuts text off at a whole character. */
function shortened(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(userAgentBytesMax));
  return text.slice(0, read);
}
