// One HTTPS edge.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { EdgeSettings } from '../../edges/settings.tsx';
import { useExpectationsTab } from '../../expectations/decided.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import {
  DeleteHttpsEdgeDocument,
  HttpsEdgeDocument,
  type HttpsEdgeQuery,
  UpdateHttpsEdgeDocument,
} from './https-edges.generated.ts';
import { ProxyConfiguration } from './proxy.tsx';
import { Routes } from './routes.tsx';
import { TryRequest } from './try.tsx';

type Edge = NonNullable<HttpsEdgeQuery['httpsEdge']>;
type Route = NonNullable<HttpsEdgeQuery['httpsEdgeRoutes']>['nodes'][number];

function Settings({ edge }: { edge: Edge }) {
  return (
    <EdgeSettings
      edge={edge}
      kind="HttpsEdge"
      description={<LastChange of={edge} />}
      hosts={{ label: 'Hosts', placeholder: 'app.example.com:443' }}
      switches={[
        {
          field: 'signsIdentity',
          label: 'Sign who sends a request',
          hint: 'in the header Sallyport-Identity, for applications that check it by themselves',
          value: edge.signsIdentity,
        },
        {
          field: 'forwardsKeys',
          label: 'Pass API keys on to the application',
          hint: 'which then can do whatever they may; with Caddy, its configuration has to say so, too',
          value: edge.forwardsKeys,
        },
      ]}
      document={UpdateHttpsEdgeDocument}
      writtenOf={(answer) => answer.updateHttpsEdge?.httpsEdge}
      path={`/edges/https/${edge.id}`}
      canWrite={useCan('https-edges:write')}
    />
  );
}

function Delete({ edge: { id, version }, routes }: { edge: Edge; routes: readonly Route[] }) {
  const hasLogin = routes.some(({ saml, oidc }) => (saml ?? oidc) !== null);
  return (
    <DeletionPanel
      noun="edge"
      of={{ id, version }}
      kind="HttpsEdge"
      document={DeleteHttpsEdgeDocument}
      input={(expectedVersion) => ({ id, expectedVersion })}
      path={`/edges/https/${id}`}
      alsoChanged={['HttpsEdgeRoute']}
      next="/https-edges"
      asks={hasLogin}
    >
      The gate refuses every request to its hosts from then on
      {routes.length > 0 && `, and its ${routes.length === 1 ? 'route goes' : `${routes.length} routes go`} with it`}.
      {hasLogin &&
        ' Whoever is logged in there is logged out. It can be put back, but with new signing keys, which the identity provider has to be told, and without the client secrets of OpenID Connect.'}
    </DeletionPanel>
  );
}

function Shown({ edge, routes }: { edge: Edge; routes: readonly Route[] }) {
  const canWrite = useCan('https-edges:write');
  const canSeeTrail = useCan('audit-events:read');
  const expectations = useExpectationsTab(edge.id);
  const name = nameOf(edge);
  const hosts = edge.hostports.join(', ');
  return (
    <Page
      title={name}
      description={
        edge.hostports.length === 0 ? (
          'No hosts yet: no request belongs to this edge. Name them in its settings.'
        ) : name === hosts ? undefined : (
          <span className="mono">{hosts}</span>
        )
      }
      crumbs={[{ title: 'HTTPS edges', href: '/https-edges' }]}
    >
      <Tabs
        label="The edge"
        parts={[
          { id: 'routes', title: 'Routes', children: <Routes edgeId={edge.id} routes={routes} /> },
          { id: 'try', title: 'Try a request', children: <TryRequest edge={edge} /> },
          { id: 'proxy', title: 'Proxy configuration', children: <ProxyConfiguration edge={edge} /> },
          {
            id: 'settings',
            title: 'Settings',
            children: (
              <div className="stack">
                <Settings edge={edge} />
                {canWrite && <Delete edge={edge} routes={routes} />}
              </div>
            ),
          },
          ...expectations,
          ...(canSeeTrail
            ? [
                {
                  id: 'history',
                  title: 'History',
                  children: <History objectId={edge.id} kind="HttpsEdge" canWrite={canWrite} />,
                },
              ]
            : []),
        ]}
      />
    </Page>
  );
}

export default function HttpsEdgePage({ id }: { id: string }) {
  const reading = useData(HttpsEdgeDocument, { id }, ['HttpsEdge', 'HttpsEdgeRoute']);
  return (
    <Loaded reading={reading}>
      {({ httpsEdge, httpsEdgeRoutes }) =>
        httpsEdge && <Shown edge={httpsEdge} routes={httpsEdgeRoutes?.nodes ?? []} />
      }
    </Loaded>
  );
}
