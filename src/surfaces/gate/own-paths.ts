// The paths at the hosts of applications that belong to the gate: no application sees a request to one of them. Pure.

import { isTarget } from '../../domain/gate/cookies.ts';
import type { EdgeTable, RouteRule } from '../../domain/gate/edge-table.ts';
import { attemptName } from '../../domain/gate/login-attempts.ts';
import { comparableMatch, originOf } from '../../domain/gate/url.ts';

/** Path that exchanges a ticket for a session, and that leads back to the page of a login that was begun. */
const sessionPath = '/.sallyport/session';
const ticketForm = /^\/\.sallyport\/session\?ticket=([\w-]{43})$/;
const attemptForm = /^\/\.sallyport\/session\?login=([0-9a-f]{8})$/;
/** Path that logs out. */
const logoutPath = '/.sallyport/logout';

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
