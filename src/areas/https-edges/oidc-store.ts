// The OpenID Connect modules of routes in the database.

import { invalid, unknownReference } from '../../domain/errors.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row, type Write } from '../../storage/objects/collection.ts';
import { httpsEdgeRoutes, oidcModules } from './collections-store.ts';
import { anotherLogin, countInEdge, countingBytes, type RouteChange, type RouteWrite } from './counting-store.ts';
import { endingLogins, endManySessions, endSessionsOver } from './login-session-store.ts';
import { bytesOfOidc, type CheckedOidcSettings, checkOidcSettings, type OidcSettings } from './oidc-rules.ts';
import { referencesOf, usersOf } from './registration-store.ts';

/**
 * Sets the OpenID Connect module of a route. Without a client secret it keeps the one that is stored, because clients put back what
 * they got; that of another client or provider is never used.
 *
 * @param signal drops a queued change when nobody is waiting for the result any more
 * @throws INVALID_INPUT, also if the route has a SAML module, NOT_FOUND as `getRoute`, VERSION_CONFLICT, UNAVAILABLE if too many
 *   changes of the route are waiting, and as `referencesOf`
 */
export async function replaceOidcModule(
  scope: AccountScope,
  input: RouteChange & OidcSettings,
  signal?: AbortSignal,
): Promise<Row<'HttpsEdgeRoute'>> {
  const { clientSecret, ...settings } = checkOidcSettings(input);
  const routeId = input.id;
  const { loginRouteId } = settings;
  const bytes = bytesOfOidc(settings);
  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version, bytes: seenBytes }, added) => {
    if (seenBytes.saml !== null) throw anotherLogin('a SAML');
    const former = await scope.db.oidcModule.findFirst({ where: { routeId } });
    const isSameClient = former?.issuer === settings.issuer && former.clientId === settings.clientId;
    const kept = isSameClient ? former.sealedClientSecret : null;
    if (loginRouteId === null && clientSecret === null && kept === null) {
      throw invalid(
        'clientSecret',
        former === null || isSameClient
          ? 'must be given: no secret of the client is stored.'
          : 'must be given, because the stored one belongs to another issuer or client.',
      );
    }
    const sealedClientSecret = clientSecret === null ? kept : sealSecret(scope, routeId, clientSecret);
    // What was wrong with the former settings says nothing about these.
    const stored = { ...settings, sealedClientSecret, failure: null, failedAt: null, routeId };
    const module = oidcModules.prepareSet(scope, { ...stored, bytes });
    const isSame = (former?.loginRouteId ?? null) === loginRouteId;
    const reference = isSame ? [] : await referencesOf(scope, 'oidc', routeId, loginRouteId);
    const alongside = [countInEdge(scope, input.edgeId, added), ...reference];
    const update = (...following: readonly Write[]) =>
      httpsEdgeRoutes.update(scope, routeId, countedUp, version, { alongside, following });
    if (former === null) return { ...(await update(module)), oidc: stored };
    const issuer = loginRouteId === null ? settings.issuer : await issuerOf(scope, loginRouteId);
    const ends = [{ ...settings, issuer }];
    // Whoever was let in by other rules logs in again, also who is about to fetch a session; by another client, at all routes that use
    // it.
    const users = isSameClient ? [] : (await usersOf(scope, [routeId])).map(({ id }) => id);
    const routeIds = [...(isVouchedAlike(former, settings) ? [] : [routeId]), ...users];
    if (routeIds.length > 0) await endManySessions(scope, routeIds);
    else await endSessionsOver(scope, routeId, ends);
    const route = await update(module, ...(routeIds.length === 0 ? [] : endingLogins(scope, routeIds)));
    await endSessionsOver(scope, routeId, ends);
    return { ...route, oidc: stored };
  };
  return countingBytes(scope, input, bytes, write, signal);
}

function sealSecret({ secrets }: AccountScope, routeId: string, clientSecret: string): Uint8Array<ArrayBuffer> {
  return secrets.seal(Buffer.from(clientSecret), ownerOf('OidcModule', routeId));
}

/** Finds the issuer of the registration of a route. Throws UNKNOWN_REFERENCE as `referencesOf` if it is gone. */
async function issuerOf({ db }: AccountScope, routeId: string): Promise<string> {
  const registration = await db.oidcModule.findFirst({ where: { routeId }, select: { issuer: true } });
  if (registration === null) throw unknownReference('loginRouteId', 'route of an HTTPS edge', routeId);
  return registration.issuer;
}

/**
 * Prepares the writes that set or remove a module when its route is restored. The trail has no secrets: a module that exists keeps its
 * own if it is of the same client; otherwise nobody can log in until the secret is given again.
 */
export function restoringOidc(
  scope: AccountScope,
  routeId: string,
  oidc: (Omit<CheckedOidcSettings, 'clientSecret'> & { readonly bytes: number }) | null,
  former: Pick<Row<'OidcModule'>, 'issuer' | 'clientId'> | null,
): Write[] {
  if (oidc === null) return former === null ? [] : [oidcModules.prepareRemove(scope, { routeId })];
  const isSameClient = former !== null && former.issuer === oidc.issuer && former.clientId === oidc.clientId;
  if (isSameClient) return [oidcModules.prepareUpdate(scope, { routeId }, oidc)];
  return [oidcModules.prepareSet(scope, { ...oidc, sealedClientSecret: null, routeId })];
}

/** The rules by which a login is accepted: they are not applied again to sessions. */
type LoginRules = Pick<
  CheckedOidcSettings,
  'loginRouteId' | 'issuer' | 'clientId' | 'groupsClaim' | 'emailVerification' | 'authorizedEmailDomains'
>;

/** Returns whether users have been let in by the same rules. */
function isVouchedAlike(
  former: Omit<LoginRules, 'emailVerification' | 'authorizedEmailDomains'> & {
    readonly emailVerification: string;
    readonly authorizedEmailDomains: unknown;
  },
  settings: LoginRules,
): boolean {
  return (
    former.loginRouteId === settings.loginRouteId &&
    former.issuer === settings.issuer &&
    former.clientId === settings.clientId &&
    former.groupsClaim === settings.groupsClaim &&
    former.emailVerification === settings.emailVerification &&
    readTextList(former.authorizedEmailDomains).join() === settings.authorizedEmailDomains.join()
  );
}
