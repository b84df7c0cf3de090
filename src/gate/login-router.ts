// The login pages at our own address: where browsers leave for the identity provider, and where they bring its response.

import express, { type Request, type Router } from 'express';
import { isTarget } from '../domain/gate/cookies.ts';
import type { EdgeTable } from '../domain/gate/edge-table.ts';
import type { BegunLogin, LoginModule, Logins, Vouched } from '../domain/gate/login.ts';
import { openBegun, requestIdOf, sealBegun, sealedIn } from '../domain/gate/login-state.ts';
import { newSecret } from '../domain/gate/secrets.ts';
import { readHostport, readPath, splitUrl } from '../domain/gate/url.ts';
import { hashOf } from '../domain/hash.ts';
import type { Login } from '../domain/saml/assertion.ts';
import { writeAuthnRequest } from '../domain/saml/authn-request.ts';
import { LoginRefusal, refusalReasons } from '../domain/saml/refusal.ts';
import { checkResponse } from '../domain/saml/response.ts';
import type { Clock } from '../domain/saml/times.ts';
import { answerOtherMethod } from '../http/methods.ts';
import { queryTextOf, type Reply } from '../http/request.ts';
import { readMessageForm } from './message-form.ts';
import { refusalHeaders } from './page.ts';
import type { PageKind, RouteRequest, SamlPages } from './saml-pages.ts';
import { ticketUrl } from './visitors.ts';

/** Dependencies of `createLoginRouter`. */
export interface LoginRouterOptions {
  readonly pages: SamlPages;
  readonly logins: Logins;
  readonly findEdge: (edgeId: string) => Promise<EdgeTable | null>;
  readonly allowSemicolon: boolean;
  readonly clock: () => Clock;
  readonly randomBytes: (size: number) => Uint8Array;
}

const kind: PageKind = {
  event: 'login',
  headers: refusalHeaders,
  refusal: (reason) => ({ title: 'Access denied', text: refusalReasons[reason] }),
};

/** Creates the router of the pages. */
export function createLoginRouter(options: LoginRouterOptions): Router {
  const { pages, logins, findEdge, allowSemicolon, clock, randomBytes } = options;
  const router = express.Router({ caseSensitive: true });
  const findPlace = async (request: RouteRequest, reply: Reply): Promise<[LoginModule, EdgeTable]> => {
    const module = await pages.findModule(request, reply);
    const edge = await findEdge(module.edgeId);
    if (edge === null) throw new LoginRefusal('host', 'The edge is gone.');
    if (!module.enabled) throw new LoginRefusal('disabled', 'The SAML module is disabled.');
    return [module, edge];
  };
  const checkHost = (edge: EdgeTable, host: string) => {
    if (!edge.hasHost(host)) throw new LoginRefusal('host', `The edge does not serve ${host} any more.`);
  };

  const login = router.route('/saml/:routeId/login');
  login.get(
    pages.page(kind, async (request, reply) => {
      const [module, edge] = await findPlace(request, reply);
      const state = new URLSearchParams(queryTextOf(request.url)).get('state') ?? '';
      const begun = openBegun(logins, module, 'login', state);
      if (begun === null) throw new LoginRefusal('state', 'The state of the login is not ours, or too old.');
      checkHost(edge, begun.host);
      const { sso } = module.provider;
      if (sso === null) throw new LoginRefusal('no_request', 'The metadata has no location for requests to log in.');
      const { entityId: issuer, assertionConsumerService } = pages.urlsOf(module);
      const { nameidFormat, forceAuthn } = module;
      // All that is known about the login is in the id, which the response must repeat.
      const id = requestIdOf(sealBegun(logins, module, 'login request', begun));
      const head = { id, sentAt: clock().now, destination: sso.location, issuer };
      const message = writeAuthnRequest({ ...head, assertionConsumerService, nameidFormat, forceAuthn });
      return pages.sendInTurn(module, reply, message, sso, null);
    }),
  );
  login.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  const consumer = router.route('/saml/:routeId/acs');
  consumer.post(
    pages.page(kind, async (request, reply) => {
      const [module, edge] = await findPlace(request, reply);
      const { response, relayState } = readResponseForm(await readMessageForm(request, reply));
      const findRequest = (id: string) => {
        const begun = openBegun(logins, module, 'login request', sealedIn(id));
        return begun === null ? null : { id, sentAt: begun.sealedAt, begun };
      };
      const expected = { ...module, urls: pages.urlsOf(module), findRequest };
      const answer = await pages.checkInTurn(module, reply, () => checkResponse(response, expected, clock()));
      const begun = answer.request?.begun ?? whereTo(relayState, module, edge);
      checkHost(edge, begun.host);
      const [vouched, { issuedAt }] = [vouchedBy(module, answer), answer];
      if (await logins.isLoggedOut(module, vouched.named, issuedAt)) {
        throw new LoginRefusal(
          'logged_out',
          'The identity provider has logged the user out since it issued the assertion.',
        );
      }
      if (!(await logins.use(module, hashOf(answer.assertionId), answer.usableUntil))) {
        throw new LoginRefusal('replayed', 'The assertion has been used before.');
      }
      if (answer.request !== null) {
        const { id, begun: sent } = answer.request;
        if (!(await logins.use(module, hashOf(`login request ${id}`), sent.usableUntil))) {
          throw new LoginRefusal('in_response_to', 'The request has been answered before.');
        }
      }
      const ticket = newSecret(randomBytes, 32);
      await logins.answer(module, begun, hashOf(ticket), vouched, issuedAt);
      return { status: 303, location: ticketUrl(begun.host, ticket) };
    }),
  );
  consumer.all((request: Request, reply: Reply) => answerOtherMethod(['POST'], request, reply));

  /**
   * Finds where a login that began at the identity provider goes: to the URL in its RelayState, which must be one of the route, or
   * without a URL to an HTTPS host of the edge. Throws LoginRefusal.
   */
  function whereTo(relayState: string, { routeId }: LoginModule, edge: EdgeTable): BegunLogin {
    if (!relayState.includes('://')) {
      const named = edge.hostports.filter((each) => !each.startsWith('*'));
      // Browsers are sent there over HTTPS.
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

/** Reads the fields of the form. Throws LoginRefusal. */
function readResponseForm(form: URLSearchParams): { response: string; relayState: string } {
  const [responses, relayStates] = [form.getAll('SAMLResponse'), form.getAll('RelayState')];
  const [response] = responses;
  if (response === undefined || responses.length > 1 || relayStates.length > 1) {
    throw new LoginRefusal('malformed', 'The form must have one SAMLResponse, and at most one RelayState.');
  }
  return { response, relayState: relayStates[0] ?? '' };
}

function vouchedBy({ provider }: LoginModule, login: Login): Vouched {
  const { nameId, nameidFormat, nameQualifier, spNameQualifier, sessionIndex, sessionEndsAt } = login;
  const { email, name, groups, attributeNames } = login;
  const named = { nameId, nameidFormat, nameQualifier, spNameQualifier, sessionIndex };
  return { user: nameId, email, name, groups, attributeNames, issuer: provider.entityId, sessionEndsAt, named };
}
