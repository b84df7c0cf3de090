// Who is logged in, at any route: whoever has to put somebody out need not know first where that is.

import { useEffect } from 'react';
import { usePages } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Button, ButtonLink } from '../../kit/button.tsx';
import { SelectField } from '../../kit/fields.tsx';
import { Empty, Loading, Unreadable } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { inOrderOfDecision, urlAt } from './edges.ts';
import { RoutesWithLoginDocument } from './logins.generated.ts';
import Sessions from './sessions.tsx';

/** That there is nothing to show: no route with a login, or not the one that was asked for. `showOthers` is there if others are. */
function NoLogin({ showOthers }: { showOthers: (() => void) | undefined }) {
  return showOthers ? (
    <Empty title="This route requires no login" actions={<Button onPress={showOthers}>Show the others</Button>}>
      It may have been deleted, or its SAML module removed.
    </Empty>
  ) : (
    <Empty title="No route requires a login" actions={<ButtonLink href="/https-edges">To the HTTPS edges</ButtonLink>}>
      Users log in where a route of an HTTPS edge requires it. Whoever has done so is here, and can be put out.
    </Empty>
  );
}

function AllLogins() {
  const { nodes, error, hasMore, readingMore, more, reload } = usePages(
    RoutesWithLoginDocument,
    {},
    (data) => data.httpsEdges,
    ['HttpsEdge', 'HttpsEdgeRoute'],
  );
  const [routeId, setRoute] = useAddressParameter('route');
  // The rest of them: few have as many edges as are read at once.
  const isNext = hasMore && !readingMore && !error;
  useEffect(() => {
    if (isNext) more();
  });
  const routes = (nodes ?? []).flatMap((edge) =>
    inOrderOfDecision(edge.routes.filter(({ saml }) => saml !== null)).map(({ id, match }) => ({
      value: id,
      title: (urlAt(edge.hostports, match) ?? `${nameOf(edge)} ${match}`).replace('https://', ''),
    })),
  );
  // Whatever else comes to be the first of them: who is shown stays, and whoever is put out is who was seen.
  const first = routes[0]?.value;
  useEffect(() => {
    if (routeId === '' && first !== undefined) setRoute(first);
  }, [routeId, first, setRoute]);
  // Never another than the one that was asked for: its sessions can be ended here.
  const route = routeId === '' ? routes[0] : routes.find(({ value }) => value === routeId);
  if (route === undefined) {
    if (error) return <Unreadable error={error} retry={reload} />;
    if (nodes === undefined || hasMore) return <Loading />;
    return <NoLogin showOthers={routes.length === 0 ? undefined : () => setRoute('')} />;
  }
  return (
    <div className="stack">
      {error && <Unreadable error={error} retry={reload} />}
      <SelectField label="Route" value={route.value} onChange={setRoute} options={routes} />
      <Sessions key={route.value} routeId={route.value} />
    </div>
  );
}

export default function Logins() {
  return (
    <Page title="Logins" description="Users who have logged in through their identity provider, and how to end that.">
      <AllLogins />
    </Page>
  );
}
