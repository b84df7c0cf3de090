// One sign-in provider.

import { useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { OidcEmailVerification } from '../../client/types.generated.ts';
import { CopyBlock } from '../../kit/copy.tsx';
import { LinesField, SelectField, sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { later } from '../../kit/later.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded, Loading } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { ObjectForm } from '../../trail/object-form.tsx';
import {
  DeleteSignInProviderDocument,
  SignInProviderDocument,
  UpdateSignInProviderDocument,
} from './people.generated.ts';
import {
  DomainsField,
  EntryFields,
  isWrongProvider,
  type Provider,
  providerTitles,
  providerValues,
  sentLists,
} from './provider-fields.tsx';

/** Loaded when a provider by SAML is opened. */
const SamlSettings = later(
  () => import('./saml-provider.tsx'),
  () => <Loading />,
);

const verifications: readonly { value: OidcEmailVerification; title: string }[] = [
  { value: 'required', title: 'those that the provider has verified' },
  { value: 'trusted', title: 'all: its administrator gives them' },
];

function Settings({ provider }: { provider: Provider }) {
  const canWrite = useCan('people:write');
  const { name, description, metadata, clientId, groupsClaim, emailVerification } = provider;
  const scopes: readonly string[] = provider.scopes;
  const values = {
    ...{ name, ...providerValues(provider), clientId, clientSecret: '', scopes, groupsClaim },
    ...{ emailVerification, description, metadata },
  };
  return (
    <Panel title="Settings">
      <ObjectForm
        of={provider}
        values={values}
        titles={{
          ...providerTitles,
          name: 'Name',
          clientId: 'Client',
          clientSecret: 'Client secret',
          scopes: 'Scopes asked for',
          groupsClaim: 'Claim with the groups',
          emailVerification: 'Addresses taken',
        }}
        kinds={['SignInProvider', 'Person']}
        document={UpdateSignInProviderDocument}
        changeOf={({ roleMappings, scopes: asked, authorizedEmailDomains, ...others }) => ({
          ...others,
          ...sentLists({ roleMappings, authorizedEmailDomains }),
          ...(asked && { scopes: sentLines(asked) }),
        })}
        writtenOf={(answer) => answer.updateSignInProvider?.signInProvider}
        path={`/sign_in_providers/${provider.id}`}
        said="Sign-in provider saved."
        canWrite={canWrite}
        isWrong={isWrongProvider}
      >
        {({ draft, problem }) => {
          const text = (field: 'name' | 'clientId' | 'clientSecret' | 'groupsClaim', label: string, hint: string) => (
            <TextField
              label={label}
              hint={hint}
              type={field === 'clientSecret' ? 'password' : 'text'}
              value={draft.values[field]}
              onChange={(value) => draft.set({ [field]: value })}
              error={errorOf(problem, field)}
              isDisabled={!canWrite}
            />
          );
          return (
            <>
              {text('name', 'Name', 'What people see where they sign in.')}
              <EntryFields
                draft={draft}
                problem={problem}
                canWrite={canWrite}
                enabledHint="The provider is asked when you save. Off signs everybody out who signed in by it."
              />
              {text('clientId', 'Client', 'What the provider calls this client. Another one needs its secret as well.')}
              {text('clientSecret', 'Client secret', 'Empty keeps the one that is stored.')}
              <LinesField
                label="Scopes asked for"
                mono
                value={draft.values.scopes}
                onChange={(value) => draft.set({ scopes: value })}
                hint="Besides openid, one on each line."
                error={lineErrorOf(problem, 'scopes', draft.values.scopes)}
                isDisabled={!canWrite}
              />
              {text('groupsClaim', 'Claim with the groups', 'Of the ID token, or else of the user information.')}
              <SelectField
                label="Addresses taken"
                value={draft.values.emailVerification}
                options={verifications}
                onChange={(value) => draft.set({ emailVerification: value })}
                error={errorOf(problem, 'emailVerification')}
                isDisabled={!canWrite}
              />
              <DomainsField draft={draft} problem={problem} canWrite={canWrite} />
              <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
              <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
            </>
          );
        }}
      </ObjectForm>
    </Panel>
  );
}

function Shown({ provider }: { provider: Provider }) {
  const { saml } = provider;
  const canWrite = useCan('people:write');
  return (
    <Page
      title={provider.name}
      crumbs={[{ title: 'Sign-in providers', href: '/sign-in-providers' }]}
      description={<LastChange of={provider} />}
    >
      {saml === null ? (
        <>
          <Panel title="For the provider" description={`The redirect address to enter at ${provider.issuer}.`}>
            <CopyBlock text={provider.redirectUrl} label="Redirect address" />
          </Panel>
          <Settings provider={provider} />
        </>
      ) : (
        <>
          <Panel title="For the provider" description={`What to enter at ${provider.issuer}.`}>
            <CopyBlock text={saml.metadataUrl} label="Entity ID, and address of the metadata" />
            <CopyBlock text={provider.redirectUrl} label="Assertion consumer service (reply URL)" />
          </Panel>
          <SamlSettings provider={provider} saml={saml} />
        </>
      )}
      {canWrite && (
        <DeletionPanel
          noun="sign-in provider"
          of={provider}
          kind="SignInProvider"
          document={DeleteSignInProviderDocument}
          input={(expectedVersion) => ({ id: provider.id, expectedVersion })}
          path={`/sign_in_providers/${provider.id}`}
          next="/sign-in-providers"
        >
          Whoever signed in by it is signed out, and stays on record.
        </DeletionPanel>
      )}
      <History objectId={provider.id} kind="SignInProvider" canWrite={canWrite} />
    </Page>
  );
}

export default function SignInProviderPage({ id }: { id: string }) {
  const reading = useData(SignInProviderDocument, { id }, ['SignInProvider']);
  return (
    <Loaded reading={reading}>{({ signInProvider }) => signInProvider && <Shown provider={signInProvider} />}</Loaded>
  );
}
