// The scopes of API keys, and what each one allows. Pure.

import { invalid } from '../errors.ts';
import {
  type Area,
  areaOf,
  type Kind,
  kinds,
  type NarrowScope,
  narrowScopeOf,
  type PassScope,
  passScopes,
} from '../values/ids.ts';
import { dayMs } from '../values/time.ts';

export type { NarrowScope } from '../values/ids.ts';

/** A permission of a key: to read or write everything or one area, or a narrow one. Write includes all other permissions there. */
export type KeyScope = Access | `${Area}:${Access}` | NarrowScope | PassScope;

type Access = 'read' | 'write';

// `Object.keys` forgets that the keys of this constant are exactly the kinds.
const everyKind = Object.keys(kinds) as Kind[];
const areas = [...new Set(everyKind.map(areaOf))].filter((area) => area !== null).sort();

const areaOfNarrow = new Map<string, Area>(passScopes);
for (const kind of everyKind) {
  const [narrow, area] = [narrowScopeOf(kind), areaOf(kind)];
  if (narrow !== null && area !== null) areaOfNarrow.set(narrow, area);
}

/** Every scope that a key can have, the widest first. */
export const keyScopes: readonly KeyScope[] = [
  'read',
  'write',
  ...areas.flatMap((area): KeyScope[] => [`${area}:read`, `${area}:write`]),
  ...everyKind.map(narrowScopeOf).filter((scope) => scope !== null),
  ...passScopes.map(([scope]) => scope),
];

/** The default scopes of a key: everything. */
export const everyRight: readonly KeyScope[] = ['write'];

/** Returns all scopes of a key, including those that its given scopes imply. */
export function impliedScopes(scopes: readonly KeyScope[]): ReadonlySet<KeyScope> {
  return new Set(keyScopes.filter((scope) => scopes.some((given) => implies(given, scope))));
}

/** Drops scopes that are repeated or that other scopes imply. */
export function widest(scopes: readonly KeyScope[]): KeyScope[] {
  const each = [...new Set(scopes)];
  return each.filter((scope) => !each.some((other) => other !== scope && implies(other, scope)));
}

function implies(given: KeyScope, scope: KeyScope): boolean {
  const [area, access] = partsOf(given);
  const [scopeArea, scopeAccess] = partsOf(scope);
  if (access === 'narrow') return given === scope;
  return (area === null || area === scopeArea) && (access === 'write' || scopeAccess === 'read');
}

function partsOf(scope: KeyScope): readonly [area: string | null, access: string] {
  const area = areaOfNarrow.get(scope);
  if (area !== undefined) return [area, 'narrow'];
  const [first = '', second] = scope.split(':');
  return second === undefined ? [null, first] : [first, second];
}

/**
 * Checks the scopes of a new key, and returns each once, in the order of `keyScopes`.
 *
 * @throws INVALID_INPUT for an unknown scope, with a list of the known ones, and for an empty list
 */
export function checkScopes(field: string, given: readonly string[]): KeyScope[] {
  if (given.length === 0) throw invalid(field, 'must not be empty: a key without scopes could do nothing.');
  for (const [index, scope] of given.entries()) {
    if (!isKeyScope(scope)) throw invalid(`${field}[${index}]`, `must be one of: ${keyScopes.join(', ')}.`);
  }
  return keyScopes.filter((scope) => given.includes(scope));
}

/** Formats scopes for the database. */
export function formatScopes(scopes: readonly KeyScope[]): string {
  return scopes.join(' ');
}

/** Parses scopes from the database. A name that this program does not know is ignored. */
export function readScopes(stored: string): KeyScope[] {
  return stored.split(' ').filter(isKeyScope);
}

function isKeyScope(scope: string): scope is KeyScope {
  return keyScopes.some((known) => known === scope);
}

/** How many days before a key expires clients and operators are warned. */
export const expiringDays = 14;

/** Returns whether a key with this expiry should be replaced soon. */
export function expiresSoon(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() - now.getTime() <= expiringDays * dayMs;
}
