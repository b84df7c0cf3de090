// Logins in progress, in the database, so that any server can continue a login that another has begun.

import type { AnsweredLogin, BegunLogin, LoginModule, Logins } from '../../domain/gate/login.ts';
import { readVouched } from '../../domain/gate/vouched.ts';
import { emailVerifications } from '../../domain/oidc/settings.ts';
import { readChoice, readTextList } from '../../domain/values/decode.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { isMissingReference } from '../../storage/errors.ts';
import { createBrowserState, loginMsMax } from '../../storage/keys/browser-state.ts';
import { createLoginProviders } from '../../storage/keys/login-providers.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import { openDecryptionKeys, openSigningKey } from '../../storage/keys/service-provider-keys.ts';
import { sql } from '../../storage/sql/statement.ts';
import type { Storage } from '../../storage/storage.ts';
import { sealIdToken } from './id-token-store.ts';
import { isLoggedOut } from './logout-store.ts';
import { oidcTerms } from './oidc-terms.ts';
import { deviceHashOf, registrationUsersMax, usingRegistration } from './registration-store.ts';
import { samlTerms, termColumns } from './saml-terms.ts';

/** Milliseconds that a browser has to fetch its session. */
const ticketMs = 60_000;
/** How often the failures of a provider are written, in milliseconds, and how much of one. */
const failuresMs = 60_000;
const failureCharactersMax = 300;
/** Longest target that is kept, in characters. Proxies accept 8 KB, but a row of each stranger costs room. */
const targetCharactersMax = 6_000;
/** Most targets that are kept for a route, and how many that are over go with each new one: more than come, so that few are left. */
const targetsMax = 1_000;
const targetsForgotten = 2;

/** Creates the store of logins. */
export function createLogins({ server, forAccount }: Pick<Storage, 'server' | 'forAccount'>, now: () => Date): Logins {
  const providerOf = createLoginProviders();
  const sealed = createBrowserState(forAccount, now);
  const findOwner = async (routeId: string): Promise<string | null> => {
    if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
    const [owner] = await server.rows(
      sql`SELECT "accountId" FROM "SamlModule" WHERE "routeId" = ${routeId} AND "loginRouteId" IS NULL`,
    );
    return owner === undefined ? null : String(owner[0]);
  };
  const keepAnswered = async (
    { accountId, routeId, registrationId }: Pick<LoginModule, 'accountId' | 'routeId' | 'registrationId'>,
    { host, browserHash, device, target }: BegunLogin,
    ticketHash: string,
    answered: Pick<AnsweredLogin, 'vouched' | 'issuedAt'> & {
      readonly sourceId: string | null;
      readonly idToken: string | null;
    },
  ): Promise<void> => {
    const expiresAt = new Date(now().getTime() + ticketMs);
    const { vouched, issuedAt, sourceId, idToken } = answered;
    const sealed = idToken === null ? null : sealIdToken(forAccount(accountId), routeId, idToken);
    const deviceHash = device === null ? null : deviceHashOf(device, registrationId);
    await server.change(sql`
      INSERT INTO "SamlLogin" ("ticketHash", "accountId", "routeId", "host", "browserHash", "deviceHash", "expiresAt", "issuedAt", "target",
        "sourceId", "person", "idToken")
      VALUES (${ticketHash}, ${accountId}, ${routeId}, ${host}, ${browserHash}, ${deviceHash}, ${expiresAt}, ${issuedAt}, ${target},
        ${sourceId}, ${JSON.stringify(vouched)}, ${sealed})`);
  };
  return {
    findOwner,

    async findModule(routeId) {
      if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
      const [row] = await server.rows(sql`SELECT "accountId" FROM "SamlModule" WHERE "routeId" = ${routeId}`);
      if (row === undefined) return null;
      const accountId = String(row[0]);
      const { db, secrets } = forAccount(accountId);
      const registration = {
        select: { idpMetadata: true, metadataReadAt: true, sealedPrivateKey: true, sealedDecryptionKeys: true },
      } as const;
      const include = { route: { select: { edgeId: true } }, registration } as const;
      const found = await db.samlModule.findFirst({ where: { routeId }, include });
      if (found === null) return null;
      const registrationId = found.loginRouteId ?? routeId;
      const owner = { kind: 'SamlModule', id: registrationId };
      const { idpMetadata, metadataReadAt, sealedPrivateKey, sealedDecryptionKeys } = found.registration ?? found;
      const provider = await providerOf(accountId, registrationId, idpMetadata);
      return {
        ...samlTerms(found, provider.entityId),
        routeId,
        edgeId: found.route.edgeId,
        accountId,
        nameidFormat: found.nameidFormat,
        registrationId,
        provider,
        metadataReadAt,
        openSigningKey: () => openSigningKey(secrets, owner, sealedPrivateKey),
        openDecryptionKeys: () => openDecryptionKeys(secrets, owner, sealedDecryptionKeys),
      };
    },

    async findRoutes({ accountId, registrationId }) {
      const routes = await forAccount(accountId).db.samlModule.findMany({
        where: { OR: usingRegistration(registrationId) },
        select: { routeId: true, route: { select: { edgeId: true } }, ...termColumns },
        take: 2 * registrationUsersMax,
      });
      return new Map(routes.map(({ route, ...module }) => [module.routeId, { ...module, ...route }]));
    },

    async findOidcModule(routeId) {
      if (!isIdOf('HttpsEdgeRoute', routeId)) return null;
      const [owner] = await server.rows(sql`SELECT "accountId" FROM "OidcModule" WHERE "routeId" = ${routeId}`);
      if (owner === undefined) return null;
      const accountId = String(owner[0]);
      const { db, secrets } = forAccount(accountId);
      const include = { route: { select: { edgeId: true } }, registration: true } as const;
      const found = await db.oidcModule.findFirst({ where: { routeId }, include });
      if (found === null) return null;
      const registrationId = found.loginRouteId ?? routeId;
      const { issuer, clientId, sealedClientSecret, failedAt } = found.registration ?? found;
      return {
        ...oidcTerms({ ...found, issuer, clientId }),
        routeId,
        registrationId,
        edgeId: found.route.edgeId,
        accountId,
        issuer,
        clientId,
        scopes: readTextList(found.scopes),
        groupsClaim: found.groupsClaim,
        emailVerification: readChoice(emailVerifications, found.emailVerification),
        authorizedEmailDomains: readTextList(found.authorizedEmailDomains),
        openClientSecret: () =>
          sealedClientSecret === null
            ? null
            : Buffer.from(secrets.open(sealedClientSecret, ownerOf('OidcModule', registrationId))).toString(),
        isFailing: failedAt !== null,
      };
    },

    async noteProvider({ registrationId: routeId, isFailing }, failure) {
      if (failure === null) {
        if (!isFailing) return;
        await server.change(
          sql`UPDATE "OidcModule" SET "failure" = NULL, "failedAt" = NULL WHERE "routeId" = ${routeId}`,
        );
        return;
      }
      const time = now();
      const before = new Date(time.getTime() - failuresMs);
      await server.change(sql`
        UPDATE "OidcModule" SET "failure" = ${failure.slice(0, failureCharactersMax)}, "failedAt" = ${time}
        WHERE "routeId" = ${routeId} AND ("failedAt" IS NULL OR "failedAt" <= ${before})`);
    },

    seal: ({ accountId, routeId }, purpose, text) => sealed.seal(accountId, ownerOf(purpose, routeId), text),
    open: ({ accountId, routeId }, purpose, given) => sealed.open(accountId, ownerOf(purpose, routeId), given),

    async keepTarget({ accountId, routeId }, browserHash, target) {
      if (target.length > targetCharactersMax) return false;
      const time = now();
      const full = await server.rows(sql`
        SELECT 1 FROM "SamlTarget" WHERE "routeId" = ${routeId} AND "expiresAt" > ${time} LIMIT 1 OFFSET ${targetsMax - 1}`);
      if (full.length > 0) return false;
      const expiresAt = new Date(time.getTime() + loginMsMax);
      const kept = sql`
        INSERT INTO "SamlTarget" ("browserHash", "accountId", "routeId", "target", "expiresAt")
        VALUES (${browserHash}, ${accountId}, ${routeId}, ${target}, ${expiresAt})
        ON CONFLICT ("browserHash") DO UPDATE SET "target" = excluded."target", "expiresAt" = excluded."expiresAt"
        WHERE "SamlTarget"."routeId" = excluded."routeId"`;
      // Upkeep deletes them only by a clock that has proved right, and strangers fill the table sooner than that. Whether one is over
      // is asked twice: a login that begins anew at the same time may renew one that was found.
      const over = sql`
        DELETE FROM "SamlTarget" WHERE "expiresAt" <= ${time} AND "browserHash" IN (
          SELECT "browserHash" FROM "SamlTarget" WHERE "routeId" = ${routeId} AND "expiresAt" <= ${time}
          ORDER BY "expiresAt" LIMIT ${targetsForgotten})`;
      return (await server.change(kept, over)) === 1;
    },

    async findTarget({ routeId }, browserHash) {
      const [found] = await server.rows(sql`
        SELECT "target" FROM "SamlTarget"
        WHERE "browserHash" = ${browserHash} AND "routeId" = ${routeId} AND "expiresAt" > ${now()}`);
      return found === undefined ? null : String(found[0]);
    },

    async use({ accountId, routeId }, idHash, usableUntil) {
      const written = await server.change(sql`
        INSERT INTO "SamlUsedAssertion" ("accountId", "routeId", "idHash", "usableUntil")
        VALUES (${accountId}, ${routeId}, ${idHash}, ${usableUntil}) ON CONFLICT DO NOTHING`);
      return written === 1;
    },

    async isUsed({ routeId }, idHash) {
      const found = await server.rows(sql`
        SELECT 1 FROM "SamlUsedAssertion" WHERE "routeId" = ${routeId} AND "idHash" = ${idHash}`);
      return found.length > 0;
    },

    isLoggedOut: ({ routeId }, user, issuedAt) => isLoggedOut(server, routeId, user, issuedAt),

    answer: (module, begun, ticketHash, vouched, issuedAt, idToken: string | null = null) =>
      keepAnswered(module, begun, ticketHash, { vouched, issuedAt, sourceId: null, idToken }),

    async continueSession(module, begun, ticketHash, { id: sourceId, vouched, createdAt: issuedAt }) {
      try {
        await keepAnswered(module, begun, ticketHash, { vouched, issuedAt, sourceId, idToken: null });
        return true;
      } catch (error) {
        if (isMissingReference(error)) return false;
        throw error;
      }
    },

    async findAnswered(ticketHash) {
      const [found] = await server.rows(sql`
        SELECT l."accountId", l."routeId", l."host", l."browserHash", l."deviceHash", l."issuedAt", l."target", l."person",
          l."idToken", COALESCE(m."loginRouteId", o."loginRouteId", l."routeId"), s."createdAt"
        FROM "SamlLogin" l LEFT JOIN "SamlModule" m ON m."routeId" = l."routeId" LEFT JOIN "OidcModule" o ON o."routeId" = l."routeId"
          LEFT JOIN "LoginSession" s ON s."id" = l."sourceId"
        WHERE l."ticketHash" = ${ticketHash} AND l."expiresAt" > ${now()}`);
      if (found === undefined) return null;
      const [accountId, routeId, host, browserHash, deviceHash, issuedAt, target, person, ...others] = found;
      const [idToken, registrationId, loggedIn] = others;
      return {
        ticketHash,
        accountId: String(accountId),
        routeId: String(routeId),
        registrationId: String(registrationId),
        host: String(host),
        browserHash: browserHash === null ? null : String(browserHash),
        deviceHash: deviceHash === null ? null : String(deviceHash),
        target: String(target),
        vouched: readVouched(String(person)),
        issuedAt: server.decode.DateTime(issuedAt),
        sealedIdToken: idToken === null ? null : server.decode.Bytes(idToken),
        continued: loggedIn === null ? null : { createdAt: server.decode.DateTime(loggedIn) },
      } satisfies AnsweredLogin;
    },
  };
}
