// SSH certificate authorities on the REST surface.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf, invalidField, successOf } from '../../support/answers.ts';
import { onOneEngine } from '../../support/one-engine.ts';
import { ownService, startService, type TestService } from '../../support/service.ts';
import { authorityKinds, hostKeys } from '../../support/ssh.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const path = '/ssh_certificate_authorities';
const post = (values: object | string = {}) => service.rest('POST', path, values);

/** Returns the algorithm of a public key line and the size of its blob in bytes: enough to tell the kinds apart. */
function kindOf(publicKey: string): [algorithm: string, blobBytes: number] {
  const [algorithm = '', base64 = '', ...rest] = publicKey.split(' ');
  expect(rest).toEqual([]);
  return [algorithm, Buffer.from(base64, 'base64').length];
}

describe('POST /ssh_certificate_authorities', () => {
  test('answers with every field of the new authority', async () => {
    service = await ownService();
    const notes = { description: 'hosts of Vienna', metadata: '{"site":1}' };
    const answer = successOf(await post(notes));
    const { public_key } = answer.body; // random
    expect(kindOf(public_key)).toEqual(['ssh-ed25519', 51]);
    expect(answer).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: 'sshca_01m7xc4kkmepqbszdn9mnvx5t8',
        uri: 'https://sallyport.test/ssh_certificate_authorities/sshca_01m7xc4kkmepqbszdn9mnvx5t8',
        created_at: '2026-11-20T21:00:00Z',
        description: 'hosts of Vienna',
        metadata: '{"site":1}',
        public_key,
        key_type: 'ed25519',
      },
    });
  });

  // Blob sizes: RFC 8709 section 4, RFC 5656 section 3.1 with uncompressed points, RFC 4253 section 6.6.
  test.each([
    ['ed25519', 'ed25519', 'ssh-ed25519', 51],
    ['p521', 'ecdsa', 'ecdsa-sha2-nistp521', 172],
    ['rsa 4096', 'rsa', 'ssh-rsa', 535],
  ] as const)('makes a key of %s', async (kind, key_type, algorithm, blobBytes) => {
    const { status, body } = await post(authorityKinds[kind]);
    expect([status, body.key_type, kindOf(body.public_key)]).toEqual([201, key_type, [algorithm, blobBytes]]);
    expect((await service.rest('GET', `${path}/${body.id}`)).body).toEqual(body);
  });

  test('makes another key each time', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, async () => (await post()).body.public_key));
    expect(new Set(keys).size).toBe(5);
  });

  // The database stores every kind of key as bytes, so one engine is enough.
  onOneEngine(() => {});
});

describe('PATCH /ssh_certificate_authorities/{id}', () => {
  test.each([
    ['private_key_type', 'rsa', 'can be set only on create. Leave it out, or create a new object.'],
    ['elliptic_curve', 'p256', 'can be set only on create. Leave it out, or create a new object.'],
    ['key_size', 2048, 'can be set only on create. Leave it out, or create a new object.'],
    ['public_key', hostKeys.ed25519, 'is set by the server. Leave it out.'],
    ['key_type', 'rsa', 'is set by the server. Leave it out.'],
  ])('refuses to change %s', async (field, value, problem) => {
    const { body } = await post();
    expect(failureOf(await service.rest('PATCH', `${path}/${body.id}`, { [field]: value }))).toEqual(
      invalidField(field, problem, 'READ_ONLY_FIELD'),
    );
    expect((await service.rest('GET', `${path}/${body.id}`)).body).toEqual(body);
  });
});

describe('DELETE /ssh_certificate_authorities/{id}', () => {
  const remedy =
    'Delete its certificates first. To have them revoked and deleted with it, send `revoke_certificates=true`, in GraphQL ' +
    '`revokeCertificates: true`.';
  const newCertificate = async (ssh_certificate_authority_id: string): Promise<string> => {
    const values = { ssh_certificate_authority_id, public_key: hostKeys.ed25519, principals: ['a.example.com'] };
    return (await service.rest('POST', '/ssh_host_certificates', values)).body.id;
  };

  test('is refused while the authority has certificates, and names one', async () => {
    const { id } = (await post()).body;
    await newCertificate(id);
    expect(failureOf(await service.rest('DELETE', `${path}/${id}`))).toEqual({
      status: 409,
      code: 'IN_USE',
      msg: `The certificate authority has signed a host certificate, "a.example.com". ${remedy}`,
    });
    await newCertificate(id);
    expect(failureOf(await service.rest('DELETE', `${path}/${id}`))).toEqual({
      status: 409,
      code: 'IN_USE',
      msg: `The certificate authority has signed 2 host certificates, such as "a.example.com". ${remedy}`,
    });
    expect((await service.rest('GET', `${path}/${id}`)).status).toBe(200);
  });

  test('is also refused while only expired certificates are left', async () => {
    const { id } = (await post()).body;
    await newCertificate(id);
    service.setTime(new Date('2028-01-01T00:00:00Z'));
    expect((await service.rest('DELETE', `${path}/${id}`)).status).toBe(409);
  });

  test('while certificates are being signed leaves either the authority with all of them, or neither', async () => {
    const { id } = (await post()).body;
    const signing = Array.from({ length: 6 }, () =>
      service.rest('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: id,
        public_key: hostKeys.ed25519,
      }),
    );
    const [removal, ...signed] = await Promise.all([service.rest('DELETE', `${path}/${id}`), ...signing]);
    const listed = (await service.rest('GET', '/ssh_host_certificates')).body.ssh_host_certificates;
    const answered = signed.flatMap(({ status, body }) => (status === 201 ? [body.id] : []));
    expect(listed.map((certificate: { id: string }) => certificate.id).sort()).toEqual(answered.sort());
    expect(answered.length === 0).toBe(removal.status === 204);
    for (const refused of signed.filter(({ status }) => status !== 201)) {
      expect(failureOf(refused)).toEqual({
        status: 400,
        code: 'UNKNOWN_REFERENCE',
        field: 'ssh_certificate_authority_id',
        msg: `ssh_certificate_authority_id: There is no certificate authority "${id}" in this account.`,
      });
    }
  });
});
