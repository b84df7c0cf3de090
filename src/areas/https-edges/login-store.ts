// The logins that are under way, in the database: any server can go on with what another one has begun.

import { createPrivateKey } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { SallyportError } from '../../domain/errors.ts';
import type { AnsweredLogin, BegunLogin, LoginModule, Logins, Vouched } from '../../domain/gate/login.ts';
import { isIdOf } from '../../domain/ids.ts';
import { isJsonObject } from '../../domain/json.ts';
import { type LoginProvider, readLoginProvider } from '../../domain/saml/login-provider.ts';
import { ownerOf } from '../../storage/secrets.ts';
import { sql } from '../../storage/statement.ts';
import type { Storage } from '../../storage/storage.ts';

/** How long a login may take, in milliseconds. */
export const loginMsMax = 600_000;
/** How long a browser has to fetch its session, in milliseconds. */
export const ticketMs = 60_000;
/** Most logins of a route that are under way: strangers can begin them. */
const pendingMax = 10_000;
/** Most modules whose metadata are kept parsed, which takes milliseconds. */
const providersMax = 200;

/** Creates what remembers logins. */
export function createLogins({ server, forAccount }: Pick<Storage, 'server' | 'forAccount'>, now: () => Date): Logins {
  const providers = new LRUCache<string, { metadata: string; provider: LoginProvider }>({ max: providersMax });
  const providerOf = (routeId: string, metadata: string): LoginProvider => {
    const known = providers.get(routeId);
    if (known?.metadata === metadata) return known.provider;
    const provider = readLoginProvider(metadata);
    providers.set(routeId, { metadata, provider });
    return provider;
  };
  const later = (ms: number) => new Date(now().getTime() + ms);
  const stateOwner = (routeId: string) => ownerOf('login', routeId);
  const insert = (
    { accountId, routeId }: LoginModule,
    id: string,
    { host, browserHash, target }: BegunLogin,
    { requestId = null, ticketHash = null, person = '', begunAt = now(), expiresAt = later(loginMsMax) }: Progress,
  ) =>
    server.change(sql`
      INSERT INTO "SamlLogin" ("id", "accountId", "routeId", "host", "browserHash", "requestId", "createdAt", "expiresAt",
        "ticketHash", "target", "person")
      SELECT ${id}, ${accountId}, ${routeId}, ${host}, ${browserHash}, ${requestId}, ${begunAt}, ${expiresAt}, ${ticketHash},
        ${target}, ${person}
      WHERE (SELECT count(*) FROM "SamlLogin" WHERE "routeId" = ${routeId} AND "expiresAt" > ${now()}) < ${pendingMax}`);

  return {
    async findModule(routeId) {
      if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
      const [owner] = await server.rows(sql`SELECT "accountId" FROM "SamlModule" WHERE "routeId" = ${routeId}`);
      if (owner === undefined) return null;
      const accountId = String(owner[0]);
      const { db, secrets } = forAccount(accountId);
      const route = { select: { edgeId: true, match: true } } as const;
      const found = await db.samlModule.findFirst({ where: { routeId }, include: { route } });
      if (found === null) return null;
      const { enabled, forceAuthn, allowIdpInitiated, nameidFormat, idpMetadata, sealedPrivateKey } = found;
      return {
        routeId,
        ...found.route,
        accountId,
        enabled,
        forceAuthn,
        allowIdpInitiated,
        nameidFormat,
        provider: providerOf(routeId, idpMetadata),
        openSigningKey: () =>
          createPrivateKey({
            key: secrets.open(sealedPrivateKey, ownerOf('SamlModule', routeId)),
            format: 'der',
            type: 'pkcs8',
          }),
      };
    },

    seal({ accountId, routeId }, begun) {
      const state = JSON.stringify({ ...begun, at: now().getTime() });
      return Buffer.from(forAccount(accountId).secrets.seal(Buffer.from(state), stateOwner(routeId))).toString(
        'base64url',
      );
    },

    open({ accountId, routeId }, sealed) {
      let state: unknown;
      try {
        const bytes = forAccount(accountId).secrets.open(Buffer.from(sealed, 'base64url'), stateOwner(routeId));
        state = JSON.parse(bytes.toString());
      } catch {
        return null;
      }
      if (!isJsonObject(state) || !isNumber(state.at) || now().getTime() >= state.at + loginMsMax) return null;
      const { host, browserHash, target } = state;
      if (typeof host !== 'string' || typeof browserHash !== 'string' || typeof target !== 'string') return null;
      return { host, browserHash, target };
    },

    async send(module, relayHash, pending) {
      const { requestId, sentAt: begunAt } = pending;
      if ((await insert(module, relayHash, pending, { requestId, begunAt })) > 0) return;
      throw new SallyportError('UNAVAILABLE', 'Too many logins of this route are under way. Retry in a few minutes.');
    },

    async findPending({ routeId }, relayHash) {
      const [found] = await server.rows(sql`
        SELECT "host", "browserHash", "requestId", "createdAt", "target" FROM "SamlLogin"
        WHERE "id" = ${relayHash} AND "routeId" = ${routeId} AND "ticketHash" IS NULL AND "requestId" IS NOT NULL
          AND "expiresAt" > ${now()}`);
      if (found === undefined) return null;
      const [host, browserHash, requestId, createdAt, target] = found;
      return {
        host: String(host),
        browserHash: browserHash === null ? null : String(browserHash),
        requestId: String(requestId),
        sentAt: server.decode.DateTime(createdAt),
        target: String(target),
      };
    },

    async use({ accountId, routeId }, assertionHash, usableUntil) {
      const written = await server.change(sql`
        INSERT INTO "SamlUsedAssertion" ("accountId", "routeId", "idHash", "usableUntil")
        VALUES (${accountId}, ${routeId}, ${assertionHash}, ${usableUntil}) ON CONFLICT DO NOTHING`);
      return written === 1;
    },

    async answer({ routeId }, relayHash, ticketHash, vouched) {
      const written = await server.change(sql`
        UPDATE "SamlLogin" SET "ticketHash" = ${ticketHash}, "person" = ${JSON.stringify(vouched)},
          "expiresAt" = ${later(ticketMs)}
        WHERE "id" = ${relayHash} AND "routeId" = ${routeId} AND "ticketHash" IS NULL AND "expiresAt" > ${now()}`);
      return written === 1;
    },

    async welcome(module, begun, ticketHash, vouched) {
      const person = JSON.stringify(vouched);
      // The ticket names the login as well: nothing else ever comes back for it.
      if ((await insert(module, ticketHash, begun, { ticketHash, person, expiresAt: later(ticketMs) })) > 0) return;
      throw new SallyportError('UNAVAILABLE', 'Too many logins of this route are under way. Retry in a few minutes.');
    },

    async findAnswered(ticketHash) {
      const [found] = await server.rows(sql`
        SELECT "routeId", "host", "browserHash", "target", "person" FROM "SamlLogin"
        WHERE "ticketHash" = ${ticketHash} AND "expiresAt" > ${now()}`);
      if (found === undefined) return null;
      const [routeId, host, browserHash, target, person] = found;
      return {
        routeId: String(routeId),
        host: String(host),
        browserHash: browserHash === null ? null : String(browserHash),
        target: String(target),
        vouched: readVouched(String(person)),
      } satisfies AnsweredLogin;
    },

    async end(ticketHash) {
      return (await server.change(sql`DELETE FROM "SamlLogin" WHERE "ticketHash" = ${ticketHash}`)) === 1;
    },
  };
}

/** How far a login is when it is written down for the first time. */
interface Progress {
  readonly requestId?: string | null;
  readonly ticketHash?: string | null;
  readonly person?: string;
  readonly begunAt?: Date;
  readonly expiresAt?: Date;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Reads whom an identity provider vouched for. Throws Error for what this program has not written. */
export function readVouched(json: string): Vouched {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) throw new Error('A login names nobody.');
  const { user, email, name, groups, issuer, sessionEndsAt } = value;
  if (typeof user !== 'string' || typeof issuer !== 'string' || !Array.isArray(groups)) {
    throw new Error('A login names nobody.');
  }
  return {
    user,
    email: typeof email === 'string' ? email : null,
    name: typeof name === 'string' ? name : null,
    groups: groups.map(String),
    issuer,
    sessionEndsAt: typeof sessionEndsAt === 'string' ? new Date(sessionEndsAt) : null,
  };
}
