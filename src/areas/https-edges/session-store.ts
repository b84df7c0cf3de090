// User sessions at routes, in the database and cached in memory, because requests come by the thousands.

import { LRUCache } from 'lru-cache';
import type { Session } from '../../domain/gate/login.ts';
import type { ContinuingModule, Sessions } from '../../domain/gate/session.ts';
import {
  isAlive,
  isUseDue,
  type LoginTerms,
  latestUses,
  type SessionRule,
  type SessionSpan,
  type Uses,
} from '../../domain/gate/session-rule.ts';
import { countsAt, livingRule } from '../../domain/gate/shared-sessions.ts';
import { readVouched } from '../../domain/gate/vouched.ts';
import type { NamedUser } from '../../domain/saml/logout.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { isMissingRow } from '../../storage/errors.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { trustMs } from '../../storage/objects/freshness.ts';
import { joined, sql, toPowerOfTwo } from '../../storage/sql/statement.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Origin } from '../../storage/trail/origin.ts';
import { loginSessions, samlLogins } from './collections-store.ts';
import { openIdToken } from './id-token-store.ts';
import { endLoginSessions } from './login-session-store.ts';
import { isLoggedOut, rememberLogout } from './logout-store.ts';
import { oidcTerms } from './oidc-terms.ts';
import { deviceHashOf, routesOfRegistration, usingRegistration } from './registration-store.ts';
import { samlTerms, termColumns } from './saml-terms.ts';

/**
 * Maximum number of sessions kept in memory, and of characters that describe their users: an identity provider may give a user a
 * hundred kilobytes of groups, which the gate also keeps as the headers that it sends.
 */
const heldMax = 20_000;
const heldCharactersMax = 32_000_000;
/** Most sessions of a browser that are looked at for one that another login may continue. */
const continuedMax = 20;

interface Held extends Omit<SessionSpan, keyof Uses>, Uses {
  readonly routeId: string;
  readonly session: Session;
  /** Length of its `person` column, in characters. */
  readonly size: number;
  readonly readAtMs: number;
  readonly changeCount: number;
}

export interface SessionOptions {
  readonly now: () => Date;
  /** Maximum duration of a session in seconds, whatever the module and the identity provider say. */
  readonly secondsMax: number;
  /** Called with the reason when a use could not be written. It is retried with a later use. */
  readonly reportFailure: (error: unknown) => void;
}

/** Creates the store of sessions. */
export function createSessions(
  { server, forAccount, actingFor }: Pick<Storage, 'server' | 'forAccount' | 'actingFor'>,
  options: SessionOptions,
): Sessions {
  const { now, secondsMax, reportFailure } = options;
  const held = new LRUCache<string, Held>({
    maxSize: heldCharactersMax,
    // Each session counts for at least its share. That enforces `heldMax` without `max`, which would allocate room for all at once.
    sizeCalculation: ({ size }) => Math.max(size, Math.ceil(heldCharactersMax / heldMax)),
  });

  /** Reads sessions, all with one statement. */
  const read = async (tokenHashes: readonly string[], changeCount: number): Promise<ReadonlyMap<string, Held>> => {
    // The result is as of the time of the query, however long it takes.
    const readAtMs = performance.now();
    const rows = await server.rows(sql`
      SELECT "tokenHash", "routeId", "host", "issuer", "person", "createdAt", "endsAt", "lastUsedAt", "id" FROM "LoginSession"
      WHERE "tokenHash" IN (${joined(toPowerOfTwo(tokenHashes))})`);
    const found = new Map<string, Held>();
    for (const [tokenHash, routeId, host, issuer, whom, createdAt, endsAt, lastUsedAt, id] of rows) {
      const person = String(whom);
      const instant = server.decode.DateTime;
      found.set(String(tokenHash), {
        routeId: String(routeId),
        host: String(host),
        issuer: String(issuer),
        session: { ...readVouched(person), sessionId: String(id) },
        size: person.length,
        createdAt: instant(createdAt),
        endsAt: instant(endsAt),
        ...latestUses(instant(lastUsedAt), held.get(String(tokenHash))),
        readAtMs,
        changeCount,
      });
    }
    for (const tokenHash of tokenHashes) if (!found.has(tokenHash)) held.delete(tokenHash);
    return found;
  };

  /** Records a use in memory, and occasionally in the database, without waiting for that write. */
  const use = (tokenHash: string, session: Held, rule: SessionRule, usedAt: Date) => {
    session.lastUsedAt = usedAt;
    if (!isUseDue(session.writtenAt, rule, usedAt)) return;
    session.writtenAt = usedAt;
    const write = sql`UPDATE "LoginSession" SET "lastUsedAt" = ${usedAt}
      WHERE "tokenHash" = ${tokenHash} AND "lastUsedAt" < ${usedAt}`;
    server.change(write).catch(reportFailure);
  };

  return {
    async create(tokenHash, login, clientAddress) {
      const { ticketHash, accountId, routeId, registrationId, host, vouched, issuedAt, continued } = login;
      const { issuer, named } = vouched;
      const scope = actingFor(accountId, byUser(named, clientAddress));
      // Checked here as well, before the login is spent: a logout that comes later finds either the login or the session.
      if (await isLoggedOut(server, registrationId, named, issuedAt)) return null;
      const object = { ...loginSessions.newObject(scope), ...(continued ?? {}) };
      const latest = object.createdAt.getTime() + secondsMax * 1000;
      const columns = {
        tokenHash,
        routeId,
        host,
        issuer,
        userHash: hashOf(named.nameId),
        sessionIndex: named.sessionIndex,
        deviceHash: login.deviceHash,
        person: JSON.stringify(vouched),
        idToken: login.sealedIdToken,
        clientAddress,
        endsAt: new Date(Math.min(latest, vouched.sessionEndsAt?.getTime() ?? latest)),
        lastUsedAt: scope.now(),
      };
      try {
        const spent = samlLogins.prepareRemove(scope, { ticketHash, expiresAt: { gt: scope.now() } });
        await loginSessions.create(scope, columns, { object, alongside: [spent] });
        return object.id;
      } catch (error) {
        if (isMissingRow(error)) return null;
        throw error;
      }
    },

    find(tokenHashes, { accountId, routeId, host }, rule, others) {
      const route = { routeId, rule, others };
      const admit = (tokenHash: string, session: Held | undefined): Session | null => {
        const usedAt = now();
        const living = session === undefined ? null : livingRule(session, route, host, usedAt);
        if (session === undefined || living === null) return null;
        use(tokenHash, session, living, usedAt);
        return session.session;
      };
      // Any change of the account counts, because sessions end with their modules.
      const changeCount = forAccount(accountId).changeCount();
      const findStored = async (rest: readonly string[]): Promise<Session | null> => {
        const stored = await read(rest, changeCount);
        for (const tokenHash of rest) {
          const session = stored.get(tokenHash);
          const admitted = admit(tokenHash, session);
          if (session === undefined || admitted === null) continue;
          held.set(tokenHash, session);
          return admitted;
        }
        return null;
      };
      for (const [index, tokenHash] of tokenHashes.entries()) {
        const known = held.get(tokenHash);
        const isTrusted = known?.changeCount === changeCount && performance.now() - known.readAtMs < trustMs;
        // A session in memory does not overtake one before it that is not: the same one counts for every request.
        if (!isTrusted) return findStored(tokenHashes.slice(index));
        const session = admit(tokenHash, known);
        if (session !== null) return session;
      }
      return null;
    },

    async findContinued(module, device) {
      const { accountId, registrationId } = module;
      // The newest first: it is of the person who uses the browser now.
      const rows = await server.rows(sql`
        SELECT "id", "routeId", "tokenHash", "issuer", "host", "person", "createdAt", "endsAt", "lastUsedAt" FROM "LoginSession"
        WHERE "deviceHash" = ${deviceHashOf(device, registrationId)} AND "accountId" = ${accountId}
        ORDER BY "createdAt" DESC, "id" DESC LIMIT ${continuedMax}`);
      if (rows.length === 0) return null;
      const routeIds = rows.map(([, routeId]) => String(routeId));
      const began = await termsOf(forAccount(accountId), module, routeIds);
      const usedAt = now();
      const instant = server.decode.DateTime;
      for (const [id, routeId, tokenHash, issuer, host, person, createdAt, endsAt, lastUsedAt] of rows) {
        const span = {
          host: String(host),
          issuer: String(issuer),
          createdAt: instant(createdAt),
          endsAt: instant(endsAt),
          lastUsedAt: latestUses(instant(lastUsedAt), held.get(String(tokenHash))).lastUsedAt,
        };
        const terms = began.get(String(routeId));
        if (terms === undefined || !countsAt(terms, module)) continue;
        if (![terms, module].every(({ sessions }) => isAlive(span, sessions, span.host, usedAt))) continue;
        return { id: String(id), vouched: readVouched(String(person)), createdAt: span.createdAt };
      }
      return null;
    },

    async end(tokenHashes, { accountId, routeId, host }, clientAddress) {
      if (tokenHashes.length === 0) return [];
      const rows = await server.rows(sql`
        SELECT "id", "issuer", "person", "deviceHash", "idToken" FROM "LoginSession"
        WHERE "tokenHash" IN (${joined(toPowerOfTwo(tokenHashes))})
          AND "accountId" = ${accountId} AND "routeId" = ${routeId} AND "host" = ${host}`);
      const ended = [];
      for (const [id, issuer, person, deviceHash, sealed] of rows) {
        const idToken =
          sealed === null ? null : openIdToken(forAccount(accountId), routeId, server.decode.Bytes(sealed));
        const { named } = readVouched(String(person));
        const alike = { userHash: hashOf(named.nameId), issuer: String(issuer) };
        // At the other routes and hosts of the registration, whose cookies the browser has not sent. Of a session that began at the
        // identity provider, the browser is not known: another one that stayed would be continued, and nobody asked again.
        const elsewhere =
          deviceHash === null
            ? [alike]
            : [
                { ...alike, deviceHash: String(deviceHash) },
                ...(named.sessionIndex === null ? [] : [{ ...alike, sessionIndex: named.sessionIndex }]),
              ];
        const scope = actingFor(accountId, byUser(named, clientAddress));
        const routeIds = await routesOfRegistration(scope, routeId);
        const hosts = new Set<string>();
        const noteHosts = (sessions: readonly { readonly host: string }[]) => {
          for (const each of sessions) hosts.add(each.host);
          return [];
        };
        const where = { routeId: { in: [...routeIds] }, OR: [{ id: String(id) }, ...elsewhere] };
        const count = await loginSessions.removeAll(scope, where, { alongside: noteHosts });
        // Another cookie of the browser may have named it.
        if (count > 0) ended.push({ id: String(id), issuer: String(issuer), named, idToken, count, hosts: [...hosts] });
      }
      return ended;
    },

    async endOfUser({ accountId, routeId }, loggedOut, { issuer, requestId, clientAddress }) {
      const { nameId: user, sessionIndexes } = loggedOut;
      const by = {
        actor: 'identity_provider',
        actorDescription: issuer,
        surface: 'login',
        requestId,
        clientAddress,
      } as const;
      // First, so that a login that arrives while the sessions are being ended either sees the logout or is ended with them.
      await rememberLogout(server, { accountId, routeId }, loggedOut);
      const scope = actingFor(accountId, by);
      return endLoginSessions(scope, { routeIds: await routesOfRegistration(scope, routeId), user, sessionIndexes });
    },
  };
}

/** Finds the terms of routes that use the same registration as a module, by route. */
async function termsOf(
  { db }: AccountView,
  { kind, registrationId, sessions: { issuer } }: ContinuingModule,
  routeIds: readonly string[],
): Promise<ReadonlyMap<string, LoginTerms>> {
  const where = { routeId: { in: [...routeIds] }, OR: usingRegistration(registrationId) };
  if (kind === 'saml') {
    const modules = await db.samlModule.findMany({ where, select: { routeId: true, ...termColumns } });
    return new Map(modules.map((each) => [each.routeId, samlTerms(each, issuer)]));
  }
  const include = { registration: { select: { clientId: true } } } as const;
  const modules = await db.oidcModule.findMany({ where, include });
  return new Map(
    modules.map((each) => {
      const { clientId } = each.registration ?? each;
      return [each.routeId, oidcTerms({ ...each, issuer, clientId })];
    }),
  );
}

function byUser({ nameId }: NamedUser, clientAddress: string): Origin {
  return { actor: 'user', actorDescription: nameId, surface: 'login', requestId: null, clientAddress };
}
