// Who is signed in to the dashboard, by which key, and how to end it.

import { Link } from 'react-aria-components/Link';
import { useAction, usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { signOut } from '../../client/session.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Empty, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { EndSignInDocument, SignInsDocument } from './api-keys.generated.ts';

/** Names a browser as people do, out of what it calls itself; nothing is decided by it. */
export function browserOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Version)\/(\d+)/.exec(userAgent);
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', Version: 'Safari' };
  const found = /(Edg|OPR)\/(\d+)/.exec(userAgent) ?? browser;
  const system = /Windows|Mac OS|Android|iPhone|iPad|Linux/.exec(userAgent)?.[0];
  if (found === null) return userAgent.slice(0, 40) || 'not known';
  const name = names[found[1] ?? ''] ?? found[1];
  return `${name} ${found[2]}${system === undefined ? '' : ` on ${system === 'Mac OS' ? 'macOS' : system}`}`;
}

/** The sign-ins of the account. */
export function SignIns() {
  const pages = usePages(SignInsDocument, {}, (data) => data.dashboardSessions, ['DashboardSession', 'ApiKey']);
  const ending = useAction(EndSignInDocument, ['DashboardSession']);
  const canWrite = useCan('api-keys:write');
  return (
    <Panel title="Sign-ins" flush bare>
      <ProblemNotice problem={ending.problem} />
      <PagedTable
        label="Sign-ins"
        pages={pages}
        keyOf={(session) => session.id}
        columns={[
          {
            title: 'API key',
            cell: ({ apiKey, current }) => (
              <span className="row">
                <Link href={`/api-keys/${apiKey.id}`}>{apiKey.description || apiKey.id}</Link>
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
          { title: 'Signed in', wide: true, cell: (session) => <Time value={session.createdAt} /> },
          { title: 'Last used', wide: true, cell: (session) => <Time value={session.lastUsedAt} /> },
          {
            title: 'End it',
            isTitleHidden: true,
            align: 'end',
            cell: ({ id, current, apiKey }) =>
              current ? (
                <Button onPress={() => void signOut()}>Sign out</Button>
              ) : (
                canWrite && (
                  <Button
                    aria-label={`End the sign-in by ${apiKey.description || apiKey.id}`}
                    onPress={async () => {
                      if (await ending.run({ id })) say('Sign-in ended.');
                    }}
                  >
                    End
                  </Button>
                )
              ),
          },
        ]}
        empty={
          <Empty title="Nobody is signed in">
            Who signs in to this dashboard with an API key is listed here. The key itself is not kept in the browser.
          </Empty>
        }
      />
    </Panel>
  );
}
