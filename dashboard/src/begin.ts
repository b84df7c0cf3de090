// The beginning of a session: what is asked before there is anything to draw with. None of it waits for React and its components.

import type { Client } from 'urql';
import { askAhead, forgetAhead } from './client/ahead.ts';
import { createClient } from './client/client.ts';
import { type Live, startLive } from './client/live.ts';
import { type Problem, problemOf } from './client/problem.ts';
import { allows, type Viewer } from './client/rights.ts';
import { ViewerDocument } from './client/viewer.generated.ts';
import { ActivityDocument, AttentionDocument, CountsDocument } from './pages/overview/overview.generated.ts';
import { countedIn, countsAsked, latestChanges } from './pages/overview/questions.ts';
import { AuditEventsDocument } from './trail/events.generated.ts';

/** A session that has begun. Each has a client of its own, so that nothing of one account is left for the next. */
export interface Begun {
  readonly client: Client;
  readonly viewer: Viewer;
  /** The stream of changes: it begins before anything is read that may change. */
  readonly live: Live;
  /** Tells whether it is still the same key of the same account that is signed in; or what is wrong where that cannot be told. */
  isSame(): Promise<boolean | Problem>;
}

/** Milliseconds after which a page that has not asked what was asked ahead never will. */
const aheadMs = 10_000;

/** Asks who is signed in, or gives what is wrong where that cannot be told. */
async function askViewer(client: Client): Promise<Viewer | Problem> {
  const { data, error } = await client.query(ViewerDocument, {}, { requestPolicy: 'network-only' }).toPromise();
  if (error) return problemOf(error);
  return data?.viewer ?? { code: 'INTERNAL', message: 'The server does not say who is signed in.', field: null };
}

/**
 * Asks who is signed in; then begins the stream of changes, and asks what the page will. Gives what is wrong where that cannot be told.
 *
 * @param path that of the page, as in `pages`; undefined for none
 */
export async function begin(path: string | undefined): Promise<Begun | Problem> {
  const client = createClient();
  const viewer = await askViewer(client);
  if ('code' in viewer) return viewer;
  const { scopes } = viewer.apiKey;
  const mayFollow = allows(scopes, 'audit-events:read');
  const live = startLive(client, mayFollow);
  // The first page of most visits. Those of others depend on more than the rights.
  if (path === '/') {
    askAhead(client, AttentionDocument, {});
    askAhead(client, ActivityDocument, {});
    if (countedIn(scopes).length > 0) askAhead(client, CountsDocument, countsAsked(scopes));
    if (mayFollow) askAhead(client, AuditEventsDocument, { ...latestChanges, after: null });
    live.onEvent(forgetAhead);
    setTimeout(forgetAhead, aheadMs);
  }
  const isSame = async () => {
    const now = await askViewer(client);
    return 'code' in now ? now : now.account.id === viewer.account.id && now.apiKey.id === viewer.apiKey.id;
  };
  return { client, viewer, live, isSame };
}
