// The TLS edges.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/fields.tsx';
import { beyond, errorOf } from '../../kit/form.tsx';
import { HostportsField, readHostports } from '../../kit/hostports.tsx';
import { Empty, ProblemNotice } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { CreateTlsEdgeDocument, TlsEdgesDocument, type TlsEdgesQuery } from './tls-edges.generated.ts';

type Edge = NonNullable<TlsEdgesQuery['tlsEdges']>['nodes'][number];

function NewEdge({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [lines, setLines] = useState<readonly string[]>([]);
  const { run, running, problem } = useAction(CreateTlsEdgeDocument, ['TlsEdge']);
  const [, navigate] = useLocation();
  const input = { description, hostports: readHostports(lines) };
  return (
    <Dialog title="New TLS edge" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = (await run({ input }))?.createTlsEdge;
          if (made) navigate(`/tls-edges/${made.tlsEdge.id}`);
        }}
      >
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="What people call the service, such as “Postgres”."
          error={errorOf(problem, 'description')}
          autoFocus
        />
        <HostportsField
          label="Hosts and ports"
          value={lines}
          onChange={setLines}
          placeholder="db.example.com:5432"
          problem={problem}
        />
        <ProblemNotice problem={beyond(problem, Object.keys(input))} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        <Call
          rest={{ method: 'POST', path: '/edges/tls', body: input }}
          document={CreateTlsEdgeDocument}
          variables={{ input }}
        />
      </form>
    </Dialog>
  );
}

const shownHosts = 2;

function Hosts({ edge: { hostports } }: { edge: Edge }) {
  if (hostports.length === 0) return <Badge tone="caution">no hosts yet</Badge>;
  const more = hostports.length - shownHosts;
  return (
    <span>
      <span className="mono">{hostports.slice(0, shownHosts).join(', ')}</span>
      {more > 0 && <span className="muted"> and {more} more</span>}
    </span>
  );
}

function BackendOf({ edge: { backend } }: { edge: Edge }) {
  if (backend === null) return <span className="muted">none</span>;
  return (
    <span className="row">
      {backend.backend?.description || backend.backendRef.id}
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
  const pages = usePages(TlsEdgesDocument, { withBackends }, (data) => data.tlsEdges, [
    'TlsEdge',
    'TunnelGroupBackend',
  ]);
  const [isMaking, setMaking] = useState(false);
  const make = useCan('tls-edges:write') && (
    <Button look="primary" onPress={() => setMaking(true)}>
      New edge
    </Button>
  );
  return (
    <Page
      title="TLS edges"
      description="Services that speak TLS, by their hosts and ports: which backend gets their traffic, and which connections are let in."
      actions={make}
    >
      <Panel title="TLS edges" flush bare>
        <PagedTable
          label="TLS edges"
          pages={pages}
          keyOf={(edge) => edge.id}
          hrefOf={(edge) => `/tls-edges/${edge.id}`}
          columns={[
            { title: 'Edge', cell: (edge) => edge.description || edge.hostports[0] || edge.id },
            { title: 'Hosts', wide: true, cell: (edge) => <Hosts edge={edge} /> },
            { title: 'Backend', wide: true, cell: (edge) => <BackendOf edge={edge} /> },
            { title: 'Policy', cell: (edge) => <PolicyOf edge={edge} /> },
            { title: 'Changed', wide: true, cell: (edge) => <Time value={edge.updatedAt} /> },
          ]}
          empty={
            <Empty title="No TLS edges yet" actions={make}>
              An edge is a service by its host and port, such as db.example.com:5432. It sends connections to a backend,
              and its traffic policy says which of them are let in, logged or refused.
            </Empty>
          }
        />
      </Panel>
      {isMaking && <NewEdge close={() => setMaking(false)} />}
    </Page>
  );
}
