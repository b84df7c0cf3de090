// Users whom identity providers have logged out: an assertion issued before the logout that arrives later creates no session
// (SAML core 3.7.3.2). Kept in the database, so that every server knows.

import type { LoggedOut } from '../../domain/gate/session.ts';
import { assertionMsMax } from '../../domain/saml/assertion.ts';
import type { NamedUser } from '../../domain/saml/logout.ts';
import { clockSkewMsMax } from '../../domain/saml/times.ts';
import { hashOf } from '../../domain/values/hash.ts';
import type { ServerScope } from '../../storage/objects/server-scope.ts';
import { sql } from '../../storage/sql/statement.ts';

/** The session hash that stands for all sessions of a user, and the user hash for whoever a session belongs to. */
const allSessions = '';
const anyUser = '';

/** Remembers that an identity provider has logged a user out, for as long as assertions from before the logout are valid. */
export async function rememberLogout(
  { change }: Pick<ServerScope, 'change'>,
  { accountId, routeId }: { readonly accountId: string; readonly routeId: string },
  { nameId, sessionIndexes, issuedAt }: LoggedOut,
): Promise<void> {
  const countsUntil = new Date(issuedAt.getTime() + assertionMsMax + clockSkewMsMax);
  const userHash = nameId === null ? anyUser : hashOf(nameId);
  const sessions = new Set(sessionIndexes.length === 0 ? [allSessions] : sessionIndexes.map(hashOf));
  const rows = [...sessions].map(
    (session) => sql`(${accountId}, ${routeId}, ${userHash}, ${session}, ${issuedAt}, ${countsUntil})`,
  );
  await change(sql`
    INSERT INTO "SamlLogout" ("accountId", "routeId", "userHash", "sessionHash", "issuedAt", "countsUntil")
    VALUES ${rows.reduce((all, row) => sql`${all}, ${row}`)}
    ON CONFLICT ("routeId", "userHash", "sessionHash")
    DO UPDATE SET "issuedAt" = excluded."issuedAt", "countsUntil" = excluded."countsUntil"
    WHERE excluded."issuedAt" > "SamlLogout"."issuedAt"`);
}

/**
 * Returns whether a user was logged out after an identity provider issued an assertion, by the provider's clock. That clock may
 * count in whole seconds: if both times are equal, only a session that the logout named has ended, because any other may have begun
 * since.
 */
export async function isLoggedOut(
  { rows }: Pick<ServerScope, 'rows'>,
  routeId: string,
  { nameId, sessionIndex }: NamedUser,
  issuedAt: Date,
): Promise<boolean> {
  const later = sql`"issuedAt" > ${issuedAt}`;
  // Without a session index, the assertion could belong to any of the user's sessions.
  const which =
    sessionIndex === null
      ? later
      : sql`("sessionHash" = ${allSessions} AND ${later} OR "sessionHash" = ${hashOf(sessionIndex)} AND "issuedAt" >= ${issuedAt})`;
  const ofUser = sql`"routeId" = ${routeId} AND "userHash" = ${hashOf(nameId)} AND ${which}`;
  const ofSession =
    sessionIndex === null
      ? sql``
      : sql`UNION ALL SELECT 1 FROM "SamlLogout"
          WHERE "routeId" = ${routeId} AND "userHash" = ${anyUser} AND "sessionHash" = ${hashOf(sessionIndex)}
            AND "issuedAt" >= ${issuedAt}`;
  const found = await rows(sql`SELECT 1 FROM "SamlLogout" WHERE ${ofUser} ${ofSession} LIMIT 1`);
  return found.length > 0;
}
