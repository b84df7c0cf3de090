// The visitors of an application that requires a login, at its own host: how cookies identify them, how they leave for a login and
// return from one, and how they log out.

import type { Soon } from '../domain/at-once.ts';
import {
  isTarget,
  type LoginCookie,
  readCookies,
  readLoginCookie,
  sessionCookieName,
  writeCookie,
  writeLoginCookie,
} from '../domain/gate/cookies.ts';
import type { GateRequest, GateRules, LoginNeeded, Session } from '../domain/gate/decide.ts';
import type { EdgeTable } from '../domain/gate/edge-table.ts';
import type { Logins } from '../domain/gate/login.ts';
import { sealBegun, sealLeaving } from '../domain/gate/login-state.ts';
import { newSecret } from '../domain/gate/secrets.ts';
import type { SessionRule, Sessions } from '../domain/gate/session.ts';
import { comparableMatch, readHostport } from '../domain/gate/url.ts';
import { hashOf } from '../domain/hash.ts';
import { remembering } from '../domain/remember.ts';
import type { Redirect } from './answer.ts';
import type { SessionEvent } from './session-events.ts';

/** Handles visitors. */
export interface Visitors {
  /** Finds the session of a request to a route; null without one. A session in memory is returned at once, without a promise. */
  find(
    edge: EdgeTable,
    place: Pick<LoginNeeded, 'hostport' | 'route' | 'login'>,
    cookies: string,
  ): Soon<Session | null>;
  /** Sends a visitor to log in; null if that is impossible: without HTTPS, or without an address of our own. */
  send(edge: EdgeTable, routeId: string, asked: GateRequest, cookies: string): Redirect | null;
  /**
   * Gives a session to a visitor who returns with a ticket, and sends the browser to the page that it wanted; null if the ticket is
   * not valid.
   */
  admit(rules: GateRules, asked: GateRequest, cookies: string): Promise<Redirect | null>;
  /**
   * Ends all sessions of a visitor at the host, and sends the browser to the identity provider to log out there; null if nobody can
   * log in.
   */
  leave(rules: GateRules, asked: GateRequest, cookies: string): Promise<Redirect | null>;
}

/** Dependencies of `createVisitors`. */
export interface VisitorOptions {
  readonly logins: Logins;
  readonly sessions: Sessions;
  /** Scheme and host of our own pages; null if not configured. */
  readonly baseUrl: string | null;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Receives each login and logout. */
  readonly happened: (event: SessionEvent) => void;
}

/** Path at an application's host that exchanges a ticket for a session. */
const ticketPath = '/.sallyport/session';
const ticketTarget = /^\/\.sallyport\/session\?ticket=([\w-]{43})$/;

/** Returns the URL that takes a ticket to the host of an application. */
export function ticketUrl(hostport: string, ticket: string): string {
  return `${originOf(hostport)}${ticketPath}?ticket=${ticket}`;
}

/** Returns whether a request brings a ticket. No application sees such a request. */
export function isTicketTarget(target: string): boolean {
  return isUnder(ticketPath, target);
}

/** Path at an application's host that logs out. */
const logoutPath = '/.sallyport/logout';

/** Returns whether a request logs out. No application sees such a request. */
export function isLogoutTarget(target: string): boolean {
  return isUnder(logoutPath, target);
}

function isUnder(path: string, target: string): boolean {
  return target.startsWith(path) && /^(?:[?/]|$)/.test(target.slice(path.length));
}

/**
 * Returns whether the user made a request at the application itself, as far as the browser says: no other site caused it, and it is
 * not a prefetch.
 */
export function isOwnWish(rawHeaders: readonly string[]): boolean {
  return rawHeaders.every((value, place) => {
    const name = place % 2 === 1 ? rawHeaders[place - 1]?.toLowerCase() : undefined;
    return (
      !(name === 'sec-fetch-site' && value === 'cross-site') && !(name === 'sec-purpose' && /prefetch/.test(value))
    );
  });
}

/** Returns all cookies of a request: HTTP/2 may send them in several headers. */
export function cookiesOf(rawHeaders: readonly string[]): string {
  let cookies = '';
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    // The length first: this is checked for every header.
    if (name?.length !== 6 || name.toLowerCase() !== 'cookie') continue;
    cookies += `${cookies === '' ? '' : '; '}${rawHeaders[place + 1] ?? ''}`;
  }
  return cookies;
}

/** How many tokens' hashes are remembered, at some 200 bytes each: as many as sessions are kept in memory. */
const hashesMax = 20_000;

/** How long a browser remembers that it began a login, in seconds: as long as a login may take. */
const loginSeconds = 600;

/** Creates the handling of visitors. */
export function createVisitors({ logins, sessions, baseUrl, randomBytes, happened }: VisitorOptions): Visitors {
  const sessionCookie = ({ cookiePrefix }: SessionRule, routeId: string) => sessionCookieName(cookiePrefix, routeId);
  const loginCookie = (rule: SessionRule, routeId: string) => `${sessionCookie(rule, routeId)}.login`;
  // Hashing takes half as long as a decision. The hash does not say whether the session is still valid, which is checked each time.
  const hashOfToken = remembering(hashOf, hashesMax);

  return {
    find({ accountId }, { hostport: host, route: { id: routeId }, login: { sessions: rule } }, cookies) {
      const tokens = readTokens(cookies, sessionCookie(rule, routeId));
      return tokens.length === 0 ? null : sessions.find(tokens.map(hashOfToken), { accountId, routeId, host }, rule);
    },

    send(edge, routeId, { scheme, host, target }, cookies) {
      const rule = edge.routeById(routeId)?.login?.sessions;
      const hostport = readHostport(scheme, host);
      if (rule === undefined || hostport === null || scheme !== 'https' || baseUrl === null) return null;
      const name = loginCookie(rule, routeId);
      // Another tab may be logging in already: both return with the secret in this one cookie.
      const secret = readLoginCookies(cookies, name)[0]?.secret ?? newSecret(randomBytes, 16);
      const begun = { host: hostport, browserHash: hashOf(secret) };
      const state = sealBegun(logins, { accountId: edge.accountId, routeId }, 'login', begun);
      return {
        location: `${baseUrl}/saml/${routeId}/login?state=${state}`,
        cookie: writeCookie(name, writeLoginCookie({ secret, target }), loginSeconds),
      };
    },

    async admit({ edge, objections }, { scheme, host, target, address }, cookies) {
      const ticket = ticketTarget.exec(target)?.[1];
      const hostport = readHostport(scheme, host);
      if (ticket === undefined || hostport === null || !edge.hasHost(hostport) || scheme !== 'https') return null;
      if (objections.refusedBy.length > 0) return null;
      const login = await logins.findAnswered(hashOf(ticket));
      const route = login === null ? null : edge.routeById(login.routeId);
      if (login === null || route?.login?.enabled !== true || login.host !== hostport) return null;
      const { sessions: rule } = route.login;
      const began = readLoginCookies(cookies, loginCookie(rule, route.id)).find(
        ({ secret }) => hashOf(secret) === login.browserHash,
      );
      // A browser that logs in with somebody else's response has another cookie, or none.
      if (login.browserHash !== null && began === undefined) return null;
      const token = newSecret(randomBytes, 32);
      const sessionId = await sessions.create(hashOf(token), login, address.toString());
      if (sessionId === null) return null;
      const reason = login.browserHash === null ? 'unsolicited' : 'requested';
      happened({ event: 'login', routeId: route.id, reason, reference: sessionId, sessions: 1 });
      const wanted = login.browserHash === null ? login.target : (began?.target ?? '');
      return {
        location: `${originOf(hostport)}${[wanted, encodeURI(comparableMatch(route.match))].find(isTarget) ?? '/'}`,
        cookie: writeCookie(sessionCookie(rule, route.id), token, null),
      };
    },

    async leave({ edge }, { scheme, host, address }, cookies) {
      const hostport = readHostport(scheme, host);
      if (hostport === null || !edge.hasHost(hostport) || scheme !== 'https' || baseUrl === null) return null;
      const { accountId } = edge;
      const left = [];
      for (const { id: routeId, login } of edge.routes) {
        if (login === null) continue;
        const cookie = sessionCookie(login.sessions, routeId);
        const tokens = readTokens(cookies, cookie);
        const place = { accountId, routeId, host: hostport };
        const ended = await sessions.end(tokens.map(hashOf), place, address.toString());
        for (const { id } of ended) {
          happened({ event: 'logout', routeId, reason: 'user', reference: id, sessions: 1 });
        }
        // The identity provider that is trusted now need not learn whom another one has vouched for.
        left.push({ routeId, cookie, ended: ended.find(({ issuer }) => issuer === login.sessions.issuer) ?? null });
      }
      // A browser can go to only one place. If the routes have several identity providers, it is that of the first session.
      const first = left.find(({ ended }) => ended !== null) ?? left[0];
      if (first === undefined) return null;
      const { routeId, cookie, ended } = first;
      const state = ended === null ? '' : `?state=${sealLeaving(logins, { accountId, routeId }, ended.named)}`;
      return { location: `${baseUrl}/saml/${routeId}/logout${state}`, cookie: writeCookie(cookie, '', 0) };
    },
  };
}

function originOf(hostport: string): string {
  return `https://${hostport.replace(/:443$/, '')}`;
}

/** Returns what could be session tokens among cookies. */
function readTokens(cookies: string, name: string): string[] {
  return readCookies(cookies, name).filter((token) => /^[\w-]{43}$/.test(token));
}

/** Returns the login cookies of a name. */
function readLoginCookies(cookies: string, name: string): LoginCookie[] {
  return readCookies(cookies, name)
    .map(readLoginCookie)
    .filter((cookie) => cookie !== null);
}
