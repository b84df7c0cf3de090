// The login of a route: the identity provider, who is let in, and for how long.

import { useState } from 'react';
import { useAction } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { LinesField, SelectField, Switch, sentLines, TextField } from '../../kit/fields.tsx';
import { Fold } from '../../kit/fold.tsx';
import { EditForm, errorOf, lineErrorOf } from '../../kit/form.tsx';
import { Empty, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { useSaved } from '../../trail/undo.ts';
import { DurationField } from './duration-field.tsx';
import type { ActorPartsFragment } from './https-edges.generated.ts';
import styles from './https-edges.module.css';
import { IdentityProvider, MetadataWarnings } from './identity-provider.tsx';
import { MetadataField } from './metadata-field.tsx';
import { ProviderValues } from './provider-values.tsx';
import {
  ReplaceSamlModuleDocument,
  type SamlPartsFragment,
  type ServiceProviderPartsFragment,
} from './route.generated.ts';
import { useLoginRemoval } from './saml-removal.ts';
import { Section } from './section.tsx';

/** The parts of a route that its login form uses. */
export interface RouteOfLogin {
  readonly id: string;
  readonly version: number;
  readonly updatedBy: ActorPartsFragment | null;
  readonly edge: { readonly id: string };
  readonly saml: SamlPartsFragment | null;
  readonly samlServiceProvider: ServiceProviderPartsFragment;
}

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const nameidFormats = [
  { value: persistent, title: 'persistent: the same for good, often opaque' },
  { value: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress', title: 'emailAddress: the e-mail address' },
  { value: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient', title: 'transient: another at each login' },
  { value: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified', title: 'unspecified: whatever is sent' },
];

const titles = {
  idpMetadata: 'Metadata',
  loginRouteId: 'Registration',
  enabled: 'Demand a login',
  authorizedGroups: 'Groups',
  nameidFormat: 'Name of users',
  maximumDuration: 'Longest session',
  inactivityTimeout: 'Longest pause',
  forceAuthn: 'Ask for credentials each time',
  allowIdpInitiated: 'Logins may begin at the identity provider',
  optionsPassthrough: 'Let OPTIONS pass',
  cookiePrefix: 'Prefix of cookies',
};

/** Returns the settings of a SAML module; the API's defaults if there is none. */
function settingsOf(saml: SamlPartsFragment | null) {
  return {
    idpMetadata: saml?.idpMetadata ?? '',
    loginRouteId: saml?.loginRouteId ?? null,
    enabled: saml?.enabled ?? true,
    authorizedGroups: (saml?.authorizedGroups ?? []) as readonly string[],
    nameidFormat: saml?.nameidFormat ?? persistent,
    maximumDuration: saml?.maximumDuration ?? 0,
    inactivityTimeout: saml?.inactivityTimeout ?? 0,
    forceAuthn: saml?.forceAuthn ?? false,
    allowIdpInitiated: saml?.allowIdpInitiated ?? true,
    optionsPassthrough: saml?.optionsPassthrough ?? false,
    cookiePrefix: saml?.cookiePrefix ?? 'sallyport.',
  };
}

/** The login form. Saving replaces the whole SAML module. */
function LoginForm({ route, begun }: { route: RouteOfLogin; begun: () => void }) {
  const { saml } = route;
  const canWrite = useCan('https-edges:write');
  const [isReplacing, setReplacing] = useState(saml === null);
  const { run, running, problem } = useAction(ReplaceSamlModuleDocument, ['HttpsEdgeRoute', 'HttpsEdge']);
  const draft = useDraft(settingsOf(saml), route.version, running);
  const saved = useSaved(draft);
  const removal = useLoginRemoval(route);
  const { values, set } = draft;
  const settings = { ...values, authorizedGroups: sentLines(values.authorizedGroups) };
  const input = { edgeId: route.edge.id, routeId: route.id, expectedVersion: draft.version, ...settings };
  const body = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
  return (
    <Panel
      title={saml === null ? 'Require a login' : 'Login'}
      description={saml === null ? 'At the identity provider of your users, by SAML 2.0.' : undefined}
      actions={
        saml !== null &&
        canWrite && (
          <Button onPress={removal.start} isPending={removal.running}>
            Remove the login
          </Button>
        )
      }
    >
      <EditForm
        draft={draft}
        titles={titles}
        by={route.updatedBy ? sayActor(route.updatedBy) : undefined}
        running={running}
        problem={problem}
        canWrite={canWrite}
        action={saml === null ? 'Require a login' : 'Save'}
        call={
          <Call
            rest={{
              method: 'PUT',
              path: `/edges/https/${route.edge.id}/routes/${route.id}/saml`,
              body,
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
        {removal.overtaken}
        <ProblemNotice problem={removal.problem} />
        <Section
          title="Identity provider"
          description="Its metadata says where logins go, and which certificates sign them."
          actions={
            saml !== null &&
            canWrite && (
              <Button
                onPress={() => {
                  if (isReplacing) set({ idpMetadata: saml.idpMetadata, loginRouteId: saml.loginRouteId });
                  setReplacing(!isReplacing);
                }}
              >
                {isReplacing ? 'Keep it' : 'Replace metadata'}
              </Button>
            )
          }
        >
          {saml !== null && !isReplacing && (
            <>
              {saml.loginRouteId !== null && (
                <Notice title="The registration of another route is used.">
                  Its identity provider, key and addresses are those of the route {saml.loginRouteId}. Metadata that you
                  give here makes one of its own.
                </Notice>
              )}
              <IdentityProvider provider={saml.identityProvider} />
              <MetadataWarnings warnings={saml.idpMetadataWarnings} />
            </>
          )}
          {isReplacing && (
            <MetadataField
              value={values.idpMetadata}
              onChange={(idpMetadata) => set({ idpMetadata, loginRouteId: null })}
              error={errorOf(problem, 'idpMetadata')}
              // The button that opened the form is gone.
              autoFocus={saml === null}
            />
          )}
          {saml === null && (
            <Fold title="If it asks for this side first">
              <div className={styles.copies}>
                <ProviderValues of={route.samlServiceProvider} />
              </div>
            </Fold>
          )}
        </Section>
        <Section title="Who may come in" description="Groups are those of the last login.">
          <Switch
            label="Demand a login"
            hint={values.enabled ? '' : 'Switched off, the route is open to everybody.'}
            value={values.enabled}
            onChange={(enabled) => set({ enabled })}
            isDisabled={!canWrite}
          />
          <LinesField
            label="Groups"
            value={values.authorizedGroups}
            onChange={(authorizedGroups) => set({ authorizedGroups })}
            hint="One on each line, exactly as the identity provider sends them. Empty: everybody who can log in."
            error={lineErrorOf(problem, 'authorizedGroups', values.authorizedGroups)}
            isDisabled={!canWrite}
          />
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
          <DurationField
            label="Longest session"
            value={values.maximumDuration}
            onChange={(maximumDuration) => set({ maximumDuration })}
            hint="Then a login is needed again, and groups are read anew."
            error={errorOf(problem, 'maximumDuration')}
            isDisabled={!canWrite}
          />
          <DurationField
            label="Longest pause"
            value={values.inactivityTimeout}
            onChange={(inactivityTimeout) => set({ inactivityTimeout })}
            hint="Who has sent no request for this long logs in again."
            error={errorOf(problem, 'inactivityTimeout')}
            isDisabled={!canWrite}
          />
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
          <Switch
            label="Let OPTIONS pass without a login"
            hint="for scripts of other sites, whose browsers ask so first (CORS)"
            value={values.optionsPassthrough}
            onChange={(optionsPassthrough) => set({ optionsPassthrough })}
            isDisabled={!canWrite}
          />
          <TextField
            label="Prefix of cookies"
            mono
            value={values.cookiePrefix}
            onChange={(cookiePrefix) => set({ cookiePrefix })}
            hint="What names of session cookies begin with, after __Host-."
            error={errorOf(problem, 'cookiePrefix')}
            isDisabled={!canWrite}
          />
        </Section>
      </EditForm>
      {removal.dialog}
    </Panel>
  );
}

/** The login of a route. `begun` is called when a login has been added to a route without one. */
export function Login({ route, begun }: { route: RouteOfLogin; begun: () => void }) {
  const { saml } = route;
  const canWrite = useCan('https-edges:write');
  const [isBeginning, setBeginning] = useState(false);
  if (saml === null && !isBeginning) {
    return (
      <Panel title="Login" bare>
        <Empty
          title="This route is open"
          actions={
            canWrite && (
              <Button look="primary" onPress={() => setBeginning(true)}>
                Require a login
              </Button>
            )
          }
        >
          Everybody whom the IP restrictions allow reaches it. With a login, only users of your identity provider do,
          such as Entra ID, Okta, Google Workspace or Keycloak; the application learns from a header who they are.
        </Empty>
      </Panel>
    );
  }
  return (
    <div className="stack">
      {saml !== null && !saml.enabled && (
        <Notice tone="caution" title="The login is switched off.">
          The route is open to everybody whom the IP restrictions allow.
        </Notice>
      )}
      {/* Remounted, so that input for a new login does not become an edit of one that somebody else has just added. */}
      <LoginForm key={saml === null ? 'new' : 'set'} route={route} begun={begun} />
    </div>
  );
}
