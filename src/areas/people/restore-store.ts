// Restores roles, providers and people to an earlier state.

import * as z from 'zod';
import { readScopes } from '../../domain/access/key-scopes.ts';
import { emailVerifications } from '../../domain/oidc/settings.ts';
import { notesState, type Restorers, type Restoring, restorer } from '../../storage/objects/restoring.ts';
import { setBlocked } from './person-store.ts';
import { updateSignInProvider } from './provider-store.ts';
import { createRole, type Giver, updateRole } from './role-store.ts';

const roleState = notesState.extend({ name: z.string(), scopes: z.string().transform(readScopes) });
const personState = z.object({ blocked: z.boolean() });
const providerState = notesState.extend({
  name: z.string(),
  enabled: z.boolean(),
  refusesKeys: z.boolean(),
  roleMappings: z.array(
    z.object({
      group: z.string().nullable(),
      email: z.string().nullable(),
      everybody: z.boolean(),
      role: z.string(),
    }),
  ),
  clientId: z.string(),
  scopes: z.array(z.string()),
  // Events of earlier versions lack what only providers by SAML have.
  protocol: z.enum(['oidc', 'saml']).default('oidc'),
  idpMetadata: z.string().nullable().default(null),
  idpMetadataUrl: z.string().default(''),
  idpEntityId: z.string().default(''),
  nameidFormat: z.string().nullable().default(null),
  subjectAttribute: z.string().nullable().default(null),
  emailAttribute: z.string().nullable().default(null),
  nameAttribute: z.string().nullable().default(null),
  groupsClaim: z.string(),
  emailVerification: z.enum(emailVerifications),
  authorizedEmailDomains: z.array(z.string()),
});

/** Returns a state as a change to it. */
function changeOf(state: z.infer<typeof providerState>) {
  const { protocol, nameidFormat, subjectAttribute, emailAttribute, nameAttribute, ...others } = state;
  const { idpMetadata, idpMetadataUrl, idpEntityId, ...common } = others;
  if (protocol === 'oidc') return common;
  const { clientId: _client, scopes: _scopes, emailVerification: _verification, groupsClaim, ...rest } = common;
  const attributes = {
    subjectAttribute: subjectAttribute ?? '',
    emailAttribute: emailAttribute ?? '',
    nameAttribute: nameAttribute ?? '',
    groupsAttribute: groupsClaim,
  };
  return { ...rest, saml: { idpMetadata, idpMetadataUrl, idpEntityId, nameidFormat, ...attributes } };
}

const giverOf = ({ rights, personId, lockout }: Restoring): Giver => ({ rights, personId, force: lockout === null });

export const restorers: Restorers = {
  Role: restorer(roleState, {
    update: (restoring, { id, state }, expectedVersion) =>
      updateRole(restoring.scope, { ...state, id, expectedVersion }, giverOf(restoring)),
    recreate: (restoring, { object, state }) => createRole(restoring.scope, state, giverOf(restoring), object),
  }),
  SignInProvider: restorer(providerState, {
    // The provider is not asked: what it says about itself is that of its issuer, which never changes.
    update: (restoring, { id, state }, expectedVersion) =>
      updateSignInProvider(
        restoring.scope,
        { ...changeOf(state), id, expectedVersion },
        { ...giverOf(restoring), examine: async () => {} },
      ),
    recreate: 'A deleted sign-in provider cannot come back: its client secret went with it. Create another one.',
  }),
  Person: restorer(personState, {
    update: (restoring, { id, state }, expectedVersion) =>
      setBlocked(restoring.scope, id, state.blocked, giverOf(restoring), expectedVersion),
    recreate: 'A person comes back by signing in.',
  }),
};
