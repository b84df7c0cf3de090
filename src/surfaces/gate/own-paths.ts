// The paths at the hosts of applications that belong to the gate: no application sees a request to one of them. Pure.

import { isTarget } from '../../domain/gate/cookies.ts';
import type { EdgeTable, RouteRule } from '../../domain/gate/edge-table.ts';
import { attemptName } from '../../domain/gate/login-attempts.ts';
import { comparableMatch, originOf, readHostport, splitUrl } from '../../domain/gate/url.ts';

/** Path that exchanges a ticket for a session, and that leads back to the page of a login that was begun. */
const sessionPath = '/.sallyport/session';
const ticketForm = /^\/\.sallyport\/session\?ticket=([\w-]{43})$/;
const attemptForm = /^\/\.sallyport\/session\?login=([0-9a-f]{8})$/;
/** Path that logs out. */
const logoutPath = '/.sallyport/logout';

/** Path that begins a login, for proxies that know one address for that. */
const loginPath = '/.sallyport/login';

/** Returns the URL that takes a ticket to the host of an application. */
export function ticketUrl(hostport: string, ticket: string): string {
  return `${originOf(hostport)}${sessionPath}?ticket=${ticket}`;
}

/** Returns the URL that leads back to the page that a browser wanted when it began a login. */
export function againUrl(hostport: string, browserHash: string): string {
  return `${originOf(hostport)}${sessionPath}?login=${attemptName(browserHash)}`;
}

/** Returns the URL that logs out at a host. */
export function logoutUrl(hostport: string): string {
  return `${originOf(hostport)}${logoutPath}`;
}

/** Returns the ticket that a request brings; null for none. */
export function ticketIn(target: string): string | null {
  return ticketForm.exec(target)?.[1] ?? null;
}

/** Returns the name of the login to whose page a request wants to go back; null for none. */
export function attemptIn(target: string): string | null {
  return attemptForm.exec(target)?.[1] ?? null;
}

/** Returns whether a request ends a login. */
export function isSessionTarget(target: string): boolean {
  return isUnder(sessionPath, target);
}

/** Returns whether a request logs out. */
export function isLogoutTarget(target: string): boolean {
  return isUnder(logoutPath, target);
}

/** Returns whether a request begins a login. */
export function isLoginTarget(target: string): boolean {
  return isUnder(loginPath, target);
}

/** Returns the URL that begins a login at a host, and then leads to a target there. */
export function loginUrl(hostport: string, target: string): string {
  return `${originOf(hostport)}${loginPath}?rd=${encodeURIComponent(target)}`;
}

/** Where a login that a request begins leads to. */
export interface Wanted {
  readonly hostport: string;
  readonly target: string;
}

/**
 * Reads where a login leads to: `rd`, a page at a host of the edge. Without it, the login leads to the first route that demands one.
 *
 * @param hostport the host that the request was sent to
 * @returns null if it is another host's, a page of the gate itself, or none that browsers read in one way only
 */
export function wantedIn(edge: EdgeTable, hostport: string, target: string): Wanted | null {
  const given = new URLSearchParams(target.slice(target.indexOf('?') + 1)).getAll('rd');
  const [rd, ...others] = target.includes('?') ? given : [];
  if (rd === undefined) {
    const first = edge.routes.find(({ login }) => login?.enabled === true);
    return first === undefined ? null : { hostport, target: startOf(first) };
  }
  const url = splitUrl(rd);
  const wanted = url === null ? { hostport, target: rd } : { hostport: readHostport(url.scheme, url.host), ...url };
  const isPage = isTarget(wanted.target) && !wanted.target.startsWith('/.sallyport/');
  if (others.length > 0 || !isPage || (url !== null && url.scheme !== 'https')) return null;
  if (wanted.hostport === null || !edge.hasHost(wanted.hostport)) return null;
  return { hostport: wanted.hostport, target: wanted.target };
}

function isUnder(path: string, target: string): boolean {
  return target.startsWith(path) && /^(?:[?/]|$)/.test(target.slice(path.length));
}

/** Returns the target at which a route begins. */
export function startOf({ match }: Pick<RouteRule, 'match'>): string {
  const start = encodeURI(comparableMatch(match));
  return isTarget(start) ? start : '/';
}

/** Returns the host of an edge to which browsers are sent over HTTPS if nothing names another one; null if there is none. */
export function hostOf({ hostports }: EdgeTable): string | null {
  const named = hostports.filter((each) => !each.startsWith('*'));
  return named.find((each) => each.endsWith(':443')) ?? named.find((each) => !each.endsWith(':80')) ?? null;
}
