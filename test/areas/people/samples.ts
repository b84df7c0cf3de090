// Samples of roles, sign-in providers and people for the tests that run over all areas.

import { execute } from '../../support/database.ts';
import { makePerson } from '../../support/people.ts';
import { running } from '../../support/running.ts';
import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

let lastName = 0;
/** Returns a name that no other object has. */
const newName = () => {
  lastName += 1;
  return `name-${lastName}`;
};

const client = { issuer: 'https://idp.example.com', client_id: 'sallyport', client_secret: 'a secret of the client' };

/** The accounts in which nobody has signed in. */
const withoutPeople = `SELECT a."id" FROM "Account" a WHERE NOT EXISTS (SELECT 1 FROM "Person" p WHERE p."accountId" = a."id")`;

export const samples: AreaSamples = {
  routes: [
    ...collectionRoutes('/roles'),
    ...collectionRoutes('/sign_in_providers'),
    'GET /people',
    'GET /people/{id}',
    'PUT /people/{id}/block',
    'DELETE /people/{id}/block',
  ],
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
    'PUT /people/{id}/block': () => ({}),
  },
  unique: { name: (count) => `name-of-${count}` },
  madeByOthers: {
    '/people': async (client) => {
      for (const { storage, database } of running) {
        for (const [account] of await execute(database, withoutPeople)) {
          await makePerson({ storage }, String(account), `sip_${String(account).replace(/.*_/, '')}`);
        }
      }
      const { body } = await client.rest('GET', '/people?limit=1');
      // A server in a process of its own has none yet.
      return body.people[0]?.id ?? `person_${'0'.repeat(26)}`;
    },
  },
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
