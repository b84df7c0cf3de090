// Sign-in providers in the database.

import { areRoleMappings, type RoleMapping } from '../../domain/access/roles.ts';
import { lockout, SallyportError } from '../../domain/errors.ts';
import { readAs } from '../../domain/values/decode.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import type { FoundMetadata } from '../../outgoing/idp-metadata.ts';
import { isDuplicate } from '../../storage/errors.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { refuseMore } from './giving.ts';
import { checkChange, checkNew, type Examine, letsInAlike, type ProtocolSettings } from './protocol-store.ts';
import {
  checkRoles,
  type Giver,
  keepSignIn,
  providersMax,
  readProviders,
  refuseOwnLoss,
  scopesGivenBy,
} from './role-store.ts';
import { checkMappings, checkProviderName, type GivenMapping, refuseWholeWorld } from './rules.ts';

export const signInProviders = collectionOf('SignInProvider');

/** Who changes a provider, and how providers are asked. */
export interface ProviderGiver extends Giver {
  readonly examine: Examine;
}

/** What both a new provider and a change name; null and undefined mean the default, or keep the value. */
interface Settings extends Notes, ProtocolSettings {
  readonly enabled?: boolean | null | undefined;
  readonly refusesKeys?: boolean | null | undefined;
  readonly roleMappings?: readonly GivenMapping[] | null | undefined;
}

/** A new provider. */
interface NewProvider extends Settings {
  readonly name: string;
}

/** A change of a provider. */
interface ProviderChange extends Omit<Settings, 'issuer'> {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
  readonly name?: string | null | undefined;
}

/**
 * Creates a provider. Unless it begins disabled, it is found out first whether people could sign in there.
 *
 * @param found the metadata that counts where the input has only its address (`findProviderMetadata`)
 * @throws INVALID_INPUT, also if there are too many or if the provider cannot be used; FORBIDDEN for roles with scopes that the giver
 *   lacks; DUPLICATE; LOCKOUT as `refuseKeys`; as `makeServiceProviderKeys`
 */
export async function createSignInProvider(
  scope: AccountScope,
  input: NewProvider,
  giver: ProviderGiver,
  found: FoundMetadata | null = null,
): Promise<Row<'SignInProvider'>> {
  const name = checkProviderName(input.name);
  const roleMappings = checkMappings(input.roleMappings ?? []);
  const checked = await checkNew(scope, input, found);
  const columns = {
    name,
    enabled: input.enabled ?? true,
    refusesKeys: input.refusesKeys ?? false,
    roleMappings,
    ...checked.columns,
    acceptsFrom: scope.now(),
    ...notesForCreate(input),
  };
  await checkGiven(scope, columns, giver);
  if (columns.enabled && columns.refusesKeys) await refuseKeysBy(scope, giver);
  await findPlace(scope);
  if (columns.enabled) await checked.examine(giver.examine);
  const object = signInProviders.newObject(scope);
  const sealed = await checked.seal(object.id);
  const { forgetPeople } = scope.credentials;
  return unlessOvertaken(async () => {
    const place = await findPlace(scope);
    const taken = await scope.db.signInProvider.findFirst({ where: { name }, select: { id: true } });
    if (taken !== null) throw anotherName();
    return signInProviders.create(scope, { ...columns, ...sealed, place }, { object, acknowledged: forgetPeople });
  }, isDuplicate);
}

/**
 * Changes a provider. If people can sign in there afterwards, it is found out first whether they could; if not, the former stays. Where
 * others are let in than before, everybody signs in anew.
 *
 * @throws LOCKOUT for a person who could not change it back, and for a change that leaves nobody a way in; and as
 *   `createSignInProvider` and `collection.update`
 */
export async function updateSignInProvider(
  scope: AccountScope,
  input: ProviderChange,
  giver: ProviderGiver,
  found: FoundMetadata | null = null,
): Promise<Row<'SignInProvider'>> {
  const { id, expectedVersion } = input;
  const before = await signInProviders.get(scope, id);
  const checked = await checkChange(scope, before, input, found);
  const formerMappings = readAs(before.roleMappings, areRoleMappings, 'role mappings');
  const roleMappings = input.roleMappings == null ? formerMappings : checkMappings(input.roleMappings);
  const [enabled, refusesKeys] = [input.enabled ?? before.enabled, input.refusesKeys ?? before.refusesKeys];
  refuseMore(undefined, await scopesGivenBy(scope, formerMappings), giver.rights);
  await checkGiven(scope, { ...checked.columns, roleMappings }, giver);
  if (enabled && refusesKeys && !(before.enabled && before.refusesKeys)) await refuseKeysBy(scope, giver, id);
  await refuseOwnLoss(scope, giver, { mappings: { providerId: id, list: enabled ? roleMappings : [] } });
  if (enabled) await checked.examine(giver.examine);
  const change = {
    ...(input.name == null ? {} : { name: checkProviderName(input.name) }),
    enabled,
    refusesKeys,
    roleMappings,
    ...checked.columns,
    ...(await checked.seal(id)),
    ...(letsInAlike(before, checked) ? {} : { acceptsFrom: scope.now() }),
    ...notesForUpdate(input),
  };
  // What was read is what is changed: another change meanwhile would be undone otherwise.
  const version = expectedVersion ?? before.version;
  const { forgetPeople } = scope.credentials;
  const after = { provider: { id, now: { enabled, refusesKeys, roleMappings } } };
  return namingDuplicate(
    unlessOvertaken(async () => {
      const alongside = await keepSignIn(scope, giver, after);
      return signInProviders.update(scope, id, change, version, { alongside, acknowledged: forgetPeople });
    }),
  );
}

/**
 * Deletes a provider: whoever signed in there is signed out, and stays on record.
 *
 * @throws LOCKOUT for a person of the provider, FORBIDDEN as `updateSignInProvider`, and as `collection.remove`
 */
export async function deleteSignInProvider(
  scope: AccountScope,
  id: string,
  expectedVersion: ExpectedVersion,
  giver: Giver,
): Promise<void> {
  const { roleMappings } = await signInProviders.get(scope, id);
  const mappings = readAs(roleMappings, areRoleMappings, 'role mappings');
  refuseMore(undefined, await scopesGivenBy(scope, mappings), giver.rights);
  await refuseOwnLoss(scope, giver, { mappings: { providerId: id, list: [] } });
  const { forgetPeople } = scope.credentials;
  await unlessOvertaken(async () => {
    const alongside = await keepSignIn(scope, giver, { provider: { id, now: null } });
    await signInProviders.remove(scope, id, expectedVersion, { alongside, acknowledged: forgetPeople });
  });
}

/** Disables all providers of an account, so that keys sign in to the dashboard again. Returns those that were enabled. */
export async function suspendSignIn(scope: AccountScope): Promise<{ readonly id: string; readonly name: string }[]> {
  const enabled = (await readProviders(scope)).filter((provider) => provider.enabled);
  for (const { id } of enabled) {
    await signInProviders.update(scope, id, { enabled: false }, null, {
      acknowledged: scope.credentials.forgetPeople,
    });
  }
  return enabled.map(({ id, name }) => ({ id, name }));
}

/** Throws if mappings give roles that are none, or that are not the giver's to give. */
async function checkGiven(
  scope: AccountView,
  given: {
    readonly roleMappings: readonly RoleMapping[];
    readonly issuer: string;
    readonly authorizedEmailDomains: readonly string[];
  },
  { rights }: Giver,
): Promise<void> {
  refuseWholeWorld(given.roleMappings, given);
  await checkRoles(scope, given.roleMappings);
  refuseMore('roleMappings', await scopesGivenBy(scope, given.roleMappings), rights);
}

/**
 * Refuses to switch off signing in by key, unless the change is made by a person who signed in at the provider and has all rights:
 * that proves that there is another way in.
 *
 * @param id of the provider; undefined for a new one, by which nobody has signed in yet
 * @throws LOCKOUT
 */
export async function refuseKeysBy(
  { db }: AccountView,
  { rights, personId, force }: Giver,
  id?: string,
): Promise<void> {
  if (force === true) return;
  if (id !== undefined && personId !== undefined && rights.has('write')) {
    // Somebody of another provider proves nothing about this one.
    if ((await db.person.findFirst({ where: { id: personId, providerId: id } })) !== null) return;
  }
  throw lockout(
    'Keys would not sign in to the dashboard any more, and nothing proves that somebody else could: sign in by the provider with all ' +
      'rights first, and make the change there.',
  );
}

/** Finds a place for another provider. Two requests that find the same one do not both get it. Throws INVALID_INPUT. */
async function findPlace({ db }: AccountView): Promise<number> {
  const rows = await db.signInProvider.findMany({ select: { place: true }, take: providersMax });
  const free = Array.from({ length: providersMax }, (_, place) => place).find((place) =>
    rows.every((row) => row.place !== place),
  );
  if (rows.length < providersMax && free !== undefined) return free;
  throw new SallyportError(
    'INVALID_INPUT',
    `The account has ${providersMax} sign-in providers, the maximum. Delete one first.`,
  );
}

async function namingDuplicate<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw anotherName();
  }
}

function anotherName(): SallyportError {
  return new SallyportError('DUPLICATE', 'is that of another sign-in provider of the account.', { field: 'name' });
}
