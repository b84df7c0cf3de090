// What SSH certificates bring to the tests that go through all areas.

import { hostKey } from '../../support/host-key.ts';
import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: [
    ...collectionRoutes('/ssh_certificate_authorities'),
    ...collectionRoutes('/ssh_host_certificates'),
    'GET /ssh_revocations',
  ],
  bodies: {
    'POST /ssh_certificate_authorities': () => ({ description: 'Hosts', private_key_type: 'ed25519' }),
    'PATCH /ssh_certificate_authorities/{id}': () => ({ description: 'Hosts of the data centre' }),
    'POST /ssh_host_certificates': (id) => ({
      ssh_certificate_authority_id: id('/ssh_certificate_authorities'),
      public_key: hostKey,
      principals: ['bastion.example.com', '192.0.2.7'],
      valid_until: '2027-11-20T21:00:00Z',
    }),
    'PATCH /ssh_host_certificates/{id}': () => ({ description: 'The way in' }),
  },
  collections: [
    {
      path: '/ssh_certificate_authorities',
      listField: 'ssh_certificate_authorities',
      connection: 'sshCertificateAuthorities',
      required: async () => ({}),
      createFields: 'private_key_type, elliptic_curve, key_size, description, metadata',
      updateFields: 'description, metadata',
      unknownId: 'sshca_01h455vb4pex5vsknk084sn02q',
      objectsAtStart: 0,
    },
    {
      path: '/ssh_host_certificates',
      listField: 'ssh_host_certificates',
      connection: 'sshHostCertificates',
      required: async (client) => ({
        ssh_certificate_authority_id: (await client.rest('POST', '/ssh_certificate_authorities', {})).body.id,
        public_key: hostKey,
      }),
      createFields:
        'ssh_certificate_authority_id, public_key, principals, valid_after, valid_until, description, metadata',
      updateFields: 'description, metadata',
      unknownId: 'shcrt_01h455vb4pex5vsknk084sn02q',
      objectsAtStart: 0,
    },
  ],
};
