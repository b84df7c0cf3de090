// The sign-in providers.

import { useState } from 'react';
import { usePages } from '../../client/pages.ts';
import type { SignInProtocol } from '../../client/types.generated.ts';
import { Badge } from '../../kit/badge.tsx';
import { CreateDialog, useCreation } from '../../kit/create.tsx';
import { LinesField, SelectField, Switch, TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { ListPage, timeColumn } from '../../kit/list.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { mappingsError, mappingsHint, mappingsOf } from './mappings.ts';
import { CreateSignInProviderDocument, SignInProvidersDocument } from './people.generated.ts';

const protocols: readonly { value: SignInProtocol; title: string }[] = [
  { value: 'oidc', title: 'OpenID Connect' },
  { value: 'saml', title: 'SAML' },
];

function NewProvider({ close }: { close: () => void }) {
  const [values, setValues] = useState({ name: '', issuer: '', clientId: '', clientSecret: '' });
  const [protocol, setProtocol] = useState<SignInProtocol>('oidc');
  const [idpMetadata, setMetadata] = useState('');
  const [enabled, setEnabled] = useState(false);
  const [lines, setLines] = useState<readonly string[]>([]);
  const roleMappings = mappingsOf(lines) ?? [];
  const isSaml = protocol === 'saml';
  const { name, issuer, clientId, clientSecret } = values;
  const input = { enabled, roleMappings, ...(isSaml ? { name, saml: { idpMetadata } } : values) };
  const ofProtocol = isSaml
    ? { saml: { idp_metadata: idpMetadata } }
    : { issuer, client_id: clientId, client_secret: clientSecret };
  const body = { name, ...ofProtocol, enabled, role_mappings: roleMappings };
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
          <SelectField label="Protocol" value={protocol} options={protocols} onChange={setProtocol} />
          {fields.slice(0, isSaml ? 1 : undefined).map(([field, label, hint], index) => (
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
          {isSaml && (
            <TextField
              label="Metadata"
              mono
              lines={4}
              value={idpMetadata}
              onChange={setMetadata}
              placeholder="<EntityDescriptor …"
              hint="That of the identity provider, which it offers as “federation metadata” or “metadata XML”."
              error={errorOf(problem, 'saml.idpMetadata')}
            />
          )}
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
            hint="Off at first: the provider has to know the addresses of this side, which the next page shows."
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
        text: 'As yet, only API keys sign in here, and the trail knows keys instead of names. Make a provider: OpenID Connect or SAML, such as Keycloak, Entra ID, Google or GitLab.',
      }}
    />
  );
}
