// Who may connect to a TLS edge: its IP restriction module.

import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { type ModuleSettings, RestrictionModule } from '../../policies/restriction-module.tsx';
import { useDeletion } from '../../trail/deletion.tsx';
import {
  DeleteTlsEdgeIpRestrictionDocument,
  ReplaceTlsEdgeIpRestrictionDocument,
  type TlsEdgeQuery,
} from './tls-edges.generated.ts';

/** The panel that says from where an edge may be reached. */
export default function IpRestriction({ edge }: { edge: NonNullable<TlsEdgeQuery['tlsEdge']> }) {
  const canWrite = useCan('tls-edges:write');
  const withPolicies = useCan('ip-policies:read');
  const replacing = useAction(ReplaceTlsEdgeIpRestrictionDocument, ['TlsEdge', 'IpPolicy']);
  const path = `/edges/tls/${edge.id}/ip_restriction`;
  const address = (expectedVersion: number) => ({ edgeId: edge.id, expectedVersion });
  const inputOf = ({ enabled, ipPolicyIds }: ModuleSettings, version: number) => ({
    ...address(version),
    enabled,
    ipPolicyIds: [...ipPolicyIds],
  });
  const removal = useDeletion({
    of: edge,
    kind: 'TlsEdge',
    document: DeleteTlsEdgeIpRestrictionDocument,
    input: address,
    path,
    alsoChanged: ['IpPolicy'],
    deed: 'removes',
    said: 'The edge is open to all addresses.',
    asks: true,
    undoes: (answer) => answer.deleteTlsEdgeIpRestriction?.tlsEdge ?? undefined,
    question: { title: 'Open this edge to all addresses?', action: 'Remove' },
    text: 'Its traffic policy then decides alone.',
  });
  return (
    <RestrictionModule
      of={edge}
      module={edge.ipRestriction}
      canWrite={canWrite}
      running={replacing.running}
      problem={replacing.problem}
      removal={removal}
      callOf={({ enabled, ipPolicyIds }, version) => (
        <Call
          rest={{ method: 'PUT', path, body: { enabled, ip_policy_ids: ipPolicyIds }, ifMatch: version }}
          document={ReplaceTlsEdgeIpRestrictionDocument}
          variables={{ input: inputOf({ enabled, ipPolicyIds }, version), withPolicies }}
        />
      )}
      save={async (settings, version) => {
        const answer = await replacing.run({ input: inputOf(settings, version), withPolicies });
        return answer?.replaceTlsEdgeIpRestriction?.tlsEdge;
      }}
    />
  );
}
