// SSH certificate samples for the tests that run over all areas.

import { hostKey } from '../../support/host-key.ts';
import { createProvingHost } from '../../support/proving-host.ts';
import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: [
    ...collectionRoutes('/ssh_certificate_authorities'),
    ...collectionRoutes('/ssh_host_certificates'),
    ...collectionRoutes('/ssh_enrollment_tokens'),
    'POST /ssh_challenges',
    'POST /ssh_enrollments',
    'POST /ssh_host_certificates/{id}/renew',
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
    'POST /ssh_enrollment_tokens': (id) => ({
      ssh_certificate_authority_id: id('/ssh_certificate_authorities'),
      principals: ['*.db.example.com', '10.1.0.0/16'],
      key_types: ['ed25519', 'ecdsa'],
      max_uses: 20,
      description: 'Database hosts',
    }),
    'PATCH /ssh_enrollment_tokens/{id}': () => ({ description: 'Database hosts of the new data centre' }),
    // Refused: a valid token and challenge are known only once they have been created.
    'POST /ssh_enrollments': () => ({
      token: `sshet_${'A'.repeat(43)}0c2b5986`,
      public_key: hostKey,
      principals: ['db1.db.example.com'],
      challenge: 'sallyport-challenge-v1',
      signature: '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n',
    }),
    'POST /ssh_host_certificates/{id}/renew': () => ({}),
    'POST /ssh_challenges': (id) => ({ ssh_host_certificate_id: id('/ssh_host_certificates') }),
  },
  proofs: {
    'POST /ssh_host_certificates/{id}/renew': async (client) => {
      const host = createProvingHost();
      const authority = await client.rest('POST', '/ssh_certificate_authorities', {});
      const { body: certificate } = await client.rest('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: authority.body.id,
        public_key: host.publicKey,
        principals: ['db1.example.com'],
        valid_after: '2026-09-01T00:00:00Z',
        valid_until: '2026-12-01T00:00:00Z',
      });
      const asked = await client.rest('POST', '/ssh_challenges', { ssh_host_certificate_id: certificate.id });
      const { challenge } = asked.body;
      return { id: certificate.id, body: { challenge, signature: host.sign('sallyport-renew', challenge) } };
    },
    'POST /ssh_enrollments': async (client) => {
      const host = createProvingHost();
      const authority = await client.rest('POST', '/ssh_certificate_authorities', {});
      const { body: made } = await client.rest('POST', '/ssh_enrollment_tokens', {
        ssh_certificate_authority_id: authority.body.id,
        principals: ['*.db.example.com'],
      });
      const { token } = made;
      const { challenge } = (await client.rest('POST', '/ssh_challenges', { token })).body;
      const signature = host.sign('sallyport-enroll', challenge);
      const names = { principals: ['db1.db.example.com'], description: 'Database host 1' };
      return { id: made.id, body: { token, public_key: host.publicKey, ...names, challenge, signature } };
    },
  },
  entries: {
    '/ssh_revocations': async (client, id) => {
      const body = { ssh_certificate_authority_id: id('/ssh_certificate_authorities'), public_key: hostKey };
      const made = [];
      for (const principal of ['gone1.example.com', 'gone2.example.com']) {
        const { body: certificate } = await client.rest('POST', '/ssh_host_certificates', {
          ...body,
          principals: [principal],
        });
        await client.rest('DELETE', `/ssh_host_certificates/${certificate.id}`);
        made.push(certificate.id);
      }
      return made[0];
    },
  },
  collections: [
    {
      path: '/ssh_certificate_authorities',
      listField: 'ssh_certificate_authorities',
      connection: 'sshCertificateAuthorities',
      required: async () => ({}),
      createFields: 'private_key_type, elliptic_curve, key_size, description, metadata',
      updateFields: 'description, metadata',
      objectsAtStart: 0,
    },
    {
      path: '/ssh_host_certificates',
      listField: 'ssh_host_certificates',
      connection: 'sshHostCertificates',
      filters: [
        'ssh_certificate_authority_id',
        'valid_until_before',
        'valid_until_after',
        'principal',
        'fingerprint',
        'replaced',
        'order_by',
      ],
      required: async (client) => ({
        ssh_certificate_authority_id: (await client.rest('POST', '/ssh_certificate_authorities', {})).body.id,
        public_key: hostKey,
      }),
      createFields:
        'ssh_certificate_authority_id, public_key, principals, valid_after, valid_until, description, metadata',
      updateFields: 'description, metadata',
      objectsAtStart: 0,
    },
    {
      path: '/ssh_enrollment_tokens',
      listField: 'ssh_enrollment_tokens',
      connection: 'sshEnrollmentTokens',
      required: async (client) => ({
        ssh_certificate_authority_id: (await client.rest('POST', '/ssh_certificate_authorities', {})).body.id,
        principals: ['db1.example.com'],
      }),
      createFields:
        'ssh_certificate_authority_id, principals, key_types, max_validity, max_uses, expires_at, description, metadata',
      updateFields: 'description, metadata',
      objectsAtStart: 0,
      shownOnce: ['token'],
    },
  ],
};
