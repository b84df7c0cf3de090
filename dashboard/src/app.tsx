// The dashboard of a signed-in user: the frame, with the page at the address in it.

import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { Provider, useQuery } from 'urql';
import { Route, Router, Switch } from 'wouter';
import { AttentionProvider } from './attention/attention.tsx';
import type { Begun } from './begin.ts';
import { LiveProvider } from './client/live.ts';
import { ViewerProvider } from './client/rights.ts';
import { dashboardPath } from './client/server.ts';
import { ViewerDocument } from './client/viewer.generated.ts';
import { root } from './kit/door.ts';
import { later } from './kit/later.tsx';
import { Loading, NotFound } from './kit/notice.tsx';
import { forgetToasts } from './kit/toast.tsx';
import { askOnTraversal } from './kit/unsaved.ts';
import { pages } from './pages.ts';
import { Shell } from './shell/shell.tsx';

/** The routes. Each page is loaded when it is first visited. */
const routes = pages.map(({ path, load }) => ({ path, Page: later(load, () => <Loading />) }));

askOnTraversal();

function Inside({ viewer: begun, live }: Pick<Begun, 'viewer' | 'live'>) {
  // The key's description may change.
  const [{ data }] = useQuery({ query: ViewerDocument });
  return (
    <ViewerProvider value={data?.viewer ?? begun}>
      <LiveProvider value={live}>
        <AttentionProvider>
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
        </AttentionProvider>
      </LiveProvider>
    </ViewerProvider>
  );
}

/** Starts to load a page, so that it is drawn together with the frame if it arrives in time. */
export function loadPage(path: string | undefined): void {
  routes.find((route) => route.path === path)?.Page.load();
}

/** Draws the dashboard of a session. Returns a function that removes it and stops the session's stream of changes. */
export function openDashboard(begun: Begun): () => void {
  const drawn = createRoot(root);
  // Synchronously, because the screen it replaces is already gone.
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
