// Roles: named sets of scopes, and which of them a person gets from what a sign-in provider says. Pure.

import { invalid } from '../errors.ts';
import { isJsonObject } from '../values/json.ts';
import { lowerAscii } from '../values/text.ts';
import { type KeyScope, keyScopes, widest } from './key-scopes.ts';

/** Areas that only owners change, because they say who may do what. */
const ofOwners = ['api-keys', 'people'];
/** Areas that nobody else changes. */
const notOfOperators = [...ofOwners, 'audit-events'];
/** Areas that viewers do not see: who has access, what everybody has done, and what waits for somebody. */
const ofAuditors = [...notOfOperators, 'approvals'];

const scopesTo = (access: 'read' | 'write', except: readonly string[]): readonly KeyScope[] =>
  keyScopes.filter((scope) => scope.endsWith(`:${access}`) && !except.some((area) => scope === `${area}:${access}`));

/** The roles that every account has. They are never stored, so that they include the areas of later versions. */
export const builtInRoles = {
  owner: ['write'],
  operator: ['read', ...scopesTo('write', notOfOperators)],
  auditor: ['read'],
  viewer: scopesTo('read', ofAuditors),
} as const satisfies Readonly<Record<string, readonly KeyScope[]>>;

const builtIn: ReadonlyMap<string, readonly KeyScope[]> = new Map(Object.entries(builtInRoles));

/** Returns the scopes of a built-in role; undefined for any other name. */
export const scopesOfBuiltIn = (name: string): readonly KeyScope[] | undefined => builtIn.get(name);

/**
 * Who gets a role: the members of a group, whoever has an e-mail address, or everybody whom the provider lets in. Exactly one of the
 * three is set. A type, to be JSON.
 */
export type RoleMapping = {
  readonly group: string | null;
  readonly email: string | null;
  readonly everybody: boolean;
  readonly role: string;
};

/** What a provider says about a person that matters for roles. */
export interface Membership {
  readonly groups: readonly string[];
  /** Null or empty if unknown. */
  readonly email: string | null;
}

/** Returns the names of the roles that a person gets, each once. */
export function rolesFor({ groups, email }: Membership, mappings: readonly RoleMapping[]): string[] {
  const given = new Set(groups);
  const address = lowerAscii(email ?? '');
  const fitting = mappings.filter(({ group, email: mapped, everybody }) => {
    if (group !== null) return given.has(group);
    return mapped === null ? everybody : lowerAscii(mapped) === address;
  });
  return rolesNamedBy(fitting);
}

/** Returns the names of the roles in mappings, each once. */
function rolesNamedBy(mappings: readonly RoleMapping[]): string[] {
  return [...new Set(mappings.map(({ role }) => role))];
}

/**
 * Returns the scopes of roles together. A name that stands for nothing gives no scope.
 *
 * @param own the roles of the account's own, by name
 */
export function scopesOfRoles(names: readonly string[], own: ReadonlyMap<string, readonly KeyScope[]>): KeyScope[] {
  return widest(names.flatMap((name) => builtIn.get(name) ?? own.get(name) ?? []));
}

const roleForm = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Checks the name of a new role. Throws INVALID_INPUT. */
export function checkRoleName(name: string): string {
  if (!roleForm.test(name)) {
    throw invalid('name', 'must have 1 to 63 lower-case letters, digits and dashes, and begin with a letter or digit.');
  }
  if (builtIn.has(name)) throw invalid('name', `is that of a built-in role: ${[...builtIn.keys()].join(', ')}.`);
  return name;
}

/** Returns whether a value is a list of mappings, as the database stores them. */
export function areRoleMappings(value: unknown): value is RoleMapping[] {
  const isTextOrNull = (part: unknown) => part === null || typeof part === 'string';
  return (
    Array.isArray(value) &&
    value.every((each: unknown) => {
      if (!isJsonObject(each)) return false;
      const { group, email, everybody, role } = each;
      return isTextOrNull(group) && isTextOrNull(email) && typeof everybody === 'boolean' && typeof role === 'string';
    })
  );
}

/** Returns what messages and the trail call a person: name and address as far as they are known, otherwise the subject. */
export function nameOfPerson({ name, email, subject }: Readonly<Record<'name' | 'email' | 'subject', string>>): string {
  if (name !== '' && email !== '') return `${name} <${email}>`;
  return name || email || subject;
}

/**
 * How long a person's own API keys work after the last sign-in, in days: only a sign-in tells what groups the person is still in,
 * and whether the person is still there at all.
 */
export const personalKeyDays = 30;

/** Longest session of a person, in seconds: after 12 hours at most, the provider is asked again. */
export const personSessionSecondsMax = 12 * 3600;
