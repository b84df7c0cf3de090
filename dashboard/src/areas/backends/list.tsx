// The backends.

import { useState } from 'react';
import { usePages } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { CreateDialog, useCreation } from '../../kit/create.tsx';
import { TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { ListPage, timeColumns } from '../../kit/list.tsx';
import { objectOf, type Pair, PairsField, pairsError } from '../../kit/pairs.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import type { Column } from '../../kit/table.tsx';
import { count } from '../../kit/words.ts';
import { BackendsDocument, type BackendsQuery, CreateBackendDocument } from './backends.generated.ts';
import { Labels } from './labels.tsx';

type Backend = NonNullable<BackendsQuery['tunnelGroupBackends']>['nodes'][number];

function NewBackend({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [pairs, setPairs] = useState<readonly Pair[]>([{ key: '', value: '' }]);
  return (
    <CreateDialog
      title="New backend"
      close={close}
      kind="TunnelGroupBackend"
      document={CreateBackendDocument}
      input={{ description, labels: objectOf(pairs) }}
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
          <PairsField
            label="Labels"
            one="label"
            value={pairs}
            onChange={setPairs}
            hint="Which tunnels the backend groups. Only stored: Sallyport manages no tunnels yet."
            error={pairsError(pairs) ?? errorOf(problem, 'labels')}
          />
        </>
      )}
    </CreateDialog>
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
      description="Groups of tunnels, by the labels that a tunnel must have. They are only stored: no part of Sallyport sends connections to them yet."
      creation={creation}
      question={question}
      searched="description, metadata, id or label"
      pages={pages}
      hrefOf={(backend) => `/backends/${backend.id}`}
      columns={[
        { title: 'Backend', cell: (backend) => nameOf(backend) },
        { title: 'Labels', cell: (backend) => <Labels labels={backend.labels} /> },
        ...(withEdges ? [usedBy] : []),
        ...timeColumns,
      ]}
      empty={{
        title: 'No backends yet',
        text: 'A backend is whatever tunnels have its labels, such as role=web and env=prod. Make one, and choose it as the backend of a TLS edge. Both are stored for whoever reads them over the API; Sallyport carries no traffic to a backend yet.',
      }}
    />
  );
}
