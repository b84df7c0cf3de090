// The settings of a sign-in provider by SAML.

import { useCan } from '../../client/rights.ts';
import { LinesField, Switch, sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { MetadataReading } from '../../kit/metadata-reading.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { inRest, ObjectForm } from '../../trail/object-form.tsx';
import { linesOf, mappingsError, mappingsHint, mappingsOf } from './mappings.ts';
import {
  type SamlOfProviderFragment,
  type SignInProviderQuery,
  UpdateSignInProviderDocument,
} from './people.generated.ts';

/** The fields of text, with the label of each and what it is. */
const texts = [
  ['name', 'Name', 'What people see where they sign in.'],
  ['idpMetadata', 'Metadata of the identity provider', 'Its entity ID never changes.'],
  ['idpMetadataUrl', 'Address of the metadata', 'Read now, and again from time to time.'],
  ['idpEntityId', 'Entity of the metadata', 'Only if the address has the metadata of several.'],
  ['nameidFormat', 'Name identifier format', 'Required of assertions, as a URN.'],
  ['subjectAttribute', 'Attribute with the subject', 'Empty for the NameID.'],
  ['emailAttribute', 'Attribute with the address', 'Empty for the usual ones.'],
  ['nameAttribute', 'Attribute with the name', 'Empty for the usual ones.'],
  ['groupsAttribute', 'Attribute with the groups', 'Empty for the usual ones, all of which count.'],
] as const;
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
  const attributes = { subjectAttribute, emailAttribute, nameAttribute, groupsAttribute };
  const notes = { description, metadata };
  const values = {
    ...{ name, enabled, refusesKeys, roleMappings, authorizedEmailDomains },
    ...{ idpMetadata, idpMetadataUrl, idpEntityId, nameidFormat },
    ...attributes,
    ...notes,
  };
  /** Returns the change: what is of SAML stands in an object of its own. */
  const changeOf = ({ roleMappings: lines, authorizedEmailDomains: domains, ...changes }: Partial<typeof values>) => {
    const { name: called, enabled: isOn, refusesKeys: refuses, description: text, metadata: data, ...ofSaml } = changes;
    const own = { name: called, enabled: isOn, refusesKeys: refuses, description: text, metadata: data };
    return {
      ...own,
      ...(lines && { roleMappings: mappingsOf(lines) ?? [] }),
      ...(domains && { authorizedEmailDomains: sentLines(domains) }),
      ...(Object.keys(ofSaml).length > 0 && { saml: ofSaml }),
    };
  };
  return (
    <Panel title="Settings">
      {saml.idpMetadataWarnings.map(({ message }) => (
        <Notice key={message} tone="caution" title="The metadata has a problem.">
          {message}
        </Notice>
      ))}
      {saml.metadataReading !== null && <MetadataReading url={idpMetadataUrl} of={saml.metadataReading} />}
      <ObjectForm
        of={provider}
        values={values}
        titles={{
          ...Object.fromEntries(texts),
          enabled: 'People sign in here',
          refusesKeys: 'Instead of API keys',
          roleMappings: 'Roles',
          authorizedEmailDomains: 'Domains let in',
          description: 'Description',
          metadata: 'Metadata',
        }}
        kinds={['SignInProvider', 'Person']}
        document={UpdateSignInProviderDocument}
        changeOf={changeOf}
        restOf={({ saml: ofSaml, ...others }) => ({ ...inRest(others), ...(ofSaml && { saml: inRest(ofSaml) }) })}
        writtenOf={(answer) => answer.updateSignInProvider?.signInProvider}
        path={`/sign_in_providers/${provider.id}`}
        said="Sign-in provider saved."
        canWrite={canWrite}
        isWrong={({ roleMappings: lines }) => mappingsError(lines) !== null}
      >
        {({ draft, problem }) => (
          <>
            <Switch
              label="People sign in here"
              hint="Off signs everybody out who signed in by it."
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
            {texts.map(([field, label, hint]) => (
              <TextField
                key={field}
                label={label}
                hint={hint}
                mono={field !== 'name'}
                {...(field === 'idpMetadata' && { lines: 4 })}
                value={draft.values[field]}
                onChange={(value) => draft.set({ [field]: value })}
                error={errorOf(problem, field === 'name' ? field : `saml.${field}`)}
                isDisabled={!canWrite}
              />
            ))}
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
        )}
      </ObjectForm>
    </Panel>
  );
}
