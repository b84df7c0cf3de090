// The OpenID Connect modules of routes in the database.

import { invalid } from '../../domain/errors.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row } from '../../storage/objects/collection.ts';
import { httpsEdgeRoutes, oidcModules } from './collections-store.ts';
import { anotherLogin, countInEdge, countingBytes, type RouteChange, type RouteWrite } from './counting-store.ts';
import { endingLogins, endManySessions, endSessionsOver } from './login-session-store.ts';
import { bytesOfOidc, type CheckedOidcSettings, checkOidcSettings, type OidcSettings } from './oidc-rules.ts';

/**
 * Sets the OpenID Connect module of a route. Without a client secret it keeps the one that is stored, because clients put back what
 * they got; that of another client or provider is never used.
 *
 * @param signal drops a queued change when nobody is waiting for the result any more
 * @throws INVALID_INPUT, also if the route has a SAML module, NOT_FOUND as `getRoute`, VERSION_CONFLICT, UNAVAILABLE if too many
 *   changes of the route are waiting
 */
export async function replaceOidcModule(
  scope: AccountScope,
  input: RouteChange & OidcSettings,
  signal?: AbortSignal,
): Promise<Row<'HttpsEdgeRoute'>> {
  const { clientSecret, ...settings } = checkOidcSettings(input);
  const routeId = input.id;
  const bytes = bytesOfOidc(settings);
  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version, bytes: seenBytes }, added) => {
    if (seenBytes.saml !== null) throw anotherLogin('a SAML');
    const former = await scope.db.oidcModule.findFirst({ where: { routeId } });
    const isSameClient = former?.issuer === settings.issuer && former.clientId === settings.clientId;
    const kept = isSameClient ? former.sealedClientSecret : null;
    if (clientSecret === null && kept === null) {
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
    const alongside = [countInEdge(scope, input.edgeId, added)];
    if (former !== null && !isVouchedAlike(former, settings)) await endManySessions(scope, [routeId]);
    else if (former !== null) await endSessionsOver(scope, routeId, [settings]);
    // Whoever was let in by other rules logs in again, also who is about to fetch a session.
    const ending = former !== null && !isVouchedAlike(former, settings) ? endingLogins(scope, routeId) : [];
    const following = [module, ...ending];
    const route = await httpsEdgeRoutes.update(scope, routeId, countedUp, version, { alongside, following });
    if (former !== null) await endSessionsOver(scope, routeId, [settings]);
    return { ...route, oidc: stored };
  };
  return countingBytes(scope, input, bytes, write, signal);
}

function sealSecret({ secrets }: AccountScope, routeId: string, clientSecret: string): Uint8Array<ArrayBuffer> {
  return secrets.seal(Buffer.from(clientSecret), ownerOf('OidcModule', routeId));
}

/** The rules by which a login is accepted: they are not applied again to sessions. */
type LoginRules = Pick<
  CheckedOidcSettings,
  'issuer' | 'clientId' | 'groupsClaim' | 'emailVerification' | 'authorizedEmailDomains'
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
    former.issuer === settings.issuer &&
    former.clientId === settings.clientId &&
    former.groupsClaim === settings.groupsClaim &&
    former.emailVerification === settings.emailVerification &&
    readTextList(former.authorizedEmailDomains).join() === settings.authorizedEmailDomains.join()
  );
}
