// The dashboard of somebody who is signed in: the page of the address, in its frame.

import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Provider, useQuery } from 'urql';
import { Route, Router, Switch } from 'wouter';
import type { Begun } from './begin.ts';
import { LiveProvider } from './client/live.ts';
import { dashboardPath } from './client/place.ts';
import { ViewerProvider } from './client/rights.ts';
import { ViewerDocument } from './client/viewer.generated.ts';
import { root } from './kit/door.ts';
import { later } from './kit/later.tsx';
import { Loading, NotFound } from './kit/notice.tsx';
import { forgetToasts } from './kit/toast.tsx';
import { askOnTraversal } from './kit/unsaved.ts';
import { pages } from './pages.ts';
import { Shell } from './shell/shell.tsx';

/** Each page is loaded when somebody goes there. */
const routes = pages.map(({ path, load }) => ({ path, Page: later(load, () => <Loading />) }));

askOnTraversal();

function Inside({ viewer: begun, live }: Pick<Begun, 'viewer' | 'live'>) {
  // What the key is called may change.
  const [{ data }] = useQuery({ query: ViewerDocument });
  return (
    <ViewerProvider value={data?.viewer ?? begun}>
      <LiveProvider value={live}>
        <Shell>
          <Switch>
            {routes.map(({ path, Page }) => (
              <Route key={path} path={path}>
                {({ id = '' }: { id?: string }) => <Page key={id} id={id} />}
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Shell>
      </LiveProvider>
    </ViewerProvider>
  );
}

/** Loads a page, so that it is drawn at once with the frame where it comes in time. */
export function loadPage(path: string | undefined): void {
  routes.find((route) => route.path === path)?.Page.load();
}

/** Draws the dashboard of a session. Gives what takes it away, and ends what the session has begun. */
export function openDashboard(begun: Begun): () => void {
  const drawn = createRoot(root);
  // At once: what stood in its place is gone.
  flushSync(() =>
    drawn.render(
      <StrictMode>
        <Router base={dashboardPath}>
          <Provider value={begun.client}>
            <Inside {...begun} />
          </Provider>
        </Router>
      </StrictMode>,
    ),
  );
  return () => {
    drawn.unmount();
    begun.live.stop();
    forgetToasts();
  };
}
