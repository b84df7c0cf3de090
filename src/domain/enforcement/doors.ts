// What exports say of the IP restriction modules of an edge: those of the routes of an HTTPS edge, or that of a TLS edge. Pure.

import type { RoutePath } from '../gate/proxy-paths.ts';
import { type AddressSet, everybody, isEmpty, isEverybody } from '../ip/address-set.ts';
import { type AllowedAddresses, commentOnEnd } from './endpoints.ts';

/** A route, and whom it lets pass by address alone. */
export interface Door extends RoutePath {
  readonly routeId: string;
  readonly set: AddressSet;
}

export interface DoorsOfEdge {
  readonly edgeId: string;
  /** Oldest first. A TLS edge has one, for everything. */
  readonly doors: readonly Door[];
  /** Sentences that say what a list of addresses cannot express. Of user input, they have only identifiers. */
  readonly notExpressed: readonly string[];
  /** When the first of the rules ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
}

/** What decides at a route, besides its path. */
export interface RouteSettings {
  readonly routeId: string;
  readonly hasLogin: boolean;
  /** The enabled IP restriction module, with the addresses that it allows; null if there is none. */
  readonly restriction: { readonly mode: 'require' | 'suffice'; readonly allowed: AddressSet } | null;
}

/** Returns whom a route lets pass by address alone, and a sentence that says what remains for the gate; null if nothing does. */
export function passedByAddress({ routeId, hasLogin, restriction }: RouteSettings): {
  readonly set: AddressSet;
  readonly remaining: string | null;
} {
  const asks = `only the gate asks for a login at the route ${routeId}`;
  if (restriction === null) return { set: everybody, remaining: hasLogin ? `${asks}.` : null };
  const { mode, allowed } = restriction;
  if (!hasLogin) return { set: allowed, remaining: null };
  if (mode === 'require') return { set: allowed, remaining: `${asks}, from those whom its module allows.` };
  return {
    set: everybody,
    remaining: `${asks}, which others than those whom its module allows need: it keeps nobody out.`,
  };
}

/** Returns what an export guards, as the first line of its files says. */
export function whatIsGuarded({ accountId }: AllowedAddresses, edge: DoorsOfEdge | null): string {
  return `who may reach ${edge === null ? `the endpoints of ${accountId}` : `the edge ${edge.edgeId} of ${accountId}`}`;
}

/** Creates comment lines that say what the modules of an edge allow, and until when. */
export function commentsOnDoors({ edgeId, doors, notExpressed, validUntilMs }: DoorsOfEdge): string[] {
  const restricted = doors.filter(({ set }) => !isEverybody(set));
  const closed = doors.filter(({ set }) => isEmpty(set));
  return [
    restricted.length === 0
      ? `# No IP restriction module of the edge ${edgeId} keeps an address out.`
      : `# IP restriction modules of the edge ${edgeId}: ${restricted.map(({ routeId }) => routeId).join(', ')}.`,
    ...(doors.length === 0 ? ['# The edge has no routes: nothing is served.'] : []),
    ...(closed.length === 0 ? [] : [`# Nobody is allowed: ${closed.map(({ routeId }) => routeId).join(', ')}.`]),
    ...commentOnEnd(validUntilMs),
    ...notExpressed.map((sentence) => `# Not expressed: ${sentence}`),
  ];
}

/** Returns the only door of a TLS edge, which has no routes. */
export function onlyDoor(edgeId: string, allowed: AddressSet | null): Door {
  return { routeId: edgeId, matchType: 'path_prefix', match: '/', set: allowed ?? everybody };
}
