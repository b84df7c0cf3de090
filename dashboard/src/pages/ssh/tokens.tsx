// Enrollment tokens: with one, hosts get their first certificates by themselves.

import { usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { nameOf } from './names.ts';
import styles from './ssh.module.css';
import { SshTokensDocument } from './tokens.generated.ts';

/** Says whether a host can still be enrolled with a token, and if not, why. */
export function TokenState({ of }: { of: { usable: boolean; uses: number; maxUses: number } }) {
  if (of.usable) return <Badge tone="good">Usable</Badge>;
  return <Badge>{of.uses >= of.maxUses ? 'Used up' : 'Ended'}</Badge>;
}

/** The enrollment tokens. */
export function Tokens({ make }: { make: (what: string) => void }) {
  const pages = usePages(SshTokensDocument, {}, (data) => data.sshEnrollmentTokens, ['SshEnrollmentToken']);
  const canEnroll = useCan('ssh:enroll');
  const button = canEnroll && (
    <Button look="primary" onPress={() => make('token')}>
      New token
    </Button>
  );
  return (
    <Panel
      title="Enrollment tokens"
      description="A host with a token gets a certificate for the names that the token allows, and renews it by itself from then on."
      actions={button}
      flush
    >
      <PagedTable
        label="Enrollment tokens"
        pages={pages}
        keyOf={(token) => token.id}
        hrefOf={(token) => `/ssh/tokens/${token.id}`}
        columns={[
          { title: 'Token', cell: nameOf },
          {
            title: 'Names',
            wide: true,
            cell: ({ principals }) => (
              <span className={styles.names}>
                {principals.slice(0, 3).map((name) => (
                  <span key={name}>{name}</span>
                ))}
                {principals.length > 3 && <span>and {principals.length - 3} more</span>}
              </span>
            ),
          },
          { title: 'Authority', wide: true, cell: ({ sshCertificateAuthority }) => nameOf(sshCertificateAuthority) },
          {
            title: 'Uses',
            align: 'end',
            cell: ({ uses, maxUses }) => (
              <span className={styles.nowrap}>
                {uses.toLocaleString()} of {maxUses.toLocaleString()}
              </span>
            ),
          },
          { title: 'State', cell: (token) => <TokenState of={token} /> },
          { title: 'Ends', wide: true, cell: ({ expiresAt }) => <Time value={expiresAt} /> },
        ]}
        empty={
          <Empty title="No enrollment tokens yet" actions={button}>
            Make one for a batch of hosts, as narrow as it can be: whoever has it can get a certificate for any of its
            names, until it is used up or has ended.
          </Empty>
        }
      />
    </Panel>
  );
}
