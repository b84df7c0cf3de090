// One TLS edge: its settings, backend, IP restriction and traffic policy.

import { useState } from 'react';
import { useData } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { useCan } from '../../client/rights.ts';
import { EdgeSettings } from '../../edges/settings.tsx';
import { Expectations } from '../../expectations/decided.tsx';
import { Button } from '../../kit/button.tsx';
import { later } from '../../kit/later.tsx';
import { Empty, Loaded, Loading } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { Backend } from './backend.tsx';
import styles from './edge.module.css';
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

const IpRestriction = later(
  () => import('./ip-restriction.tsx'),
  () => <Loading />,
);

/** The panel that says who may come in. Its form is loaded when it is needed. */
function WhoMayComeIn({ edge }: { edge: NonNullable<TlsEdgeQuery['tlsEdge']> }) {
  const canWrite = useCan('tls-edges:write');
  const [isBegun, setBegun] = useState(false);
  if (edge.ipRestriction !== null || isBegun) return <IpRestriction edge={edge} />;
  return (
    <Panel title="Who may come in">
      <Empty
        title="Every address may"
        actions={
          canWrite && (
            <Button onPointerEnter={IpRestriction.load} onFocus={IpRestriction.load} onPress={() => setBegun(true)}>
              Choose who may
            </Button>
          )
        }
      >
        IP policies can say from where clients may connect to this edge.
      </Empty>
    </Panel>
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
        <Backend edge={edge} />
      </div>
      <WhoMayComeIn edge={edge} />
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
      <Expectations id={edge.id} />
    </Page>
  );
}

export default function TlsEdgePage({ id }: { id: string }) {
  const withPolicies = useCan('ip-policies:read');
  const reading = useData(TlsEdgeDocument, { id, withPolicies }, ['TlsEdge', 'IpPolicy']);
  return <Loaded reading={reading}>{({ tlsEdge }) => tlsEdge && <Shown edge={tlsEdge} />}</Loaded>;
}
