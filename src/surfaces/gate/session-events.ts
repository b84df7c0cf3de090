// The outcomes of logins and logouts, for the log and the metrics. They contain no secrets and no names.

import type { RefusalReason } from '../../domain/saml/refusal.ts';

/** A login or a logout that has happened. */
export interface SessionEvent {
  readonly event: 'login' | 'logout';
  readonly routeId: string;
  /**
   * Who began it: `requested` is a login begun at the application, `unsolicited` one begun at the identity provider, and `continued`
   * one begun at the application for which the browser's session elsewhere sufficed.
   */
  readonly reason: 'requested' | 'unsolicited' | 'continued' | 'user' | 'identity_provider';
  /** The id of the session, or of the request for a logout that the identity provider began. */
  readonly reference: string;
  /** How many sessions have begun or ended. */
  readonly sessions: number;
}

/** Why a login or a logout failed. */
export interface LoginFailure {
  readonly event: 'login' | 'logout';
  readonly requestId: string;
  readonly routeId: string;
  readonly reason: RefusalReason;
  /** What exactly was wrong. It may quote the message. */
  readonly detail: string;
  /** The host of the application; null if unknown. */
  readonly host: string | null;
  /** The user; null unless the identity provider has vouched for one. */
  readonly user: string | null;
  /** The address of the browser; null if unknown. */
  readonly client: string | null;
  /** Whether the browser has posted its own form twice, and was led on: that is for the log alone. */
  readonly ledOn: boolean;
}
