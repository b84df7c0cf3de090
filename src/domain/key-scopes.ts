// The scopes of API keys: which there are, and what each allows. Pure.

import { invalid } from './errors.ts';
import { type Area, areaOf, type Kind, kinds, type NarrowScope, narrowScopeOf } from './ids.ts';
import { dayMs } from './time.ts';

export type { NarrowScope } from './ids.ts';

/** What a key may do: read or change everything, or only what is of one area, or one thing. To change includes all else. */
export type KeyScope = Access | `${Area}:${Access}` | NarrowScope;

type Access = 'read' | 'write';

// `Object.keys` forgets that the keys of this constant are exactly the kinds.
const everyKind = Object.keys(kinds) as Kind[];
const areas = [...new Set(everyKind.map(areaOf))].filter((area) => area !== null).sort();

/** The area that each narrow scope is a part of. */
const areaOfNarrow = new Map<string, Area>();
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
];

/** What a key may do unless it is made for less: everything. */
export const everyRight: readonly KeyScope[] = ['write'];

/** Gives every scope that a key with some scopes has, those included that they imply. */
export function impliedScopes(scopes: readonly KeyScope[]): ReadonlySet<KeyScope> {
  return new Set(keyScopes.filter((scope) => scopes.some((given) => implies(given, scope))));
}

/** Leaves out scopes that are the same as others, or are implied by them. */
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
 * Checks the scopes that a new key shall have, and gives each once, in the order of `keyScopes`.
 *
 * @throws INVALID_INPUT that names the known scopes for one that is not among them, and for an empty list
 */
export function checkScopes(field: string, given: readonly string[]): KeyScope[] {
  if (given.length === 0) throw invalid(field, 'must not be empty: a key without scopes could do nothing.');
  for (const [index, scope] of given.entries()) {
    if (!isKeyScope(scope)) throw invalid(`${field}[${index}]`, `must be one of: ${keyScopes.join(', ')}.`);
  }
  return keyScopes.filter((scope) => given.includes(scope));
}

/** Writes scopes for the database. */
export function formatScopes(scopes: readonly KeyScope[]): string {
  return scopes.join(' ');
}

/** Reads scopes from the database. A name that this program does not know allows nothing. */
export function readScopes(stored: string): KeyScope[] {
  return stored.split(' ').filter(isKeyScope);
}

function isKeyScope(scope: string): scope is KeyScope {
  return keyScopes.some((known) => known === scope);
}

/** Days before its end from which clients and operators are told that a key expires. */
export const expiringDays = 14;

/** Tells whether a key that ends at some time is to be replaced soon. */
export function expiresSoon(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() - now.getTime() <= expiringDays * dayMs;
}
