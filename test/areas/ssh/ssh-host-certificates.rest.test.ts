// SSH host certificates on the REST surface.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf, invalidField, successOf } from '../../support/answers.ts';
import { onOneEngine } from '../../support/one-engine.ts';
import { type Client, ownService, startService, type TestService } from '../../support/service.ts';
import { hostKeys, plantAuthority, plantedPublicKey } from '../../support/ssh.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const path = '/ssh_host_certificates';
const newAuthority = async (client: Client = service, values: object = {}): Promise<string> =>
  (await client.rest('POST', '/ssh_certificate_authorities', values)).body.id;

/** Requests a certificate from a new authority; `values` override the request's fields. */
async function post(values: object = {}) {
  const ssh_certificate_authority_id = await newAuthority();
  return service.rest('POST', path, { ssh_certificate_authority_id, public_key: hostKeys.ed25519, ...values });
}

const patch = (id: string, values: object) => service.rest('PATCH', `${path}/${id}`, values);
const stored = async (): Promise<object[]> => (await service.rest('GET', path)).body.ssh_host_certificates;

describe('POST /ssh_host_certificates', () => {
  test('answers with every field of the new certificate, with the certificate to the last byte', async () => {
    service = await ownService();
    const values = {
      ssh_certificate_authority_id: await plantAuthority(service),
      public_key: `${hostKeys.ed25519} root@bastion\n`,
      principals: ['bastion.example.com', '10.0.0.5', '2001:db8::1'],
      valid_after: '2026-11-20T20:00:00Z',
      valid_until: '2027-01-31T09:30:00.999+02:00',
      description: 'bastion',
      metadata: '{"rack":4}',
    };
    const answer = successOf(await service.rest('POST', path, values));
    expect(answer).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id: 'shcrt_01m7xc4kkmepqbszdv6cf1scfe',
        uri: 'https://sallyport.test/ssh_host_certificates/shcrt_01m7xc4kkmepqbszdv6cf1scfe',
        created_at: '2026-11-20T21:00:00Z',
        description: 'bastion',
        metadata: '{"rack":4}',
        public_key: `${hostKeys.ed25519} root@bastion\n`,
        key_type: 'ed25519',
        ssh_certificate_authority_id: 'sshca_01m7xc4kkmepqbszdn9mnvx5t8',
        principals: ['bastion.example.com', '10.0.0.5', '2001:db8::1'],
        valid_after: '2026-11-20T20:00:00Z',
        valid_until: '2027-01-31T07:30:00Z',
        certificate:
          'ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29tAAAAIDbnXUWH1TWE8GW3GZFL+' +
          '3NmVO1Z7lMxf6J3REt+lzCSAAAAIB8GxgH4pbxwnlJ4BVSbumev+OPn3b2anMhZjebFzuIvJ3fKLXQpznMAAAACAAAAIHNoY3J0XzAxbTd' +
          '4YzRra21lcHFic3pkdjZjZjFzY2ZlAAAAMgAAABNiYXN0aW9uLmV4YW1wbGUuY29tAAAACDEwLjAuMC41AAAACzIwMDE6ZGI4OjoxAAAAA' +
          'GsApsAAAAAAa17i+AAAAAAAAAAAAAAAAAAAADMAAAALc3NoLWVkMjU1MTkAAAAgiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w' +
          'AAABTAAAAC3NzaC1lZDI1NTE5AAAAQMaOwkH3cKxAxEb5PXuC7KhfumBSegTJfKegWvZqs6bUfgFC+i9r3yUqFLK/NH3VHzQya7TOvgNxt' +
          'Gops2YQIQE= shcrt_01m7xc4kkmepqbszdv6cf1scfe',
      },
    });
    expect(successOf(await service.rest('GET', `${path}/${answer.body.id}`))).toEqual({ ...answer, status: 200 });
    expect(await stored()).toEqual([answer.body]);
  });

  test('fills in what is left out: valid from now on, for one calendar year, for all hosts', async () => {
    const answer = successOf(
      await service.rest('POST', path, {
        ssh_certificate_authority_id: await newAuthority(),
        public_key: hostKeys.p256,
      }),
    );
    const { certificate, id, ssh_certificate_authority_id } = answer.body;
    expect(certificate.split(' ')).toEqual([
      'ecdsa-sha2-nistp256-cert-v01@openssh.com',
      expect.stringMatching(/^[A-Za-z0-9+/]{500,}={0,2}$/),
      id,
    ]);
    expect(answer).toEqual({
      status: 201,
      etag: '"1"',
      body: {
        id,
        uri: `https://sallyport.test/ssh_host_certificates/${id}`,
        created_at: '2026-11-20T21:00:00Z',
        description: '',
        metadata: '',
        public_key: hostKeys.p256,
        key_type: 'ecdsa',
        ssh_certificate_authority_id,
        principals: [],
        valid_after: '2026-11-20T21:00:00Z',
        valid_until: '2027-11-20T21:00:00Z',
        certificate,
      },
    });
  });

  test.each([
    ['CRLF', `${hostKeys.ed25519} root@host\r\n`],
    ['the longest text', hostKeys.ed25519.padEnd(16_383).concat('x')],
  ])('gives the public key back as it was sent, with %s', async (_, public_key) => {
    const { status, body } = await post({ public_key });
    expect([status, body.public_key]).toEqual([201, public_key]);
    expect((await service.rest('GET', `${path}/${body.id}`)).body.public_key).toBe(public_key);
  });

  test('refuses a principal, and names its place', async () => {
    expect(failureOf(await post({ principals: ['good.example.com', 'a,b'] }))).toEqual(
      invalidField('principals[1]', 'must be one name, without spaces or commas. Send each name as a separate entry.'),
    );
    expect(await stored()).toEqual([]);
  });

  /** Ids that name no authority of the account. */
  const unknownAuthorities: [string, () => Promise<string>, isNamed: boolean][] = [
    ['an unknown authority', async () => 'sshca_01h455vb4pex5vsknk084sn02q', true],
    ['a malformed id', async () => 'nonsense', false],
  ];
  test.each(unknownAuthorities)('refuses %s', async (_, idOf, isNamed) => {
    const id = await idOf();
    const before = await stored();
    expect(failureOf(await post({ ssh_certificate_authority_id: id }))).toEqual(
      invalidField(
        'ssh_certificate_authority_id',
        `There is no ${isNamed ? `certificate authority "${id}"` : 'such certificate authority'} in this account.`,
        'UNKNOWN_REFERENCE',
      ),
    );
    expect(await stored()).toEqual(before);
  });

  test('signs one key many times, each time under another serial', async () => {
    const ssh_certificate_authority_id = await newAuthority();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ ssh_certificate_authority_id })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
    const { data } = await service.graphql('{ sshHostCertificates { nodes { serial } } }');
    const serials = data.sshHostCertificates.nodes.map(({ serial }: { serial: string }) => BigInt(serial));
    expect(new Set(serials).size).toBe(8);
    for (const serial of serials) expect(serial > 0n && serial < 2n ** 63n).toBe(true);
  });

  // The database stores every kind of key as bytes, so one engine is enough.
  onOneEngine(() => {});
});

describe('PATCH /ssh_host_certificates/{id}', () => {
  test('changes the notes alone: the certificate is not signed again', async () => {
    const { body } = await post({ principals: ['a.example.com'], description: 'old' });
    service.setTime(new Date('2027-06-01T00:00:00Z'));
    const changed = await patch(body.id, { description: 'new', metadata: 'm' });
    expect(successOf(changed)).toEqual({
      status: 200,
      etag: '"2"',
      body: { ...body, description: 'new', metadata: 'm' },
    });
  });

  test('goes on when the certificate has expired', async () => {
    const { body } = await post();
    service.setTime(new Date('2030-01-01T00:00:00Z'));
    expect((await patch(body.id, { description: 'over' })).status).toBe(200);
  });

  const createOnly = 'can be set only on create. Leave it out, or create a new object.';
  test.each([
    ['ssh_certificate_authority_id', 'sshca_01h455vb4pex5vsknk084sn02q', createOnly],
    ['public_key', hostKeys.p256, createOnly],
    ['principals', ['b.example.com'], createOnly],
    ['valid_after', '2027-01-01T00:00:00Z', createOnly],
    ['valid_until', '2037-01-01T00:00:00Z', createOnly],
    ['certificate', plantedPublicKey, 'is set by the server. Leave it out.'],
    ['key_type', 'rsa', 'is set by the server. Leave it out.'],
  ])('refuses to change %s to %j', async (field, value, problem) => {
    const { body } = await post({ principals: ['a.example.com'] });
    expect(failureOf(await patch(body.id, { description: 'new', [field]: value }))).toEqual(
      invalidField(field, problem, 'READ_ONLY_FIELD'),
    );
    expect((await service.rest('GET', `${path}/${body.id}`)).body).toEqual(body);
  });
});
