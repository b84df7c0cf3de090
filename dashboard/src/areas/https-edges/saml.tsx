// The login of a route by SAML: the identity provider, who is let in, and for how long.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { SelectField, Switch, sentLines } from '../../kit/fields.tsx';
import { Fold } from '../../kit/fold.tsx';
import { errorOf } from '../../kit/form.tsx';
import { MetadataReading } from '../../kit/metadata-reading.tsx';
import { useSaved } from '../../trail/undo.ts';
import styles from './https-edges.module.css';
import { IdentityProvider, MetadataWarnings } from './identity-provider.tsx';
import type { RouteOfLogin } from './login.tsx';
import { commonOf, commonTitles, EntryFields, restBody, SessionFields, SpecialFields } from './login-fields.tsx';
import { LoginForm } from './login-form.tsx';
import { useSamlRemoval } from './login-removal.ts';
import { AddressFields } from './metadata-address.tsx';
import { MetadataField } from './metadata-field.tsx';
import { ProviderValues } from './provider-values.tsx';
import { RegistrationField } from './registration-field.tsx';
import { ReplaceSamlModuleDocument, type SamlPartsFragment } from './route.generated.ts';
import { Section } from './section.tsx';

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const nameidFormats = [
  { value: persistent, title: 'persistent: the same for good, often opaque' },
  { value: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress', title: 'emailAddress: the e-mail address' },
  { value: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient', title: 'transient: another at each login' },
  { value: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified', title: 'unspecified: whatever is sent' },
];

const titles = {
  ...commonTitles,
  idpMetadata: 'Metadata',
  idpMetadataUrl: 'Address of the metadata',
  idpEntityId: 'Entity of the metadata',
  loginRouteId: 'Registration',
  nameidFormat: 'Name of users',
  forceAuthn: 'Ask for credentials each time',
  allowIdpInitiated: 'Logins may begin at the identity provider',
};

/** Returns the settings of a SAML module; the API's defaults if there is none. */
function settingsOf(saml: SamlPartsFragment | null) {
  return {
    ...commonOf(saml),
    idpMetadata: saml?.idpMetadata ?? '',
    idpMetadataUrl: saml?.idpMetadataUrl ?? '',
    idpEntityId: saml?.idpEntityId ?? '',
    loginRouteId: saml?.loginRouteId ?? null,
    nameidFormat: saml?.nameidFormat ?? persistent,
    forceAuthn: saml?.forceAuthn ?? false,
    allowIdpInitiated: saml?.allowIdpInitiated ?? true,
  };
}

/** The form of a login by SAML. Saving replaces the whole module. */
export default function SamlLogin({ route, begun }: { route: RouteOfLogin; begun: () => void }) {
  const { saml } = route;
  const canWrite = useCan('https-edges:write');
  const [isReplacing, setReplacing] = useState(saml === null);
  const { run, running, problem } = useAction(ReplaceSamlModuleDocument, ['HttpsEdgeRoute', 'HttpsEdge']);
  const draft = useDraft(settingsOf(saml), route.version, running);
  const saved = useSaved(draft);
  const removal = useSamlRemoval(route);
  const { values, set } = draft;
  const settings = { ...values, authorizedGroups: sentLines(values.authorizedGroups) };
  const input = { edgeId: route.edge.id, routeId: route.id, expectedVersion: draft.version, ...settings };
  const fields = { values, set, problem, canWrite };
  return (
    <LoginForm
      route={route}
      isNew={saml === null}
      protocol="SAML 2.0"
      removal={removal}
      draft={draft}
      titles={titles}
      running={running}
      problem={problem}
      canWrite={canWrite}
      call={
        <Call
          rest={{
            method: 'PUT',
            path: `/edges/https/${route.edge.id}/routes/${route.id}/saml`,
            body: restBody(settings),
            ifMatch: draft.version,
          }}
          document={ReplaceSamlModuleDocument}
          variables={{ input }}
        />
      }
      save={async () => {
        const written = (await run({ input }))?.replaceSamlModule?.httpsEdgeRoute;
        if (!saved(saml === null ? 'A login is required now.' : 'Login saved.', written)) return;
        setReplacing(false);
        if (saml === null) begun();
      }}
    >
      <Section
        title="Identity provider"
        description="Its metadata says where logins go, and which certificates sign them."
        actions={
          saml !== null &&
          values.loginRouteId === null &&
          canWrite && (
            <Button
              onPress={() => {
                if (isReplacing) {
                  const { idpMetadata, idpMetadataUrl, idpEntityId } = saml;
                  set({ idpMetadata, idpMetadataUrl, idpEntityId });
                }
                setReplacing(!isReplacing);
              }}
            >
              {isReplacing ? 'Keep it' : 'Replace metadata'}
            </Button>
          )
        }
      >
        <RegistrationField
          protocol="saml"
          routeId={route.id}
          value={values.loginRouteId}
          onChange={(loginRouteId) => {
            const own = loginRouteId === null ? saml : null;
            const { idpMetadata = '', idpMetadataUrl = '', idpEntityId = '' } = own ?? {};
            set({ loginRouteId, idpMetadata, idpMetadataUrl, idpEntityId });
            // Without metadata of its own, some have to be given.
            setReplacing(saml === null || saml.loginRouteId !== null);
          }}
          error={errorOf(problem, 'loginRouteId')}
          isDisabled={!canWrite}
        />
        {saml !== null && values.loginRouteId === saml.loginRouteId && (!isReplacing || saml.loginRouteId !== null) && (
          <>
            <IdentityProvider provider={saml.identityProvider} />
            <MetadataWarnings warnings={saml.idpMetadataWarnings} />
            {saml.metadataReading !== null && <MetadataReading url={saml.idpMetadataUrl} of={saml.metadataReading} />}
          </>
        )}
        {isReplacing && values.loginRouteId === null && <AddressFields values={values} set={set} problem={problem} />}
        {isReplacing && values.loginRouteId === null && (
          <MetadataField
            value={values.idpMetadata}
            onChange={(idpMetadata) => set({ idpMetadata })}
            error={errorOf(problem, 'idpMetadata')}
            // The button that opened the form is gone.
            autoFocus={saml === null}
          />
        )}
        {saml === null && values.loginRouteId === null && (
          <Fold title="If it asks for this side first">
            <div className={styles.copies}>
              <ProviderValues of={route.samlServiceProvider} />
            </div>
          </Fold>
        )}
      </Section>
      <Section title="Who may come in" description="Groups are those of the last login.">
        <EntryFields {...fields} />
        <SelectField
          label="Name of users"
          value={values.nameidFormat}
          onChange={(nameidFormat) => set({ nameidFormat })}
          options={nameidFormats}
          hint="The NameID, which the application gets as Remote-User. Configure both sides alike."
          error={errorOf(problem, 'nameidFormat')}
          isDisabled={!canWrite}
        />
      </Section>
      <Section title="Sessions" description="A session ends at the first of these ends.">
        <SessionFields {...fields} />
        <Switch
          label="Ask for credentials at each login"
          hint="even of somebody who is logged in at the identity provider"
          value={values.forceAuthn}
          onChange={(forceAuthn) => set({ forceAuthn })}
          isDisabled={!canWrite}
        />
      </Section>
      <Section title="Special cases" description="What most applications leave as it is.">
        <Switch
          label="Logins may begin at the identity provider"
          hint="such as on its page of applications"
          value={values.allowIdpInitiated}
          onChange={(allowIdpInitiated) => set({ allowIdpInitiated })}
          isDisabled={!canWrite}
        />
        <SpecialFields {...fields} />
      </Section>
    </LoginForm>
  );
}
