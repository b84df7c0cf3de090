// The settings of a sign-in provider by SAML.

import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { LinesField, Switch, sentLines, TextField } from '../../kit/fields.tsx';
import { EditForm, errorOf, lineErrorOf } from '../../kit/form.tsx';
import { MetadataReading } from '../../kit/metadata-reading.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { useSaved } from '../../trail/undo.ts';
import { linesOf, mappingsError, mappingsHint, mappingsOf } from './mappings.ts';
import {
  type SamlOfProviderFragment,
  type SignInProviderQuery,
  UpdateSignInProviderDocument,
} from './people.generated.ts';

/** The fields of text, with the name that REST has for each, its label and what it is. */
const texts = [
  ['name', 'name', 'Name', 'What people see where they sign in.'],
  ['idpMetadata', 'idp_metadata', 'Metadata of the identity provider', 'Its entity ID never changes.'],
  ['idpMetadataUrl', 'idp_metadata_url', 'Address of the metadata', 'Read now, and again from time to time.'],
  ['idpEntityId', 'idp_entity_id', 'Entity of the metadata', 'Only if the address has the metadata of several.'],
  ['nameidFormat', 'nameid_format', 'Name identifier format', 'Required of assertions, as a URN.'],
  ['subjectAttribute', 'subject_attribute', 'Attribute with the subject', 'Empty for the NameID.'],
  ['emailAttribute', 'email_attribute', 'Attribute with the address', 'Empty for the usual ones.'],
  ['nameAttribute', 'name_attribute', 'Attribute with the name', 'Empty for the usual ones.'],
  ['groupsAttribute', 'groups_attribute', 'Attribute with the groups', 'Empty for the usual ones, all of which count.'],
] as const;
const restNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(texts.map(([field, rest]) => [field, rest])),
  refusesKeys: 'refuses_keys',
  roleMappings: 'role_mappings',
  authorizedEmailDomains: 'authorized_email_domains',
};
const inRest = (fields: object) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [restNames[field] ?? field, value]));

/** The form. */
export default function SamlSettings({
  provider,
  saml,
}: {
  provider: NonNullable<SignInProviderQuery['signInProvider']>;
  saml: SamlOfProviderFragment;
}) {
  const canWrite = useCan('people:write');
  const { name, description, metadata, enabled, refusesKeys } = provider;
  const { idpMetadata, idpMetadataUrl, idpEntityId, nameidFormat } = saml;
  const { subjectAttribute, emailAttribute, nameAttribute, groupsAttribute } = saml;
  const roleMappings: readonly string[] = linesOf(provider.roleMappings);
  const authorizedEmailDomains: readonly string[] = provider.authorizedEmailDomains;
  const { run, running, problem } = useAction(UpdateSignInProviderDocument, ['SignInProvider', 'Person']);
  const attributes = { subjectAttribute, emailAttribute, nameAttribute, groupsAttribute };
  const notes = { description, metadata };
  const draft = useDraft(
    {
      ...{ name, enabled, refusesKeys, roleMappings, authorizedEmailDomains },
      ...{ idpMetadata, idpMetadataUrl, idpEntityId, nameidFormat },
      ...attributes,
      ...notes,
    },
    provider.version,
    running,
  );
  const saved = useSaved(draft);
  const { values, changes } = draft;
  const ofSaml = Object.fromEntries(
    texts.flatMap(([field]) => (field === 'name' || changes[field] === undefined ? [] : [[field, changes[field]]])),
  );
  const common = {
    ...(changes.name !== undefined && { name: changes.name }),
    ...(changes.enabled !== undefined && { enabled: changes.enabled }),
    ...(changes.refusesKeys !== undefined && { refusesKeys: changes.refusesKeys }),
    ...(changes.description !== undefined && { description: changes.description }),
    ...(changes.metadata !== undefined && { metadata: changes.metadata }),
    ...(changes.roleMappings !== undefined && { roleMappings: mappingsOf(changes.roleMappings) ?? [] }),
    ...(changes.authorizedEmailDomains !== undefined && {
      authorizedEmailDomains: sentLines(changes.authorizedEmailDomains),
    }),
  };
  const hasSaml = Object.keys(ofSaml).length > 0;
  const body = { ...inRest(common), ...(hasSaml && { saml: inRest(ofSaml) }) };
  const input = { id: provider.id, expectedVersion: draft.version, ...common, ...(hasSaml && { saml: ofSaml }) };
  const wrong = mappingsError(values.roleMappings);
  return (
    <Panel title="Settings">
      {saml.idpMetadataWarnings.map(({ message }) => (
        <Notice key={message} tone="caution" title="The metadata has a problem.">
          {message}
        </Notice>
      ))}
      {saml.metadataReading !== null && <MetadataReading url={idpMetadataUrl} of={saml.metadataReading} />}
      <EditForm
        draft={draft}
        titles={{
          ...Object.fromEntries(texts.map(([field, , label]) => [field, label])),
          enabled: 'People sign in here',
          refusesKeys: 'Instead of API keys',
          roleMappings: 'Roles',
          authorizedEmailDomains: 'Domains let in',
          description: 'Description',
          metadata: 'Metadata',
        }}
        by={provider.updatedBy ? sayActor(provider.updatedBy) : undefined}
        running={running}
        problem={problem}
        canWrite={canWrite}
        call={
          <Call
            rest={{ method: 'PATCH', path: `/sign_in_providers/${provider.id}`, body, ifMatch: draft.version }}
            document={UpdateSignInProviderDocument}
            variables={{ input }}
          />
        }
        save={async () => {
          if (wrong !== null) return;
          saved('Sign-in provider saved.', (await run({ input }))?.updateSignInProvider?.signInProvider);
        }}
      >
        <Switch
          label="People sign in here"
          hint="Off signs everybody out who signed in by it."
          value={values.enabled}
          onChange={(value) => draft.set({ enabled: value })}
          isDisabled={!canWrite}
        />
        <Switch
          label="Instead of API keys"
          hint="No API key signs in to the dashboard any more. Keys go on over the API."
          value={values.refusesKeys}
          onChange={(value) => draft.set({ refusesKeys: value })}
          isDisabled={!canWrite}
        />
        <LinesField
          label="Roles"
          mono
          value={values.roleMappings}
          onChange={(value) => draft.set({ roleMappings: value })}
          hint={mappingsHint}
          error={wrong ?? lineErrorOf(problem, 'roleMappings', values.roleMappings)}
          isDisabled={!canWrite}
        />
        {texts.map(([field, , label, hint]) => (
          <TextField
            key={field}
            label={label}
            hint={hint}
            mono={field !== 'name'}
            {...(field === 'idpMetadata' && { lines: 4 })}
            value={values[field]}
            onChange={(value) => draft.set({ [field]: value })}
            error={errorOf(problem, field === 'name' ? field : `saml.${field}`)}
            isDisabled={!canWrite}
          />
        ))}
        <LinesField
          label="Domains let in"
          mono
          value={values.authorizedEmailDomains}
          onChange={(value) => draft.set({ authorizedEmailDomains: value })}
          hint="Domains of e-mail addresses, one on each line; none lets in all."
          error={lineErrorOf(problem, 'authorizedEmailDomains', values.authorizedEmailDomains)}
          isDisabled={!canWrite}
        />
        <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
        <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
      </EditForm>
    </Panel>
  );
}
