// Enrollment tokens, with which hosts get their first certificates by themselves.

import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { Badge } from '../../kit/badge.tsx';
import { useCreation } from '../../kit/create.tsx';
import { laterDialog } from '../../kit/dialog.tsx';
import { List, timeColumn } from '../../kit/list.tsx';
import { Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { Time } from '../../kit/time.tsx';
import { sayNumber } from '../../kit/words.ts';
import styles from './ssh.module.css';
import { SshTokensDocument } from './tokens.generated.ts';

const NewToken = laterDialog(() => import('./new-token.tsx'));

/** Badge that says whether a host can still be enrolled with a token, and if not, why. */
export function TokenState({ of }: { of: { usable: boolean; uses: number; maxUses: number } }) {
  if (of.usable) return <Badge tone="good">Usable</Badge>;
  return <Badge>{of.uses >= of.maxUses ? 'Used up' : 'Ended'}</Badge>;
}

/** The enrollment tokens. */
export default function Tokens() {
  const question = useQuestion(listOrders);
  const pages = usePages(SshTokensDocument, question.variables, (data) => data.sshEnrollmentTokens, [
    'SshEnrollmentToken',
  ]);
  const creation = useCreation('ssh:enroll', 'New token', (close) => <NewToken close={close} />);
  return (
    <Panel
      title="Enrollment tokens"
      description="A host with a token gets a certificate for the names that the token allows, and renews it by itself from then on."
      actions={creation.button}
      flush
    >
      <List
        label="Enrollment tokens"
        make={creation.button}
        question={question}
        searched="description, metadata, id or name"
        pages={pages}
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
                {sayNumber(uses)} of {sayNumber(maxUses)}
              </span>
            ),
          },
          { title: 'State', cell: (token) => <TokenState of={token} /> },
          { title: 'Ends', wide: true, cell: ({ expiresAt }) => <Time value={expiresAt} /> },
          timeColumn(question, 'very'),
        ]}
        empty={{
          title: 'No enrollment tokens yet',
          text: 'Make one for a batch of hosts, as narrow as it can be: whoever has it can get a certificate for any of its names, until it is used up or has ended.',
        }}
      />
      {creation.dialog}
    </Panel>
  );
}
