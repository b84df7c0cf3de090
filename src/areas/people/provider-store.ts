// Sign-in providers in the database.

import type { RoleMapping } from '../../domain/access/roles.ts';
import { areRoleMappings } from '../../domain/access/roles.ts';
import { invalid, lockout, SallyportError } from '../../domain/errors.ts';
import {
  checkOidcClient,
  type EmailVerification,
  emailVerifications,
  type OidcClientSettings,
} from '../../domain/oidc/settings.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import { readAs, readChoice, readTextList } from '../../domain/values/decode.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import type { OpenIdClient } from '../../outgoing/openid-providers.ts';
import { isDuplicate } from '../../storage/errors.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { ExpectedVersion, Row } from '../../storage/objects/collection.ts';
import { collectionOf } from '../../storage/objects/collections.ts';
import { refuseMore } from './giving.ts';
import { checkRoles, type Giver, providersMax, readProviders, refuseOwnLoss, scopesGivenBy } from './role-store.ts';
import { checkMappings, checkProviderName, type GivenMapping, refuseWholeWorld } from './rules.ts';

export const signInProviders = collectionOf('SignInProvider');

/** Asks a provider what it says about itself, and whether people could sign in there. Throws LoginRefusal. */
export type Examine = (client: OpenIdClient) => Promise<void>;

/** Who changes a provider, and how providers are asked. */
export interface ProviderGiver extends Giver {
  readonly examine: Examine;
}

/** What both a new provider and a change name; null and undefined mean the default, or keep the value. */
interface Settings extends Notes, Partial<Omit<OidcClientSettings, 'issuer' | 'clientId'>> {
  readonly enabled?: boolean | null | undefined;
  readonly refusesKeys?: boolean | null | undefined;
  readonly roleMappings?: readonly GivenMapping[] | null | undefined;
}

/** A new provider. */
interface NewProvider extends Settings {
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
}

/** A change of a provider. */
interface ProviderChange extends Settings {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
  readonly name?: string | null | undefined;
  readonly clientId?: string | null | undefined;
}

/**
 * Creates a provider. Unless it begins disabled, it is asked first whether people could sign in there.
 *
 * @throws INVALID_INPUT, also if there are too many or if the provider cannot be used; FORBIDDEN for roles with scopes that the giver
 *   lacks; DUPLICATE; LOCKOUT as `refuseKeys`
 */
export async function createSignInProvider(
  scope: AccountScope,
  input: NewProvider,
  giver: ProviderGiver,
): Promise<Row<'SignInProvider'>> {
  const { clientSecret, ...client } = checkOidcClient(input);
  const roleMappings = checkMappings(input.roleMappings ?? []);
  const columns = {
    name: checkProviderName(input.name),
    enabled: input.enabled ?? true,
    refusesKeys: input.refusesKeys ?? false,
    roleMappings,
    ...client,
    acceptsFrom: scope.now(),
    ...notesForCreate(input),
  };
  await checkGiven(scope, columns, giver);
  if (columns.enabled && columns.refusesKeys) await refuseKeysBy(scope, giver);
  if ((await readProviders(scope)).length >= providersMax) {
    throw new SallyportError('INVALID_INPUT', `The account has ${providersMax} sign-in providers, the maximum.`);
  }
  if (columns.enabled) await examine(giver, { ...client, accountId: scope.accountId, clientSecret });
  const object = signInProviders.newObject(scope);
  const sealedClientSecret = clientSecret === null ? null : sealSecret(scope, object.id, clientSecret);
  return namingDuplicate(
    signInProviders.create(
      scope,
      { ...columns, sealedClientSecret },
      { object, acknowledged: scope.credentials.forgetPeople },
    ),
  );
}

/**
 * Changes a provider. If people can sign in there afterwards, it is asked first; if that fails, the former stays. Where others are let
 * in than before, everybody signs in anew.
 *
 * @throws LOCKOUT for a person who could not change it back, and as `createSignInProvider` and `collection.update`
 */
export async function updateSignInProvider(
  scope: AccountScope,
  input: ProviderChange,
  giver: ProviderGiver,
): Promise<Row<'SignInProvider'>> {
  const { id, expectedVersion } = input;
  const before = await signInProviders.get(scope, id);
  const { clientSecret, ...client } = checkOidcClient({
    issuer: before.issuer,
    clientId: input.clientId ?? before.clientId,
    clientSecret: input.clientSecret,
    scopes: input.scopes ?? readTextList(before.scopes),
    authorizedEmailDomains: input.authorizedEmailDomains ?? readTextList(before.authorizedEmailDomains),
    groupsClaim: input.groupsClaim ?? before.groupsClaim,
    emailVerification: input.emailVerification ?? readChoice(emailVerifications, before.emailVerification),
  });
  const isSameClient = client.clientId === before.clientId;
  if (clientSecret === null && before.sealedClientSecret !== null && !isSameClient) {
    throw invalid('clientSecret', 'must be given: the stored one belongs to another client.');
  }
  const formerMappings = readAs(before.roleMappings, areRoleMappings, 'role mappings');
  const roleMappings = input.roleMappings == null ? formerMappings : checkMappings(input.roleMappings);
  const [enabled, refusesKeys] = [input.enabled ?? before.enabled, input.refusesKeys ?? before.refusesKeys];
  refuseMore(undefined, await scopesGivenBy(scope, formerMappings), giver.rights);
  await checkGiven(scope, { ...client, roleMappings }, giver);
  if (enabled && refusesKeys && !(before.enabled && before.refusesKeys)) await refuseKeysBy(scope, giver, id);
  await refuseOwnLoss(scope, giver, { mappings: { providerId: id, list: enabled ? roleMappings : [] } });
  const examined = { ...client, accountId: scope.accountId, clientSecret: clientSecret ?? openSecret(scope, before) };
  if (enabled) await examine(giver, examined);
  const change = {
    ...(input.name == null ? {} : { name: checkProviderName(input.name) }),
    enabled,
    refusesKeys,
    roleMappings,
    ...client,
    ...(clientSecret === null ? {} : { sealedClientSecret: sealSecret(scope, id, clientSecret) }),
    ...(letsInAlike(before, client) ? {} : { acceptsFrom: scope.now() }),
    ...notesForUpdate(input),
  };
  // What was read is what is changed: another change meanwhile would be undone otherwise.
  const version = expectedVersion ?? before.version;
  const { forgetPeople } = scope.credentials;
  return namingDuplicate(signInProviders.update(scope, id, change, version, { acknowledged: forgetPeople }));
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
  await signInProviders.remove(scope, id, expectedVersion, { acknowledged: scope.credentials.forgetPeople });
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

/** Reads a provider as a client of itself, for sign-ins. Its secret is opened when it is needed. */
export function clientOf(scope: AccountView, provider: Row<'SignInProvider'>): OpenIdClient {
  return {
    accountId: provider.accountId,
    issuer: provider.issuer,
    clientId: provider.clientId,
    scopes: readTextList(provider.scopes),
    groupsClaim: provider.groupsClaim,
    emailVerification: readChoice(emailVerifications, provider.emailVerification),
    authorizedEmailDomains: readTextList(provider.authorizedEmailDomains),
    openClientSecret: () => openSecret(scope, provider),
  };
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
async function refuseKeysBy({ db }: AccountView, { rights, personId, force }: Giver, id?: string): Promise<void> {
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

async function examine(
  giver: ProviderGiver,
  { clientSecret, ...client }: Omit<OpenIdClient, 'openClientSecret'> & { readonly clientSecret: string | null },
): Promise<void> {
  if (clientSecret === null) throw invalid('clientSecret', 'must be given before people can sign in.');
  try {
    await giver.examine({ ...client, openClientSecret: () => clientSecret });
  } catch (error) {
    if (!(error instanceof LoginRefusal)) throw error;
    throw invalid(
      'issuer',
      `cannot be used, so nothing was changed: ${error.message} Mend it, or save the provider with enabled: false.`,
    );
  }
}

function sealSecret({ secrets }: AccountScope, id: string, clientSecret: string): Uint8Array<ArrayBuffer> {
  return secrets.seal(Buffer.from(clientSecret), ownerOf('SignInProvider', id));
}

/** Opens the client secret of a provider; null if there is none yet. */
function openSecret({ secrets }: AccountView, provider: Row<'SignInProvider'>): string | null {
  const { id, sealedClientSecret } = provider;
  if (sealedClientSecret === null) return null;
  return Buffer.from(secrets.open(sealedClientSecret, ownerOf('SignInProvider', id))).toString();
}

/** Returns whether a change lets in the same people. Which roles they get is asked with each request. */
function letsInAlike(
  before: Row<'SignInProvider'>,
  after: {
    readonly clientId: string;
    readonly groupsClaim: string;
    readonly emailVerification: EmailVerification;
    readonly authorizedEmailDomains: readonly string[];
  },
): boolean {
  return (
    before.clientId === after.clientId &&
    before.groupsClaim === after.groupsClaim &&
    before.emailVerification === after.emailVerification &&
    readTextList(before.authorizedEmailDomains).join() === after.authorizedEmailDomains.join()
  );
}

async function namingDuplicate<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new SallyportError('DUPLICATE', 'is that of another sign-in provider of the account.', { field: 'name' });
  }
}
