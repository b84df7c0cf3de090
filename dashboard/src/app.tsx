// The dashboard: who is not signed in is asked for a key; everybody else gets the page of the address.

import { useEffect, useMemo, useState } from 'react';
import { RouterProvider } from 'react-aria-components';
import { Provider, useClient, useQuery } from 'urql';
import { matchRoute, Route, Router, Switch, useLocation, useRouter } from 'wouter';
import { createClient } from './client/client.ts';
import { type Live, LiveProvider, startLive } from './client/live.ts';
import { dashboardPath } from './client/place.ts';
import type { Problem } from './client/problem.ts';
import { allows, type Viewer, ViewerProvider } from './client/rights.ts';
import { findSession, type SessionState, sessionState } from './client/session.ts';
import { useStore } from './client/store.ts';
import { ViewerDocument } from './client/viewer.generated.ts';
import { later } from './kit/later.tsx';
import { Loading, NotFound, Unreadable } from './kit/notice.tsx';
import { forgetToasts } from './kit/toast.tsx';
import { mayLeave } from './kit/unsaved.ts';
import { pages } from './pages.ts';
import { Shell } from './shell/shell.tsx';
import { Barred, SignIn } from './shell/sign-in.tsx';

/** Each page is loaded when somebody goes there. */
const routes = pages.map(({ path, load }) => ({ path, Page: later(load, <Loading />) }));

/** The dashboard of somebody whose rights are known: its stream of changes begins before anything is read that may change. */
function Inside({ viewer }: { viewer: Viewer }) {
  const client = useClient();
  const mayFollow = allows(viewer.apiKey.scopes, 'audit-events:read');
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const started = startLive(client, mayFollow);
    setLive(started);
    return () => {
      started.stop();
      forgetToasts();
    };
  }, [client, mayFollow]);
  if (live === null) return null;
  return (
    <ViewerProvider value={viewer}>
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

function WithRights() {
  const [{ data, error }, read] = useQuery({ query: ViewerDocument });
  if (data?.viewer) return <Inside viewer={data.viewer} />;
  return error ? <Unreadable error={error} retry={() => read({ requestPolicy: 'network-only' })} /> : <Loading />;
}

/** A session, with a cache of its own. The page is loaded while the server says what the key may. */
function Session() {
  const client = useMemo(createClient, []);
  const { parser } = useRouter();
  const [here] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once; afterwards each page is loaded when it is drawn.
  useEffect(() => routes.find(({ path }) => matchRoute(parser, path, here)[0])?.Page.load(), []);
  return (
    <Provider value={client}>
      <WithRights />
    </Provider>
  );
}

function Door() {
  const state: SessionState = useStore(sessionState);
  const [problem, setProblem] = useState<Problem | null>(null);
  const find = () => {
    setProblem(null);
    void findSession().then(setProblem);
  };
  useEffect(() => {
    if (state === 'unknown') void findSession().then(setProblem);
  }, [state]);
  if (state === 'signedIn') return <Session />;
  if (problem !== null) return <Barred problem={problem} retry={find} />;
  return state === 'unknown' ? <Loading /> : <SignIn state={state} />;
}

/** Has links of the components go where the router goes. */
function Links() {
  const [, navigate] = useLocation();
  const router = useRouter();
  return (
    <RouterProvider
      navigate={(path) => mayLeave() && navigate(path)}
      useHref={(href) => (href.startsWith('/') ? router.hrefs(router.base + href, router) : href)}
    >
      <Door />
    </RouterProvider>
  );
}

/** All of it. */
export function App() {
  return (
    <Router base={dashboardPath}>
      <Links />
    </Router>
  );
}
