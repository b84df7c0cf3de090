// The rules of an edge that decide about requests, compiled for lookups. Pure.

import type { RuleTable } from '../ip/rule-table.ts';
import { getOrInsertComputed } from '../values/maps.ts';
import type { LoginTerms } from './session-rule.ts';
import { type OtherRoutes, othersOf } from './shared-sessions.ts';
import { comparableMatch } from './url.ts';

/** The settings of a login module that decide about requests. */
export interface LoginRule extends LoginTerms {
  readonly optionsPassthrough: boolean;
  /** Users must be in one of these groups, whose names are trimmed; empty to admit everybody who can log in. */
  readonly authorizedGroups: ReadonlySet<string>;
}

/** What an allowed address is for: `require` demands one of every client, `suffice` spares those with one the login. */
export const ipRestrictionModes = ['require', 'suffice'] as const;
export type IpRestrictionMode = (typeof ipRestrictionModes)[number];

/** The settings of an IP restriction module that decide about requests. */
export interface AddressRule {
  readonly enabled: boolean;
  readonly mode: IpRestrictionMode;
  /** The rules of its policies. A deleted policy has none. */
  readonly tables: readonly RuleTable[];
}

/** The properties of a route that decide about requests. */
export interface RouteRule {
  readonly id: string;
  readonly matchType: 'path_prefix' | 'exact_path';
  readonly match: string;
  /** Null if the route has no login module. */
  readonly login: LoginRule | null;
  /** Null if the route has no IP restriction module. */
  readonly ipRestriction: AddressRule | null;
}

/** An edge as it is stored. */
export interface EdgeRules {
  readonly id: string;
  readonly accountId: string;
  readonly hostports: readonly string[];
  readonly signsIdentity: boolean;
  /** Whether applications also get the API keys by which programs pass. */
  readonly forwardsKeys: boolean;
  readonly routes: readonly RouteRule[];
}

export interface EdgeTable extends EdgeRules {
  readonly routeCount: number;
  /** Returns whether the edge serves a host. A wildcard stands for one label. */
  hasHost(hostport: string): boolean;
  /** Finds the route for a path: an exact match first, then the longest prefix; null if none matches. */
  routeOf(path: string): RouteRule | null;
  /** Finds a route of this edge by its id; null if there is none. */
  routeById(id: string): RouteRule | null;
  othersOf(route: RouteRule): OtherRoutes;
}

/** Returns a function that tells whether one of an edge's hosts and ports stands for a host. */
export function hostMatcher(hostports: readonly string[]): EdgeTable['hasHost'] {
  const hosts = new Set(hostports);
  return (hostport) => hosts.has(hostport) || hosts.has(hostport.replace(/^[^.:]+/, '*'));
}

/** Compiles an edge. */
export function compileEdge(rules: EdgeRules): EdgeTable {
  const { hostports, routes } = rules;
  const byId = new Map(routes.map((route) => [route.id, route]));
  // If two routes have the same path after decoding, the older one counts, whatever order they are read in.
  const oldestFirst = [...routes].sort((a, b) => (a.id < b.id ? -1 : 1));
  const exact = new Map<string, RouteRule>();
  const prefixes = new Map<string, RouteRule>();
  for (const route of oldestFirst) {
    const path = comparableMatch(route.match);
    const same = route.matchType === 'path_prefix' ? prefixes : exact;
    if (!same.has(path)) same.set(path, route);
  }
  // There are few different lengths, however many prefixes there are.
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  const longestPrefixOf = (path: string): RouteRule | null => {
    for (const length of lengths) {
      const route = length > path.length ? undefined : prefixes.get(path.slice(0, length));
      if (route !== undefined) return route;
    }
    return null;
  };
  const others = new Map<RouteRule, OtherRoutes>();
  const { id: edgeId, accountId, signsIdentity, forwardsKeys } = rules;
  return {
    id: edgeId,
    accountId,
    signsIdentity,
    forwardsKeys,
    routeCount: routes.length,
    hostports,
    routes,
    hasHost: hostMatcher(hostports),
    routeOf: (path) => exact.get(path) ?? longestPrefixOf(path),
    routeById: (id) => byId.get(id) ?? null,
    othersOf: (route) => getOrInsertComputed(others, route, () => othersOf(route, routes)),
  };
}
