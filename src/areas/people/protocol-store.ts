// What the protocols of sign-in providers differ in: their settings and secrets, and how it is found out whether they can be used.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { invalid } from '../../domain/errors.ts';
import { checkOidcClient, emailVerifications, type OidcClientSettings } from '../../domain/oidc/settings.ts';
import { preventedBy, type SamlClient } from '../../domain/saml/client.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import type { LoginProvider } from '../../domain/saml/login-provider.ts';
import type { ReadState } from '../../domain/saml/metadata-source.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import { lastingDays } from '../../domain/saml/signing-key.ts';
import { readAs, readChoice, readTextList } from '../../domain/values/decode.ts';
import { type FoundMetadata, readingColumns } from '../../outgoing/idp-metadata.ts';
import type { OpenIdClient } from '../../outgoing/openid-providers.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import {
  type EncryptionIdentity,
  makeServiceProviderKeys,
  openDecryptionKeys,
  openSigningKey,
  type SigningIdentity,
} from '../../storage/keys/service-provider-keys.ts';
import type { AccountScope, AccountView } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { saysMetadata, sourceAfter } from './metadata-store.ts';
import { checkSamlProvider, type SamlColumns, type SamlProviderSettings } from './saml-rules.ts';

/** Asks a provider what it says about itself, and whether people could sign in there. Throws LoginRefusal. */
export type Examine = (client: OpenIdClient) => Promise<void>;

/** The settings of either protocol as a client gives them; null and undefined mean the default, or keep the value. */
export interface ProtocolSettings extends Partial<Omit<OidcClientSettings, 'issuer' | 'clientId'>> {
  readonly issuer?: string | null | undefined;
  readonly clientId?: string | null | undefined;
  /** Those of a provider by SAML. */
  readonly saml?: SamlProviderSettings | null | undefined;
}

type OidcColumns = Omit<ReturnType<typeof checkOidcClient>, 'clientSecret'> & { readonly protocol: 'oidc' };

/** Checked settings. */
export interface CheckedProtocol {
  readonly columns: OidcColumns | (SamlColumns & Partial<ReadState>);
  /** Finds out whether people could sign in with them. Throws INVALID_INPUT, with what to mend. */
  examine(ask: Examine): Promise<void>;
  /** Makes the secret columns that change. */
  seal(id: string): Promise<SecretColumns>;
}

type SecretColumns = Partial<
  SigningIdentity & EncryptionIdentity & { readonly sealedClientSecret: Uint8Array<ArrayBuffer> }
>;

const ofOidc = ['issuer', 'clientId', 'clientSecret', 'scopes', 'groupsClaim', 'emailVerification'] as const;

/**
 * Checks the settings of a new provider: of OpenID Connect, unless there are those of SAML.
 *
 * @param found the metadata that counts where only its address is given (`findProviderMetadata`)
 * @throws INVALID_INPUT
 */
export async function checkNew(
  scope: AccountScope,
  settings: ProtocolSettings,
  found: FoundMetadata | null,
): Promise<CheckedProtocol> {
  const { issuer, clientId, saml } = settings;
  if (saml != null) {
    refuseOidc(settings);
    const columns = await inTurns(
      scope.accountId,
      checkSamlProvider(saml, settings.authorizedEmailDomains ?? [], found),
    );
    return ofSaml(scope, { ...columns, ...readingColumns(scope, columns, found, null) }, (id) =>
      makeServiceProviderKeys(scope, { kind: 'SignInProvider', id, days: lastingDays }, undefined),
    );
  }
  if (issuer == null) throw invalid('issuer', 'must be given, or else `saml` for a provider by SAML.');
  if (clientId == null) throw invalid('clientId', 'must be given: it is the name of the client at the provider.');
  return ofOpenId(scope, { ...settings, issuer, clientId }, null);
}

/** Checks a change of the settings of a provider, whose protocol and issuer never change. Throws as `checkNew`. */
export async function checkChange(
  scope: AccountScope,
  before: Row<'SignInProvider'>,
  settings: ProtocolSettings,
  found: FoundMetadata | null,
): Promise<CheckedProtocol> {
  const { saml } = settings;
  const authorizedEmailDomains = settings.authorizedEmailDomains ?? readTextList(before.authorizedEmailDomains);
  if (before.protocol === 'saml') {
    refuseOidc(settings);
    const merged = {
      ...sourceAfter(before, saml),
      idpMetadata: saml?.idpMetadata ?? before.idpMetadata,
      nameidFormat: saml?.nameidFormat ?? before.nameidFormat,
      subjectAttribute: saml?.subjectAttribute ?? before.subjectAttribute,
      emailAttribute: saml?.emailAttribute ?? before.emailAttribute,
      nameAttribute: saml?.nameAttribute ?? before.nameAttribute,
      groupsAttribute: saml?.groupsAttribute ?? before.groupsClaim,
    };
    const columns = await inTurns(scope.accountId, checkSamlProvider(merged, authorizedEmailDomains, found));
    if (columns.issuer !== before.issuer) {
      throw invalid(
        'saml.idpMetadata',
        `is of ${columns.issuer}, not of ${before.issuer}: who somebody is depends on it. Create another provider.`,
      );
    }
    const isRead = saysMetadata(saml);
    return ofSaml(
      scope,
      isRead ? { ...columns, ...readingColumns(scope, columns, found, before) } : columns,
      async () => ({}),
    );
  }
  if (saml != null) throw invalid('saml', 'must be left out: the provider is one of OpenID Connect.');
  return ofOpenId(
    scope,
    {
      issuer: before.issuer,
      clientId: settings.clientId ?? before.clientId,
      clientSecret: settings.clientSecret,
      scopes: settings.scopes ?? readTextList(before.scopes),
      authorizedEmailDomains,
      groupsClaim: settings.groupsClaim ?? before.groupsClaim,
      emailVerification: settings.emailVerification ?? readChoice(emailVerifications, before.emailVerification),
    },
    before,
  );
}

function refuseOidc(settings: ProtocolSettings): void {
  // Clients put back what they got, which is empty here.
  const field = ofOidc.find((name) => !['', 'trusted'].includes(String(settings[name] ?? '')));
  if (field !== undefined) throw invalid(field, 'must be left out: it belongs to OpenID Connect, not to SAML.');
}

function ofOpenId(
  scope: AccountScope,
  settings: OidcClientSettings,
  before: Row<'SignInProvider'> | null,
): CheckedProtocol {
  const { clientSecret, ...client } = checkOidcClient(settings);
  if (clientSecret === null && before !== null && before.sealedClientSecret !== null) {
    if (client.clientId !== before.clientId) {
      throw invalid('clientSecret', 'must be given: the stored one belongs to another client.');
    }
  }
  return {
    columns: { protocol: 'oidc', ...client },
    async examine(ask) {
      const secret = clientSecret ?? (before === null ? null : openSecret(scope, before));
      if (secret === null) throw invalid('clientSecret', 'must be given before people can sign in.');
      try {
        await ask({ ...client, accountId: scope.accountId, openClientSecret: () => secret });
      } catch (error) {
        if (!(error instanceof LoginRefusal)) throw error;
        throw unusable('issuer', error.message);
      }
    },
    seal: async (id) =>
      clientSecret === null
        ? {}
        : { sealedClientSecret: scope.secrets.seal(Buffer.from(clientSecret), ownerOf('SignInProvider', id)) },
  };
}

function ofSaml(
  scope: AccountScope,
  columns: SamlColumns & Partial<ReadState>,
  seal: CheckedProtocol['seal'],
): CheckedProtocol {
  return {
    columns,
    async examine() {
      const failure = preventedBy(columns.identityProvider, scope.now());
      if (failure !== null) throw unusable('saml.idpMetadata', failure);
    },
    seal,
  };
}

function unusable(field: string, failure: string) {
  return invalid(
    field,
    `cannot be used, so nothing was changed: ${failure} Mend it, or save the provider with enabled: false.`,
  );
}

/** Finds out whether people could sign in at a provider as it is stored. Throws Error, with what is wrong. */
export async function examineStored(scope: AccountView, row: Row<'SignInProvider'>, ask: Examine): Promise<void> {
  if (row.protocol !== 'saml') return ask(clientOf(scope, row));
  const failure = preventedBy(readAs(row.identityProvider, isIdentityProvider, 'an identity provider'), scope.now());
  if (failure !== null) throw new LoginRefusal('provider', failure);
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

/** Reads a provider by SAML, for sign-ins. Its keys are opened when they are needed. */
export function samlClientOf(
  { secrets }: AccountView,
  row: Row<'SignInProvider'>,
  provider: LoginProvider,
): SamlClient {
  const owner = { kind: 'SignInProvider', id: row.id };
  const { sealedPrivateKey, sealedDecryptionKeys } = row;
  return {
    provider,
    nameidFormat: row.nameidFormat ?? '',
    attributes: {
      subject: row.subjectAttribute,
      email: row.emailAttribute,
      name: row.nameAttribute,
      groups: row.groupsClaim === '' ? null : row.groupsClaim,
    },
    authorizedEmailDomains: readTextList(row.authorizedEmailDomains),
    openSigningKey: () => {
      if (sealedPrivateKey === null) throw new Error('A provider by SAML has a key.');
      return openSigningKey(secrets, owner, sealedPrivateKey);
    },
    openDecryptionKeys: () => openDecryptionKeys(secrets, owner, sealedDecryptionKeys),
  };
}

/** Opens the client secret of a provider; null if there is none yet. */
function openSecret({ secrets }: AccountView, provider: Row<'SignInProvider'>): string | null {
  const { id, sealedClientSecret } = provider;
  if (sealedClientSecret === null) return null;
  return Buffer.from(secrets.open(sealedClientSecret, ownerOf('SignInProvider', id))).toString();
}

/** Returns whether a change lets in the same people. Which roles they get is asked with each request. */
export function letsInAlike(before: Row<'SignInProvider'>, { columns }: CheckedProtocol): boolean {
  const of = (row: Pick<Row<'SignInProvider'>, 'clientId' | 'groupsClaim' | 'emailVerification'> & object) => [
    row.clientId,
    row.groupsClaim,
    row.emailVerification,
    ...(['nameidFormat', 'subjectAttribute', 'emailAttribute'] as const).map((name) => Reflect.get(row, name) ?? null),
  ];
  return (
    JSON.stringify(of(before)) === JSON.stringify(of(columns)) &&
    readTextList(before.authorizedEmailDomains).join() === columns.authorizedEmailDomains.join()
  );
}
