// What the gate and the login pages need of user sessions at routes. Pure.

import type { MaybePromise } from '../concurrency/at-once.ts';
import type { NamedUser } from '../saml/logout.ts';
import type { AnsweredLogin, ContinuedSession, LoginModule, Session } from './login.ts';
import type { LoginTerms, SessionRule } from './session-rule.ts';
import type { OtherRoutes } from './shared-sessions.ts';

/** Stores sessions. Tokens are passed as their SHA-256. */
export interface Sessions {
  /**
   * Creates a session from a login, which is used up by that. Returns the session id; null if the login has already been used or
   * has ended in the meantime. A concurrent logout of the user finds either the login or the session, and an earlier one is
   * noticed here.
   */
  create(tokenHash: string, login: AnsweredLogin, clientAddress: string): Promise<string | null>;
  /**
   * Finds the first of several sessions that is alive, and records its use; null if all have ended or belong to another host, or to a
   * route that is neither that of the scope nor one of the others. A session in memory is returned synchronously, without a promise.
   */
  find(
    tokenHashes: readonly string[],
    scope: SessionScope,
    rule: SessionRule,
    others: OtherRoutes,
  ): MaybePromise<Session | null>;
  /**
   * Finds a session of a browser, at any route of the same registration, that a login at a route may continue: its own rules and those
   * of the route let it live; null if there is none.
   */
  findContinued(module: ContinuingModule, device: string): Promise<ContinuedSession | null>;
  /**
   * Ends the sessions of a browser in a scope, and with each one those of the same user and browser at all routes and hosts of its
   * registration, so that the next request is refused. Returns those that it had in it.
   */
  end(tokenHashes: readonly string[], scope: SessionScope, clientAddress: string): Promise<readonly EndedSession[]>;
  /**
   * Ends the sessions of a user whom the identity provider has logged out of the registration of a route: those that it names, or all.
   * Returns how many. This also ends logins whose browser has not fetched its session yet, and logins vouched for earlier that arrive later.
   */
  endOfUser(route: Omit<SessionScope, 'host'>, loggedOut: LoggedOut, by: LogoutOrigin): Promise<number>;
}

export type ContinuingModule = LoginTerms & Pick<LoginModule, 'accountId' | 'registrationId'>;

/** Whom an identity provider has logged out. */
export interface LoggedOut {
  /** Null for whoever the sessions belong to, of which there is at least one then. */
  readonly nameId: string | null;
  /** The identity provider's sessions to end; empty for all. */
  readonly sessionIndexes: readonly string[];
  /** When the identity provider said so, by its own clock. */
  readonly issuedAt: Date;
}

/** Where a logout by an identity provider came from. */
export interface LogoutOrigin {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  readonly requestId: string;
  /** The address of the browser that delivered it; null if unknown. */
  readonly clientAddress: string | null;
}

export interface EndedSession {
  readonly id: string;
  readonly issuer: string;
  readonly named: NamedUser;
  /** The ID token that it began with; null if there is none, or it was not kept. */
  readonly idToken: string | null;
  /** How many sessions of the browser have ended with it, itself included. */
  readonly count: number;
  /** The `host:port` of each of them, each once. */
  readonly hosts: readonly string[];
}

export interface SessionScope {
  readonly accountId: string;
  readonly routeId: string;
  /** `host:port` */
  readonly host: string;
}
