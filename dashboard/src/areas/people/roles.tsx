// The roles.

import { useState } from 'react';
import { useData } from '../../client/data.ts';
import { usePages } from '../../client/pages.ts';
import { Badge } from '../../kit/badge.tsx';
import { CreateDialog, useCreation } from '../../kit/create.tsx';
import { LinesField, sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { CreateRoleDocument, RolesDocument } from './people.generated.ts';

export const scopesHint =
  'In the words of API keys, one on each line: “read” or “write” for everything, “ip-policies:write” for one area. At most what you may do yourself.';

function NewRole({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  return (
    <CreateDialog
      title="New role"
      close={close}
      kind="Role"
      document={CreateRoleDocument}
      input={{ name, scopes: sentLines(scopes), description }}
      rest={{ path: '/roles' }}
      made={({ createRole }) => createRole?.role}
    >
      {(problem) => (
        <>
          <TextField
            label="Name"
            mono
            value={name}
            onChange={setName}
            hint="By which sign-in providers give it, such as “network”. It never changes."
            error={errorOf(problem, 'name')}
            autoFocus
          />
          <LinesField
            label="Scopes"
            mono
            value={scopes}
            onChange={setScopes}
            hint={scopesHint}
            error={lineErrorOf(problem, 'scopes', scopes)}
          />
          <TextField
            label="Description"
            value={description}
            onChange={setDescription}
            error={errorOf(problem, 'description')}
          />
        </>
      )}
    </CreateDialog>
  );
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  return (
    <span className="row">
      {scopes.map((scope) => (
        <Badge key={scope} tone={scope === 'write' ? 'caution' : 'neutral'}>
          {scope}
        </Badge>
      ))}
    </span>
  );
}

/** The roles that every account has. */
function BuiltIn() {
  const { data } = useData(RolesDocument, {}, ['Role']);
  return (
    <Panel title="Built-in roles" description="Every account has them. They grow with what the server can do.">
      <dl className="stack">
        {data?.builtInRoles?.map(({ name, scopes }) => (
          <div key={name}>
            <dt className="mono">{name}</dt>
            <dd>
              <Scopes scopes={scopes} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

export default function Roles() {
  const question = useQuestion(listOrders);
  const pages = usePages(RolesDocument, question.variables, (data) => data.roles, ['Role']);
  const creation = useCreation('people:write', 'New role', (close) => <NewRole close={close} />);
  return (
    <ListPage
      title="Roles"
      description="Named sets of rights. Sign-in providers give them to groups of people."
      creation={creation}
      question={question}
      searched="name, description, metadata or id"
      pages={pages}
      hrefOf={(role) => `/roles/${role.id}`}
      columns={[
        { title: 'Role', cell: ({ name }) => <span className="mono">{name}</span> },
        { title: 'May', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
        { title: 'Description', wide: true, cell: ({ description }) => description },
        timeColumn(question),
      ]}
      empty={{
        title: 'No roles of your own',
        text: 'The built-in ones are enough for many. Make one where a group of people should do more or less.',
      }}
    >
      <BuiltIn />
    </ListPage>
  );
}
