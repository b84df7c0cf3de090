// The backends.

import { useState } from 'react';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { CreateDialog, useCreation } from '../../kit/create.tsx';
import { sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { objectOf, type Pair, PairsField, pairsError } from '../../kit/pairs.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import type { Column } from '../../kit/table.tsx';
import { count } from '../../kit/words.ts';
import { BackendsDocument, type BackendsQuery, CreateBackendDocument } from './backends.generated.ts';
import { Labels, labelsHint } from './labels.tsx';
import { type Targets, TargetsFields } from './targets.tsx';

type Backend = NonNullable<BackendsQuery['tunnelGroupBackends']>['nodes'][number];

function NewBackend({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [targets, setTargets] = useState<Targets>({ targets: [], tls: 'passthrough' });
  const [pairs, setPairs] = useState<readonly Pair[]>([{ key: '', value: '' }]);
  return (
    <CreateDialog
      title="New backend"
      close={close}
      kind="TunnelGroupBackend"
      document={CreateBackendDocument}
      input={{ description, ...targets, targets: sentLines(targets.targets), labels: objectOf(pairs) }}
      rest={{ path: '/backends/tunnel_group' }}
      made={({ createTunnelGroupBackend }) => createTunnelGroupBackend?.tunnelGroupBackend}
      isReady={pairsError(pairs) === null}
    >
      {(problem) => (
        <>
          <TextField
            label="Description"
            value={description}
            onChange={setDescription}
            hint="What people call it, such as “Web servers”."
            error={errorOf(problem, 'description')}
            autoFocus
          />
          <TargetsFields
            value={targets}
            onChange={(change) => setTargets({ ...targets, ...change })}
            problem={problem}
          />
          <PairsField
            label="Labels"
            one="label"
            value={pairs}
            onChange={setPairs}
            hint={labelsHint}
            error={pairsError(pairs) ?? errorOf(problem, 'labels')}
          />
        </>
      )}
    </CreateDialog>
  );
}

/** Number of targets that are shown. */
const shownMax = 2;

function TargetList({ targets }: { targets: readonly string[] }) {
  if (targets.length === 0) return <Badge tone="caution">no targets</Badge>;
  const more = targets.length - shownMax;
  return (
    <span>
      <span className="mono">{targets.slice(0, shownMax).join(', ')}</span>
      {more > 0 && <span className="muted"> and {more} more</span>}
    </span>
  );
}

const usedBy: Column<Backend> = {
  title: 'Used by',
  wide: true,
  cell: ({ tlsEdges }) =>
    tlsEdges && tlsEdges.totalCount > 0 ? count(tlsEdges.totalCount, 'edge') : <span className="muted">nothing</span>,
};

export default function Backends() {
  const withEdges = useCan('tls-edges:read');
  const kinds = ['TunnelGroupBackend', 'TlsEdge'];
  const question = useQuestion(listOrders);
  const pages = usePages(
    BackendsDocument,
    { ...question.variables, withEdges },
    (data) => data.tunnelGroupBackends,
    kinds,
  );
  const creation = useCreation('backends:write', 'New backend', (close) => <NewBackend close={close} />);
  return (
    <ListPage
      title="Backends"
      description="Where the traffic of edges goes: the servers that proxies send it to, and the labels of tunnels."
      creation={creation}
      question={question}
      searched="description, metadata, id or label"
      pages={pages}
      hrefOf={(backend) => `/backends/${backend.id}`}
      columns={[
        { title: 'Backend', cell: (backend) => nameOf(backend) },
        { title: 'Targets', cell: ({ targets }) => <TargetList targets={targets} /> },
        { title: 'Labels', cell: (backend) => <Labels labels={backend.labels} /> },
        ...(withEdges ? [usedBy] : []),
        timeColumn(question),
      ]}
      empty={{
        title: 'No backends yet',
        text: 'A backend names the servers that serve an edge, such as 10.0.0.5:443. Make one, and choose it on the edge: the configuration that Sallyport exports for HAProxy then sends the connections there.',
      }}
    />
  );
}
