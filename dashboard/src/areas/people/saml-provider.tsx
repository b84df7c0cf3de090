// The settings of a sign-in provider by SAML.

import { useCan } from '../../client/rights.ts';
import { TextField } from '../../kit/fields.tsx';
import { errorOf } from '../../kit/form.tsx';
import { MetadataReading } from '../../kit/metadata-reading.tsx';
import { DescriptionField, MetadataField } from '../../kit/notes.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { inRest, ObjectForm } from '../../trail/object-form.tsx';
import { type SamlOfProviderFragment, UpdateSignInProviderDocument } from './people.generated.ts';
import {
  DomainsField,
  EntryFields,
  isWrongProvider,
  type Provider,
  providerTitles,
  providerValues,
  sentLists,
} from './provider-fields.tsx';

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
export default function SamlSettings({ provider, saml }: { provider: Provider; saml: SamlOfProviderFragment }) {
  const canWrite = useCan('people:write');
  const { name, description, metadata } = provider;
  const { idpMetadata, idpMetadataUrl, idpEntityId, nameidFormat } = saml;
  const { subjectAttribute, emailAttribute, nameAttribute, groupsAttribute } = saml;
  const attributes = { subjectAttribute, emailAttribute, nameAttribute, groupsAttribute };
  const notes = { description, metadata };
  const values = {
    ...{ name, ...providerValues(provider) },
    ...{ idpMetadata, idpMetadataUrl, idpEntityId, nameidFormat },
    ...attributes,
    ...notes,
  };
  /** Returns the change: what is of SAML stands in an object of its own. */
  const changeOf = ({ roleMappings, authorizedEmailDomains, ...changes }: Partial<typeof values>) => {
    const { name: called, enabled, refusesKeys, description: text, metadata: data, ...ofSaml } = changes;
    const own = { name: called, enabled, refusesKeys, description: text, metadata: data };
    return {
      ...own,
      ...sentLists({ roleMappings, authorizedEmailDomains }),
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
        titles={{ ...providerTitles, ...Object.fromEntries(texts) }}
        kinds={['SignInProvider', 'Person']}
        document={UpdateSignInProviderDocument}
        changeOf={changeOf}
        restOf={({ saml: ofSaml, ...others }) => ({ ...inRest(others), ...(ofSaml && { saml: inRest(ofSaml) }) })}
        writtenOf={(answer) => answer.updateSignInProvider?.signInProvider}
        path={`/sign_in_providers/${provider.id}`}
        said="Sign-in provider saved."
        canWrite={canWrite}
        isWrong={isWrongProvider}
      >
        {({ draft, problem }) => (
          <>
            <EntryFields
              draft={draft}
              problem={problem}
              canWrite={canWrite}
              enabledHint="Off signs everybody out who signed in by it."
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
            <DomainsField draft={draft} problem={problem} canWrite={canWrite} />
            <DescriptionField draft={draft} problem={problem} canWrite={canWrite} />
            <MetadataField draft={draft} problem={problem} canWrite={canWrite} />
          </>
        )}
      </ObjectForm>
    </Panel>
  );
}
