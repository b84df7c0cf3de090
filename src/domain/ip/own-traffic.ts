// The traffic to Sallyport itself that IP restrictions guard, and the types of restrictions that apply to it. Pure.

import type { KeyScope } from '../access/key-scopes.ts';

/**
 * The types of IP restrictions that guard Sallyport: for requests with an API key, for those of a dashboard session, and for those of
 * agents, which are programs on hosts.
 */
export type OwnTraffic = 'api' | 'dashboard' | 'agent';

/** What tells of a request where it comes from. */
interface Requester {
  readonly isMember: boolean;
  readonly scopes: readonly KeyScope[];
  readonly dashboardSessionId?: string | undefined;
}

/**
 * Returns the kind of traffic of a request. It is known before the request is read: what counts is how it came in and what its key
 * is for, not what it asks for. A host that proves itself has no key, and one that makes enrollment tokens has a key for that alone.
 */
export function trafficOf({ isMember, scopes, dashboardSessionId }: Requester): OwnTraffic {
  if (dashboardSessionId !== undefined) return 'dashboard';
  return isMember && scopes.some((scope) => scope !== 'ssh:enroll') ? 'api' : 'agent';
}

/**
 * Returns the types of the restrictions that apply to a kind of traffic. If no restriction is enforced for sessions or agents, those
 * for API keys apply to them too: otherwise a stolen key that is refused could create a session or a token and get in that way.
 *
 * @param isGuarded whether a restriction of the traffic's own type is enforced
 */
export function typesJudging(traffic: OwnTraffic, isGuarded: boolean): readonly OwnTraffic[] {
  return traffic === 'api' || isGuarded ? [traffic] : [traffic, 'api'];
}
