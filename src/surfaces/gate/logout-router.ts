// The logout pages at our own address: where browsers leave for the identity provider after a logout at the application, and where
// identity providers send requests and responses. A session ends before anything is sent.

import express, { type Request, type Router } from 'express';
import type { LoginModule, Logins } from '../../domain/gate/login.ts';
import { openLeaving, requestIdOf, sealedIn } from '../../domain/gate/login-state.ts';
import type { Sessions } from '../../domain/gate/session.ts';
import {
  checkLogoutRequest,
  checkLogoutResponse,
  type LogoutRequest,
  writeLogoutRequest,
  writeLogoutResponse,
} from '../../domain/saml/logout.ts';
import { type ArrivedMessage, readPosted, readRedirected } from '../../domain/saml/logout-message.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import { checkMetadata } from '../../domain/saml/response.ts';
import type { Clock } from '../../domain/saml/times.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { queryTextOf, type Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { receiveMessageForm } from '../kit/message-form.ts';
import { framedHeaders } from '../kit/visitor-page.ts';
import type { PageKind, RouteRequest, SamlPages, Step } from './saml-pages.ts';
import type { SessionEvent } from './session-events.ts';

export interface LogoutRouterOptions {
  readonly pages: SamlPages;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly clock: () => Clock;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Receives each logout. */
  readonly happened: (event: SessionEvent) => void;
}

const kind: PageKind = {
  event: 'logout',
  headers: framedHeaders,
  refusal: () => ({
    title: 'Not logged out',
    text:
      'What the identity provider has sent to log you out was refused. Open the application and log out there, or close all ' +
      'windows of your browser. The administrator of this site can find the cause by the reference below.',
  }),
};

const loggedOut = { title: 'Logged out', text: 'You are logged out. You can close this window.' } as const;
const loggedOutHere = {
  title: 'Logged out',
  text:
    'Your session here has ended. The identity provider may still know you, and let you in again without asking: to log out there ' +
    'as well, close all windows of your browser.',
} as const;

/** Says on a page at which hosts sessions have ended. */
function naming(hosts: readonly string[], page: { readonly title: string; readonly text: string }) {
  const named = hosts.map((host) => host.replace(/:443$/, '')).join(', ');
  return named === '' ? page : { ...page, text: `${page.text} Sessions have ended at: ${named}.` };
}

/** Creates the router of the pages. */
export function createLogoutRouter(options: LogoutRouterOptions): Router {
  const { pages, logins, sessions, clock, randomBytes, happened } = options;
  const router = express.Router({ caseSensitive: true });

  const leave = router.route('/saml/:routeId/logout');
  leave.get(
    pages.page(kind, async (request, reply) => {
      const module = await pages.findModule(request, reply);
      const { logout } = module.provider;
      const leaving = openLeaving(logins, module, new URLSearchParams(queryTextOf(request.url)).get('state') ?? '');
      // A browser that comes without a state, or too late, has no session here either.
      if (logout === null || leaving === null) return naming(leaving?.hosts ?? [], loggedOutHere);
      const { named, hosts } = leaving;
      const registration = { accountId: module.accountId, routeId: module.registrationId };
      // The answer repeats it, so that the page after it can name the hosts.
      const id = requestIdOf(logins.seal(registration, 'logout request', hosts.join(' ')));
      const { location: destination } = logout.requests;
      const head = { id, sentAt: clock().now, destination, issuer: pages.urlsOf(module).entityId };
      return pages.sendInTurn(module, reply, writeLogoutRequest(head, named), logout.requests, null);
    }),
  );
  leave.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  /** Ends the sessions that an identity provider names, and tells it so. */
  const answerRequest = async (
    module: LoginModule,
    request: LogoutRequest,
    relayState: string,
    reply: Reply,
  ): Promise<Step> => {
    const { provider } = module;
    const used = hashOf(`logout ${request.id}`);
    // A repeated request is answered again, and ends no session that has begun since.
    if (!(await logins.isUsed(module, used))) {
      const reference = reply.locals.info.requestId;
      const by = { issuer: provider.entityId, requestId: reference, clientAddress: pages.addressOf(reply) };
      const ended = await sessions.endOfUser(module, request, by);
      await logins.use(module, used, request.usableUntil);
      happened({ event: 'logout', routeId: module.routeId, reason: 'identity_provider', reference, sessions: ended });
    }
    if (provider.logout === null) return loggedOut;
    const { responses } = provider.logout;
    const id = `_${Buffer.from(randomBytes(16)).toString('hex')}`;
    const head = { id, sentAt: clock().now, destination: responses.location, issuer: pages.urlsOf(module).entityId };
    const state = relayState === '' ? null : relayState;
    return pages.sendInTurn(module, reply, writeLogoutResponse(head, request.id), responses, state);
  };

  /** Checks a message. Returns the hosts at which sessions had ended for a response that says that all went well. Throws LoginRefusal. */
  const check = (
    module: LoginModule,
    arrived: ArrivedMessage,
  ): LogoutRequest | { readonly endedAt: readonly string[] } => {
    const { provider } = module;
    checkMetadata(provider, clock().now);
    const expected = { provider, urls: pages.urlsOf(module), decryption: pages.decryptionOf(module) };
    if (arrived.parameter === 'SAMLRequest') {
      return checkLogoutRequest(arrived.verify(provider.signingKeys), expected, clock());
    }
    let hosts: readonly string[] = [];
    const isOurs = (id: string) => {
      const opened = logins.open(module, 'logout request', sealedIn(id));
      hosts = opened?.text.split(' ') ?? [];
      return opened !== null;
    };
    checkLogoutResponse(arrived.verify(provider.signingKeys), expected, isOurs, clock());
    return { endedAt: hosts.filter((host) => host !== '') };
  };

  /** Receives a message and answers it. The account is found first, so that a refusal of the message is in its trail. */
  const take = async (
    request: RouteRequest,
    reply: Reply,
    receive: () => Promise<() => ArrivedMessage>,
  ): Promise<Step> => {
    const accountId = await pages.findOwner(request, reply);
    const read = await receive();
    let isResponse = false;
    try {
      const { module, relayState, checked } = await pages.checkInTurn(
        kind.event,
        accountId,
        request,
        reply,
        (module) => {
          const arrived = read();
          isResponse = arrived.parameter === 'SAMLResponse';
          return { module, relayState: arrived.relayState, checked: check(module, arrived) };
        },
      );
      if ('endedAt' in checked) return naming(checked.endedAt, loggedOut);
      return await answerRequest(module, checked, relayState, reply);
    } catch (error) {
      // A response only reports on sessions elsewhere, and ends nothing here.
      if (!isResponse || !(error instanceof LoginRefusal)) throw error;
      pages.refused('logout', request.params.routeId, reply, error);
      return loggedOutHere;
    }
  };
  const service = router.route('/saml/:routeId/slo');
  service.get(
    pages.page(kind, (request, reply) =>
      take(request, reply, async () => () => readRedirected(queryTextOf(request.url))),
    ),
  );
  service.post(
    pages.page(kind, (request, reply) =>
      take(request, reply, async () => {
        const parse = await receiveMessageForm(request, reply);
        return () => readPosted(parse());
      }),
    ),
  );
  service.all((request: Request, reply: Reply) => answerOtherMethod(['GET', 'POST'], request, reply));
  return router;
}
