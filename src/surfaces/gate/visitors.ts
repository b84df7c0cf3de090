// The visitors of an application that requires a login, at its own host: how cookies identify them, how they leave for a login and
// return from one, and how they log out.

import { chain, type MaybePromise } from '../../domain/concurrency/at-once.ts';
import { remembering } from '../../domain/concurrency/remember.ts';
import { cookiesNamed, isTarget, readCookies, sessionCookieName, writeCookie } from '../../domain/gate/cookies.ts';
import type { GateRequest, GateRules, LoginNeeded } from '../../domain/gate/decide.ts';
import type { EdgeTable, RouteRule } from '../../domain/gate/edge-table.ts';
import type { Logins, Session } from '../../domain/gate/login.ts';
import {
  attemptCookie,
  attemptName,
  beginAttempt,
  type LoginAttempt,
  readAttempts,
  targetInCookieMax,
  writeAttempt,
} from '../../domain/gate/login-attempts.ts';
import { sealBegun, sealLeaving } from '../../domain/gate/login-state.ts';
import { newSecret } from '../../domain/gate/secrets.ts';
import type { Sessions } from '../../domain/gate/session.ts';
import type { SessionRule } from '../../domain/gate/session-rule.ts';
import { originOf, readHostport } from '../../domain/gate/url.ts';
import { loginPath } from '../../domain/saml/service-provider.ts';
import { hashOf } from '../../domain/values/hash.ts';
import type { Redirect } from './answer.ts';
import { againUrl, attemptIn, startOf, ticketIn } from './own-paths.ts';
import type { SessionEvent } from './session-events.ts';

export interface Visitors {
  /** Finds the session of a request to a route; null without one. A session in memory is returned at once, without a promise. */
  find(
    edge: EdgeTable,
    wanted: Pick<LoginNeeded, 'hostport' | 'route' | 'login'>,
    cookies: string,
  ): MaybePromise<Session | null>;
  /** Sends a visitor to log in; null if that is impossible: without HTTPS, or without an address of our own. */
  send(edge: EdgeTable, routeId: string, asked: GateRequest, cookies: string): MaybePromise<Redirect | null>;
  /**
   * Gives a session to a visitor who returns with a ticket, and sends the browser to the page that it wanted. Sends a visitor who
   * wants to begin again to that page as well. Null if the ticket is not valid.
   */
  admit(rules: GateRules, asked: GateRequest, cookies: string): Promise<Redirect | null>;
  /** Returns the URL at which a visitor begins again whose ticket was refused; null if nobody can log in at the host. */
  again(edge: EdgeTable, asked: GateRequest, cookies: string): string | null;
  /**
   * Ends all sessions of a visitor at the host, and those of the same browser at other hosts of their routes, and sends the browser
   * to the identity provider to log out there; null if nobody can log in.
   */
  leave(rules: GateRules, asked: GateRequest, cookies: string): Promise<Redirect | null>;
}

export interface VisitorOptions {
  readonly logins: Logins;
  readonly sessions: Sessions;
  /** Scheme and host of our own pages; null if not configured. */
  readonly baseUrl: string | null;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Receives each login and logout. */
  readonly happened: (event: SessionEvent) => void;
}

/** How many tokens' hashes are remembered, at some 200 bytes each: as many as sessions are kept in memory. */
const hashesMax = 20_000;

/** How many requests' cookies are remembered with the tokens in them. */
const cookiesMax = 5_000;

/** How long a browser remembers that it began a login, in seconds: as long as a login may take. */
const loginSeconds = 600;

/** Creates the handling of visitors. */
export function createVisitors(options: VisitorOptions): Visitors {
  const { logins, sessions, baseUrl, now, randomBytes, happened } = options;
  const sessionCookie = ({ cookiePrefix }: SessionRule, routeId: string) => sessionCookieName(cookiePrefix, routeId);
  // Hashing takes half as long as a decision. The hash does not say whether the session is still valid, which is checked each time.
  const hashOfToken = remembering(hashOf, hashesMax);
  // Reading cookies takes as long as finding a session. A browser sends the same ones with every request, mostly to one route.
  const lastReadIn = remembering(
    (): { name: string; hashes: readonly string[] } => ({ name: '', hashes: [] }),
    cookiesMax,
  );
  /** Returns the hashes of what could be session tokens among cookies. */
  const hashesIn = (cookies: string, name: string): readonly string[] => {
    const last = lastReadIn(cookies);
    if (last.name !== name) {
      last.hashes = readTokens(cookies, name).map(hashOfToken);
      last.name = name;
    }
    return last.hashes;
  };

  const attemptsAt = ({ id, login }: RouteRule, cookies: string): LoginAttempt[] =>
    login === null ? [] : readAttempts(cookies, sessionCookie(login.sessions, id));
  const targetOf = async (
    { accountId }: EdgeTable,
    { id: routeId }: RouteRule,
    attempt: LoginAttempt,
  ): Promise<string> =>
    attempt.target === ''
      ? ((await logins.findTarget({ accountId, routeId }, hashOf(attempt.secret))) ?? '')
      : attempt.target;
  /** Returns the target of the attempt with a name, or the start of a route that requires a login. */
  const wantedBy = async (edge: EdgeTable, name: string, cookies: string): Promise<string> => {
    for (const route of edge.routes) {
      const attempt = attemptsAt(route, cookies).find(({ secret }) => attemptName(hashOf(secret)) === name);
      const target = attempt === undefined ? '' : await targetOf(edge, route, attempt);
      if (attempt !== undefined) return isTarget(target) ? target : startOf(route);
    }
    const first = edge.routes.find(({ login }) => login?.enabled === true);
    return first === undefined ? '/' : startOf(first);
  };

  return {
    find(edge, { hostport: host, route, login: { sessions: rule } }, cookies) {
      const { id: routeId } = route;
      const others = edge.othersOf(route);
      const scope = { accountId: edge.accountId, routeId, host };
      const findAmong = (hashes: readonly string[]) =>
        hashes.length === 0 ? null : sessions.find(hashes, scope, rule, others);
      const own = findAmong(hashesIn(cookies, sessionCookie(rule, routeId)));
      if (others.cookies.size === 0) return own;
      // The cookies of the other routes are only read where the route's own does not suffice.
      return chain(own, (session) => session ?? findAmong(readTokensOf(cookies, others.cookies).map(hashOfToken)));
    },

    send(edge, routeId, { scheme, host, target }, cookies) {
      const login = edge.routeById(routeId)?.login;
      const rule = login?.sessions;
      const hostport = readHostport(scheme, host);
      if (login == null || rule === undefined || hostport === null || scheme !== 'https' || baseUrl === null)
        return null;
      const module = { accountId: edge.accountId, routeId };
      const name = sessionCookie(rule, routeId);
      const attempt = beginAttempt(cookies, name, { target, now: now() }, () => newSecret(randomBytes, 16));
      const browserHash = hashOf(attempt.secret);
      const leave = (isKept: boolean): Redirect => {
        const begun = { host: hostport, browserHash, device: null, isTargetLost: !isKept, routeId };
        return {
          location: `${baseUrl}${loginPath(routeId, login.kind)}?state=${sealBegun(logins, module, 'login', begun)}`,
          cookie: writeCookie(attemptCookie(name, attempt), writeAttempt(attempt), loginSeconds),
        };
      };
      if (target.length <= targetInCookieMax) return leave(true);
      return chain(logins.keepTarget(module, browserHash, target), leave);
    },

    async admit({ edge, objections }, { scheme, host, target, address }, cookies) {
      const hostport = readHostport(scheme, host);
      if (hostport === null || !edge.hasHost(hostport) || scheme !== 'https') return null;
      const name = attemptIn(target);
      if (name !== null) return { location: originOf(hostport) + (await wantedBy(edge, name, cookies)), cookie: null };
      const ticket = ticketIn(target);
      if (ticket === null || objections.refusedBy.length > 0) return null;
      const login = await logins.findAnswered(hashOf(ticket));
      const route = login === null ? null : edge.routeById(login.routeId);
      if (login === null || route?.login?.enabled !== true || login.host !== hostport) return null;
      const { sessions: rule } = route.login;
      // The metadata of another identity provider may have been set meanwhile.
      if (login.vouched.issuer !== rule.issuer) return null;
      const began = attemptsAt(route, cookies).find(({ secret }) => hashOf(secret) === login.browserHash);
      // A browser that logs in with somebody else's response has another cookie, or none.
      if (login.browserHash !== null && began === undefined) return null;
      const token = newSecret(randomBytes, 32);
      const sessionId = await sessions.create(hashOf(token), login, address.toString());
      if (sessionId === null) return null;
      const asked = login.browserHash === null ? 'unsolicited' : 'requested';
      const reason = login.continued === null ? asked : 'continued';
      happened({ event: 'login', routeId: route.id, reason, reference: sessionId, sessions: 1 });
      const wanted = began === undefined ? login.target : await targetOf(edge, route, began);
      return {
        location: `${originOf(hostport)}${isTarget(wanted) ? wanted : startOf(route)}`,
        cookie: writeCookie(sessionCookie(rule, route.id), token, null),
      };
    },

    again(edge, { scheme, host }, cookies) {
      const hostport = readHostport(scheme, host);
      const routes = edge.routes.filter(({ login }) => login?.enabled === true);
      const [first] = routes;
      if (hostport === null || scheme !== 'https' || first === undefined) return null;
      const newest = routes.flatMap((route) => attemptsAt(route, cookies)).sort((a, b) => b.begunAt - a.begunAt)[0];
      return newest === undefined
        ? `${originOf(hostport)}${startOf(first)}`
        : againUrl(hostport, hashOf(newest.secret));
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
        const scope = { accountId, routeId, host: hostport };
        const ended = await sessions.end(tokens.map(hashOf), scope, address.toString());
        for (const { id, count } of ended) {
          happened({ event: 'logout', routeId, reason: 'user', reference: id, sessions: count });
        }
        // The identity provider that is trusted now need not learn whom another one has vouched for.
        left.push({
          routeId,
          kind: login.kind,
          cookie,
          ended: ended.find(({ issuer }) => issuer === login.sessions.issuer) ?? null,
          hosts: ended.flatMap(({ hosts }) => hosts),
        });
      }
      // A browser can go to only one address. If the routes have several identity providers, it is that of the first session.
      const first = left.find(({ ended }) => ended !== null) ?? left[0];
      if (first === undefined) return null;
      const { routeId, kind, cookie, ended } = first;
      const hosts = [...new Set(left.flatMap((each) => each.hosts))];
      const leaving = ended && { ...ended, hosts };
      const state = leaving === null ? '' : `?state=${sealLeaving(logins, { accountId, routeId }, leaving)}`;
      return { location: `${baseUrl}/${kind}/${routeId}/logout${state}`, cookie: writeCookie(cookie, '', 0) };
    },
  };
}

/** Returns what could be session tokens among cookies. */
function readTokens(cookies: string, name: string): string[] {
  return readCookies(cookies, name).filter(isToken);
}

/** Most tokens of other routes that are looked up: a browser has one for each login. */
const otherTokensMax = 8;

/** Returns what could be session tokens among the cookies of other routes. */
function readTokensOf(cookies: string, names: ReadonlySet<string>): string[] {
  const found = new Set(cookiesNamed(cookies, names).filter(isToken));
  return [...found].slice(0, otherTokensMax);
}

function isToken(value: string): boolean {
  return /^[\w-]{43}$/.test(value);
}
