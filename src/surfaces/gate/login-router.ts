// The login pages at our own address: where browsers leave for the identity provider, and where they bring its response.

import express, { type Request, type Router } from 'express';
import { isTarget } from '../../domain/gate/cookies.ts';
import type { EdgeTable } from '../../domain/gate/edge-table.ts';
import type { BegunLogin, LoginModule, LoginRoute, Logins, Unsealed, Vouched } from '../../domain/gate/login.ts';
import { type BegunHere, openBegun, requestIdOf, sealBegun, sealedIn } from '../../domain/gate/login-state.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import type { Sessions } from '../../domain/gate/session.ts';
import { readHostport, readPath, splitUrl } from '../../domain/gate/url.ts';
import type { Login } from '../../domain/saml/assertion.ts';
import { writeAuthnRequest } from '../../domain/saml/authn-request.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import { checkResponse } from '../../domain/saml/response.ts';
import type { Clock } from '../../domain/saml/times.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { queryTextOf, type Reply } from '../../pipeline/request.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { receiveMessageForm } from '../kit/message-form.ts';
import { targetLost } from '../kit/visitor-page.ts';
import { findUsableEdge, loginPage, noteBegun } from './begun-login.ts';
import { createContinueLogin } from './continued-login.ts';
import { markBegun, nameDevice, readDevice, readMarks, unmark } from './device.ts';
import { hostOf, ticketUrl } from './own-paths.ts';
import type { RouteRequest, SamlPages } from './saml-pages.ts';

export interface LoginRouterOptions {
  readonly pages: SamlPages;
  readonly logins: Logins;
  readonly sessions: Sessions;
  readonly findEdge: (edgeId: string) => Promise<EdgeTable | null>;
  readonly allowSemicolon: boolean;
  readonly clock: () => Clock;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Most marks of logins that are known to be spent. Each takes 250 bytes. */
const spentMarksMax = 20_000;

/** A login that an identity provider has vouched for, and our request that it answers. */
type CheckedLogin = Login & {
  readonly request: { readonly id: string; readonly begun: Pick<Unsealed, 'usableUntil'> } | null;
};

/** Where a login leads, and the route that it is for. */
interface Destination {
  readonly begun: BegunLogin;
  readonly route: LoginRoute;
}

/** Returns the registration of a module, for which requests are sealed: their answers arrive there. */
function registrationOf({ accountId, registrationId }: LoginModule): Pick<LoginModule, 'accountId' | 'routeId'> {
  return { accountId, routeId: registrationId };
}

/** Creates the router of the pages. */
export function createLoginRouter(options: LoginRouterOptions): Router {
  const { pages, logins, findEdge, allowSemicolon, clock, randomBytes } = options;
  const router = express.Router({ caseSensitive: true });
  const goOn = createContinueLogin(options);

  const login = router.route('/saml/:routeId/login');
  login.get(
    pages.page(loginPage, async (request, reply, known) => {
      const module = await pages.findModule(request, reply);
      const edge = await findUsableEdge(findEdge, 'SAML', module, known);
      const query = new URLSearchParams(queryTextOf(request.url));
      const state = query.get('state');
      // Whoever has no login to go on with, as on a page about an error, begins one at the application.
      if (state === null && known.link !== null) return { status: 303, location: known.link.href };
      const begun = openBegun(logins, module, 'login', state ?? '');
      if (begun === null) throw new LoginRefusal('state', 'The state of the login is not ours, or too old.');
      noteBegun(edge, begun, known);
      if (begun.isTargetLost && !query.has('start')) return targetLost(`${request.path}?start&state=${state}`);
      const { entityId: issuer, assertionConsumerService } = pages.urlsOf(module);
      const { nameidFormat, forceAuthn } = module;
      const continued = forceAuthn ? null : await goOn(request, module, begun, issuer);
      if (continued !== null) return continued;
      const { sso } = module.provider;
      if (sso === null) throw new LoginRefusal('no_request', 'The metadata has no location for requests to log in.');
      const device = nameDevice(request, reply, assertionConsumerService, randomBytes);
      // All that is known about the login is in the id, which the response must repeat.
      const sealed = sealBegun(logins, registrationOf(module), 'login request', {
        ...begun,
        device,
        isTargetLost: false,
      });
      markBegun(request, reply, assertionConsumerService, sealed);
      const id = requestIdOf(sealed);
      const head = { id, sentAt: clock().now, destination: sso.location, issuer };
      const message = writeAuthnRequest({ ...head, assertionConsumerService, nameidFormat, forceAuthn });
      return pages.sendInTurn(module, reply, message, sso, null);
    }),
  );
  login.all((request: Request, reply: Reply) => answerOtherMethod(['GET'], request, reply));

  /** Records that an answer is used, and the request that it answers. Returns the refusal if one of them had been used before. */
  const findUsed = async (
    module: LoginModule,
    { assertionId, usableUntil, request }: CheckedLogin,
  ): Promise<LoginRefusal | null> => {
    if (!(await logins.use(module, hashOf(assertionId), usableUntil))) {
      return new LoginRefusal('replayed', 'The assertion has been used before.');
    }
    if (request === null) return null;
    const { id, begun } = request;
    const isFirst = await logins.use(module, hashOf(`login request ${id}`), begun.usableUntil);
    return isFirst ? null : new LoginRefusal('in_response_to', 'The request has been answered before.');
  };

  /**
   * Takes a mark of a login that the browser has begun here: its response is then checked before others of its network. Each mark
   * counts for one check: who wants to send many forgeries ahead of a person has to begin as many logins. So it is spent as soon as
   * it is found, before other requests with the same one are looked at.
   */
  const takeMark = (request: RouteRequest, accountId: string): string | null => {
    const { routeId } = request.params;
    const isGood = (mark: string) =>
      !spentMarks.has(mark) && openBegun(logins, { accountId, routeId }, 'login request', mark) !== null;
    const mark = readMarks(request, pages.urlsOf({ registrationId: routeId }).entityId).find(isGood) ?? null;
    if (mark === null) return null;
    // The oldest ones have ended by themselves, unless there are very many.
    const [oldest] = spentMarks;
    if (oldest !== undefined && spentMarks.size >= spentMarksMax) spentMarks.delete(oldest);
    spentMarks.add(mark);
    return mark;
  };
  const spentMarks = new Set<string>();

  const consumer = router.route('/saml/:routeId/acs');
  consumer.post(
    pages.page(loginPage, async (request, reply, known) => {
      const accountId = await pages.findOwner(request, reply);
      const mark = takeMark(request, accountId);
      // Receiving forgeries would take more time than refusing them.
      if (mark === null) pages.refuseIfFull('login', accountId, reply);
      let isChecked = false;
      const check = async (module: LoginModule, form: () => URLSearchParams) => {
        if (mark !== null && !isChecked) unmark(request, reply, pages.urlsOf(module).entityId, mark);
        isChecked = true;
        const routes = await logins.findRoutes(module);
        const own = routes.get(module.routeId) ?? module;
        // The registration may serve other routes than its own, which may be disabled.
        const edge = await findUsableEdge(findEdge, 'SAML', { ...own, enabled: own.enabled || routes.size > 1 }, known);
        const { response, relayState } = readResponseForm(form());
        const seen: { begun: BegunHere | null } = { begun: null };
        const findRequest = (id: string) => {
          const begun = openBegun(logins, module, 'login request', sealedIn(id));
          seen.begun = begun;
          if (begun === null) return null;
          const { forceAuthn, nameidFormat } = routes.get(begun.routeId) ?? own;
          return { id, sentAt: begun.sealedAt, begun, terms: { forceAuthn, nameidFormat } };
        };
        const noteRequest = async (begun: BegunHere): Promise<Destination> => {
          const route = routes.get(begun.routeId);
          if (route === undefined) throw new LoginRefusal('host', 'The route has another registration by now.');
          noteBegun(await findUsableEdge(findEdge, 'SAML', route, known), begun, known);
          return { begun, route };
        };
        const unasked = await whereTo(relayState, own, edge, routes);
        const { provider } = module;
        const { nameidFormat, forceAuthn, allowIdpInitiated } = unasked instanceof LoginRefusal ? own : unasked.route;
        const expected = {
          provider,
          nameidFormat,
          forceAuthn,
          allowIdpInitiated,
          urls: pages.urlsOf(module),
          decryption: pages.decryptionOf(module),
          findRequest,
        };
        let answer: CheckedLogin;
        try {
          answer = checkResponse(response, expected, clock());
        } catch (error) {
          // For the page, although nothing is verified: it was sealed here.
          if (seen.begun !== null) await noteRequest(seen.begun);
          throw error;
        }
        known.user = answer.nameId;
        if (seen.begun !== null) return { module, answer, ...(await noteRequest(seen.begun)) };
        if (unasked instanceof LoginRefusal) throw unasked;
        noteBegun(await findUsableEdge(findEdge, 'SAML', unasked.route, known), unasked.begun, known);
        return { module, answer, ...unasked };
      };
      const receiveAndCheck = async () => {
        const form = await receiveMessageForm(request, reply);
        const checkIt = (module: LoginModule) => check(module, form);
        return pages.checkInTurn('login', accountId, request, reply, checkIt, mark !== null);
      };
      const { module, answer, begun, route } = await receiveAndCheck().finally(() => {
        // What was refused without a check may be sent again with the same mark.
        if (mark !== null && !isChecked) spentMarks.delete(mark);
      });
      const [vouched, { issuedAt }] = [vouchedBy(module, answer), answer];
      if (await logins.isLoggedOut(module, vouched.named, issuedAt)) {
        throw new LoginRefusal(
          'logged_out',
          'The identity provider has logged the user out since it issued the assertion.',
        );
      }
      const again = await findUsed(module, answer);
      if (again !== null) {
        // A browser that posts its form twice is logged in by the first, or asked again where it wanted to be.
        if (known.link !== null) known.link = { ...known.link, text: 'Go on to the application' };
        const isOwn = begun.device !== null && readDevice(request, pages.urlsOf(module).entityId) === begun.device;
        if (!isOwn || known.link === null) throw again;
        pages.refused('login', route.routeId, reply, again, known, true);
        return { status: 303, location: known.link.href };
      }
      const ticket = newSecret(randomBytes, 32);
      await logins.answer({ ...module, ...route }, begun, hashOf(ticket), vouched, issuedAt);
      return { status: 303, location: ticketUrl(begun.host, ticket) };
    }),
  );
  consumer.all((request: Request, reply: Reply) => answerOtherMethod(['POST'], request, reply));

  /**
   * Finds where a login that began at the identity provider goes: to the URL in its RelayState, which must be one of a route that uses
   * the registration, or without a URL to an HTTPS host of the registration's own edge. Returns why there is no such destination.
   */
  async function whereTo(
    relayState: string,
    own: LoginRoute,
    edge: EdgeTable,
    routes: ReadonlyMap<string, LoginRoute>,
  ): Promise<Destination | LoginRefusal> {
    if (!relayState.includes('://')) {
      const host = hostOf(edge);
      if (host === null) return new LoginRefusal('host', 'The edge has no host for https without a wildcard.');
      return { begun: { host, browserHash: null, device: null, target: '' }, route: own };
    }
    const { scheme = '', host: named = '', target = '' } = splitUrl(relayState) ?? {};
    const host = readHostport(scheme, named);
    const read = readPath(target, allowSemicolon);
    if (scheme === 'https' && host !== null && 'path' in read && isTarget(target)) {
      for (const edgeId of new Set([own.edgeId, ...[...routes.values()].map((route) => route.edgeId)])) {
        const found = edgeId === edge.id ? edge : await findEdge(edgeId);
        const route = found?.hasHost(host) ? routes.get(found.routeOf(read.path)?.id ?? '') : undefined;
        if (route !== undefined) return { begun: { host, browserHash: null, device: null, target }, route };
      }
    }
    return new LoginRefusal('relay_state', 'The RelayState is a URL that is not of this route.');
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
