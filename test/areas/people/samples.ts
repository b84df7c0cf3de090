// Samples of roles and sign-in providers for the tests that run over all areas. People have none: nobody creates a person but the
// person who signs in.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

let lastName = 0;
/** Returns a name that no other object has. */
const newName = () => {
  lastName += 1;
  return `name-${lastName}`;
};

const client = { issuer: 'https://idp.example.com', client_id: 'sallyport', client_secret: 'a secret of the client' };

export const samples: AreaSamples = {
  routes: [...collectionRoutes('/roles'), ...collectionRoutes('/sign_in_providers')],
  bodies: {
    'POST /roles': () => ({ name: 'network', scopes: ['ip-policies:write', 'read'], description: 'Network team' }),
    'PATCH /roles/{id}': () => ({ scopes: ['ip-policies:write'] }),
    // Disabled: otherwise the provider would be asked.
    'POST /sign_in_providers': () => ({
      ...client,
      name: 'Keycloak',
      enabled: false,
      role_mappings: [
        { group: '/operations', role: 'operator' },
        { email: 'ada@example.com', role: 'owner' },
      ],
    }),
    'PATCH /sign_in_providers/{id}': () => ({ role_mappings: [{ group: '/operations', role: 'auditor' }] }),
  },
  unique: { name: (count) => `name-of-${count}` },
  collections: [
    {
      path: '/roles',
      listField: 'roles',
      connection: 'roles',
      required: async () => ({ name: newName(), scopes: ['read'] }),
      createFields: 'name, scopes, description, metadata',
      updateFields: 'scopes, description, metadata',
      objectsAtStart: 0,
    },
    {
      path: '/sign_in_providers',
      listField: 'sign_in_providers',
      connection: 'signInProviders',
      required: async () => ({ ...client, name: newName(), enabled: false }),
      createFields:
        'issuer, name, client_id, client_secret, enabled, refuses_keys, role_mappings, scopes, groups_claim, email_verification, ' +
        'authorized_email_domains, saml, description, metadata',
      updateFields:
        'name, client_id, client_secret, enabled, refuses_keys, role_mappings, scopes, groups_claim, email_verification, ' +
        'authorized_email_domains, saml, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
