// What a login at an identity provider consists of on our side, for the gate, which leads browsers through it, and for the storage,
// which remembers it. Pure.

import type { KeyObject } from 'node:crypto';
import type { LoginProvider } from '../saml/login-provider.ts';
import type { NamedUser } from '../saml/logout.ts';
import type { Session } from './decide.ts';

/** The SAML module of a route, as a login needs it. */
export interface LoginModule {
  readonly routeId: string;
  readonly edgeId: string;
  readonly accountId: string;
  readonly enabled: boolean;
  readonly forceAuthn: boolean;
  readonly allowIdpInitiated: boolean;
  readonly nameidFormat: string;
  readonly provider: LoginProvider;
  /** Opens the key that signs requests. */
  readonly openSigningKey: () => KeyObject;
}

/** A login that has begun, in the browser or at the identity provider. */
export interface BegunLogin {
  /** The `host:port` of the application. */
  readonly host: string;
  /** SHA-256 of the cookie of the browser; null where the identity provider began. */
  readonly browserHash: string | null;
  /** Path and query to go to; empty where the browser knows. */
  readonly target: string;
}

/** Whom an identity provider has vouched for. */
export interface Vouched extends Session {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** When its own session ends; null if it does not say. */
  readonly sessionEndsAt: Date | null;
  /** How it named the user. */
  readonly named: NamedUser;
}

/** A login that only waits for the browser to fetch its session. */
export interface AnsweredLogin extends BegunLogin {
  readonly ticketHash: string;
  readonly accountId: string;
  readonly routeId: string;
  readonly vouched: Vouched;
  /** When the identity provider vouched for the user, by its own clock. */
  readonly issuedAt: Date;
}

/**
 * What a sealed text is for: the state of a login or a logout on its way to our pages, or the id of a request that an identity provider
 * must answer. One is never taken for another.
 */
export type SealedFor = 'login' | 'login request' | 'logout' | 'logout request';

/** A text that was sealed, since when, and how long it can be used. */
export interface Unsealed {
  readonly text: string;
  readonly sealedAt: Date;
  readonly usableUntil: Date;
}

type Module = Pick<LoginModule, 'accountId' | 'routeId'>;

/**
 * The logins that are under way. Until an identity provider has vouched for somebody, all that is known of one is sealed and travels
 * with the browser: strangers can begin as many as they like, and nothing is kept. Everything that is secret comes here as its
 * SHA-256.
 */
export interface Logins {
  /** Finds the module of a route; null when it has none. Throws INVALID_INPUT for metadata that cannot be read any more. */
  findModule(routeId: string): Promise<LoginModule | null>;
  /** Seals a text for a route, in letters that URLs and XML names can have. */
  seal(module: Module, purpose: SealedFor, text: string): string;
  /** Opens what `seal` made for the same route and purpose; null when it is something else, or too old. */
  open(module: Module, purpose: SealedFor, sealed: string): Unsealed | null;
  /** Notes that a message is used. Returns false when it has been before. */
  use(module: Module, idHash: string, usableUntil: Date): Promise<boolean>;
  /** Tells whether a message has been used. */
  isUsed(module: Module, idHash: string): Promise<boolean>;
  /** Tells whether the identity provider has logged a user out since it vouched for the login. */
  isLoggedOut(module: Module, user: NamedUser, issuedAt: Date): Promise<boolean>;
  /** Remembers a login that an identity provider has vouched for, until the browser comes with the ticket. */
  answer(module: Module, begun: BegunLogin, ticketHash: string, vouched: Vouched, issuedAt: Date): Promise<void>;
  /** Finds a login by its ticket. */
  findAnswered(ticketHash: string): Promise<AnsweredLogin | null>;
}
