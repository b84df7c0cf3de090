// Sign-ins of people in progress: what the pages of the dashboard need before it is known who acts, and for which account.

import { areRoleMappings, nameOfPerson, type RoleMapping, rolesFor } from '../../domain/access/roles.ts';
import type { Unsealed, Vouched } from '../../domain/gate/login.ts';
import type { SamlClient } from '../../domain/saml/client.ts';
import { LoginRefusal } from '../../domain/saml/refusal.ts';
import type { ServiceProvider } from '../../domain/saml/service-provider.ts';
import { readAs } from '../../domain/values/decode.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import type { OpenIdClient } from '../../outgoing/openid-providers.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import { createBrowserState } from '../../storage/keys/browser-state.ts';
import type { Identity } from '../../storage/keys/credentials.ts';
import { createLoginProviders } from '../../storage/keys/login-providers.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import { createEarlyReading } from '../../storage/lifecycle/early-reading.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { sql } from '../../storage/sql/statement.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Origin } from '../../storage/trail/origin.ts';
import { refreshProviderMetadata } from './metadata-store.ts';
import { describePerson, findPerson, recordSignIn } from './person-store.ts';
import { clientOf, samlClientOf } from './protocol-store.ts';
import { providersMax } from './role-store.ts';

/** A provider at which somebody signs in. */
export interface FoundProvider {
  readonly id: string;
  readonly accountId: string;
  /** How it is asked by OpenID Connect, or by SAML; null for the other. */
  readonly client: OpenIdClient | null;
  readonly saml: SamlClient | null;
  readonly name: string;
  readonly roleMappings: readonly RoleMapping[];
  readonly version: number;
  readonly metadataReadAt: Date | null;
}

/** How people sign in to an account. */
export interface SignInOffer {
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** Whether API keys sign in, too. */
  readonly keys: boolean;
}

/** How a sign-in ends: with whom it is, or with why nobody is let in. */
export type SignInOutcome =
  | { readonly identity: Identity }
  | { readonly refused: 'no_role' | 'blocked'; readonly person: string; readonly personId: string | null };

/** Creates the store of sign-ins. */
export function createSignIns(storage: Storage, { fetchForPerson }: Outgoing, now: () => Date) {
  const { server, forAccount, actingFor, credentials } = storage;
  const sealed = createBrowserState(forAccount, now);
  const loginProviderOf = createLoginProviders();
  const read = (scope: AccountScope, id: string, signal: AbortSignal) =>
    refreshProviderMetadata(scope, fetchForPerson, id, signal);
  const readEarly = createEarlyReading(server, { table: 'SignInProvider', key: 'id', read }, now);
  const ownerOfState = (id: string) => ownerOf('dashboard sign-in', id);

  const offerOf = async (accountId: string): Promise<SignInOffer> => {
    const rows = await server.rows(sql`
      SELECT "id", "name", "refusesKeys" FROM "SignInProvider"
      WHERE "accountId" = ${accountId} AND "enabled" = TRUE ORDER BY "id" LIMIT ${providersMax}`);
    return {
      providers: rows.map(([id, name]) => ({ id: String(id), name: String(name) })),
      keys: rows.every(([, , refuses]) => (server.decode.Boolean?.(refuses) ?? refuses) === false),
    };
  };

  const findOwner = async (id: string): Promise<string | null> => {
    if (!isIdOf('SignInProvider', id)) return null;
    const [owner] = await server.rows(
      sql`SELECT "accountId" FROM "SignInProvider" WHERE "id" = ${id} AND "enabled" = TRUE`,
    );
    return owner === undefined ? null : String(owner[0]);
  };

  const find = async (id: string): Promise<FoundProvider | null> => {
    const owner = await findOwner(id);
    if (owner === null) return null;
    const scope = forAccount(owner);
    const provider = await scope.db.signInProvider.findFirst({ where: { id, enabled: true } });
    if (provider === null) return null;
    const roleMappings = readAs(provider.roleMappings, areRoleMappings, 'role mappings');
    const { accountId, name, version, idpMetadata, metadataReadAt } = provider;
    const common = { id, accountId, name, roleMappings, version, metadataReadAt };
    if (idpMetadata === null) return { ...common, client: clientOf(scope, provider), saml: null };
    const saml = samlClientOf(scope, provider, await loginProviderOf(accountId, id, idpMetadata));
    return { ...common, client: null, saml };
  };

  return {
    offerOf,

    /**
     * Finds how people sign in to an account: that of the name or id, or without one the account that the server was started with. An
     * account that does not exist offers what one without providers does.
     */
    async offer(account: string | null): Promise<SignInOffer> {
      const [found] = await server.rows(
        account === null
          ? sql`SELECT "id" FROM "Account" ORDER BY "id" LIMIT 1`
          : sql`SELECT "id" FROM "Account" WHERE "name" = ${account} OR "id" = ${account} LIMIT 1`,
      );
      return found === undefined ? { providers: [], keys: true } : offerOf(String(found[0]));
    },

    /** Finds the account of a provider by which people can sign in; null for any other. It takes far less than finding the provider. */
    findOwner,

    /** Finds a provider by which people can sign in; null for any other. */
    find,

    /**
     * Finds a provider by SAML anew after a signature was wrong: its metadata is read again first, if it is at an address and that has
     * not been done just now. Null if it is as it was.
     */
    findAnew: async (provider: FoundProvider): Promise<FoundProvider | null> =>
      (await readEarly(provider)) ? find(provider.id) : null,

    /** Finds our side towards a provider by SAML, whether or not people can sign in there already; null if there is none. */
    async findServiceProvider(id: string): Promise<ServiceProvider | null> {
      if (!isIdOf('SignInProvider', id)) return null;
      const [found] = await server.rows(sql`
        SELECT "certificatePem", "encryptionCertificatePem", "nameidFormat" FROM "SignInProvider"
        WHERE "id" = ${id} AND "certificatePem" IS NOT NULL`);
      if (found === undefined) return null;
      const [certificatePem, encryptionCertificatePem, nameidFormat] = found.map((value) =>
        value === null ? null : String(value),
      );
      return {
        certificatePem: certificatePem ?? '',
        otherCertificatePem: null,
        encryptionCertificatePem: encryptionCertificatePem ?? null,
        nameidFormat: nameidFormat ?? '',
      };
    },

    /** Seals what is to be known when the browser comes back from a provider. */
    seal: ({ accountId, id }: FoundProvider, text: string): string => sealed.seal(accountId, ownerOfState(id), text),

    /** Opens what `seal` made for the same provider; null for any other text, or if it is too old. */
    open: ({ accountId, id }: FoundProvider, text: string): Unsealed | null =>
      sealed.open(accountId, ownerOfState(id), text),

    /** Records that an answer is used. Returns false if it had been used before. */
    async use({ accountId, id }: FoundProvider, idHash: string, usableUntil: Date): Promise<boolean> {
      const written = await server.change(sql`
        INSERT INTO "UsedSignIn" ("accountId", "providerId", "idHash", "usableUntil")
        VALUES (${accountId}, ${id}, ${idHash}, ${usableUntil}) ON CONFLICT DO NOTHING`);
      return written === 1;
    },

    /**
     * Lets in the person whom a provider has vouched for, with what it says now; or tells why not, and records nothing.
     *
     * @param asked the provider as it was when it vouched
     * @param originOf returns where the sign-in comes from, for the trail, given who it is
     * @throws LoginRefusal if the provider has been changed since: it may let in others now, or nobody
     */
    async signIn(
      asked: FoundProvider,
      vouched: Vouched,
      originOf: (actor: string, description: string) => Origin,
    ): Promise<SignInOutcome> {
      const provider = await find(asked.id);
      if (provider?.version !== asked.version) {
        throw new LoginRefusal('state', 'The provider has been changed since it was asked.');
      }
      const scope = forAccount(provider.accountId);
      const described = describePerson(vouched, provider.roleMappings);
      const person = nameOfPerson(described);
      const known = await findPerson(scope, provider.id, described.subject);
      if (known?.blocked === true) return { refused: 'blocked', person, personId: known.id };
      const noRole = { refused: 'no_role', person, personId: known?.id ?? null } as const;
      if (rolesFor(described, provider.roleMappings).length === 0) {
        // What was known before does not count any more.
        if (known !== null) await recordSignIn(scope, actingAs, provider.id, described);
        return noRole;
      }
      const id = await recordSignIn(scope, actingAs, provider.id, described);
      const identity = await credentials.identifyPerson(id);
      return identity === null ? noRole : { identity };

      function actingAs(actor: string, description: string) {
        return actingFor(asked.accountId, originOf(actor, description));
      }
    },
  };
}
