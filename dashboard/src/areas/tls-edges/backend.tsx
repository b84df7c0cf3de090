// Where the traffic of a TLS edge goes.

import { BackendModule, type BackendSettings } from '../../backends/backend-module.tsx';
import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { useDeletion } from '../../trail/deletion.tsx';
import {
  DeleteTlsEdgeBackendDocument,
  ReplaceTlsEdgeBackendDocument,
  type TlsEdgePartsFragment,
} from './tls-edges.generated.ts';

/** The panel that chooses the backend of an edge. */
export function Backend({ edge }: { edge: TlsEdgePartsFragment }) {
  const replacing = useAction(ReplaceTlsEdgeBackendDocument, ['TlsEdge', 'TunnelGroupBackend']);
  const path = `/edges/tls/${edge.id}/backend`;
  const address = (expectedVersion: number) => ({ edgeId: edge.id, expectedVersion });
  const removal = useDeletion({
    of: edge,
    kind: 'TlsEdge',
    document: DeleteTlsEdgeBackendDocument,
    input: address,
    path,
    alsoChanged: ['TunnelGroupBackend'],
    deed: 'removes',
    said: 'Backend removed from the edge.',
    asks: !useCan('audit-events:read'),
    undoes: (answer) => answer.deleteTlsEdgeBackend?.tlsEdge,
    question: { title: 'Remove the backend from this edge?', action: 'Remove backend' },
    text: 'Exported proxy configurations then have no server to send its connections to.',
  });
  const inputOf = (settings: BackendSettings, version: number) => ({ ...address(version), ...settings });
  return (
    <BackendModule
      of={edge}
      module={edge.backend}
      noun="edge"
      hint="The exported HAProxy configuration sends the connections of the edge to its targets."
      canWrite={useCan('tls-edges:write')}
      running={replacing.running}
      problem={replacing.problem}
      removal={removal}
      callOf={({ enabled, backendId }, version) => (
        <Call
          rest={{ method: 'PUT', path, body: { enabled, backend_id: backendId }, ifMatch: version }}
          document={ReplaceTlsEdgeBackendDocument}
          variables={{ input: inputOf({ enabled, backendId }, version) }}
        />
      )}
      save={async (settings, version) =>
        (await replacing.run({ input: inputOf(settings, version) }))?.replaceTlsEdgeBackend?.tlsEdge
      }
    />
  );
}
