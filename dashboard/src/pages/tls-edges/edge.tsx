// One TLS edge: what it is for, where its traffic goes, and who is let in.

import { useAction, useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { EditForm } from '../../kit/form.tsx';
import { HostportsField, readHostports } from '../../kit/hostports.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { useDone } from '../../trail/undo.ts';
import { BackendModule } from './backend.tsx';
import styles from './edge.module.css';
import { Policy } from './policy.tsx';
import {
  DeleteTlsEdgeDocument,
  TlsEdgeDocument,
  type TlsEdgePartsFragment,
  UpdateTlsEdgeDocument,
} from './tls-edges.generated.ts';

function Settings({ edge }: { edge: TlsEdgePartsFragment }) {
  const canWrite = useCan('tls-edges:write');
  const { description, hostports, metadata } = edge;
  const draft = useDraft({ description, hostports: hostports as readonly string[], metadata }, edge.version);
  const { run, running, problem } = useAction(UpdateTlsEdgeDocument, ['TlsEdge']);
  const done = useDone();
  const { hostports: lines, ...others } = draft.changes;
  const body = { ...others, ...(lines !== undefined && { hostports: readHostports(lines) }) };
  const input = { id: edge.id, expectedVersion: draft.version, ...body };
  return (
    <Panel title="Settings">
      <EditForm
        draft={draft}
        titles={{ description: 'Description', hostports: 'Hosts and ports', metadata: 'Metadata' }}
        by={edge.updatedBy ? sayActor(edge.updatedBy) : undefined}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={
          <Call
            rest={{ method: 'PATCH', path: `/edges/tls/${edge.id}`, body, ifMatch: draft.version }}
            document={UpdateTlsEdgeDocument}
            variables={{ input }}
          />
        }
        save={async () => {
          const answer = (await run({ input }))?.updateTlsEdge;
          if (!answer) return;
          draft.saved(answer.tlsEdge.version);
          done('Edge saved.', answer.tlsEdge);
        }}
      >
        <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
        <HostportsField
          label="Hosts and ports"
          value={draft.values.hostports}
          onChange={(value) => draft.set({ hostports: value })}
          placeholder="db.example.com:5432"
          problem={problem}
          isDisabled={!canWrite}
        />
        <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
      </EditForm>
    </Panel>
  );
}

function Shown({ edge }: { edge: TlsEdgePartsFragment }) {
  const canWrite = useCan('tls-edges:write');
  return (
    <Page
      title={edge.description || edge.hostports[0] || edge.id}
      crumbs={[{ title: 'TLS edges', href: '/tls-edges' }]}
      description={
        <>
          Changed <Time value={edge.updatedAt} />
          {edge.updatedBy && ` by ${sayActor(edge.updatedBy)}`}
        </>
      }
    >
      <div className={styles.two}>
        <Settings edge={edge} />
        <BackendModule edge={edge} />
      </div>
      <Policy edge={edge} />
      {canWrite && (
        <DeletionPanel
          noun="edge"
          of={edge}
          kind="TlsEdge"
          document={DeleteTlsEdgeDocument}
          input={(expectedVersion) => ({ id: edge.id, expectedVersion })}
          path={`/edges/tls/${edge.id}`}
          alsoChanged={['TunnelGroupBackend']}
          next="/tls-edges"
        >
          Its hosts and its traffic policy go with it. Its backend remains.
        </DeletionPanel>
      )}
      <History objectId={edge.id} kind="TlsEdge" canWrite={canWrite} />
    </Page>
  );
}

export default function TlsEdgePage({ id }: { id: string }) {
  const reading = useData(TlsEdgeDocument, { id }, ['TlsEdge']);
  return <Loaded reading={reading}>{({ tlsEdge }) => tlsEdge && <Shown edge={tlsEdge} />}</Loaded>;
}
