// One sign-in provider.

import { useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { OidcEmailVerification } from '../../client/types.generated.ts';
import { CopyBlock } from '../../kit/copy.tsx';
import { LinesField, SelectField, Switch, sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { later } from '../../kit/later.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Loaded, Loading } from '../../kit/notice.tsx';
import { Page, Panel } from '../../kit/page.tsx';
import { DeletionPanel } from '../../trail/deletion.tsx';
import { History } from '../../trail/history.tsx';
import { LastChange } from '../../trail/last-change.tsx';
import { ObjectForm } from '../../trail/object-form.tsx';
import { linesOf, mappingsError, mappingsHint, mappingsOf } from './mappings.ts';
import {
  DeleteSignInProviderDocument,
  SignInProviderDocument,
  type SignInProviderQuery,
  UpdateSignInProviderDocument,
} from './people.generated.ts';

/** Loaded when a provider by SAML is opened. */
const SamlSettings = later(
  () => import('./saml-provider.tsx'),
  () => <Loading />,
);

type Provider = NonNullable<SignInProviderQuery['signInProvider']>;

const verifications: readonly { value: OidcEmailVerification; title: string }[] = [
  { value: 'required', title: 'those that the provider has verified' },
  { value: 'trusted', title: 'all: its administrator gives them' },
];

function Settings({ provider }: { provider: Provider }) {
  const canWrite = useCan('people:write');
  const { name, description, metadata, enabled, refusesKeys, clientId, groupsClaim, emailVerification } = provider;
  const mappings: readonly string[] = linesOf(provider.roleMappings);
  const scopes: readonly string[] = provider.scopes;
  const domains: readonly string[] = provider.authorizedEmailDomains;
  const values = {
    ...{ name, enabled, refusesKeys, roleMappings: mappings, clientId, clientSecret: '', scopes, groupsClaim },
    ...{ emailVerification, authorizedEmailDomains: domains, description, metadata },
  };
  return (
    <Panel title="Settings">
      <ObjectForm
        of={provider}
        values={values}
        titles={{
          name: 'Name',
          enabled: 'People sign in here',
          refusesKeys: 'Instead of API keys',
          roleMappings: 'Roles',
          clientId: 'Client',
          clientSecret: 'Client secret',
          scopes: 'Scopes asked for',
          groupsClaim: 'Claim with the groups',
          emailVerification: 'Addresses taken',
          authorizedEmailDomains: 'Domains let in',
          description: 'Description',
          metadata: 'Metadata',
        }}
        kinds={['SignInProvider', 'Person']}
        document={UpdateSignInProviderDocument}
        changeOf={({ roleMappings, scopes: asked, authorizedEmailDomains, ...others }) => ({
          ...others,
          ...(roleMappings && { roleMappings: mappingsOf(roleMappings) ?? [] }),
          ...(asked && { scopes: sentLines(asked) }),
          ...(authorizedEmailDomains && { authorizedEmailDomains: sentLines(authorizedEmailDomains) }),
        })}
        writtenOf={(answer) => answer.updateSignInProvider?.signInProvider}
        path={`/sign_in_providers/${provider.id}`}
        said="Sign-in provider saved."
        canWrite={canWrite}
        isWrong={({ roleMappings }) => mappingsError(roleMappings) !== null}
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
              <Switch
                label="People sign in here"
                hint="The provider is asked when you save. Off signs everybody out who signed in by it."
                value={draft.values.enabled}
                onChange={(value) => draft.set({ enabled: value })}
                isDisabled={!canWrite}
              />
              <Switch
                label="Instead of API keys"
                hint="No API key signs in to the dashboard any more. Keys go on over the API."
                value={draft.values.refusesKeys}
                onChange={(value) => draft.set({ refusesKeys: value })}
                isDisabled={!canWrite}
              />
              <LinesField
                label="Roles"
                mono
                value={draft.values.roleMappings}
                onChange={(value) => draft.set({ roleMappings: value })}
                hint={mappingsHint}
                error={
                  mappingsError(draft.values.roleMappings) ??
                  lineErrorOf(problem, 'roleMappings', draft.values.roleMappings)
                }
                isDisabled={!canWrite}
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
              <LinesField
                label="Domains let in"
                mono
                value={draft.values.authorizedEmailDomains}
                onChange={(value) => draft.set({ authorizedEmailDomains: value })}
                hint="Domains of e-mail addresses, one on each line; none lets in all."
                error={lineErrorOf(problem, 'authorizedEmailDomains', draft.values.authorizedEmailDomains)}
                isDisabled={!canWrite}
              />
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
