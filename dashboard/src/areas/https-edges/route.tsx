// One route of an HTTPS edge.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { useExpectationsTab } from '../../expectations/decided.tsx';
import { useAddressParameter } from '../../kit/address.ts';
import { ButtonLink } from '../../kit/button.tsx';
import { errorOf } from '../../kit/form.tsx';
import { later } from '../../kit/later.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Empty, Loaded, Loading } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { inRest, ObjectForm } from '../../trail/object-form.tsx';
import { urlAt } from './edges.ts';
import { ForNoProvider } from './for-no-provider.tsx';
import { Login } from './login.tsx';
import {
  DeleteHttpsEdgeRouteDocument,
  HttpsEdgeRouteDocument,
  type HttpsEdgeRouteQuery,
  UpdateHttpsEdgeRouteDocument,
} from './route.generated.ts';
import { MatchFields } from './routes.tsx';

const Backend = later(
  () => import('./backend.tsx'),
  () => <Loading />,
);
const IpRestriction = later(
  () => import('./ip-restriction.tsx'),
  () => <Loading />,
);
const ForProvider = later(
  () => import('./for-provider.tsx'),
  () => <Loading />,
);
const ForOpenIdProvider = later(
  () => import('./for-openid-provider.tsx'),
  () => <Loading />,
);
const Sessions = later(
  () => import('./sessions.tsx'),
  () => <Loading />,
);

type Found = NonNullable<HttpsEdgeRouteQuery['node']>;
type Route = Extract<Found, { match: string }>;

const isRoute = (node: Found): node is Route => 'match' in node;

function Settings({ route }: { route: Route }) {
  const canWrite = useCan('https-edges:write');
  const { match, matchType, description, metadata } = route;
  const edgeId = route.edge.id;
  return (
    <Panel title="Settings" description={<LastChange of={route} />}>
      <ObjectForm
        of={route}
        values={{ match, matchType, description, metadata }}
        titles={{ match: 'Path', matchType: 'Matches what', description: 'Description', metadata: 'Metadata' }}
        kinds={['HttpsEdgeRoute', 'HttpsEdge']}
        document={UpdateHttpsEdgeRouteDocument}
        changeOf={(changes) => ({ edgeId, ...changes })}
        restOf={({ edgeId: _, ...changes }) => inRest(changes)}
        writtenOf={(answer) => answer.updateHttpsEdgeRoute?.httpsEdgeRoute}
        path={`/edges/https/${edgeId}/routes/${route.id}`}
        said="Route saved."
        canWrite={canWrite}
      >
        {({ draft, problem }) => (
          <>
            <MatchFields
              match={draft.values.match}
              matchType={draft.values.matchType}
              onChange={draft.set}
              errors={{ match: errorOf(problem, 'match'), matchType: errorOf(problem, 'matchType') }}
              isDisabled={!canWrite}
            />
            <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
            <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
          </>
        )}
      </ObjectForm>
    </Panel>
  );
}

function Delete({ route: { id, version, edge, saml, oidc } }: { route: Route }) {
  return (
    <DeletionPanel
      noun="route"
      of={{ id, version }}
      kind="HttpsEdgeRoute"
      document={DeleteHttpsEdgeRouteDocument}
      input={(expectedVersion) => ({ edgeId: edge.id, id, expectedVersion })}
      path={`/edges/https/${edge.id}/routes/${id}`}
      alsoChanged={['HttpsEdge']}
      next={`/https-edges/${edge.id}`}
      asks={(saml ?? oidc) !== null}
    >
      What it matches is decided by the other routes of the edge; where none matches, it is refused.
      {saml !== null &&
        ' Its sessions end. It can be put back, but with a new signing key, which the identity provider has to be told.'}
      {oidc !== null &&
        ' Its sessions end. It can be put back, but nobody can log in until the client secret is entered again.'}
    </DeletionPanel>
  );
}

function Shown({ route }: { route: Route }) {
  const canWrite = useCan('https-edges:write');
  const [, setTab] = useAddressParameter('tab');
  const canSeeTrail = useCan('audit-events:read');
  const expectations = useExpectationsTab(route.id);
  const { edge, match, matchType, saml, oidc } = route;
  const login = saml ?? oidc;
  const url = urlAt(edge.hostports, match);
  const what = matchType === 'exact_path' ? 'This path alone' : 'This path, and all that begins with it';
  const where = url === undefined ? '' : `, at ${edge.hostports.join(', ')}`;
  return (
    <Page
      title={match}
      description={
        <>
          {route.description && <>{route.description}. </>}
          {what}
          {where}.
        </>
      }
      crumbs={[
        { title: 'HTTPS edges', href: '/https-edges' },
        { title: nameOf(edge), href: `/https-edges/${edge.id}` },
      ]}
      actions={
        url !== undefined && (
          <ButtonLink href={`/https-edges/${edge.id}?tab=try&url=${encodeURIComponent(url)}`}>Try a request</ButtonLink>
        )
      }
    >
      <Tabs
        label="The route"
        parts={[
          { id: 'login', title: 'Login', children: <Login route={route} begun={() => setTab('provider')} /> },
          { id: 'addresses', title: 'Who may come in', children: <IpRestriction route={route} /> },
          ...(login === null
            ? []
            : [
                {
                  id: 'provider',
                  title: 'For the identity provider',
                  children:
                    login.loginRouteId !== null ? (
                      <ForNoProvider loginRouteId={login.loginRouteId} />
                    ) : saml === null ? (
                      <ForOpenIdProvider of={route.oidcClient} />
                    ) : (
                      <ForProvider
                        edgeId={edge.id}
                        routeId={route.id}
                        saml={saml}
                        serviceProvider={route.samlServiceProvider}
                      />
                    ),
                },
                { id: 'sessions', title: 'Sessions', children: <Sessions routeId={route.id} /> },
              ]),
          {
            id: 'settings',
            title: 'Settings',
            children: (
              <div className="stack">
                <Settings route={route} />
                {canWrite && <Delete route={route} />}
              </div>
            ),
          },
          { id: 'backend', title: 'Backend', children: <Backend route={route} /> },
          ...expectations,
          ...(canSeeTrail
            ? [
                {
                  id: 'history',
                  title: 'History',
                  children: <History objectId={route.id} kind="HttpsEdgeRoute" canWrite={canWrite} />,
                },
              ]
            : []),
        ]}
      />
    </Page>
  );
}

export default function HttpsEdgeRoutePage({ id }: { id: string }) {
  const withPolicies = useCan('ip-policies:read');
  const reading = useData(HttpsEdgeRouteDocument, { id, withPolicies }, ['HttpsEdgeRoute', 'HttpsEdge', 'IpPolicy']);
  return (
    <Loaded reading={reading}>
      {({ node }) =>
        node &&
        (isRoute(node) ? (
          <Shown route={node} />
        ) : (
          <Page title="No such route">
            <Empty title="This is not a route">The address names an object of another kind.</Empty>
          </Page>
        ))
      }
    </Loaded>
  );
}
