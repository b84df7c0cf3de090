// OpenID providers as those ask them who log people in: what openid-client does, through the one guard of outgoing requests.

import { type JSONWebKeySet, errors as joseErrors } from 'jose';
import { LRUCache } from 'lru-cache';
import * as client from 'openid-client';
import type { Vouched } from '../domain/gate/login.ts';
import { checkIdToken, type ExpectedUser, lacksClaims, readUser } from '../domain/oidc/claims.ts';
import { type LogoutToken, readLogoutToken } from '../domain/oidc/logout-token.ts';
import { readHeader } from '../domain/oidc/tokens.ts';
import { UnknownKey } from '../domain/oidc/unknown-key.ts';
import { LoginRefusal } from '../domain/saml/refusal.ts';
import type { Clock } from '../domain/saml/times.ts';
import { hashOf } from '../domain/values/hash.ts';
import { isJsonObject } from '../domain/values/json.ts';
import { explaining } from './openid-failures.ts';
import type { Outgoing } from './outgoing.ts';
import { createProviderKeys, type ProviderKeys } from './provider-keys.ts';

/** A client that is registered at a provider, whatever it logs people in to. */
export interface OpenIdClient extends ExpectedUser {
  /** The account that requests to the provider count for. */
  readonly accountId: string;
  readonly scopes: readonly string[];
  /** Opens the client secret; null if there is none. */
  readonly openClientSecret: () => string | null;
}

/** How a login is tied to its browser: what the authorization request carries, and the answer must repeat. */
export interface LoginTies {
  readonly state: string;
  /** Random; the code verifier of PKCE, of which the nonce is made as well. */
  readonly secret: string;
}

/** A user whom a provider has vouched for, and when. */
export interface OidcLogin {
  readonly vouched: Vouched;
  readonly issuedAt: Date;
  /** The ID token, by which the provider knows what session to end. */
  readonly idToken: string;
}

/** A user who leaves, as far as the provider needs to be told. */
export interface LeavingUser {
  readonly subject: string;
  /** The ID token of the login; null if it was not kept. */
  readonly idToken: string | null;
}

interface Provider {
  readonly config: client.Configuration;
  /** Its keys, as logout tokens need them; openid-client has its own. */
  readonly keys: ProviderKeys;
}

/** How long what a provider says about itself counts, in milliseconds. */
const discoveredMs = 3_600_000;
/** After its keys were fetched anew for a login, for how long none begins by itself, in milliseconds. */
const beganAgainMs = 60_000;
const heldMax = 200;
/** Most bytes of any answer of a provider, and of what it says about itself and of its keys, which are kept for `heldMax` clients. */
const bytesMax = 256 * 1024;
const keptBytesMax = 128 * 1024;

/** Creates the dealings with providers. */
export function createOpenIdProviders({
  outgoing,
  clock,
}: {
  readonly outgoing: Outgoing;
  readonly clock: () => Clock;
}) {
  const held = new LRUCache<string, Promise<Provider>>({ max: heldMax, ttl: discoveredMs });
  /** The keys of those that have been found. */
  const keysOf = new WeakMap<Promise<Provider>, ProviderKeys>();
  const beganAgain = new LRUCache<string, true>({ max: heldMax, ttl: beganAgainMs });

  const customFetch =
    (accountId: string): client.CustomFetch =>
    async (url, { method, headers, body }) => {
      if (method !== 'GET' && method !== 'POST') throw new Error(`Nothing is asked of providers by ${method}.`);
      const text = body == null ? {} : { body: String(body) };
      const sent = lowerCased(headers);
      // Discovery and keys are asked for without saying for whom.
      const isKept = method === 'GET' && !('authorization' in sent);
      const most = isKept ? keptBytesMax : bytesMax;
      const answer = await outgoing.fetchForPerson(accountId, url, { method, headers: sent, bytesMax: most, ...text });
      // A redirect has been followed as far as the guard allows; the answer has the address that was asked, as openid-client expects.
      const hasBody = ![204, 205, 304].includes(answer.status);
      return new Response(hasBody ? new Uint8Array(answer.body) : null, {
        status: answer.status,
        headers: readableHeaders(answer.headers),
      });
    };

  const fetchKeys = async (accountId: string, jwksUri: string): Promise<JSONWebKeySet> => {
    const headers = { accept: 'application/json, application/jwk-set+json' };
    const { status, body } = await outgoing.fetchForPerson(accountId, jwksUri, {
      method: 'GET',
      headers,
      bytesMax: keptBytesMax,
    });
    if (status !== 200) throw new LoginRefusal('provider', `The provider answers ${status} instead of its keys.`);
    const keys = readJwks(Buffer.from(body).toString());
    if (keys === null) throw new LoginRefusal('provider', 'The provider answers with something else than its keys.');
    return keys;
  };

  const discover = async ({ accountId, issuer, clientId }: OpenIdClient, secret: string): Promise<Provider> => {
    const { now, skewMs } = clock();
    const times = {
      [client.clockSkew]: Math.round((now.getTime() - Date.now()) / 1000),
      [client.clockTolerance]: Math.ceil(skewMs / 1000),
    };
    const config = await client.discovery(new URL(issuer), clientId, times, authenticatingBy(secret), {
      execute: [client.enableNonRepudiationChecks],
      [client.customFetch]: customFetch(accountId),
    });
    const metadata = config.serverMetadata();
    if (metadata.issuer.includes('{')) {
      throw new LoginRefusal('issuer', 'The issuer stands for the tenants of everybody ("{tenantid}").');
    }
    if (metadata.jwks_uri === undefined) {
      throw new LoginRefusal('signature', 'The provider does not say where its keys are ("jwks_uri").');
    }
    const { jwks_uri: jwksUri } = metadata;
    return { config, keys: createProviderKeys(() => fetchKeys(accountId, jwksUri)) };
  };

  const keyOf = ({ accountId, issuer, clientId }: OpenIdClient, secret: string) =>
    hashOf(JSON.stringify([accountId, issuer, clientId, secret]));

  /** Finds what is known of a provider. Throws LoginRefusal. */
  const find = async (of: OpenIdClient): Promise<Provider & { readonly key: string }> => {
    const secret = of.openClientSecret();
    if (secret === null) {
      throw new LoginRefusal('no_client_secret', 'The client secret was lost in a restoration.');
    }
    const key = keyOf(of, secret);
    const found = held.get(key) ?? discover(of, secret);
    held.set(key, found, { noUpdateTTL: true });
    found.then(
      ({ keys }) => keysOf.set(found, keys),
      () => {
        if (held.peek(key) === found) held.delete(key);
      },
    );
    return { ...(await explaining(found)), key };
  };

  return {
    /** Asks a provider anew what it says about itself, and whether a login could begin and end there. Throws LoginRefusal. */
    async examine(of: OpenIdClient): Promise<void> {
      const secret = of.openClientSecret() ?? '';
      const found = await explaining(discover(of, secret));
      const metadata = found.config.serverMetadata();
      for (const name of ['authorization_endpoint', 'token_endpoint'] as const) {
        if (metadata[name] === undefined)
          throw new LoginRefusal('malformed', `The discovery document lacks "${name}".`);
      }
      held.set(keyOf(of, secret), Promise.resolve(found));
    },

    /** Returns the URL at the provider at which a login begins. Throws LoginRefusal. */
    async beginUrl(of: OpenIdClient, redirectUri: string, { state, secret }: LoginTies): Promise<string> {
      const { config } = await find(of);
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...of.scopes])].join(' '),
        state,
        nonce: nonceOf(secret),
        code_challenge: await client.calculatePKCECodeChallenge(secret),
        code_challenge_method: 'S256',
      });
      return url.href;
    },

    /**
     * Redeems the code of an answer and checks all that the provider says.
     *
     * @param answered the URL of the answer, at our own address
     * @throws LoginRefusal
     */
    async redeem(of: OpenIdClient, answered: URL, { state, secret }: LoginTies): Promise<OidcLogin> {
      const { config, key } = await find(of);
      const checks = { expectedState: state, expectedNonce: nonceOf(secret), pkceCodeVerifier: secret };
      const redeemed = client.authorizationCodeGrant(config, answered, { ...checks, idTokenExpected: true });
      const tokens = await explaining(redeemed, () => {
        held.delete(key);
        const mayBeginAgain = !beganAgain.has(key);
        if (mayBeginAgain) beganAgain.set(key, true);
        return new UnknownKey(mayBeginAgain);
      });
      const { id_token: idToken = '', access_token: accessToken } = tokens;
      const claims = tokens.claims() ?? {};
      const { subject, issuedAt } = checkIdToken(idToken, claims, of, clock());
      const { userinfo_endpoint: userInfoAt } = config.serverMetadata();
      const asks = userInfoAt !== undefined && lacksClaims(claims, of);
      const userInfo = asks ? await explaining(client.fetchUserInfo(config, accessToken, subject)) : null;
      return { vouched: readUser(claims, userInfo, subject, of), issuedAt, idToken };
    },

    /** Returns the URL at which a user logs out at the provider; null if it has none. Throws LoginRefusal. */
    async endUrl(of: OpenIdClient, user: LeavingUser | null): Promise<string | null> {
      const { config } = await find(of);
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      const { subject, idToken } = user ?? { subject: null, idToken: null };
      // Without the token it may ask who leaves, and whether they want to.
      const hint = subject === null ? {} : { logout_hint: subject };
      return client.buildEndSessionUrl(config, idToken === null ? hint : { id_token_hint: idToken }).href;
    },

    /** Checks all of a logout token but its signature, for which nobody is asked. Throws LoginRefusal. */
    readLogout: (of: OpenIdClient, token: string): LogoutToken => readLogoutToken(token, of, clock()),

    /** Returns whether the key of a token is in memory, so that checking it takes no request to the provider. */
    async hasKeyOf(of: OpenIdClient, token: string): Promise<boolean> {
      const secret = of.openClientSecret();
      const found = secret === null ? undefined : held.get(keyOf(of, secret));
      const keys = found === undefined ? undefined : keysOf.get(found);
      return keys !== undefined && (await keys.has(readHeader(token)));
    },

    /**
     * Checks a logout token that somebody has sent.
     *
     * @throws LoginRefusal, with the reason `provider` if the provider cannot be asked for its keys
     */
    async checkLogout(of: OpenIdClient, token: string): Promise<LogoutToken> {
      const read = readLogoutToken(token, of, clock());
      const { keys } = await find(of);
      try {
        await keys.verify(token, readHeader(token));
      } catch (error) {
        if (!(error instanceof joseErrors.JOSEError)) return await explaining(Promise.reject(error));
        throw new LoginRefusal(
          'signature',
          `The logout token is not signed by a key of the provider: ${error.message}`,
        );
      }
      return read;
    },
  };
}

export type OpenIdProviders = ReturnType<typeof createOpenIdProviders>;

function nonceOf(secret: string): string {
  return hashOf(`nonce ${secret}`);
}

/** Reads a set of keys (RFC 7517, section 5); null for anything else. What a key is good for is seen when one is needed. */
function readJwks(text: string): JSONWebKeySet | null {
  try {
    const value: unknown = JSON.parse(text);
    const keys = isJsonObject(value) && Array.isArray(value.keys) ? value.keys : null;
    return keys?.every(isJsonObject) ? { keys } : null;
  } catch {
    return null;
  }
}

/** Authenticates with the secret as the provider prefers it: by header, unless it knows only the form (Discovery, section 3). */
function authenticatingBy(secret: string): client.ClientAuth {
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost;
    return authenticate(secret)(server, ...request);
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns the headers that openid-client reads: the body has been decoded already. */
function readableHeaders({ 'content-type': type, date }: Readonly<Record<string, string>>): Record<string, string> {
  return { ...(type === undefined ? {} : { 'content-type': type }), ...(date === undefined ? {} : { date }) };
}
