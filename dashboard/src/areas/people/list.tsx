// The people who have signed in.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { usePages } from '../../client/pages.ts';
import { useCan, useViewer } from '../../client/rights.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { List } from '../../kit/list.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { Time } from '../../kit/time.tsx';
import { say } from '../../kit/toast.tsx';
import { BlockPersonDocument, PeopleDocument, type PeopleQuery, UnblockPersonDocument } from './people.generated.ts';

type Person = NonNullable<PeopleQuery['people']>['nodes'][number];

/** Asks before somebody is kept out. */
function Block({ person: { id, displayName }, close }: { person: Person; close: () => void }) {
  const { run, running, problem } = useAction(BlockPersonDocument, ['Person']);
  const input = { id };
  return (
    <Confirm
      title={`Keep ${displayName} out?`}
      action="Keep out"
      running={running}
      problem={problem}
      close={close}
      call={<Call document={BlockPersonDocument} variables={{ input }} />}
      confirm={async () => {
        if (!(await run({ input }))) return;
        say('Kept out.');
        close();
      }}
    >
      All browsers of this person are signed out at once, personal API keys stop working, and nobody gets in by this
      name at the provider until you let the person in again.
    </Confirm>
  );
}

/** Asks before somebody is let in again. */
function Unblock({ person: { id, displayName }, close }: { person: Person; close: () => void }) {
  const { run, running, problem } = useAction(UnblockPersonDocument, ['Person']);
  const input = { id };
  return (
    <Confirm
      title={`Let ${displayName} in again?`}
      action="Let in"
      running={running}
      problem={problem}
      close={close}
      call={<Call document={UnblockPersonDocument} variables={{ input }} />}
      confirm={async () => {
        if (!(await run({ input }))) return;
        say('Let in again.');
        close();
      }}
    >
      The person can sign in with the roles that the provider’s groups stand for.
    </Confirm>
  );
}

export default function People() {
  const question = useQuestion(listOrders);
  const pages = usePages(PeopleDocument, question.variables, (data) => data.people, ['Person', 'SignInProvider']);
  const [chosen, setChosen] = useState<Person | null>(null);
  const { person: own } = useViewer();
  const canWrite = useCan('people:write');
  const close = () => setChosen(null);
  return (
    <Page
      title="People"
      description="Who has signed in by a sign-in provider. Nobody is invited: whoever gets a role from a provider is let in."
    >
      <Panel title="People" flush bare>
        <List
          label="People"
          make={null}
          question={question}
          searched="name, e-mail address or subject"
          pages={pages}
          columns={[
            {
              title: 'Who',
              cell: ({ id, displayName, blocked }) => (
                <span className="row">
                  {displayName}
                  {id === own?.id && <Badge tone="accent">you</Badge>}
                  {blocked && <Badge tone="caution">kept out</Badge>}
                </span>
              ),
            },
            { title: 'Roles', cell: ({ roles }) => roles.join(', ') || <span className="muted">none now</span> },
            { title: 'Groups', wide: true, cell: ({ groups }) => <span className="mono">{groups.join(', ')}</span> },
            {
              title: 'By',
              wide: true,
              cell: ({ provider }) => provider?.name ?? <span className="muted">deleted</span>,
            },
            { title: 'Last seen', wide: true, cell: ({ lastSeenAt }) => <Time value={lastSeenAt} /> },
            {
              title: 'Keep out',
              isTitleHidden: true,
              align: 'end',
              cell: (person) =>
                canWrite &&
                person.id !== own?.id && (
                  <Button
                    label={`${person.blocked ? 'Let in' : 'Keep out'}: ${person.displayName}`}
                    onPress={() => setChosen(person)}
                  >
                    {person.blocked ? 'Let in' : 'Keep out'}
                  </Button>
                ),
            },
          ]}
          empty={{
            title: 'Nobody has signed in yet',
            text: 'Make a sign-in provider, and map its groups to roles: people then sign in with their names.',
          }}
        />
      </Panel>
      {chosen?.blocked === true && <Unblock person={chosen} close={close} />}
      {chosen?.blocked === false && <Block person={chosen} close={close} />}
    </Page>
  );
}
