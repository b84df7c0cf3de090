// The authorities, and the files that make clients trust them.

import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { Badge } from '../../kit/badge.tsx';
import { useCreation } from '../../kit/create.tsx';
import { laterDialog } from '../../kit/dialog.tsx';
import { List, timeColumn } from '../../kit/list.tsx';
import { Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { sayNumber } from '../../kit/words.ts';
import { SshAuthoritiesDocument } from './authorities.generated.ts';
import { AccountFiles } from './client-lines.tsx';
import { countWithin } from './ends.ts';
import { keyTypes, states } from './names.ts';

const NewAuthority = laterDialog(() => import('./new-authority.tsx'));

/** The list of authorities, followed by the files for clients. */
export function Authorities() {
  const question = useQuestion(listOrders);
  const pages = usePages(SshAuthoritiesDocument, question.variables, (data) => data.sshCertificateAuthorities, [
    'SshCertificateAuthority',
    'SshHostCertificate',
  ]);
  const creation = useCreation('ssh:write', 'New authority', (close) => <NewAuthority close={close} />);
  return (
    <div className="stack">
      <Panel
        title="Authorities"
        description="Each signs the keys of hosts with a private key that never leaves the server."
        actions={creation.button}
        flush
      >
        <List
          label="Authorities"
          make={creation.button}
          question={question}
          searched="description, metadata, id or fingerprint"
          pages={pages}
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
              cell: ({ hostCertificateCounts: { total } }) => sayNumber(total),
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
                  <Badge tone="caution">{sayNumber(count)}</Badge>
                );
              },
            },
            {
              title: 'Ended',
              align: 'end',
              wide: true,
              cell: ({ hostCertificateCounts }) => {
                const count = countWithin(hostCertificateCounts, 'ended') ?? 0;
                return count === 0 ? <span className="muted">none</span> : <Badge tone="bad">{sayNumber(count)}</Badge>;
              },
            },
            timeColumn(question, 'very'),
          ]}
          empty={{
            title: 'No authority yet',
            text: 'Make one, sign the keys of your hosts with it, and give clients one line. From then on they know every host, with no question about a fingerprint.',
          }}
        />
      </Panel>
      {(question.search !== '' || (pages.nodes !== undefined && pages.nodes.length > 0)) && <AccountFiles />}
      {creation.dialog}
    </div>
  );
}
