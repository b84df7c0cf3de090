// The logout pages of OpenID Connect at our own address: where browsers leave for the provider after a logout at the application, and
// where providers say, from server to server, whom they have logged out (Back-Channel Logout 1.0). A session ends before anything is sent.

import express, { type Request, type Router } from 'express';
import type { Logins, OidcLoginModule } from '../../domain/gate/login.ts';
import { openLeaving } from '../../domain/gate/login-state.ts';
import type { Sessions } from '../../domain/gate/session.ts';
import { logoutTokenCharactersMax } from '../../domain/oidc/logout-token.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import { hashOf } from '../../domain/values/hash.ts';
import type { OpenIdProviders } from '../../outgoing/openid-providers.ts';
import { queryTextOf, type Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { send } from '../../wire/send.ts';
import { receiveMessageForm } from '../kit/message-form.ts';
import { loginPage } from './begun-login.ts';
import type { RouteRequest, SamlPages } from './saml-pages.ts';
import type { SessionEvent } from './session-events.ts';

export interface OidcLogoutRouterOptions {
  readonly pages: SamlPages;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly providers: OpenIdProviders;
  /** Receives each logout. */
  readonly happened: (event: SessionEvent) => void;
}

const loggedOutHere = {
  title: 'Logged out',
  text:
    'Your session here has ended. The provider may still know you, and let you in again without asking: to log out there as well, ' +
    'close all windows of your browser.',
} as const;

/** Creates the router of the pages. */
export function createOidcLogoutRouter({
  pages,
  logins,
  sessions,
  providers,
  happened,
}: OidcLogoutRouterOptions): Router {
  const router = express.Router({ caseSensitive: true });

  const leave = router.route('/oidc/:routeId/logout');
  leave.get(
    pages.page({ ...loginPage, event: 'logout' }, async (request, reply) => {
      const module = await pages.findOidcModule(request, reply);
      const leaving = openLeaving(logins, module, new URLSearchParams(queryTextOf(request.url)).get('state') ?? '');
      const user = leaving === null ? null : { subject: leaving.named.nameId, idToken: leaving.idToken };
      const location = await providers.endUrl(module, user).catch((error: unknown) => {
        // The session here has ended, whatever the provider says.
        if (error instanceof LoginRefusal) return null;
        throw error;
      });
      return location === null ? loggedOutHere : { status: 303, location };
    }),
  );
  leave.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  /** Ends the sessions that a logout token names. A repeated one ends no session that has begun since. */
  const obey = async (module: OidcLoginModule, token: string, reply: Reply): Promise<void> => {
    const { id, subject, sessionId, issuedAt, usableUntil } = await providers.checkLogout(module, token);
    const used = hashOf(`logout token ${id}`);
    if (await logins.isUsed(module, used)) return;
    const { routeId, issuer } = module;
    const { requestId: reference } = reply.locals.info;
    const loggedOut = { nameId: subject, sessionIndexes: sessionId === null ? [] : [sessionId], issuedAt };
    const by = { issuer, requestId: reference, clientAddress: pages.addressOf(reply) };
    const ended = await sessions.endOfUser(module, loggedOut, by);
    await logins.use(module, used, usableUntil);
    happened({ event: 'logout', routeId, reason: 'identity_provider', reference, sessions: ended });
  };

  const backchannel = router.route('/oidc/:routeId/backchannel-logout');
  backchannel.post(async (request: RouteRequest, reply: Reply) => {
    const module = await pages.findOidcRegistration(request, reply);
    reply.setHeader('Cache-Control', 'no-store');
    try {
      const parse = await receiveMessageForm(request, reply, logoutTokenCharactersMax + 1_024);
      const [token = '', ...others] = parse().getAll('logout_token');
      if (token.length > logoutTokenCharactersMax) {
        throw new LoginRefusal('too_large', 'The logout token is too long.');
      }
      if (others.length > 0) throw new LoginRefusal('malformed', 'The form has more than one logout token.');
      // Forgeries that a look shows are refused before anything is asked, and no token with a known key waits behind one that has none.
      providers.readLogout(module, token);
      const lane = (await providers.hasKeyOf(module, token)) ? 'logout' : 'logoutKey';
      await pages.withProvider(lane, module, reply, () => obey(module, token, reply));
      send(reply, 200, 'text/plain; charset=utf-8', '');
    } catch (error) {
      if (!(error instanceof LoginRefusal)) throw error;
      pages.refused('logout', module.routeId, reply, error);
      // Section 2.8. Who cannot be asked for keys may be asked again; nobody else learns what was wrong.
      const status = error.reason === 'provider' ? 503 : 400;
      send(reply, status, 'application/json', JSON.stringify({ error: 'invalid_request' }));
    }
  });
  backchannel.all((request: Request, reply: Reply) => answerOtherMethod(['POST'], request, reply));
  return router;
}
