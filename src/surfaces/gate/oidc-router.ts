// The login pages of OpenID Connect at our own address: where browsers leave for the provider, and where they bring its answer.

import express, { type Request, type Router } from 'express';
import type { EdgeTable } from '../../domain/gate/edge-table.ts';
import type { Logins, OidcLoginModule } from '../../domain/gate/login.ts';
import { openBegun, sealBegun } from '../../domain/gate/login-state.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import type { Sessions } from '../../domain/gate/session.ts';
import { UnknownKey } from '../../domain/oidc/unknown-key.ts';
import { providerUrls } from '../../domain/oidc/urls.ts';
import { remedies } from '../../domain/remedies.ts';
import { LoginRefusal, type RefusalReason } from '../../domain/saml/refusal.ts';
import { hashOf } from '../../domain/values/hash.ts';
import type { OpenIdProviders } from '../../outgoing/openid-providers.ts';
import { queryTextOf, type Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { targetLost } from '../kit/visitor-page.ts';
import { findUsableEdge, loginPage, noteBegun } from './begun-login.ts';
import { createContinueLogin } from './continued-login.ts';
import { nameDevice } from './device.ts';
import { ticketUrl } from './own-paths.ts';
import type { SamlPages } from './saml-pages.ts';

export interface OidcRouterOptions {
  readonly pages: SamlPages;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly providers: OpenIdProviders;
  readonly findEdge: (edgeId: string) => Promise<EdgeTable | null>;
  readonly baseUrl: string | null;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Why nobody can log in, once a login has begun. */
const providerFails: ReadonlySet<RefusalReason> = new Set(['provider', 'client_refused', 'no_client_secret']);

/** Creates the router of the pages. */
export function createOidcRouter({
  pages,
  logins,
  sessions,
  providers,
  findEdge,
  baseUrl,
  randomBytes,
}: OidcRouterOptions): Router {
  const router = express.Router({ caseSensitive: true });
  const goOn = createContinueLogin({ logins, sessions, randomBytes });

  const redirectUri = (module: OidcLoginModule): string => {
    if (baseUrl === null) throw new LoginRefusal('disabled', `${remedies.setBaseUrl} is not set.`);
    return providerUrls(baseUrl, module.registrationId).redirect;
  };

  const login = router.route('/oidc/:routeId/login');
  login.get(
    pages.page(loginPage, async (request, reply, known) => {
      const module = await pages.findOidcModule(request, reply);
      const edge = await findUsableEdge(findEdge, 'OpenID Connect', module, known);
      const query = new URLSearchParams(queryTextOf(request.url));
      const given = query.get('state');
      // Whoever has no login to go on with, as on a page about an error, begins one at the application.
      if (given === null && known.link !== null) return { status: 303, location: known.link.href };
      const begun = openBegun(logins, module, 'login', given ?? '');
      if (begun === null) throw new LoginRefusal('state', 'The state of the login is not ours, or too old.');
      noteBegun(edge, begun, known);
      if (begun.isTargetLost && !query.has('start')) return targetLost(`${request.path}?start&state=${given}`);
      const own = redirectUri(module);
      const continued = await goOn(request, module, begun, own);
      if (continued !== null) return continued;
      const device = nameDevice(request, reply, own, randomBytes);
      const secret = newSecret(randomBytes, 32);
      // All that is known about the login is in the state, which the answer must repeat; nobody else can read the secret in it.
      const registration = { accountId: module.accountId, routeId: module.registrationId };
      const sealed = sealBegun(logins, registration, 'login request', { ...begun, device, isTargetLost: false });
      const state = logins.seal(registration, 'login request', `${secret} ${sealed}`);
      try {
        return { status: 303, location: await providers.beginUrl(module, own, { state, secret }) };
      } catch (failure) {
        if (failure instanceof LoginRefusal) await logins.noteProvider(module, failure.message);
        throw failure;
      }
    }),
  );
  login.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  const callback = router.route('/oidc/:routeId/callback');
  callback.get(
    pages.page(loginPage, async (request, reply, known) => {
      const registration = await pages.findOidcRegistration(request, reply);
      const answered = new URL(redirectUri(registration));
      answered.search = queryTextOf(request.url);
      const { searchParams: query } = answered;
      const [state = '', ...otherStates] = query.getAll('state');
      const opened = logins.open(registration, 'login request', state);
      const [, secret = '', sealed = ''] = /^([\w-]{43}) ([\w-]+)$/.exec(opened?.text ?? '') ?? [];
      const begun = openBegun(logins, registration, 'login request', sealed);
      const isOwn = begun === null || begun.routeId === registration.routeId;
      const module = isOwn ? registration : await logins.findOidcModule(begun.routeId);
      if (module?.registrationId !== registration.routeId) {
        throw new LoginRefusal('host', 'The route has another registration by now.');
      }
      const edge = await findUsableEdge(findEdge, 'OpenID Connect', module, known);
      if (opened === null || begun === null || otherStates.length > 0) {
        throw new LoginRefusal('state', 'The state of the login is not ours, or too old.');
      }
      noteBegun(edge, begun, known);
      const error = query.get('error');
      if (error !== null) throw new LoginRefusal('status', `The provider answers ${JSON.stringify(error)}.`);
      const redeem = async () => {
        // Before the code is redeemed: of two answers to one login, only the first may cost a request to the provider.
        if (!(await logins.use(registration, hashOf(`login request ${state}`), opened.usableUntil))) {
          throw new LoginRefusal('replayed', 'The login has been answered before.');
        }
        return providers.redeem(module, answered, { state, secret });
      };
      try {
        const { vouched, issuedAt, idToken } = await pages.withProvider('login', module, reply, redeem);
        known.user = vouched.user;
        await logins.noteProvider(module, null);
        if (await logins.isLoggedOut(registration, vouched.named, issuedAt)) {
          throw new LoginRefusal('logged_out', 'The provider has logged the user out since it issued the ID token.');
        }
        const ticket = newSecret(randomBytes, 32);
        await logins.answer(module, begun, hashOf(ticket), vouched, issuedAt, idToken);
        return { status: 303, location: ticketUrl(begun.host, ticket) };
      } catch (failure) {
        const isOfProvider = failure instanceof LoginRefusal && providerFails.has(failure.reason);
        if (isOfProvider) await logins.noteProvider(module, failure.message);
        // The code is spent, so the login begins anew, with the keys that the provider has now.
        const mayBeginAgain = failure instanceof UnknownKey && failure.mayBeginAgain && known.link !== null;
        if (!mayBeginAgain || known.link === null) throw failure;
        pages.refused('login', module.routeId, reply, failure, known, true);
        return { status: 303, location: known.link.href };
      }
    }),
  );
  callback.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  return router;
}
