// Who may come in at a route: its IP restriction module.

import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { type ModuleSettings, RestrictionModule } from '../../policies/restriction-module.tsx';
import { useDeletion } from '../../trail/deletion.tsx';
import {
  DeleteHttpsEdgeRouteIpRestrictionDocument,
  type HttpsEdgeRouteQuery,
  ReplaceHttpsEdgeRouteIpRestrictionDocument,
} from './route.generated.ts';

type Route = Extract<NonNullable<HttpsEdgeRouteQuery['node']>, { match: string }>;

/** The panel that says from where a route may be reached. */
export default function IpRestriction({ route }: { route: Route }) {
  const canWrite = useCan('https-edges:write');
  const withPolicies = useCan('ip-policies:read');
  const replacing = useAction(ReplaceHttpsEdgeRouteIpRestrictionDocument, ['HttpsEdgeRoute', 'HttpsEdge', 'IpPolicy']);
  const path = `/edges/https/${route.edge.id}/routes/${route.id}/ip_restriction`;
  const address = (expectedVersion: number) => ({ edgeId: route.edge.id, routeId: route.id, expectedVersion });
  const inputOf = ({ ipPolicyIds, ...settings }: ModuleSettings, version: number) => ({
    ...address(version),
    ...settings,
    ipPolicyIds: [...ipPolicyIds],
  });
  const removal = useDeletion({
    of: route,
    kind: 'HttpsEdgeRoute',
    document: DeleteHttpsEdgeRouteIpRestrictionDocument,
    input: address,
    path,
    alsoChanged: ['HttpsEdge', 'IpPolicy'],
    deed: 'removes',
    said: 'The route is open to all addresses.',
    asks: true,
    undoes: (answer) => answer.deleteHttpsEdgeRouteIpRestriction?.httpsEdgeRoute ?? undefined,
    question: { title: 'Open this route to all addresses?', action: 'Remove' },
    text: 'Whether a login is needed is then up to the route alone.',
  });
  return (
    <RestrictionModule
      of={route}
      module={route.ipRestriction}
      hasModes
      canWrite={canWrite}
      running={replacing.running}
      problem={replacing.problem}
      removal={removal}
      callOf={({ ipPolicyIds, ...settings }, version) => (
        <Call
          rest={{ method: 'PUT', path, body: { ...settings, ip_policy_ids: ipPolicyIds }, ifMatch: version }}
          document={ReplaceHttpsEdgeRouteIpRestrictionDocument}
          variables={{ input: inputOf({ ...settings, ipPolicyIds }, version), withPolicies }}
        />
      )}
      save={async (settings, version) => {
        const answer = await replacing.run({ input: inputOf(settings, version), withPolicies });
        return answer?.replaceHttpsEdgeRouteIpRestriction?.httpsEdgeRoute;
      }}
    />
  );
}
