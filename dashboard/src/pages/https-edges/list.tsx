// The HTTPS edges.

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
import { nameOfEdge } from './edges.ts';
import { CreateHttpsEdgeDocument, HttpsEdgesDocument, type HttpsEdgesQuery } from './https-edges.generated.ts';

type Edge = NonNullable<HttpsEdgesQuery['httpsEdges']>['nodes'][number];

function NewEdge({ close }: { close: () => void }) {
  const [description, setDescription] = useState('');
  const [lines, setLines] = useState<readonly string[]>([]);
  const { run, running, problem } = useAction(CreateHttpsEdgeDocument, ['HttpsEdge']);
  const [, navigate] = useLocation();
  const input = { description, hostports: readHostports(lines) };
  return (
    <Dialog title="New HTTPS edge" close={close}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const made = (await run({ input }))?.createHttpsEdge;
          if (made) navigate(`/https-edges/${made.httpsEdge.id}`);
        }}
      >
        <TextField
          label="Description"
          value={description}
          onChange={setDescription}
          hint="What people call the application, such as “Intranet”."
          error={errorOf(problem, 'description')}
          autoFocus
        />
        <HostportsField
          label="Hosts"
          value={lines}
          onChange={setLines}
          placeholder="app.example.com:443"
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
          rest={{ method: 'POST', path: '/edges/https', body: input }}
          document={CreateHttpsEdgeDocument}
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

function Routes({ edge: { routes } }: { edge: Edge }) {
  if (routes.length === 0) return <Badge tone="caution">none: refuses all</Badge>;
  const withLogin = routes.filter(({ saml }) => saml?.enabled).length;
  return (
    <span className="row">
      {routes.length}
      {withLogin > 0 && <Badge tone="good">{withLogin === routes.length ? 'login' : `${withLogin} with login`}</Badge>}
    </span>
  );
}

export default function HttpsEdges() {
  const pages = usePages(HttpsEdgesDocument, {}, (data) => data.httpsEdges, ['HttpsEdge', 'HttpsEdgeRoute']);
  const [isMaking, setMaking] = useState(false);
  const make = useCan('https-edges:write') && (
    <Button look="primary" onPress={() => setMaking(true)}>
      New edge
    </Button>
  );
  return (
    <Page
      title="HTTPS edges"
      description="Applications behind the gate: your reverse proxy asks about each request before it passes it on."
      actions={make}
    >
      <Panel title="HTTPS edges" flush bare>
        <PagedTable
          label="HTTPS edges"
          pages={pages}
          keyOf={(edge) => edge.id}
          hrefOf={(edge) => `/https-edges/${edge.id}`}
          columns={[
            { title: 'Edge', cell: nameOfEdge },
            { title: 'Hosts', wide: true, cell: (edge) => <Hosts edge={edge} /> },
            { title: 'Routes', cell: (edge) => <Routes edge={edge} /> },
            { title: 'Changed', wide: true, cell: (edge) => <Time value={edge.updatedAt} /> },
          ]}
          empty={
            <Empty title="No HTTPS edges yet" actions={make}>
              An edge is an application by its public host, such as app.example.com. Its routes say which paths may be
              reached, and which of them only after a login. Then your proxy gets the configuration that is made here.
            </Empty>
          }
        />
      </Panel>
      {isMaking && <NewEdge close={() => setMaking(false)} />}
    </Page>
  );
}
