// The TLS edges.

import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { EdgeList } from '../../edges/list.tsx';
import { Badge } from '../../kit/badge.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { CreateTlsEdgeDocument, TlsEdgesDocument, type TlsEdgesQuery } from './tls-edges.generated.ts';

type Edge = NonNullable<TlsEdgesQuery['tlsEdges']>['nodes'][number];

function BackendOf({ edge: { backend } }: { edge: Edge }) {
  if (backend === null) return <span className="muted">none</span>;
  return (
    <span className="row">
      {nameOf(backend.backend ?? backend.backendRef)}
      {!backend.enabled && <Badge tone="caution">off</Badge>}
    </span>
  );
}

function PolicyOf({ edge: { policy } }: { edge: Edge }) {
  if (policy === null) return <span className="muted">none</span>;
  const count = (policy.inbound?.length ?? 0) + (policy.outbound?.length ?? 0);
  return (
    <span className="row">
      {count === 1 ? '1 rule' : `${count} rules`}
      {!policy.enabled && <Badge tone="caution">off</Badge>}
    </span>
  );
}

export default function TlsEdges() {
  const withBackends = useCan('backends:read');
  const question = useQuestion(listOrders);
  const pages = usePages(TlsEdgesDocument, { ...question.variables, withBackends }, (data) => data.tlsEdges, [
    'TlsEdge',
    'TunnelGroupBackend',
  ]);
  return (
    <EdgeList
      title="TLS edges"
      description="Services that speak TLS, by their hosts and ports: which connections are let in, and the backend that is stored for them."
      path="tls-edges"
      question={question}
      pages={pages}
      columns={[
        { title: 'Backend', wide: true, cell: (edge) => <BackendOf edge={edge} /> },
        { title: 'Policy', cell: (edge) => <PolicyOf edge={edge} /> },
      ]}
      empty={{
        title: 'No TLS edges yet',
        text: 'An edge is a service by its host and port, such as db.example.com:5432. Its traffic policy says which connections are let in, logged or refused, once the export for HAProxy is in place. Its backend is only stored.',
      }}
      making={{
        title: 'New TLS edge',
        kind: 'TlsEdge',
        document: CreateTlsEdgeDocument,
        path: '/edges/tls',
        made: ({ createTlsEdge }) => createTlsEdge?.tlsEdge,
        hint: 'What people call the service, such as “Postgres”.',
        hosts: { label: 'Hosts and ports', placeholder: 'db.example.com:5432' },
      }}
    />
  );
}
