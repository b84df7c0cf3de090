// Who is logged in, at any route: whoever has to put somebody out need not know first where that is.

import { useEffect } from 'react';
import { usePages } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { ButtonLink } from '../../kit/button.tsx';
import { SelectField } from '../../kit/fields.tsx';
import { Empty, Loading, Unreadable } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { inOrderOfDecision, urlAt } from './edges.ts';
import { RoutesWithLoginDocument } from './logins.generated.ts';
import Sessions from './sessions.tsx';

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
  if (nodes === undefined) return error ? <Unreadable error={error} retry={reload} /> : <Loading />;
  const routes = nodes.flatMap((edge) =>
    inOrderOfDecision(edge.routes.filter(({ saml }) => saml !== null)).map(({ id, match }) => ({
      value: id,
      title: (urlAt(edge.hostports, match) ?? `${nameOf(edge)} ${match}`).replace('https://', ''),
    })),
  );
  const route = routes.find(({ value }) => value === routeId) ?? routes[0];
  if (route === undefined) {
    return (
      <Empty
        title="No route requires a login"
        actions={<ButtonLink href="/https-edges">To the HTTPS edges</ButtonLink>}
      >
        Users log in where a route of an HTTPS edge requires it. Whoever has done so is here, and can be put out.
      </Empty>
    );
  }
  return (
    <div className="stack">
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
