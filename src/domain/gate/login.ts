// Our side of a login at an identity provider, shared by the gate, which leads browsers through it, and the storage, which
// remembers it. Pure.

import type { KeyObject } from 'node:crypto';
import type { LoginProvider } from '../saml/login-provider.ts';
import type { NamedUser } from '../saml/logout.ts';
import type { LoginTerms } from './session-rule.ts';

/** The SAML module of a route, with the properties that a login needs. */
export interface LoginModule extends LoginTerms {
  readonly routeId: string;
  readonly edgeId: string;
  readonly accountId: string;
  readonly nameidFormat: string;
  /** The route whose registration is used: its identity provider, key and addresses. Usually the route itself. */
  readonly registrationId: string;
  readonly provider: LoginProvider;
  /** When its metadata was last read at an address; null if it never was. */
  readonly metadataReadAt: Date | null;
  readonly openSigningKey: () => KeyObject;
  /** Opens the keys for decryption, newest first; none if there is none. */
  readonly openDecryptionKeys: () => readonly KeyObject[];
}

/** A route that uses a registration, with what a response is checked against. */
export type LoginRoute = Pick<
  LoginModule,
  'routeId' | 'edgeId' | 'enabled' | 'forceAuthn' | 'allowIdpInitiated' | 'nameidFormat'
>;

/** The OpenID Connect module of a route, with the properties that a login needs. */
export interface OidcLoginModule extends LoginTerms {
  readonly routeId: string;
  /** The route whose registration is used: its client, secret and addresses. Usually the route itself. */
  readonly registrationId: string;
  readonly edgeId: string;
  readonly accountId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly groupsClaim: string;
  readonly emailVerification: 'required' | 'trusted';
  readonly authorizedEmailDomains: readonly string[];
  /** Opens the client secret; null if there is none. */
  readonly openClientSecret: () => string | null;
  /** Whether the provider could not be used the last time. */
  readonly isFailing: boolean;
}

/** A login that has begun, in the browser or at the identity provider. */
export interface BegunLogin {
  /** The `host:port` of the application. */
  readonly host: string;
  /** SHA-256 of the browser's cookie; null if the identity provider started the login. */
  readonly browserHash: string | null;
  /** Names the browser at our own address; null if unknown. */
  readonly device: string | null;
  /** Path and query to go to; empty if the browser remembers them. */
  readonly target: string;
}

/** A user who has logged in at a route. */
export interface Session {
  readonly user: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly groups: readonly string[];
  /** The names of the attributes that came with them; null if unknown. */
  readonly attributeNames: readonly string[] | null;
  /** Its identifier; absent for a program. */
  readonly sessionId?: string | undefined;
}

/** A user whom an identity provider has vouched for. */
export interface Vouched extends Session {
  /** The identity provider: its entity id, or its issuer. */
  readonly issuer: string;
  /** When the session at the identity provider ends; null if it does not say. */
  readonly sessionEndsAt: Date | null;
  readonly named: NamedUser;
}

/** A session of a browser that a login at another route continues, so that its user is not asked again. */
export interface ContinuedSession {
  readonly id: string;
  readonly vouched: Vouched;
  /** When its user logged in. */
  readonly createdAt: Date;
}

/** A login that is complete except that the browser has not fetched its session yet. */
export interface AnsweredLogin extends Omit<BegunLogin, 'device'> {
  readonly ticketHash: string;
  /** SHA-256 of the name of the browser and the route; null if unknown. */
  readonly deviceHash: string | null;
  readonly accountId: string;
  readonly routeId: string;
  /** The route whose registration was used. */
  readonly registrationId: string;
  readonly vouched: Vouched;
  /** When the identity provider vouched for the user, by its own clock. */
  readonly issuedAt: Date;
  /** The ID token, sealed; null for none. */
  readonly sealedIdToken: Uint8Array<ArrayBuffer> | null;
  /** The session that the login continues; null if the identity provider was asked. */
  readonly continued: Pick<ContinuedSession, 'createdAt'> | null;
}

/** Longest ID token that is kept for the logout, in characters: sealed, it must fit into the head of an answer of any proxy. */
export const idTokenCharactersMax = 2_000;

/**
 * The purpose of a sealed text: the state of a login or logout on its way to our pages, or the id of a request that an identity
 * provider must answer. A text sealed for one purpose is never accepted for another.
 */
export type SealedFor = 'login' | 'login request' | 'logout' | 'logout request';

/** An unsealed text, with the time when it was sealed and the time until which it can be used. */
export interface Unsealed {
  readonly text: string;
  readonly sealedAt: Date;
  readonly usableUntil: Date;
}

type Module = Pick<LoginModule, 'accountId' | 'routeId'>;
type Answering = Module & Pick<LoginModule, 'registrationId'>;

/**
 * The logins in progress. Until an identity provider has vouched for the user, the whole state of a login is sealed and travels
 * with the browser: strangers can begin as many logins as they like, and nothing is stored. Secrets are passed as their SHA-256.
 */
export interface Logins {
  /** Finds the account that owns the registration of a route; null if it has none of its own. */
  findOwner(routeId: string): Promise<string | null>;
  /** Finds the module of a route; null if it has none. Throws INVALID_INPUT if its metadata can no longer be read. */
  findModule(routeId: string): Promise<LoginModule | null>;
  /** Finds the routes that use the registration of a module, by id: its own, and others. */
  findRoutes(module: LoginModule): Promise<ReadonlyMap<string, LoginRoute>>;
  /** Finds the OpenID Connect module of a route; null if it has none. */
  findOidcModule(routeId: string): Promise<OidcLoginModule | null>;
  /**
   * Notes whether the provider of a route can be used, for its administrator: what is wrong, or null. Failures are written at most
   * once a minute, because anybody can begin logins.
   */
  noteProvider(module: OidcLoginModule, failure: string | null): Promise<void>;
  /** Seals a text for a route, in characters that are allowed in URLs and XML names. */
  seal(module: Module, purpose: SealedFor, text: string): string;
  /** Opens a text that `seal` made for the same route and purpose; null for any other text, or if it is too old. */
  open(module: Module, purpose: SealedFor, sealed: string): Unsealed | null;
  /**
   * Keeps the target of a login that has begun, for as long as the login may take. Returns false if it is too long, or if the route
   * has too many of them: strangers can begin logins.
   */
  keepTarget(module: Module, browserHash: string, target: string): Promise<boolean>;
  /** Finds a target that was kept; null if there is none. */
  findTarget(module: Module, browserHash: string): Promise<string | null>;
  /** Records that a message is used. Returns false if it had been used before. */
  use(module: Module, idHash: string, usableUntil: Date): Promise<boolean>;
  /** Returns whether a message has been used. */
  isUsed(module: Module, idHash: string): Promise<boolean>;
  /** Returns whether the identity provider has logged a user out since it vouched for the login. */
  isLoggedOut(module: Module, user: NamedUser, issuedAt: Date): Promise<boolean>;
  /**
   * Stores a login that an identity provider has vouched for, until the browser presents the ticket.
   *
   * @param idToken kept for the logout, unless it is longer than `idTokenCharactersMax`
   */
  answer(
    module: Answering,
    begun: BegunLogin,
    ticketHash: string,
    vouched: Vouched,
    issuedAt: Date,
    idToken?: string | null,
  ): Promise<void>;
  /**
   * Stores a login that continues a session, until the browser presents the ticket, or the session ends. Returns false if it has ended
   * already.
   */
  continueSession(
    module: Answering,
    begun: BegunLogin,
    ticketHash: string,
    session: ContinuedSession,
  ): Promise<boolean>;
  findAnswered(ticketHash: string): Promise<AnsweredLogin | null>;
}
