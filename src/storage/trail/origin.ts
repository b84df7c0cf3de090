// Where a change comes from, as the trail records it.

/**
 * The part of the program that a change came through; `dashboard` stands for dashboard sessions, `login` for logins of users, `gate` for programs
 * that want to pass, `server` for what a server does on its own.
 */
export const surfaces = ['rest', 'graphql', 'dashboard', 'cli', 'login', 'gate', 'server'] as const;
export type ChangeSurface = (typeof surfaces)[number];

/** Where a change comes from. */
export interface Origin {
  /**
   * Who makes the change: the id of an API key, of a person or of the object that proves itself instead, `cli` for somebody with
   * access to the database, `user` and `identity_provider` for logins and logouts, or `system`.
   */
  readonly actor: string;
  /**
   * What the actor is called: the person, user or identity provider, or the description of an object. Without it, the trail looks up
   * the description of an API key.
   */
  readonly actorDescription?: string | undefined;
  readonly surface: ChangeSurface;
  /** Id of the request; null if there is none. */
  readonly requestId: string | null;
  /** Address of the client; null if there is none, or it is not known. */
  readonly clientAddress: string | null;
}

export const commandLine: Origin = { actor: 'cli', surface: 'cli', requestId: null, clientAddress: null };

/** A server that acts on its own. */
export const serverItself: Origin = { actor: 'system', surface: 'server', requestId: null, clientAddress: null };
