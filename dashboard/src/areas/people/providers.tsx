// The sign-in providers.

import { useState } from 'react';
import { usePages } from '../../client/data.ts';
import { Badge } from '../../kit/badge.tsx';
import { CreateDialog, useCreation } from '../../kit/create.tsx';
import { LinesField, Switch, TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { mappingsError, mappingsHint, mappingsOf } from './mappings.ts';
import { CreateSignInProviderDocument, SignInProvidersDocument } from './people.generated.ts';

function NewProvider({ close }: { close: () => void }) {
  const [values, setValues] = useState({ name: '', issuer: '', clientId: '', clientSecret: '' });
  const [enabled, setEnabled] = useState(false);
  const [lines, setLines] = useState<readonly string[]>([]);
  const roleMappings = mappingsOf(lines) ?? [];
  const input = { ...values, enabled, roleMappings };
  const body = {
    name: values.name,
    issuer: values.issuer,
    client_id: values.clientId,
    client_secret: values.clientSecret,
    enabled,
    role_mappings: roleMappings,
  };
  const fields = [
    ['name', 'Name', 'What people see where they sign in, such as “Keycloak”.'],
    ['issuer', 'Issuer', 'The https address of the provider. It never changes.'],
    ['clientId', 'Client', 'What the provider calls this client.'],
    ['clientSecret', 'Client secret', 'It is sealed, and never shown.'],
  ] as const;
  return (
    <CreateDialog
      title="New sign-in provider"
      close={close}
      kind="SignInProvider"
      document={CreateSignInProviderDocument}
      input={input}
      rest={{ path: '/sign_in_providers', body }}
      made={({ createSignInProvider }) => createSignInProvider?.signInProvider}
      isReady={mappingsError(lines) === null}
    >
      {(problem) => (
        <>
          {fields.map(([field, label, hint], index) => (
            <TextField
              key={field}
              label={label}
              hint={hint}
              value={values[field]}
              type={field === 'clientSecret' ? 'password' : 'text'}
              onChange={(value) => setValues({ ...values, [field]: value })}
              error={errorOf(problem, field)}
              autoFocus={index === 0}
            />
          ))}
          <LinesField
            label="Roles"
            mono
            value={lines}
            onChange={setLines}
            hint={mappingsHint}
            error={mappingsError(lines) ?? errorOf(problem, 'roleMappings')}
          />
          <Switch
            label="People sign in here"
            hint="Off at first: the provider has to know the redirect address, which the next page shows."
            value={enabled}
            onChange={setEnabled}
          />
        </>
      )}
    </CreateDialog>
  );
}

export default function SignInProviders() {
  const question = useQuestion(listOrders);
  const pages = usePages(SignInProvidersDocument, question.variables, (data) => data.signInProviders, [
    'SignInProvider',
  ]);
  const creation = useCreation('people:write', 'New sign-in provider', (close) => <NewProvider close={close} />);
  return (
    <ListPage
      title="Sign-in providers"
      description="Where people sign in to this dashboard with their names, and what their groups may do."
      creation={creation}
      question={question}
      searched="name, issuer, description, metadata or id"
      pages={pages}
      hrefOf={(provider) => `/sign-in-providers/${provider.id}`}
      columns={[
        { title: 'Name', cell: ({ name }) => name },
        { title: 'Issuer', wide: true, cell: ({ issuer }) => <span className="mono">{issuer}</span> },
        {
          title: 'State',
          cell: ({ enabled, refusesKeys }) => (
            <span className="row">
              {enabled ? <Badge>on</Badge> : <Badge tone="caution">off</Badge>}
              {refusesKeys && <Badge>instead of keys</Badge>}
            </span>
          ),
        },
        timeColumn(question),
      ]}
      empty={{
        title: 'No sign-in providers',
        text: 'As yet, only API keys sign in here, and the trail knows keys instead of names. Make a provider: OpenID Connect, such as Keycloak, Entra ID, Google or GitLab.',
      }}
    />
  );
}
