// Starts a session: sends the first queries before React and the components have loaded.

import type { Client } from 'urql';
import { AttentionDocument } from './attention/attention.generated.ts';
import { askAhead, forgetAhead } from './client/ahead.ts';
import { createClient } from './client/client.ts';
import { countsOf } from './client/counts.ts';
import { type Live, startLive } from './client/live.ts';
import { type Problem, problemOf } from './client/problem.ts';
import { allows, idOf, type Viewer } from './client/rights.ts';
import { ViewerDocument } from './client/viewer.generated.ts';
import { FirstStepsDocument } from './pages/overview/first-steps.generated.ts';
import { ActivityDocument } from './pages/overview/overview.generated.ts';
import { countedIn, latestChanges, rangeIn } from './pages/overview/questions.ts';
import { askedSteps, isPastFirstSteps } from './pages/overview/steps.ts';
import { AuditEventsDocument } from './trail/events.generated.ts';

/** A session that has started. Each has its own client, so that no data of one account is left for the next. */
export interface Begun {
  readonly client: Client;
  readonly viewer: Viewer;
  /** The stream of changes. It starts before any data that may change is read. */
  readonly live: Live;
  /** Returns whether the same key or person of the same account is still signed in, or the problem if that cannot be determined. */
  isSame(): Promise<boolean | Problem>;
}

/** Milliseconds after which prefetched answers that no page has taken are forgotten: by then no page will take them. */
const aheadMs = 10_000;

/** Queries who is signed in. Returns the problem if that cannot be determined. */
async function askViewer(client: Client): Promise<Viewer | Problem> {
  const { data, error } = await client.query(ViewerDocument, {}, { requestPolicy: 'network-only' }).toPromise();
  if (error) return problemOf(error);
  return data?.viewer ?? { code: 'INTERNAL', message: 'The server does not say who is signed in.', field: null };
}

/**
 * Queries who is signed in, then starts the stream of changes and prefetches what the page will query. Returns the problem if the
 * first query fails.
 *
 * @param path the path of the page, as in `pages`; undefined if the address has no page
 */
export async function begin(path: string | undefined): Promise<Begun | Problem> {
  const client = createClient();
  const viewer = await askViewer(client);
  if ('code' in viewer) return viewer;
  const { scopes } = viewer;
  const mayFollow = allows(scopes, 'audit-events:read');
  const live = startLive(client, mayFollow);
  askAhead(client, AttentionDocument, {});
  // Most visits start at the overview. What other pages query depends on more than the rights of the key.
  if (path === '/') {
    if (!isPastFirstSteps(viewer.account.id)) askAhead(client, FirstStepsDocument, askedSteps(scopes));
    askAhead(client, ActivityDocument, rangeIn(new URLSearchParams(location.search)).asked);
    const counted = countedIn(scopes);
    if (counted.length > 0) askAhead(client, countsOf(counted), {});
    if (mayFollow) askAhead(client, AuditEventsDocument, { ...latestChanges, after: null });
  }
  live.onEvent(forgetAhead);
  setTimeout(forgetAhead, aheadMs);
  const isSame = async () => {
    const now = await askViewer(client);
    return 'code' in now ? now : now.account.id === viewer.account.id && idOf(now) === idOf(viewer);
  };
  return { client, viewer, live, isSame };
}
