// Where a change comes from, as the trail records it.

/**
 * The part of the program that a change came through; `dashboard` are sessions of the dashboard, `login` are logins of users, `server` is
 * what a server does on its own.
 */
export const surfaces = ['rest', 'graphql', 'dashboard', 'cli', 'login', 'server'] as const;
export type ChangeSurface = (typeof surfaces)[number];

/** Where a change comes from. */
export interface Origin {
  /**
   * Who makes it: the id of an API key, or of what proves itself in its place, `cli` for somebody with access to the database,
   * `user` and `identity_provider` for logins and logouts, or `system`.
   */
  readonly actor: string;
  /** Which user or identity provider that is, or the description of an object; of an API key, the trail knows it. */
  readonly actorDescription?: string | undefined;
  readonly surface: ChangeSurface;
  /** Id of the request; null where there is none. */
  readonly requestId: string | null;
  /** Address of the client; null where there is none, or it is not known. */
  readonly clientAddress: string | null;
}

/** A command of the command line. */
export const commandLine: Origin = { actor: 'cli', surface: 'cli', requestId: null, clientAddress: null };

/** A server that acts on its own. */
export const serverItself: Origin = { actor: 'system', surface: 'server', requestId: null, clientAddress: null };
