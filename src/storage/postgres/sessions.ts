// The kinds of sessions that a client may ask for, as libpq's `target_session_attrs` names them ("Database Connection Control
// Functions" in PostgreSQL's manual).

import type pg from 'pg';

export interface Session {
  /** Whether the server follows another one. */
  readonly isStandby: boolean;
  /** Whether transactions take no writes: on a standby, and where the server or the database is set to read only. */
  readonly isReadOnly: boolean;
}

/** The kinds: whether a session is of the kind, or what it is instead. */
const kinds = {
  any: () => null,
  'read-write': ({ isReadOnly }: Session) => (isReadOnly ? 'it takes no writes' : null),
  'read-only': ({ isReadOnly }: Session) => (isReadOnly ? null : 'it takes writes'),
  primary: ({ isStandby }: Session) => (isStandby ? 'it is a standby' : null),
  standby: ({ isStandby }: Session) => (isStandby ? null : 'it is not a standby'),
  'prefer-standby': ({ isStandby }: Session) => (isStandby ? null : 'it is not a standby'),
} as const satisfies Record<string, (session: Session) => string | null>;

export type SessionKind = keyof typeof kinds;
export const sessionKinds = Object.keys(kinds);

export function isSessionKind(text: string): text is SessionKind {
  return Object.hasOwn(kinds, text);
}

/** Returns why a session is not of a kind; null if it is. Throws the errors of the driver. */
export async function unlike(kind: SessionKind, client: pg.Client): Promise<string | null> {
  return kind === 'any' ? null : kinds[kind](await sessionOf(client));
}

/** Asks what a session can do. Throws the errors of the driver. */
export async function sessionOf(client: pg.ClientBase): Promise<Session> {
  const { rows } = await client.query<Session>(
    `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
  );
  return rows[0] ?? { isStandby: false, isReadOnly: false };
}
