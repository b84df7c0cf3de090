// Users whom identity providers have logged out: what was vouched for before that, and arrives later, makes no session
// (SAML core 3.7.3.2). In the database, so that every server knows.

import { hashOf } from '../../domain/gate/secrets.ts';
import type { LoggedOut } from '../../domain/gate/session.ts';
import { assertionMsMax } from '../../domain/saml/assertion.ts';
import type { NamedUser } from '../../domain/saml/logout.ts';
import { clockSkewMs } from '../../domain/saml/times.ts';
import type { AccountView } from '../../storage/account-scope.ts';
import type { ServerScope } from '../../storage/server-scope.ts';
import { sql } from '../../storage/statement.ts';

/** Stands for all sessions of a user. */
const allSessions = '';

/** Remembers that an identity provider has logged a user out, for as long as it could have vouched for him before that. */
export async function rememberLogout(
  { change }: Pick<ServerScope, 'change'>,
  { accountId, routeId }: { readonly accountId: string; readonly routeId: string },
  { nameId, sessionIndexes, issuedAt }: LoggedOut,
): Promise<void> {
  const countsUntil = new Date(issuedAt.getTime() + assertionMsMax + clockSkewMs);
  const sessions = new Set(sessionIndexes.length === 0 ? [allSessions] : sessionIndexes.map(hashOf));
  const rows = [...sessions].map(
    (session) => sql`(${accountId}, ${routeId}, ${hashOf(nameId)}, ${session}, ${issuedAt}, ${countsUntil})`,
  );
  await change(sql`
    INSERT INTO "SamlLogout" ("accountId", "routeId", "userHash", "sessionHash", "issuedAt", "countsUntil")
    VALUES ${rows.reduce((all, row) => sql`${all}, ${row}`)}
    ON CONFLICT ("routeId", "userHash", "sessionHash")
    DO UPDATE SET "issuedAt" = excluded."issuedAt", "countsUntil" = excluded."countsUntil"
    WHERE excluded."issuedAt" > "SamlLogout"."issuedAt"`);
}

/**
 * Tells whether a user was logged out after an identity provider vouched for him, by its own clock, which may count in seconds: in the
 * same instant, only the session that it named is over, and not one that began anew.
 */
export async function isLoggedOut(
  { db }: AccountView,
  routeId: string,
  { nameId, sessionIndex }: NamedUser,
  issuedAt: Date,
): Promise<boolean> {
  const later = { issuedAt: { gt: issuedAt } };
  const session = sessionIndex === null ? null : { sessionHash: hashOf(sessionIndex), issuedAt: { gte: issuedAt } };
  // Without an index it could be any of the user's sessions.
  const logouts = session === null ? later : { OR: [{ sessionHash: allSessions, ...later }, session] };
  const found = await db.samlLogout.findFirst({ where: { routeId, userHash: hashOf(nameId), ...logouts } });
  return found !== null;
}
