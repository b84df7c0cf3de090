// What of an edge decides, ready to be asked. Pure.

import type { SessionRule } from './session.ts';
import { comparableMatch } from './url.ts';

/** What of a SAML module decides. */
export interface LoginRule {
  readonly enabled: boolean;
  readonly optionsPassthrough: boolean;
  /** The groups of which users must be in one, without white space around; empty to let in everybody who can log in. */
  readonly authorizedGroups: ReadonlySet<string>;
  readonly sessions: SessionRule;
}

/** What of a route decides. */
export interface RouteRule {
  readonly id: string;
  readonly matchType: 'path_prefix' | 'exact_path';
  readonly match: string;
  /** Null without a SAML module. */
  readonly login: LoginRule | null;
}

/** An edge as it is stored. */
export interface EdgeRules {
  readonly id: string;
  readonly accountId: string;
  readonly hostports: readonly string[];
  readonly routes: readonly RouteRule[];
}

/** An edge that can be asked. */
export interface EdgeTable {
  readonly id: string;
  readonly accountId: string;
  readonly routeCount: number;
  readonly hostports: readonly string[];
  readonly routes: readonly RouteRule[];
  /** Tells whether a host is one of the edge. A wildcard stands for one label. */
  hasHost(hostport: string): boolean;
  /** Finds the route of a path: an exact one before prefixes, and the longest prefix of several; null without one. */
  routeOf(path: string): RouteRule | null;
  /** Finds a route by its id; null when it is not of this edge. */
  routeById(id: string): RouteRule | null;
}

/** Compiles an edge. */
export function compileEdge({ id, accountId, hostports, routes }: EdgeRules): EdgeTable {
  const hosts = new Set(hostports);
  const byId = new Map(routes.map((route) => [route.id, route]));
  // Of two routes that are one path once it is decoded, the older one counts, whatever order they are read in.
  const oldestFirst = [...routes].sort((a, b) => (a.id < b.id ? -1 : 1));
  const exact = new Map<string, RouteRule>();
  const prefixes = new Map<string, RouteRule>();
  for (const route of oldestFirst) {
    const path = comparableMatch(route.match);
    const same = route.matchType === 'path_prefix' ? prefixes : exact;
    if (!same.has(path)) same.set(path, route);
  }
  // There are few lengths, however many prefixes there are.
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].sort((a, b) => b - a);
  const longestPrefixOf = (path: string): RouteRule | null => {
    for (const length of lengths) {
      const route = length > path.length ? undefined : prefixes.get(path.slice(0, length));
      if (route !== undefined) return route;
    }
    return null;
  };
  return {
    id,
    accountId,
    routeCount: routes.length,
    hostports,
    routes,
    hasHost: (hostport) => hosts.has(hostport) || hosts.has(hostport.replace(/^[^.:]+/, '*')),
    routeOf: (path) => exact.get(path) ?? longestPrefixOf(path),
    routeById: (id) => byId.get(id) ?? null,
  };
}
