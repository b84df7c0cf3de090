// The login of a route by OpenID Connect: the provider, who is let in, and for how long.

import { useAction } from '../../client/data.ts';
import type { Problem } from '../../client/problem.ts';
import { useCan } from '../../client/rights.ts';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { LinesField, SelectField, sentLines, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { Notice } from '../../kit/notice.tsx';
import { useSaved } from '../../trail/undo.ts';
import styles from './https-edges.module.css';
import type { RouteOfLogin } from './login.tsx';
import { commonOf, commonTitles, EntryFields, restBody, SessionFields, SpecialFields } from './login-fields.tsx';
import { LoginForm } from './login-form.tsx';
import { useOidcRemoval } from './login-removal.ts';
import { OidcValues } from './oidc-values.tsx';
import { RegistrationField } from './registration-field.tsx';
import { type OidcClientPartsFragment, type OidcPartsFragment, ReplaceOidcModuleDocument } from './route.generated.ts';
import { Section } from './section.tsx';

const titles = {
  ...commonTitles,
  loginRouteId: 'Registration',
  issuer: 'Issuer',
  clientId: 'Client',
  clientSecret: 'Client secret',
  scopes: 'Scopes',
  authorizedEmailDomains: 'Domains of e-mail addresses',
  groupsClaim: 'Claim of groups',
  emailVerification: 'E-mail addresses',
};

const verifications = [
  { value: 'required', title: 'only those that the provider has verified' },
  { value: 'trusted', title: 'all: its administrator gives users their addresses' },
] as const;

/** Returns the settings of an OpenID Connect module; the API's defaults if there is none. The secret is never known here. */
function settingsOf(oidc: OidcPartsFragment | null) {
  return {
    ...commonOf(oidc),
    loginRouteId: oidc?.loginRouteId ?? null,
    issuer: oidc?.issuer ?? '',
    clientId: oidc?.clientId ?? '',
    clientSecret: '',
    scopes: (oidc?.scopes ?? ['email', 'profile']) as readonly string[],
    authorizedEmailDomains: (oidc?.authorizedEmailDomains ?? []) as readonly string[],
    groupsClaim: oidc?.groupsClaim ?? 'groups',
    emailVerification: oidc?.emailVerification ?? 'required',
  };
}

/** What keeps everybody from logging in, as far as it is known. */
function Trouble({ oidc }: { oidc: OidcPartsFragment }) {
  if (!oidc.hasClientSecret) {
    return (
      <Notice tone="caution" title="Nobody can log in: the client secret is missing.">
        A restoration does not know it. Enter it again below.
      </Notice>
    );
  }
  if (oidc.failure === null) return null;
  return (
    <Notice tone="caution" title="The provider could not be used when somebody last wanted to log in.">
      {oidc.failure}
    </Notice>
  );
}

interface ClientFieldsProps {
  readonly oidc: OidcPartsFragment | null;
  readonly client: OidcClientPartsFragment;
  readonly values: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  readonly set: (changes: Partial<ClientFieldsProps['values']>) => void;
  readonly problem: Problem | null;
  readonly canWrite: boolean;
}

/** The client, where the route has a registration of its own. */
function ClientFields({ oidc, client, values, set, problem, canWrite }: ClientFieldsProps) {
  const isNew = oidc === null || oidc.loginRouteId !== null;
  return (
    <>
      {isNew && (
        <div className={styles.copies}>
          <OidcValues of={client} />
        </div>
      )}
      <TextField
        label="Issuer"
        mono
        isRequired
        value={values.issuer}
        onChange={(issuer) => set({ issuer })}
        placeholder="https://idp.example.com/realms/staff"
        hint="Its https address, with or without /.well-known/openid-configuration."
        error={errorOf(problem, 'issuer')}
        isDisabled={!canWrite}
        // The button that opened the form is gone.
        autoFocus={oidc === null}
      />
      <TextField
        label="Client"
        mono
        isRequired
        value={values.clientId}
        onChange={(clientId) => set({ clientId })}
        hint="The client id that the provider gives."
        error={errorOf(problem, 'clientId')}
        isDisabled={!canWrite}
      />
      <TextField
        label="Client secret"
        type="password"
        autoComplete="new-password"
        isRequired={isNew}
        value={values.clientSecret}
        onChange={(clientSecret) => set({ clientSecret })}
        hint={
          oidc?.hasClientSecret && !isNew
            ? 'Never shown. Empty: the stored one is kept, as long as issuer and client are the same.'
            : 'It is sealed, and never shown again.'
        }
        error={errorOf(problem, 'clientSecret')}
        isDisabled={!canWrite}
      />
    </>
  );
}

/** The form of a login by OpenID Connect. Saving replaces the whole module; without a secret, the stored one is kept. */
export default function OidcLogin({ route, begun }: { route: RouteOfLogin; begun: () => void }) {
  const { oidc } = route;
  const canWrite = useCan('https-edges:write');
  const { run, running, problem } = useAction(ReplaceOidcModuleDocument, ['HttpsEdgeRoute', 'HttpsEdge']);
  const draft = useDraft(settingsOf(oidc), route.version, running);
  const saved = useSaved(draft);
  const removal = useOidcRemoval(route);
  const { values, set } = draft;
  const settings = {
    ...values,
    authorizedGroups: sentLines(values.authorizedGroups),
    scopes: sentLines(values.scopes),
    authorizedEmailDomains: sentLines(values.authorizedEmailDomains),
  };
  const input = { edgeId: route.edge.id, routeId: route.id, expectedVersion: draft.version, ...settings };
  // Shown calls are copied, and a secret does not belong there.
  const told = { ...settings, clientSecret: settings.clientSecret === '' ? '' : '...' };
  const fields = { values, set, problem, canWrite };
  return (
    <LoginForm
      route={route}
      isNew={oidc === null}
      protocol="OpenID Connect"
      removal={removal}
      trouble={oidc !== null && <Trouble oidc={oidc} />}
      draft={draft}
      titles={titles}
      running={running}
      problem={problem}
      canWrite={canWrite}
      call={
        <Call
          rest={{
            method: 'PUT',
            path: `/edges/https/${route.edge.id}/routes/${route.id}/oidc`,
            body: restBody(told),
            ifMatch: draft.version,
          }}
          document={ReplaceOidcModuleDocument}
          variables={{ input: { ...input, ...told } }}
        />
      }
      save={async () => {
        const written = (await run({ input }))?.replaceOidcModule?.httpsEdgeRoute;
        if (!saved(oidc === null ? 'A login is required now.' : 'Login saved.', written)) return;
        if (oidc === null) begun();
      }}
    >
      <Section title="Provider" description="Register a confidential web client there, for the code flow.">
        <RegistrationField
          protocol="oidc"
          routeId={route.id}
          value={values.loginRouteId}
          onChange={(loginRouteId) =>
            set(loginRouteId === null ? { loginRouteId } : { loginRouteId, issuer: '', clientId: '', clientSecret: '' })
          }
          error={errorOf(problem, 'loginRouteId')}
          isDisabled={!canWrite}
        />
        {values.loginRouteId === null && (
          <ClientFields
            oidc={oidc}
            client={route.oidcClient}
            values={values}
            set={set}
            problem={problem}
            canWrite={canWrite}
          />
        )}
        <LinesField
          label="Scopes"
          value={values.scopes}
          onChange={(scopes) => set({ scopes })}
          hint="What is asked for besides openid, one on each line."
          error={lineErrorOf(problem, 'scopes', values.scopes)}
          isDisabled={!canWrite}
        />
      </Section>
      <Section title="Who may come in" description="Groups are those of the last login.">
        <EntryFields {...fields} />
        <TextField
          label="Claim of groups"
          mono
          value={values.groupsClaim}
          onChange={(groupsClaim) => set({ groupsClaim })}
          hint="Where the ID token or the user information has the groups."
          error={errorOf(problem, 'groupsClaim')}
          isDisabled={!canWrite}
        />
        <LinesField
          label="Domains of e-mail addresses"
          value={values.authorizedEmailDomains}
          onChange={(authorizedEmailDomains) => set({ authorizedEmailDomains })}
          hint="Such as example.com, one on each line. Empty: all."
          error={lineErrorOf(problem, 'authorizedEmailDomains', values.authorizedEmailDomains)}
          isDisabled={!canWrite}
        />
        <SelectField
          label="E-mail addresses that count"
          value={values.emailVerification}
          onChange={(emailVerification) => set({ emailVerification })}
          options={verifications}
          hint="Entra ID and authentik never say that an address is verified."
          error={errorOf(problem, 'emailVerification')}
          isDisabled={!canWrite}
        />
      </Section>
      <Section title="Sessions" description="A session ends at the first of these ends.">
        <SessionFields {...fields} />
      </Section>
      <Section title="Special cases" description="What most applications leave as it is.">
        <SpecialFields {...fields} />
      </Section>
    </LoginForm>
  );
}
