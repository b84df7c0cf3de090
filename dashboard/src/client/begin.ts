// The beginning of a session: what is asked before there is anything to draw with.

import type { Client } from 'urql';
import { createClient } from './client.ts';
import { type Live, startLive } from './live.ts';
import { type Problem, problemOf } from './problem.ts';
import { allows, type Viewer } from './rights.ts';
import { ViewerDocument } from './viewer.generated.ts';

/** A session that has begun. Each has a client of its own, so that nothing of one account is left for the next. */
export interface Begun {
  readonly client: Client;
  readonly viewer: Viewer;
  /** The stream of changes: it begins before anything is read that may change. */
  readonly live: Live;
}

/** Asks who is signed in, and begins the stream of changes. Gives what is wrong where that cannot be told. */
export async function begin(): Promise<Begun | Problem> {
  const client = createClient();
  const { data, error } = await client.query(ViewerDocument, {}).toPromise();
  if (error) return problemOf(error);
  const viewer = data?.viewer;
  if (!viewer) return { code: 'INTERNAL', message: 'The server does not say who is signed in.', field: null };
  return { client, viewer, live: startLive(client, allows(viewer.apiKey.scopes, 'audit-events:read')) };
}
