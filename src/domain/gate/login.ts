// What a login at an identity provider consists of on our side, for the gate, which leads browsers through it, and for the storage,
// which remembers it. Pure.

import type { KeyObject } from 'node:crypto';
import type { LoginProvider } from '../saml/login-provider.ts';
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
  /** The path that the route serves. */
  readonly match: string;
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

/** A login whose request is with the identity provider. */
export interface PendingLogin extends BegunLogin {
  readonly requestId: string;
  readonly sentAt: Date;
}

/** Whom an identity provider has vouched for. */
export interface Vouched extends Session {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** When its own session ends; null if it does not say. */
  readonly sessionEndsAt: Date | null;
}

/** A login that only waits for the browser to fetch its session. */
export interface AnsweredLogin extends BegunLogin {
  readonly routeId: string;
  readonly vouched: Vouched;
}

/** The logins that are under way. Everything that is secret comes here as its SHA-256. */
export interface Logins {
  /** Finds the module of a route; null when it has none. Throws INVALID_INPUT for metadata that cannot be read any more. */
  findModule(routeId: string): Promise<LoginModule | null>;
  /** Seals the beginning of a login, so that it can travel in a URL. */
  seal(module: Pick<LoginModule, 'accountId' | 'routeId'>, begun: BegunLogin): string;
  /** Opens what `seal` made; null when it is something else, or too old. */
  open(module: LoginModule, sealed: string): BegunLogin | null;
  /** Remembers a login that is sent to the identity provider. Throws UNAVAILABLE when there are too many. */
  send(module: LoginModule, relayHash: string, pending: PendingLogin): Promise<void>;
  /** Finds a login that an identity provider may answer. */
  findPending(module: LoginModule, relayHash: string): Promise<PendingLogin | null>;
  /** Notes that an assertion is used. Returns false when it has been before. */
  use(module: LoginModule, assertionHash: string, usableUntil: Date): Promise<boolean>;
  /** Gives a pending login its ticket. Returns false when it has one already, or is over. */
  answer(module: LoginModule, relayHash: string, ticketHash: string, vouched: Vouched): Promise<boolean>;
  /** Begins and answers a login that the identity provider began. */
  welcome(module: LoginModule, begun: BegunLogin, ticketHash: string, vouched: Vouched): Promise<void>;
  /** Finds a login by its ticket. */
  findAnswered(ticketHash: string): Promise<AnsweredLogin | null>;
  /** Ends a login, so that its ticket is worth nothing. Returns false when somebody else has. */
  end(ticketHash: string): Promise<boolean>;
}
