// One TLS edge: its settings, backend and traffic policy.

import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { EdgeSettings } from '../../edges/settings.tsx';
import { Loaded } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { BackendModule } from './backend.tsx';
import styles from './edge.module.css';
import { IpRestriction } from './ip-restriction.tsx';
import { Policy } from './policy.tsx';
import {
  DeleteTlsEdgeDocument,
  TlsEdgeDocument,
  type TlsEdgePartsFragment,
  type TlsEdgeQuery,
  UpdateTlsEdgeDocument,
} from './tls-edges.generated.ts';

function Settings({ edge }: { edge: TlsEdgePartsFragment }) {
  return (
    <EdgeSettings
      edge={edge}
      kind="TlsEdge"
      hosts={{ label: 'Hosts and ports', placeholder: 'db.example.com:5432' }}
      document={UpdateTlsEdgeDocument}
      writtenOf={(answer) => answer.updateTlsEdge?.tlsEdge}
      path={`/edges/tls/${edge.id}`}
      canWrite={useCan('tls-edges:write')}
    />
  );
}

function Shown({ edge }: { edge: NonNullable<TlsEdgeQuery['tlsEdge']> }) {
  const canWrite = useCan('tls-edges:write');
  return (
    <Page
      title={nameOf(edge)}
      crumbs={[{ title: 'TLS edges', href: '/tls-edges' }]}
      description={<LastChange of={edge} />}
    >
      <div className={styles.two}>
        <Settings edge={edge} />
        <BackendModule edge={edge} />
      </div>
      <IpRestriction edge={edge} />
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
  const withPolicies = useCan('ip-policies:read');
  const reading = useData(TlsEdgeDocument, { id, withPolicies }, ['TlsEdge', 'IpPolicy']);
  return <Loaded reading={reading}>{({ tlsEdge }) => tlsEdge && <Shown edge={tlsEdge} />}</Loaded>;
}
