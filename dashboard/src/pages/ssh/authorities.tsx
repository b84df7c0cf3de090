// The authorities, and the files that make clients trust them.

import { usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { SshAuthoritiesDocument } from './authorities.generated.ts';
import { AccountFiles } from './client-lines.tsx';
import { countWithin } from './ends.ts';
import { keyTypes, nameOf, states } from './names.ts';

/** The authorities, and the files that make clients trust them. */
export function Authorities({ make }: { make: (what: string) => void }) {
  const pages = usePages(SshAuthoritiesDocument, {}, (data) => data.sshCertificateAuthorities, [
    'SshCertificateAuthority',
    'SshHostCertificate',
  ]);
  const canWrite = useCan('ssh:write');
  const button = canWrite && (
    <Button look="primary" onPress={() => make('authority')}>
      New authority
    </Button>
  );
  return (
    <div className="stack">
      <Panel
        title="Authorities"
        description="Each signs the keys of hosts with a private key that never leaves the server."
        actions={button}
        flush
      >
        <PagedTable
          label="Authorities"
          pages={pages}
          keyOf={(authority) => authority.id}
          hrefOf={(authority) => `/ssh/authorities/${authority.id}`}
          columns={[
            { title: 'Authority', cell: nameOf },
            {
              title: 'State',
              cell: ({ state }) => <Badge tone={states[state].tone}>{states[state].title}</Badge>,
            },
            { title: 'Key', wide: true, cell: ({ keyType }) => keyTypes[keyType] },
            {
              title: 'Certificates',
              align: 'end',
              wide: true,
              cell: ({ hostCertificateCounts: { total } }) => total.toLocaleString(),
            },
            {
              title: 'Ending in 30 days',
              align: 'end',
              wide: true,
              cell: ({ hostCertificateCounts }) => {
                const count = countWithin(hostCertificateCounts, '30d') ?? 0;
                return count === 0 ? (
                  <span className="muted">none</span>
                ) : (
                  <Badge tone="caution">{count.toLocaleString()}</Badge>
                );
              },
            },
            {
              title: 'Ended',
              align: 'end',
              wide: true,
              cell: ({ hostCertificateCounts }) => {
                const count = countWithin(hostCertificateCounts, 'ended') ?? 0;
                return count === 0 ? (
                  <span className="muted">none</span>
                ) : (
                  <Badge tone="bad">{count.toLocaleString()}</Badge>
                );
              },
            },
            { title: 'Created', wide: true, cell: ({ createdAt }) => <Time value={createdAt} /> },
          ]}
          empty={
            <Empty title="No authority yet" actions={button}>
              Make one, sign the keys of your hosts with it, and give clients one line. From then on they know every
              host, with no question about a fingerprint.
            </Empty>
          }
        />
      </Panel>
      {pages.nodes !== undefined && pages.nodes.length > 0 && <AccountFiles />}
    </div>
  );
}
