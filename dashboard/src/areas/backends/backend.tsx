// One backend.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { Export } from '../../kit/export.tsx';
import { sentLines } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { Link } from '../../kit/link.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Empty, Loaded, Notice } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { objectOf, type Pair, PairsField, pairsError, pairsOf } from '../../kit/pairs.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { ObjectForm } from '../../trail/object-form.tsx';
import {
  BackendDocument,
  type BackendQuery,
  BackendUsersDocument,
  DeleteBackendDocument,
  UpdateBackendDocument,
} from './backends.generated.ts';
import { labelsHint, labelsOf } from './labels.tsx';
import { TargetsFields } from './targets.tsx';

type Backend = NonNullable<BackendQuery['tunnelGroupBackend']>;

function Settings({ backend }: { backend: Backend }) {
  const canWrite = useCan('backends:write');
  const { description, tls, metadata } = backend;
  const targets: readonly string[] = backend.targets;
  const labels: readonly Pair[] = pairsOf(labelsOf(backend.labels));
  return (
    <Panel title="Settings">
      <ObjectForm
        of={backend}
        values={{ description, targets, tls, labels, metadata }}
        titles={{
          description: 'Description',
          targets: 'Targets',
          tls: 'What they expect',
          labels: 'Labels',
          metadata: 'Metadata',
        }}
        kinds={['TunnelGroupBackend']}
        document={UpdateBackendDocument}
        changeOf={({ labels: pairs, targets: lines, ...others }) => ({
          ...others,
          ...(lines && { targets: sentLines(lines) }),
          ...(pairs && { labels: objectOf(pairs) }),
        })}
        writtenOf={(answer) => answer.updateTunnelGroupBackend?.tunnelGroupBackend}
        path={`/backends/tunnel_group/${backend.id}`}
        said="Backend saved."
        canWrite={canWrite}
        isWrong={(values) => pairsError(values.labels) !== null}
      >
        {({ draft, problem }) => (
          <>
            <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
            <TargetsFields
              value={draft.values}
              onChange={(change) => draft.set(change)}
              problem={problem}
              isDisabled={!canWrite}
            />
            <PairsField
              label="Labels"
              one="label"
              value={draft.values.labels}
              onChange={(rows) => draft.set({ labels: rows })}
              hint={labelsHint}
              error={pairsError(draft.values.labels) ?? errorOf(problem, 'labels')}
              isDisabled={!canWrite}
            />
            <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
          </>
        )}
      </ObjectForm>
    </Panel>
  );
}

function UsedBy({ id }: { id: string }) {
  const kinds = ['TlsEdge', 'TunnelGroupBackend'];
  const pages = usePages(BackendUsersDocument, { id }, (data) => data.tunnelGroupBackend?.tlsEdges, kinds);
  return (
    <Panel
      title="Used by"
      description="Edges whose exported configurations send traffic to its targets."
      actions={<Export label="Edges that use this backend" of={pages} />}
      flush
    >
      <PagedTable
        label="Edges that use this backend"
        pages={pages}
        keyOf={(edge) => edge.id}
        hrefOf={(edge) => `/tls-edges/${edge.id}`}
        columns={[
          { title: 'TLS edge', cell: (edge) => nameOf(edge) },
          {
            title: 'Hosts',
            wide: true,
            cell: (edge) => <span className="mono">{edge.hostports.join(', ')}</span>,
          },
          {
            title: 'Module',
            cell: ({ backend }) => (backend?.enabled ? <Badge>on</Badge> : <Badge tone="caution">off</Badge>),
          },
        ]}
        empty={
          <Empty title="Nothing uses it yet" actions={<ButtonLink href="/tls-edges">To the TLS edges</ButtonLink>}>
            Choose it as the backend of a TLS edge.
          </Empty>
        }
      />
    </Panel>
  );
}

function Shown({ backend }: { backend: Backend }) {
  const canWrite = useCan('backends:write');
  const canReadEdges = useCan('tls-edges:read');
  return (
    <Page
      title={nameOf(backend)}
      crumbs={[{ title: 'Backends', href: '/backends' }]}
      description={<LastChange of={backend} />}
    >
      <Settings backend={backend} />
      {canReadEdges && <UsedBy id={backend.id} />}
      {canWrite && (
        <DeletionPanel
          noun="backend"
          of={backend}
          kind="TunnelGroupBackend"
          document={DeleteBackendDocument}
          input={(expectedVersion) => ({ id: backend.id, expectedVersion })}
          path={`/backends/tunnel_group/${backend.id}`}
          next="/backends"
          explain={({ code, message }) =>
            code === 'IN_USE' && <InUse id={backend.id} canRead={canReadEdges} message={message} />
          }
        >
          It can only be deleted while no edge names it.
        </DeletionPanel>
      )}
      <History objectId={backend.id} kind="TunnelGroupBackend" canWrite={canWrite} />
    </Page>
  );
}

/** Links to the edges that keep a backend from being deleted. */
function InUse({ id, canRead, message }: { id: string; canRead: boolean; message: string }) {
  const { data } = useData(BackendUsersDocument, { id, after: null }, ['TlsEdge'], !canRead);
  const users = data?.tunnelGroupBackend?.tlsEdges;
  return (
    <Notice tone="bad" title="It is in use (IN_USE).">
      {users ? (
        <>
          Choose another backend for these edges, or remove it there:
          <ul>
            {users.nodes.map((edge) => (
              <li key={edge.id}>
                <Link href={`/tls-edges/${edge.id}`}>{nameOf(edge)}</Link>
              </li>
            ))}
          </ul>
          {users.totalCount > users.nodes.length && `and ${users.totalCount - users.nodes.length} more`}
        </>
      ) : (
        message
      )}
    </Notice>
  );
}

export default function BackendPage({ id }: { id: string }) {
  const reading = useData(BackendDocument, { id }, ['TunnelGroupBackend']);
  return (
    <Loaded reading={reading}>
      {({ tunnelGroupBackend }) => tunnelGroupBackend && <Shown backend={tunnelGroupBackend} />}
    </Loaded>
  );
}
