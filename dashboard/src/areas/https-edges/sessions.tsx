// The user sessions of a route, and how to end them.

import { useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import { useAddressParameters } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Export } from '../../kit/export.tsx';
import { later } from '../../kit/later.tsx';
import { Link } from '../../kit/link.tsx';
import { Empty } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sessionOrders, useOrder } from '../../kit/question.ts';
import { SearchField } from '../../kit/search-field.tsx';
import { PagedTable } from '../../kit/table.tsx';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import styles from './https-edges.module.css';
import {
  EndLoginSessionDocument,
  EndLoginSessionsDocument,
  LoginSessionsDocument,
  type LoginSessionsQuery,
  SessionsFromDocument,
} from './route.generated.ts';

const EndChosenSessions = later(() => import('./end-sessions.tsx'));

type Session = NonNullable<LoginSessionsQuery['loginSessions']>['nodes'][number];

function Person({ session: { user, name, email, active } }: { session: Session }) {
  return (
    <div className={styles.person}>
      <span className="row">
        <b>{user}</b>
        {!active && <Badge>ended</Badge>}
      </span>
      {(name ?? email) && <span className="muted">{[name, email].filter(Boolean).join(' · ')}</span>}
    </div>
  );
}

function Moment({ value }: { value: string }) {
  return (
    <span className={styles.line}>
      <Time value={value} />
    </span>
  );
}

/** The sessions to end: one session, those of one user, or all. */
type Ending = { readonly session: Session } | { readonly user: string | null };

function EndSessions({ routeId, ending, close }: { routeId: string; ending: Ending; close: () => void }) {
  const one = useAction(EndLoginSessionDocument, ['LoginSession']);
  const several = useAction(EndLoginSessionsDocument, ['LoginSession']);
  const isOne = 'session' in ending;
  const whose = isOne ? ending.session.user : ending.user;
  const end = async () => {
    if (isOne) {
      if (!(await one.run({ id: ending.session.id }))) return;
      say(`A session of ${whose} has ended.`);
    } else {
      const ended = (await several.run({ routeId, user: ending.user }))?.endLoginSessions;
      if (!ended) return;
      say(ended.endedCount === 1 ? '1 session has ended.' : `${ended.endedCount} sessions have ended.`);
    }
    close();
  };
  return (
    <Confirm
      title={isOne ? 'End this session?' : whose === null ? 'End all sessions?' : `End all sessions of ${whose}?`}
      action={isOne ? 'End session' : 'End sessions'}
      running={one.running || several.running}
      problem={one.problem ?? several.problem}
      close={close}
      call={
        isOne ? (
          <Call document={EndLoginSessionDocument} variables={{ id: ending.session.id }} />
        ) : (
          <Call document={EndLoginSessionsDocument} variables={{ routeId, user: ending.user }} />
        )
      }
      confirm={() => void end()}
    >
      {isOne
        ? `${whose} has to log in again with the next request at ${ending.session.host}.`
        : `${whose ?? 'Everybody'} has to log in again with the next request, and logins under way fail, also at other routes whose sessions let in here.`}{' '}
      Whoever is still logged in at the identity provider may be let in again without being asked: to keep somebody out,
      block the account there as well.
    </Confirm>
  );
}

/** Says where sessions begin that let in here as well; nothing if that is nowhere. */
function Elsewhere({ routeId }: { routeId: string }) {
  const node = useData(SessionsFromDocument, { routeId }, ['HttpsEdge', 'HttpsEdgeRoute']).data?.node;
  const routes = node && 'sessionsFrom' in node ? node.sessionsFrom : [];
  if (routes.length === 0) return null;
  return (
    <p className={`row ${styles.part}`}>
      Who is logged in at one of these routes comes in here by that session:
      {routes.map(({ id, match }) => (
        <Link key={id} href={`/https-edges/routes/${id}?tab=sessions`}>
          {match}
        </Link>
      ))}
    </p>
  );
}

/** Says why a search or filter shows nothing. */
function sayNothing({ search, user, isSearchedInPart }: { search: string; user: string; isSearchedInPart: boolean }) {
  const where = user === '' ? 'at this route' : `of the user “${user}” at this route`;
  if (search === '') return `There is no session ${where}.`;
  const which = isSearchedInPart ? `None of the latest sessions ${where}` : `No session ${where}`;
  return `${which} has “${search}” in its user, e-mail address, group, host or address.`;
}

/** The sessions of a route. */
export default function Sessions({ routeId }: { routeId: string }) {
  const [parameters, setParameters] = useAddressParameters();
  const search = parameters.get('search') ?? '';
  const user = parameters.get('user') ?? '';
  const sorting = useOrder('sessionOrder', sessionOrders);
  const [ending, setEnding] = useState<Ending | null>(null);
  const mayEnd = useCan('gate');
  const pages = usePages(
    LoginSessionsDocument,
    { routeId, user: user || null, search: search || null, orderBy: sorting.order },
    (data) => data.loginSessions,
    ['LoginSession', 'HttpsEdgeRoute'],
  );
  const { nodes = [], hasMore, isFormer, isSearchedInPart } = pages;
  const showAll = () => setParameters({ search: '', user: '' });
  const isAll = search === '' && user === '';
  const users = isFormer || isAll ? [] : [...new Set(nodes.map((session) => session.user))];
  // If several users were found, their sessions cannot all be ended at once: it would not be clear whose a single press ends.
  const only =
    users.find((each) => each === (user || search)) ?? (users.length === 1 && !hasMore ? users[0] : undefined);
  const columns = [
    { title: 'User', cell: (session: Session) => <Person session={session} /> },
    {
      title: 'Groups',
      wide: true,
      cell: ({ groups }: Session) => groups.join(', ') || <span className="muted">none</span>,
    },
    {
      title: 'From',
      wide: true,
      cell: ({ clientAddress }: Session) => <span className={`mono ${styles.line}`}>{clientAddress}</span>,
    },
    {
      title: 'Logged in',
      wide: true,
      sorts: [{ by: 'Logged in', asc: 'created_at_asc', desc: 'created_at_desc', first: 'desc' as const }],
      cell: ({ createdAt }: Session) => <Moment value={createdAt} />,
    },
    {
      title: 'Last used',
      wide: true,
      sorts: [{ by: 'Last used', asc: 'last_used_at_asc', desc: 'last_used_at_desc', first: 'desc' as const }],
      cell: ({ lastUsedAt }: Session) => <Moment value={lastUsedAt} />,
    },
    { title: 'Ends', wide: true, cell: ({ endsAt }: Session) => <Moment value={endsAt} /> },
    ...(mayEnd
      ? [
          {
            title: 'Actions',
            align: 'end' as const,
            cell: (session: Session) =>
              session.active && (
                <Button label={`End the session of ${session.user}`} onPress={() => setEnding({ session })}>
                  End
                </Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <Panel
      title="Sessions"
      description="Who has logged in at this route."
      actions={
        mayEnd &&
        nodes.length > 0 &&
        (isAll || only !== undefined) && (
          <Button look="danger" onPress={() => setEnding({ user: only ?? null })}>
            {only === undefined ? 'End all' : `End all of ${only}`}
          </Button>
        )
      }
      flush
    >
      <div className={styles.filter}>
        <SearchField
          label="Search sessions"
          value={search}
          onChange={(sought) => setParameters({ search: sought })}
          placeholder="User, e-mail, group, host or address"
        />
        <Export label="Sessions" of={pages} />
      </div>
      <Elsewhere routeId={routeId} />
      {user !== '' && (
        <p className={`row ${styles.part}`}>
          Only those of the user “{user}”.
          <Button onPress={() => setParameters({ user: '' })}>Of all users</Button>
        </p>
      )}
      <PagedTable
        label="Sessions"
        pages={pages}
        sorting={sorting}
        keyOf={(session) => session.id}
        bulk={
          mayEnd
            ? {
                nameOf: (session) => `the session of ${session.user}`,
                isFor: ({ active }) => active,
                actions: (rows) => <EndChosenSessions {...rows} routeId={routeId} />,
              }
            : undefined
        }
        columns={columns}
        empty={
          isAll ? (
            <Empty title="Nobody is logged in">
              Sessions appear here as soon as somebody has come back from the identity provider.
            </Empty>
          ) : (
            <Empty title="Nothing found" actions={<Button onPress={showAll}>Show all</Button>}>
              {sayNothing({ search, user, isSearchedInPart })}
            </Empty>
          )
        }
      />
      {isSearchedInPart && search !== '' && (
        <p className={`row ${styles.part}`}>
          <span className="muted">The oldest were not searched.</span>
          {user === '' && (
            <Button onPress={() => setParameters({ search: '', user: search })}>All of the user “{search}”</Button>
          )}
        </p>
      )}
      {ending && <EndSessions routeId={routeId} ending={ending} close={() => setEnding(null)} />}
    </Panel>
  );
}
