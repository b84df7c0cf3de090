// Roles of an account's own in the database.

import { checkScopes, formatScopes, impliedScopes, type KeyScope, readScopes } from '../../domain/access/key-scopes.ts';
import {
  areRoleMappings,
  builtInRoles,
  checkRoleName,
  type RoleMapping,
  rolesFor,
  scopesOfBuiltIn,
  scopesOfRoles,
} from '../../domain/access/roles.ts';
import { invalid, lockout, SallyportError } from '../../domain/errors.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { listed } from '../../domain/wording.ts';
import { isDuplicate } from '../../storage/errors.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, NewObject, Row, Write } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { refuseMore } from './giving.ts';
import { mappingsMax } from './rules.ts';

export const roles = collectionOf('Role');
const providers = collectionOf('SignInProvider');

/** Who changes roles and providers. */
export interface Giver {
  readonly rights: ReadonlySet<KeyScope>;
  /** The person who makes the change; absent for an API key. */
  readonly personId?: string | undefined;
  /** Whether to make the change even if it locks the giver out. */
  readonly force?: boolean | null | undefined;
}

/** A new role. */
interface NewRole extends Notes {
  readonly name: string;
  readonly scopes: readonly string[];
}

/**
 * Creates a role.
 *
 * @param object the identity of the role; a new one unless given
 * @throws INVALID_INPUT for a name or a scope that cannot be, FORBIDDEN for scopes that the giver lacks, DUPLICATE
 */
export async function createRole(
  scope: AccountScope,
  { name, scopes, ...notes }: NewRole,
  { rights }: Giver,
  object: NewObject = roles.newObject(scope),
): Promise<Row<'Role'>> {
  const checked = checkScopes('scopes', scopes);
  const columns = { name: checkRoleName(name), scopes: formatScopes(checked), ...notesForCreate(notes) };
  refuseMore('scopes', checked, rights);
  try {
    return await roles.create(scope, columns, { object, acknowledged: scope.credentials.forgetPeople });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new SallyportError('DUPLICATE', 'is that of another role of the account.', { field: 'name' });
  }
}

/** A change of a role; null keeps a value, except that it clears the notes. */
interface RoleChange extends Notes {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
  readonly scopes?: readonly string[] | null | undefined;
}

/**
 * Changes a role: at once for everybody who has it.
 *
 * @throws FORBIDDEN for scopes that the giver lacks, before or after; LOCKOUT for a person who could not change it back, and if it leaves
 *   nobody a way in; and as `createRole` and `collection.update`
 */
export async function updateRole(scope: AccountScope, input: RoleChange, giver: Giver): Promise<Row<'Role'>> {
  const { id, expectedVersion, scopes } = input;
  const notes = notesForUpdate(input);
  if (scopes == null) return roles.update(scope, id, notes, expectedVersion);
  const checked = checkScopes('scopes', scopes);
  const { name, scopes: before } = await roles.get(scope, id);
  refuseMore('scopes', [...readScopes(before), ...checked], giver.rights);
  const after = { roles: new Map([[name, checked]]) };
  await refuseOwnLoss(scope, giver, after);
  const change = { scopes: formatScopes(checked), ...notes };
  const { forgetPeople } = scope.credentials;
  return unlessOvertaken(async () => {
    const alongside = await keepSignIn(scope, giver, after);
    return roles.update(scope, id, change, expectedVersion, { alongside, acknowledged: forgetPeople });
  });
}

/**
 * Deletes a role.
 *
 * @throws IN_USE if a provider gives it to somebody, FORBIDDEN as `updateRole`, and as `collection.remove`
 */
export async function deleteRole(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
  { rights }: Giver,
): Promise<void> {
  const { name, scopes } = await roles.get(scope, id);
  refuseMore(undefined, readScopes(scopes), rights);
  await refuseUsed(scope, [name]);
  await roles.remove(scope, id, expectedVersion, { acknowledged: scope.credentials.forgetPeople });
}

/** Throws IN_USE if a provider gives one of some roles to somebody. */
async function refuseUsed(scope: AccountView, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const providers = await readProviders(scope);
  for (const name of names) {
    const users = providers.filter(({ roleMappings }) => roleMappings.some(({ role }) => role === name));
    if (users.length === 0) continue;
    const named = listed(users, (provider) => `"${provider.name}"`);
    throw new SallyportError(
      'IN_USE',
      `The role "${name}" is given by ${named}. Remove it from the mappings there first.`,
    );
  }
}

/** Most providers of an account. */
export const providersMax = 20;

/** Reads how the providers of an account give roles. */
export async function readProviders({ db }: AccountView) {
  const select = { id: true, name: true, enabled: true, refusesKeys: true, roleMappings: true, version: true } as const;
  const rows = await db.signInProvider.findMany({ select, orderBy: { id: 'asc' }, take: providersMax });
  return rows.map(({ roleMappings, ...row }) => ({
    ...row,
    roleMappings: readAs(roleMappings, areRoleMappings, 'role mappings'),
  }));
}

/** Finds the scopes of an account's own roles, by their names. */
async function findOwnRoles({ db }: AccountView, names: readonly string[]): Promise<Map<string, readonly KeyScope[]>> {
  const wanted = [...new Set(names)].slice(0, mappingsMax);
  const own = await db.role.findMany({ where: { name: { in: wanted } }, select: { name: true, scopes: true } });
  return new Map(own.map(({ name, scopes }) => [name, readScopes(scopes)]));
}

/** Roles as a change leaves them, by their names. */
type RolesAfter = ReadonlyMap<string, readonly KeyScope[]>;

/** Returns the scopes of the roles in mappings together, or after a change. One that is no role any more gives none. */
export async function scopesGivenBy(
  scope: AccountView,
  mappings: readonly Pick<RoleMapping, 'role'>[],
  after: RolesAfter = new Map(),
): Promise<KeyScope[]> {
  const names = mappings.map(({ role }) => role);
  return scopesOfRoles(names, new Map([...(await findOwnRoles(scope, names)), ...after]));
}

/** Throws INVALID_INPUT for a mapping to no role. */
export async function checkRoles(scope: AccountView, mappings: readonly RoleMapping[]): Promise<void> {
  const names = mappings.map(({ role }) => role);
  const own = await findOwnRoles(scope, names);
  const missing = names.findIndex((name) => scopesOfBuiltIn(name) === undefined && !own.has(name));
  if (missing !== -1) {
    throw invalid(
      `roleMappings[${missing}].role`,
      `names no role of the account. Create it first, or take a built-in one: ${Object.keys(builtInRoles).join(', ')}.`,
    );
  }
}

/** What a change makes of roles and mappings; absent for what stays. */
interface RulesAfter {
  readonly roles?: RolesAfter;
  readonly mappings?: { readonly providerId: string; readonly list: readonly RoleMapping[] };
}

/**
 * Refuses a change after which the person who makes it could not change roles any more.
 *
 * @throws LOCKOUT
 */
export async function refuseOwnLoss(scope: AccountView, { personId, force }: Giver, after: RulesAfter): Promise<void> {
  if (personId === undefined || force === true) return;
  const person = await scope.db.person.findFirst({ where: { id: personId } });
  if (person === null) return;
  refuseLoss(await scopesOfPerson(scope, person, after));
}

/** Refuses it by whatever differs between an account and a draft of it, which has no people. Throws as `refuseOwnLoss`. */
export async function refuseOwnLossIn(before: AccountView, after: AccountView, personId: string): Promise<void> {
  const person = await before.db.person.findFirst({ where: { id: personId } });
  if (person === null) return;
  const provider = (await readProviders(after)).find(({ id }) => id === person.providerId);
  refuseLoss(provider?.enabled === true ? await scopesOfPerson(after, person) : []);
}

function refuseLoss(scopes: readonly KeyScope[]): void {
  if (impliedScopes(scopes).has('people:write')) return;
  throw lockout('You could not undo it: your own roles would not have "people:write" any more.');
}

/** What a change makes of a provider, null if it goes, or of roles. */
interface SignInAfter {
  readonly roles?: RolesAfter;
  readonly provider?: {
    readonly id: string;
    readonly now: {
      readonly enabled: boolean;
      readonly refusesKeys: boolean;
      readonly roleMappings: readonly RoleMapping[];
    } | null;
  };
}

/**
 * Refuses a change of a provider or a role after which keys do not sign in to the dashboard and no provider gives anybody the right to
 * change that, whoever makes it.
 *
 * @returns the write that goes alongside: it fails (`isMissingRow`) if the provider that remains is changed meanwhile
 * @throws LOCKOUT
 */
export async function keepSignIn(scope: AccountScope, { force }: Giver, after: SignInAfter): Promise<Write[]> {
  const wayIn = force === true ? null : await findWayIn(scope, after);
  if (wayIn === null || wayIn.id === after.provider?.id) return [];
  return [providers.prepareUpdate(scope, { id: wayIn.id, version: wayIn.version }, { enabled: true })];
}

/**
 * Finds the provider that gives somebody the right to change roles and providers after a change, where keys are kept out; null where
 * they are not, or where nobody had a way in before.
 *
 * @throws LOCKOUT if the change takes the last one away
 */
async function findWayIn(scope: AccountView, { provider: changed, roles: rolesAfter }: SignInAfter) {
  const before = (await readProviders(scope)).filter(({ enabled }) => enabled);
  const after = before.flatMap((provider) =>
    provider.id !== changed?.id ? [provider] : changed.now?.enabled === true ? [{ ...provider, ...changed.now }] : [],
  );
  return wayInAmong(after, {
    now: () => findUseful(scope, after, rolesAfter),
    before: () => findUseful(scope, before),
  });
}

/** Refuses to take the last way in away by whatever differs between an account and a draft of it. Throws as `findWayIn`. */
export async function refuseNoWayIn(before: AccountView, after: AccountView): Promise<void> {
  const [were, are] = [await readProviders(before), await readProviders(after)].map((all) =>
    all.filter(({ enabled }) => enabled),
  );
  await wayInAmong(are ?? [], {
    now: () => findUseful(after, are ?? []),
    before: () => findUseful(before, were ?? []),
  });
}

async function wayInAmong<P>(
  after: readonly { readonly name: string; readonly refusesKeys: boolean }[],
  useful: { readonly now: () => Promise<P | null>; readonly before: () => Promise<P | null> },
): Promise<P | null> {
  const refusing = after.find(({ refusesKeys }) => refusesKeys);
  if (refusing === undefined) return null;
  const wayIn = await useful.now();
  if (wayIn !== null || (await useful.before()) === null) return wayIn;
  throw lockout(
    `Nobody could sign in to the dashboard to undo it: "${refusing.name}" keeps API keys out, and no provider would give a role ` +
      'with "people:write". Let keys in there first, or map such a role.',
  );
}

/** Finds a provider that gives somebody the right to change roles and providers; null for none. */
async function findUseful<P extends { readonly roleMappings: readonly RoleMapping[] }>(
  scope: AccountView,
  given: readonly P[],
  after?: RolesAfter,
): Promise<P | null> {
  for (const provider of given) {
    if (impliedScopes(await scopesGivenBy(scope, provider.roleMappings, after)).has('people:write')) return provider;
  }
  return null;
}

/** Returns the scopes that a person has, or would have after a change. */
export async function scopesOfPerson(
  scope: AccountView,
  person: Pick<Row<'Person'>, 'providerId' | 'groups' | 'email'>,
  { roles: rolesAfter = new Map(), mappings }: RulesAfter = {},
): Promise<KeyScope[]> {
  const provider = (await readProviders(scope)).find(({ id }) => id === person.providerId);
  const list = mappings?.providerId === person.providerId ? mappings.list : (provider?.roleMappings ?? []);
  const names = rolesFor({ groups: readTextList(person.groups), email: person.email }, list);
  return scopesGivenBy(
    scope,
    names.map((role) => ({ role })),
    rolesAfter,
  );
}
