// The pages of a login at our own address: where browsers leave for the identity provider, and where they bring its response.

import express, { type Request, type Router } from 'express';
import { SallyportError } from '../domain/errors.ts';
import { isTarget } from '../domain/gate/cookies.ts';
import type { EdgeTable } from '../domain/gate/edge-table.ts';
import type { BegunLogin, LoginModule, Logins, Vouched } from '../domain/gate/login.ts';
import { readHostport, readPath, splitUrl } from '../domain/gate/url.ts';
import type { Login } from '../domain/saml/assertion.ts';
import { redirectUrl } from '../domain/saml/authn-request.ts';
import { LoginRefusal, type RefusalReason, refusalReasons } from '../domain/saml/refusal.ts';
import { checkResponse } from '../domain/saml/response.ts';
import { serviceProviderUrls } from '../domain/saml/service-provider.ts';
import { createWorkQueue } from '../domain/work-queue.ts';
import { answerOtherMethod } from '../http/methods.ts';
import { clientGone, type Reply } from '../http/request.ts';
import { send } from '../http/send.ts';
import { refusalHeaders, writeRefusalPage } from './page.ts';
import { readResponseForm } from './response-form.ts';
import { hashOf, newSecret } from './secrets.ts';
import { ticketUrl } from './visitors.ts';

/** Why a login failed, for the log. */
export interface LoginFailure {
  readonly requestId: string;
  readonly routeId: string;
  readonly reason: RefusalReason;
  /** What exactly was wrong. It may quote the response. */
  readonly detail: string;
}

/** What the pages work with. */
export interface LoginRouterOptions {
  readonly logins: Logins;
  readonly findEdge: (edgeId: string) => Promise<EdgeTable | null>;
  /**
   * Scheme and host of our own pages; null where nobody has configured them. Without it no response is taken: what it was meant for
   * would be held against a header that whoever posts it can choose.
   */
  readonly baseUrl: string | null;
  readonly allowSemicolon: boolean;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Takes why logins fail. */
  readonly failed: (failure: LoginFailure) => void;
}

/** Checks of responses: a forgery takes time, and anybody can post one. */
const checks = createWorkQueue({ atOnce: 1, waitingMax: 50, rests: true });
const detailCharactersMax = 300;

type RouteRequest = Request<{ routeId: string }>;

/** Creates the router of the pages. */
export function createLoginRouter({
  logins,
  findEdge,
  baseUrl,
  allowSemicolon,
  now,
  randomBytes,
  failed,
}: LoginRouterOptions): Router {
  const router = express.Router({ caseSensitive: true });
  const findModule = async (request: RouteRequest, reply: Reply): Promise<[LoginModule, EdgeTable]> => {
    const module = await logins.findModule(request.params.routeId);
    const edge = module === null ? null : await findEdge(module.edgeId);
    if (module === null || edge === null) throw new SallyportError('NOT_FOUND', 'There is no login here.');
    reply.locals.trace.accountId = module.accountId;
    if (!module.enabled) throw new LoginRefusal('disabled', 'The SAML module is disabled.');
    return [module, edge];
  };
  const urlsOf = ({ routeId }: LoginModule) => {
    if (baseUrl === null) throw new LoginRefusal('disabled', 'BASE_URL is not set.');
    return serviceProviderUrls(baseUrl, routeId);
  };

  /** Runs a step of a login. Whatever ends it is told on a page, because a person is waiting. */
  const page = (step: (request: RouteRequest, reply: Reply) => Promise<[status: 302 | 303, location: string]>) => {
    return async (request: RouteRequest, reply: Reply) => {
      reply.setHeader('Cache-Control', 'no-store');
      reply.setHeader('Referrer-Policy', 'no-referrer');
      try {
        const [status, location] = await step(request, reply);
        reply.setHeader('Location', location);
        send(reply, status, 'text/plain; charset=utf-8', '');
      } catch (error) {
        const { requestId } = reply.locals.info;
        if (!(error instanceof LoginRefusal)) throw error;
        const { reason, message } = error;
        failed({ requestId, routeId: request.params.routeId, reason, detail: message.slice(0, detailCharactersMax) });
        for (const [name, value] of Object.entries(refusalHeaders)) reply.setHeader(name, value);
        send(reply, 403, 'text/html; charset=utf-8', writeRefusalPage(refusalReasons[reason], requestId));
      }
    };
  };

  const login = router.route('/saml/:routeId/login');
  login.get(
    page(async (request, reply) => {
      const [module, edge] = await findModule(request, reply);
      const state = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1)).get('state') ?? '';
      const begun = logins.open(module, state);
      if (begun === null) throw new LoginRefusal('state', 'The state of the login is not ours, or too old.');
      if (!edge.hasHost(begun.host)) throw new LoginRefusal('host', `The edge does not serve ${begun.host} any more.`);
      const { ssoLocation } = module.provider;
      if (ssoLocation === null) throw new LoginRefusal('no_request', 'The metadata has no location for redirects.');
      const relayState = newSecret(randomBytes, 16);
      const requestId = `_${Buffer.from(randomBytes(16)).toString('hex')}`;
      const sentAt = now();
      await logins.send(module, hashOf(relayState), { ...begun, requestId, sentAt });
      const { nameidFormat, forceAuthn } = module;
      const authnRequest = {
        id: requestId,
        ssoLocation,
        urls: urlsOf(module),
        nameidFormat,
        forceAuthn,
        sentAt,
      };
      return [302, redirectUrl(authnRequest, relayState, module.openSigningKey())];
    }),
  );
  login.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  const consumer = router.route('/saml/:routeId/acs');
  consumer.post(
    page(async (request, reply) => {
      const [module, edge] = await findModule(request, reply);
      const form = await readResponseForm(request, reply);
      const relayHash = hashOf(form.relayState);
      const pending = await logins.findPending(module, relayHash);
      const sent = pending === null ? null : { id: pending.requestId, sentAt: pending.sentAt };
      const expected = { ...module, urls: urlsOf(module), request: sent };
      const answer = await checks.run(
        module.accountId,
        () => checkResponse(form.response, expected, now()),
        clientGone(reply),
      );
      const begun = pending ?? whereTo(form.relayState, module, edge);
      if (!edge.hasHost(begun.host)) throw new LoginRefusal('host', `The edge does not serve ${begun.host} any more.`);
      if (!(await logins.use(module, hashOf(answer.assertionId), answer.usableUntil))) {
        throw new LoginRefusal('replayed', 'The assertion has been used before.');
      }
      const ticket = newSecret(randomBytes, 32);
      const vouched = vouchedBy(module, answer);
      if (pending === null) await logins.welcome(module, begun, hashOf(ticket), vouched);
      else if (!(await logins.answer(module, relayHash, hashOf(ticket), vouched))) {
        throw new LoginRefusal('in_response_to', 'The request has been answered before.');
      }
      return [303, ticketUrl(begun.host, ticket)];
    }),
  );
  consumer.all((request: Request, reply: Reply) => answerOtherMethod(['POST'], request, reply));

  /** Finds where a login goes that began at the identity provider: to the URL it names, if that is one of the route. */
  function whereTo(relayState: string, { routeId }: LoginModule, edge: EdgeTable): BegunLogin {
    if (!relayState.includes('://')) {
      const named = edge.hostports.filter((each) => !each.startsWith('*'));
      // Browsers are sent there by https.
      const host = named.find((each) => each.endsWith(':443')) ?? named.find((each) => !each.endsWith(':80'));
      if (host === undefined) throw new LoginRefusal('host', 'The edge has no host for https without a wildcard.');
      return { host, browserHash: null, target: '' };
    }
    const { scheme = '', host: named = '', target = '' } = splitUrl(relayState) ?? {};
    const host = readHostport(scheme, named);
    const read = readPath(target, allowSemicolon);
    const isOurs = 'path' in read && edge.routeOf(read.path)?.id === routeId && isTarget(target);
    if (scheme !== 'https' || host === null || !edge.hasHost(host) || !isOurs) {
      throw new LoginRefusal('relay_state', 'The RelayState is a URL that is not of this route.');
    }
    return { host, browserHash: null, target };
  }
  return router;
}

function vouchedBy({ provider }: LoginModule, { nameId, email, name, groups, sessionEndsAt }: Login): Vouched {
  return { user: nameId, email, name, groups, issuer: provider.entityId, sessionEndsAt };
}
