// The dashboard sessions: which key or person is signed in from where, and how to end a session.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { nameOf } from '../../client/kinds.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { signOut } from '../../client/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Export } from '../../kit/export.tsx';
import { later } from '../../kit/later.tsx';
import { Link } from '../../kit/link.tsx';
import styles from '../../kit/list.module.css';
import { Empty } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sessionOrders, useOrder } from '../../kit/question.ts';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { EndSignInDocument, SignInsDocument, type SignInsQuery } from './api-keys.generated.ts';

/** Returns a readable browser name for a user agent string. For display only. */
function browserOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Version)\/(\d+)/.exec(userAgent);
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', Version: 'Safari' };
  const found = /(Edg|OPR)\/(\d+)/.exec(userAgent) ?? browser;
  const system = /Windows|Mac OS|Android|iPhone|iPad|Linux/.exec(userAgent)?.[0];
  if (found === null) return userAgent.slice(0, 40) || 'not known';
  const name = names[found[1] ?? ''] ?? found[1];
  return `${name} ${found[2]}${system === undefined ? '' : ` on ${system === 'Mac OS' ? 'macOS' : system}`}`;
}

const EndChosenSignIns = later(() => import('./end-sign-ins.tsx'));

type SignIn = NonNullable<SignInsQuery['dashboardSessions']>['nodes'][number];

/** Returns whose sign-in it is. */
function whoseOf({ apiKey, person }: SignIn): string {
  return person?.displayName ?? (apiKey === null ? 'somebody' : nameOf(apiKey));
}

/** Asks for confirmation before ending a session. */
function EndSignIn({ session, close }: { session: SignIn; close: () => void }) {
  const { id } = session;
  const { run, running, problem } = useAction(EndSignInDocument, ['DashboardSession']);
  return (
    <Confirm
      title={`End the sign-in by ${whoseOf(session)}?`}
      action="End sign-in"
      running={running}
      problem={problem}
      close={close}
      call={<Call document={EndSignInDocument} variables={{ id }} />}
      confirm={async () => {
        if (!(await run({ id }))) return;
        say('Sign-in ended.');
        close();
      }}
    >
      This browser is signed out at once, and loses what is being entered there. Whoever has the key, or is let in by
      the provider, can sign in again: to keep somebody out, revoke the key or block the person.
    </Confirm>
  );
}

/** The dashboard sessions of the account. */
export function SignIns() {
  const sorting = useOrder('signInOrder', sessionOrders);
  const pages = usePages(SignInsDocument, { orderBy: sorting.order }, (data) => data.dashboardSessions, [
    'DashboardSession',
    'ApiKey',
  ]);
  const [ending, setEnding] = useState<SignIn | null>(null);
  const canWrite = useCan('api-keys:write');
  return (
    <Panel title="Sign-ins" flush bare>
      <div className={`row ${styles.part}`}>
        <Export label="Sign-ins" of={pages} />
      </div>
      <PagedTable
        label="Sign-ins"
        pages={pages}
        sorting={sorting}
        keyOf={(session) => session.id}
        bulk={
          canWrite
            ? {
                nameOf: (session) => `the sign-in by ${whoseOf(session)}`,
                isFor: ({ current }) => !current,
                actions: (rows) => <EndChosenSignIns {...rows} />,
              }
            : undefined
        }
        columns={[
          {
            title: 'Who',
            cell: ({ apiKey, person, current }) => (
              <span className="row">
                {apiKey && <Link href={`/api-keys/${apiKey.id}`}>{nameOf(apiKey)}</Link>}
                {person?.displayName}
                {current && <Badge tone="accent">this one</Badge>}
              </span>
            ),
          },
          {
            title: 'From',
            wide: true,
            cell: (session) => <span className="mono">{session.clientAddress ?? 'not known'}</span>,
          },
          {
            title: 'Browser',
            wide: true,
            cell: ({ userAgent }) => <span title={userAgent}>{browserOf(userAgent)}</span>,
          },
          {
            title: 'Signed in',
            wide: true,
            sorts: [{ by: 'Signed in', asc: 'created_at_asc', desc: 'created_at_desc', first: 'desc' }],
            cell: (session) => <Time value={session.createdAt} />,
          },
          {
            title: 'Last used',
            sorts: [{ by: 'Last used', asc: 'last_used_at_asc', desc: 'last_used_at_desc', first: 'desc' }],
            cell: (session) => <Time value={session.lastUsedAt} />,
          },
          {
            title: 'End it',
            isTitleHidden: true,
            align: 'end',
            cell: (session) =>
              session.current ? (
                <Button onPress={() => void signOut()}>Sign out</Button>
              ) : (
                canWrite && (
                  <Button label={`End the sign-in by ${whoseOf(session)}`} onPress={() => setEnding(session)}>
                    End
                  </Button>
                )
              ),
          },
        ]}
        empty={
          <Empty title="Nobody is signed in">
            Who signs in to this dashboard is listed here. An API key itself is not kept in the browser.
          </Empty>
        }
      />
      {ending && <EndSignIn session={ending} close={() => setEnding(null)} />}
    </Panel>
  );
}
