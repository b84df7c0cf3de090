// The backends.

import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction, usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { Empty, ProblemNotice } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { objectOf, type Pair, PairsField, pairsError } from '../../kit/pairs.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { BackendsDocument, CreateBackendDocument } from './backends.generated.ts';
import { Labels } from './labels.tsx';

function NewBackend({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [pairs, setPairs] = useState<readonly Pair[]>([{ key: '', value: '' }]);
  const { run, running, problem } = useAction(CreateBackendDocument, ['TunnelGroupBackend']);
  const [, navigate] = useLocation();
  const input = { description, labels: objectOf(pairs) };
  const isSaid = errorOf(problem, 'description') ?? errorOf(problem, 'labels');
  return (
    <Dialog title="New backend" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (pairsError(pairs) !== null) return;
          const made = (await run({ input }))?.createTunnelGroupBackend;
          if (made) navigate(`/backends/${made.tunnelGroupBackend.id}`);
        }}
      >
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
          hint="A tunnel joins the backend if it has all of them."
          error={pairsError(pairs) ?? errorOf(problem, 'labels')}
        />
        <ProblemNotice problem={isSaid === null ? problem : null} />
        <DialogActions>
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" look="primary" isPending={running}>
            Create
          </Button>
        </DialogActions>
        <Call
          rest={{ method: 'POST', path: '/backends/tunnel_group', body: input }}
          document={CreateBackendDocument}
          variables={{ input }}
        />
      </form>
    </Dialog>
  );
}

export default function Backends() {
  const withEdges = useCan('tls-edges:read');
  const kinds = ['TunnelGroupBackend', 'TlsEdge'];
  const pages = usePages(BackendsDocument, { withEdges }, (data) => data.tunnelGroupBackends, kinds);
  const [isMaking, setMaking] = useState(false);
  const make = useCan('backends:write') && (
    <Button look="primary" onPress={() => setMaking(true)}>
      New backend
    </Button>
  );
  type Backend = NonNullable<typeof pages.nodes>[number];
  return (
    <Page
      title="Backends"
      description="Groups of tunnels, by the labels that a tunnel must have. TLS edges send their connections to them."
      actions={make}
    >
      <Panel title="Backends" flush bare>
        <PagedTable
          label="Backends"
          pages={pages}
          keyOf={(backend) => backend.id}
          hrefOf={(backend) => `/backends/${backend.id}`}
          columns={[
            { title: 'Backend', cell: (backend: Backend) => backend.description || backend.id },
            { title: 'Labels', cell: (backend: Backend) => <Labels labels={backend.labels} /> },
            ...(withEdges
              ? [
                  {
                    title: 'Used by',
                    wide: true,
                    cell: ({ tlsEdges }: Backend) => {
                      const count = tlsEdges?.totalCount ?? 0;
                      return count === 0 ? (
                        <span className="muted">nothing</span>
                      ) : count === 1 ? (
                        '1 edge'
                      ) : (
                        `${count} edges`
                      );
                    },
                  },
                ]
              : []),
            { title: 'Changed', wide: true, cell: (backend: Backend) => <Time value={backend.updatedAt} /> },
          ]}
          empty={
            <Empty title="No backends yet" actions={make}>
              A backend is whatever tunnels have its labels, such as role=web and env=prod. Make one, and choose it as
              the backend of a TLS edge.
            </Empty>
          }
        />
      </Panel>
      {isMaking && <NewBackend close={() => setMaking(false)} />}
    </Page>
  );
}
