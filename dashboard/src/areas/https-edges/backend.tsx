// Where the traffic of a route goes.

import { BackendModule, type BackendSettings } from '../../backends/backend-module.tsx';
import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { useDeletion } from '../../trail/deletion.tsx';
import {
  DeleteHttpsEdgeRouteBackendDocument,
  type HttpsEdgeRouteQuery,
  ReplaceHttpsEdgeRouteBackendDocument,
} from './route.generated.ts';

type Route = Extract<NonNullable<HttpsEdgeRouteQuery['node']>, { match: string }>;

/** The panel that chooses the backend of a route. */
export default function Backend({ route }: { route: Route }) {
  const replacing = useAction(ReplaceHttpsEdgeRouteBackendDocument, [
    'HttpsEdgeRoute',
    'HttpsEdge',
    'TunnelGroupBackend',
  ]);
  const path = `/edges/https/${route.edge.id}/routes/${route.id}/backend`;
  const address = (expectedVersion: number) => ({ edgeId: route.edge.id, routeId: route.id, expectedVersion });
  const removal = useDeletion({
    of: route,
    kind: 'HttpsEdgeRoute',
    document: DeleteHttpsEdgeRouteBackendDocument,
    input: address,
    path,
    alsoChanged: ['HttpsEdge', 'TunnelGroupBackend'],
    deed: 'removes',
    said: 'Backend removed from the route.',
    asks: !useCan('audit-events:read'),
    undoes: (answer) => answer.deleteHttpsEdgeRouteBackend?.httpsEdgeRoute ?? undefined,
    question: { title: 'Remove the backend from this route?', action: 'Remove backend' },
    text: 'The configuration of the proxy then leads its requests to the usual application.',
  });
  const inputOf = (settings: BackendSettings, version: number) => ({ ...address(version), ...settings });
  return (
    <BackendModule
      of={route}
      module={route.backend}
      noun="route"
      hint="The configuration of the proxy leads the requests of the route to its targets, if these expect no TLS."
      canWrite={useCan('https-edges:write')}
      running={replacing.running}
      problem={replacing.problem}
      removal={removal}
      callOf={({ enabled, backendId }, version) => (
        <Call
          rest={{ method: 'PUT', path, body: { enabled, backend_id: backendId }, ifMatch: version }}
          document={ReplaceHttpsEdgeRouteBackendDocument}
          variables={{ input: inputOf({ enabled, backendId }, version) }}
        />
      )}
      save={async (settings, version) =>
        (await replacing.run({ input: inputOf(settings, version) }))?.replaceHttpsEdgeRouteBackend?.httpsEdgeRoute
      }
    />
  );
}
