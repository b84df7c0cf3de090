// Logins at the OpenID provider of the tests: the service, the provider, and routes that ask for a login there.

import { expect } from 'vitest';
import { parseRange } from '../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import type { LoginFailure, SessionEvent } from '../../src/surfaces/gate/session-events.ts';
import * as login from './login.ts';
import { host, locationOf, type Place } from './login.ts';
import { clientId, clientSecret, startOpenIdProvider } from './openid-provider.ts';
import { type Client, startService, startTime } from './service.ts';

/** The page that browsers want. */
export const page = `https://${host}/app/reports?page=2`;

/** Starts a service and a provider, whose certificate is its own. Close them with `close`. */
export async function startOpenIdLogins() {
  const strict = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  const failures: LoginFailure[] = [];
  const events: SessionEvent[] = [];
  const provider = await startOpenIdProvider(() => startTime);
  const overrides = {
    loginFailed: (failure: LoginFailure) => failures.push(failure),
    sessionHappened: (event: SessionEvent) => events.push(event),
    outgoing: createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] }),
  };
  const service = await startService(overrides);

  /** Goes to the provider, and returns the authorization request that arrives there. */
  const leave = async (browser: login.Browser, place: Place): Promise<URL> => {
    const sent = await browser.open(place, page);
    const asked = await browser.visit(locationOf(sent));
    expect(asked.status).toBe(303);
    return new URL(locationOf(asked));
  };
  /** Logs a browser in, and returns the answer of our own address to what the provider sent. */
  const comeBack = async (browser: login.Browser, place: Place): Promise<Response> =>
    browser.visit(provider.answer(await leave(browser, place)).href);

  return {
    service,
    overrides,
    provider,
    failures,
    events,
    leave,
    comeBack,
    /**
     * Creates an edge with one route that requires a login at the provider, in an account of its own: what is known of a provider is
     * kept for each account.
     */
    async makePlace(settings: object = {}, owner?: Client): Promise<Place> {
      const { rest } = owner ?? (await service.asNewAccount());
      const { id: edgeId } = (await rest('POST', '/edges/https', { hostports: [`${host}:443`] })).body;
      const route = { match_type: 'path_prefix', match: '/app' };
      const { id: routeId } = (await rest('POST', `/edges/https/${edgeId}/routes`, route)).body;
      const place = { edgeId, routeId, acs: '' };
      const client = { issuer: provider.issuer, client_id: clientId, client_secret: clientSecret };
      expect((await rest('PUT', pathOf(place), { ...client, ...settings })).status).toBe(200);
      return place;
    },
    /** Returns a browser that is logged in at a place. */
    async enter(place: Place): Promise<login.Browser> {
      const browser = new login.Browser(service);
      await browser.open(place, locationOf(await comeBack(browser, place)));
      return browser;
    },
    async close() {
      if (strict === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = strict;
      expect(service.failures).toEqual([]);
      await service.close();
      await provider.close();
    },
  };
}

export type OpenIdLogins = Awaited<ReturnType<typeof startOpenIdLogins>>;

/** Returns the path of the module of a place. */
export const pathOf = ({ edgeId, routeId }: Place) => `/edges/https/${edgeId}/routes/${routeId}/oidc`;
