// The decision whether a request may pass, with the reasons, step by step. It is the same for every proxy and for `evaluateGate`.
// Pure.

import type { Soon } from '../at-once.ts';
import type { Address } from '../cidr.ts';
import type { EdgeTable, LoginRule, RouteRule } from './edge-table.ts';
import { readHostport, readPath } from './url.ts';

/** A request, as the proxy tells of it. */
export interface GateRequest {
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly target: string;
  /** The address of the client. */
  readonly address: Address;
}

/** Who has logged in at a route. */
export interface Session {
  readonly user: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
}

/** The IP restrictions for endpoints of an account that object to the address of the client. */
export interface Objections {
  /** The enforced ones. */
  readonly refusedBy: readonly string[];
  /** Those that are not enforced. */
  readonly wouldRefuse: readonly string[];
}

/** What a decision rests on. */
export interface GateRules {
  readonly edge: EdgeTable;
  readonly objections: Objections;
  /** Whether paths may have semicolons (see `readPath`). */
  readonly allowSemicolon: boolean;
}

/**
 * Gets what a decision about an address at an edge rests on; null for an edge that does not exist. What is in memory is given at
 * once, without a promise.
 */
export type GateRulesFor = (edgeId: string, address: Address) => Soon<GateRules | null>;

/** The checks, in their order. The first that refuses is the last that is made. */
export const gateChecks = ['request', 'host', 'path', 'route', 'address', 'login', 'groups'] as const;
export type GateCheck = (typeof gateChecks)[number];

/** What a check does. */
export const gateEffects = ['pass', 'warn', 'refuse'] as const;
export type GateEffect = (typeof gateEffects)[number];

/** A check that was made. */
export interface GateStep {
  readonly check: GateCheck;
  readonly effect: GateEffect;
  /** A sentence for whoever configures the edge, never for its visitors. */
  readonly message: string;
}

/** Whether a request may pass, and why. */
export interface GateDecision {
  readonly allowed: boolean;
  readonly steps: readonly GateStep[];
  /** The route; null when the decision fell before there was one. */
  readonly routeId: string | null;
}

/** What HTTP allows as a method (RFC 9110, section 9.1). */
const methodForm = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Refuses what is no request that anybody could have made. */
export function refuseMalformed(message: string): GateDecision {
  return { allowed: false, steps: [{ check: 'request', effect: 'refuse', message }], routeId: null };
}

/** A request that passes once it is known who sent it: somebody who may. */
export interface LoginNeeded {
  /** The host that it was sent to, as edges name them. */
  readonly hostport: string;
  readonly route: RouteRule;
  readonly login: LoginRule;
  readonly steps: readonly GateStep[];
}

/**
 * Decides whether a request may pass.
 *
 * @param session of the client at the route; null when it has none
 */
export function decide(rules: GateRules, request: GateRequest, session: Session | null): GateDecision {
  const found = decideBeforeLogin(rules, request);
  return 'login' in found ? decideLogin(found, session) : found;
}

/** Makes the checks that come before anybody asks who sent a request. Where nobody has to, they decide. */
export function decideBeforeLogin(
  { edge, objections, allowSemicolon }: GateRules,
  { method, scheme, host, target, address }: GateRequest,
): GateDecision | LoginNeeded {
  const steps: GateStep[] = [];
  const passed = (check: GateCheck, message: string) => steps.push({ check, effect: 'pass', message });
  const refused = (check: GateCheck, message: string, routeId: string | null = null): GateDecision => {
    steps.push({ check, effect: 'refuse', message });
    return { allowed: false, steps, routeId };
  };

  const hostport = readHostport(scheme, host);
  if (hostport === null || !methodForm.test(method)) {
    return refused('request', 'The request has no usable method, scheme or host.');
  }
  if (!edge.hasHost(hostport)) return refused('host', `The edge does not serve ${hostport}.`);
  passed('host', `The edge serves ${hostport}.`);

  const read = readPath(target, allowSemicolon);
  if ('problem' in read) return refused('path', `The path ${read.problem}: programs could read it differently.`);
  passed('path', 'The path is unambiguous.');

  const route = edge.routeOf(read.path);
  if (route === null) return refused('route', 'No route of the edge matches the path.');
  const { id: routeId, login } = route;
  passed('route', `The ${route.matchType} ${route.match} matches.`);

  const refusing = objections.refusedBy[0];
  const warning = objections.wouldRefuse[0];
  if (refusing !== undefined) return refused('address', `The IP restriction ${refusing} refuses ${address}.`, routeId);
  if (warning === undefined) passed('address', 'No IP restriction refuses the address.');
  else {
    const message = `The IP restriction ${warning}, which is not enforced, would refuse ${address}.`;
    steps.push({ check: 'address', effect: 'warn', message });
  }

  if (login?.enabled !== true) {
    passed('login', login === null ? 'The route has no SAML module.' : 'The SAML module of the route is disabled.');
    return { allowed: true, steps, routeId };
  }
  if (login.optionsPassthrough && method === 'OPTIONS') {
    passed('login', 'OPTIONS requests pass without a login.');
    return { allowed: true, steps, routeId };
  }
  return { hostport, route, login, steps };
}

/** Decides about a request that needs a login, by the session of its sender; null for none. */
export function decideLogin({ route, login, steps }: LoginNeeded, session: Session | null): GateDecision {
  const refused = (...last: GateStep[]): GateDecision => {
    return { allowed: false, steps: [...steps, ...last], routeId: route.id };
  };
  if (session === null) {
    const message = 'The route requires a login, and there is no session.';
    return refused({ check: 'login', effect: 'refuse', message });
  }
  const loggedIn: GateStep = { check: 'login', effect: 'pass', message: 'There is a session.' };
  if (!isMember(session, login)) {
    const message = 'The user is in none of the authorized groups.';
    return refused(loggedIn, { check: 'groups', effect: 'refuse', message });
  }
  const all = login.authorizedGroups.size === 0;
  const message = all ? 'All groups are authorized.' : 'The user is in an authorized group.';
  const grouped: GateStep = { check: 'groups', effect: 'pass', message };
  return { allowed: true, steps: [...steps, loggedIn, grouped], routeId: route.id };
}

/** Tells whether a user is in a group that is authorized. Identity providers may put white space around names. */
function isMember({ groups }: Session, { authorizedGroups }: LoginRule): boolean {
  return authorizedGroups.size === 0 || groups.some((group) => authorizedGroups.has(group.trim()));
}
