// The visitors of an application that requires a login, at its own host: who they are by their cookies, how they leave for a login,
// and how they come back from one.

import type { Soon } from '../domain/at-once.ts';
import { isTarget, readCookie, readLoginCookie, writeCookie, writeLoginCookie } from '../domain/gate/cookies.ts';
import type { GateRequest, GateRules, Session } from '../domain/gate/decide.ts';
import type { EdgeTable } from '../domain/gate/edge-table.ts';
import type { Logins } from '../domain/gate/login.ts';
import type { SessionRule, Sessions } from '../domain/gate/session.ts';
import { comparableMatch, readHostport } from '../domain/gate/url.ts';
import type { Redirect } from './answer.ts';
import { hashOf, newSecret } from './secrets.ts';

/** Leads visitors. */
export interface Visitors {
  /** Finds who sent a request to a route; null without a session. Who is in memory is given at once, without a promise. */
  find(edge: EdgeTable, routeId: string, asked: GateRequest, cookies: string): Soon<Session | null>;
  /** Sends a visitor to log in; null where that cannot be: without https, or without an address of our own. */
  send(edge: EdgeTable, routeId: string, asked: GateRequest, cookies: string): Redirect | null;
  /** Gives a visitor who comes back with a ticket a session, and sends him where he wanted to go; null for no good ticket. */
  admit(rules: GateRules, asked: GateRequest, cookies: string): Promise<Redirect | null>;
}

/** What visitors are led with. */
export interface VisitorOptions {
  readonly logins: Logins;
  readonly sessions: Sessions;
  /** Scheme and host of our own pages; null where nobody has configured them. */
  readonly baseUrl: string | null;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Path of the page of an application's host that makes a ticket a session. */
const ticketPath = '/.sallyport/session';
const ticketTarget = /^\/\.sallyport\/session\?ticket=([\w-]{43})$/;

/** Gives the URL that takes a ticket to the host of an application. */
export function ticketUrl(hostport: string, ticket: string): string {
  return `${originOf(hostport)}${ticketPath}?ticket=${ticket}`;
}

/** Tells whether a request brings a ticket. No application sees such a request. */
export function isTicketTarget(target: string): boolean {
  return target.startsWith(ticketPath) && /^(?:[?/]|$)/.test(target.slice(ticketPath.length));
}

/** Gives all cookies of a request: HTTP/2 may send them apart. */
export function cookiesOf(rawHeaders: readonly string[]): string {
  let cookies = '';
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    // The length first: this is asked of every header.
    if (name?.length !== 6 || name.toLowerCase() !== 'cookie') continue;
    cookies += `${cookies === '' ? '' : '; '}${rawHeaders[place + 1] ?? ''}`;
  }
  return cookies;
}

/** How long a browser remembers that it began a login, in seconds: as long as that may take. */
const loginSeconds = 600;

/** Creates what leads visitors. */
export function createVisitors({ logins, sessions, baseUrl, randomBytes }: VisitorOptions): Visitors {
  const sessionCookie = ({ cookiePrefix }: SessionRule, routeId: string) => `${cookiePrefix}${routeId}`;
  const loginCookie = (rule: SessionRule, routeId: string) => `${sessionCookie(rule, routeId)}.login`;

  return {
    find(edge, routeId, { scheme, host }, cookies) {
      const rule = edge.routeById(routeId)?.login?.sessions;
      const hostport = readHostport(scheme, host);
      if (rule === undefined || hostport === null) return null;
      const token = readCookie(cookies, sessionCookie(rule, routeId));
      if (token === null || !/^[\w-]{43}$/.test(token)) return null;
      return sessions.find(hashOf(token), { accountId: edge.accountId, routeId, host: hostport }, rule);
    },

    send(edge, routeId, { scheme, host, target }, cookies) {
      const rule = edge.routeById(routeId)?.login?.sessions;
      const hostport = readHostport(scheme, host);
      if (rule === undefined || hostport === null || scheme !== 'https' || baseUrl === null) return null;
      const name = loginCookie(rule, routeId);
      // Another tab may be on its way already: both come back with what is in the one cookie.
      const secret = readLoginCookie(readCookie(cookies, name))?.secret ?? newSecret(randomBytes, 16);
      const state = logins.seal(
        { accountId: edge.accountId, routeId },
        { host: hostport, browserHash: hashOf(secret), target: '' },
      );
      return {
        location: `${baseUrl}/saml/${routeId}/login?state=${state}`,
        cookie: writeCookie(name, writeLoginCookie({ secret, target }), loginSeconds),
      };
    },

    async admit({ edge, objections }, { scheme, host, target }, cookies) {
      const ticket = ticketTarget.exec(target)?.[1];
      const hostport = readHostport(scheme, host);
      if (ticket === undefined || hostport === null || !edge.hasHost(hostport) || scheme !== 'https') return null;
      if (objections.refusedBy.length > 0) return null;
      const login = await logins.findAnswered(hashOf(ticket));
      const route = login === null ? null : edge.routeById(login.routeId);
      if (login === null || route?.login?.enabled !== true || login.host !== hostport) return null;
      const { sessions: rule } = route.login;
      const began = readLoginCookie(readCookie(cookies, loginCookie(rule, route.id)));
      // Who logs in with the response of somebody else has another cookie, or none.
      if (login.browserHash !== null && (began === null || hashOf(began.secret) !== login.browserHash)) return null;
      if (!(await logins.end(hashOf(ticket)))) return null;
      const token = newSecret(randomBytes, 32);
      await sessions.create(hashOf(token), login);
      const wanted = login.browserHash === null ? login.target : (began?.target ?? '');
      return {
        location: `${originOf(hostport)}${[wanted, encodeURI(comparableMatch(route.match))].find(isTarget) ?? '/'}`,
        cookie: writeCookie(sessionCookie(rule, route.id), token, null),
      };
    },
  };
}

function originOf(hostport: string): string {
  return `https://${hostport.replace(/:443$/, '')}`;
}
