// SSH host certificates on the REST surface.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf, invalidField, successOf } from '../../support/answers.ts';
import { onOneEngine } from '../../support/one-engine.ts';
import { type Client, ownService, startService, type TestService } from '../../support/service.ts';
import { authorityKinds, hostKeys, plantAuthority, plantedPublicKey } from '../../support/ssh.ts';

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
    ['2028-02-29T12:00:00.999Z', '2028-02-29T12:00:00Z', '2029-02-28T12:00:00Z'],
    ['2027-02-28T23:59:59Z', '2027-02-28T23:59:59Z', '2028-02-28T23:59:59Z'],
    ['2027-03-01T00:00:00Z', '2027-03-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ])('created at %s is valid from %s until %s', async (now, valid_after, valid_until) => {
    service.setTime(new Date(now));
    const { body } = await post();
    expect([body.created_at, body.valid_after, body.valid_until]).toEqual([valid_after, valid_after, valid_until]);
  });

  test('counts the year from the creation also where it starts at another time', async () => {
    const { body } = await post({ valid_after: '2027-05-01T00:00:00Z' });
    expect([body.valid_after, body.valid_until]).toEqual(['2027-05-01T00:00:00Z', '2027-11-20T21:00:00Z']);
  });

  // The family's clients send "" for times that are not set, [] for principals, and {} for a Date.
  test.each([
    ['null', 'null'],
    ['""', '[]'],
    ['{}', '[]'],
  ])('takes %s for times and %s for principals that are not given', async (time, principals) => {
    const { status, body } = await post(
      JSON.parse(`{"principals":${principals},"valid_after":${time},"valid_until":${time},"metadata":""}`),
    );
    expect([status, body.principals, body.valid_after, body.valid_until]).toEqual([
      201,
      [],
      '2026-11-20T21:00:00Z',
      '2027-11-20T21:00:00Z',
    ]);
  });

  test.each([
    ['2027-01-01T00:00:00-05:00', '2027-01-01T05:00:00Z'],
    ['2027-01-01T00:00:00+05:45', '2026-12-31T18:15:00Z'],
    ['2027-01-01t00:00:00.999z', '2027-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ])('takes %s as the end, and shows it as %s', async (valid_until, shown) => {
    const { status, body } = await post({ valid_until });
    expect([status, body.valid_until]).toEqual([201, shown]);
  });

  test('signs for a span that is over, or has not begun', async () => {
    const past = await post({ valid_after: '1970-01-01T00:00:00Z', valid_until: '1970-01-01T00:00:01Z' });
    expect([past.status, past.body.valid_until]).toEqual([201, '1970-01-01T00:00:01Z']);
    const future = await post({ valid_after: '2030-01-01T00:00:00Z', valid_until: '2030-01-01T00:00:01Z' });
    expect([future.status, future.body.valid_after]).toEqual([201, '2030-01-01T00:00:00Z']);
  });

  test.each([
    ['CRLF', `${hostKeys.ed25519} root@host\r\n`],
    ['the longest text', hostKeys.ed25519.padEnd(16_383).concat('x')],
  ])('gives the public key back as it was sent, with %s', async (_, public_key) => {
    const { status, body } = await post({ public_key });
    expect([status, body.public_key]).toEqual([201, public_key]);
    expect((await service.rest('GET', `${path}/${body.id}`)).body.public_key).toBe(public_key);
  });

  test.each([
    ['p256', 'ecdsa', 'ecdsa-sha2-nistp256-cert-v01@openssh.com'],
    ['rsa', 'rsa', 'ssh-rsa-cert-v01@openssh.com'],
  ] as const)('names the type of a key of %s', async (kind, key_type, algorithm) => {
    const { body } = await post({ public_key: hostKeys[kind] });
    expect([body.key_type, body.certificate.split(' ')[0]]).toEqual([key_type, algorithm]);
  });

  test('keeps the order of the principals, and drops repetitions', async () => {
    const { body } = await post({ principals: ['b.example.com', 'a', '10.0.0.5', 'b.example.com', 'a', '*'] });
    expect(body.principals).toEqual(['b.example.com', 'a', '10.0.0.5', '*']);
    expect((await service.rest('GET', `${path}/${body.id}`)).body).toEqual(body);
  });

  test('takes 256 principals, and not one more', async () => {
    const principals = Array.from({ length: 257 }, (_, index) => `host-${index}.example.com`);
    expect(failureOf(await post({ principals }))).toEqual(
      invalidField('principals', 'must have at most 256 entries; it has 257.'),
    );
    const { status, body } = await post({ principals: principals.slice(1) });
    expect([status, body.principals]).toEqual([201, principals.slice(1)]);
  });

  test.each([
    ['', 'must not be empty: an empty name matches no host. Remove the entry.'],
    ['a,b', 'must be one name, without spaces or commas. Send each name as a separate entry.'],
    ['Any.Example.com', 'must be in lower case, as clients look it up: write "any.example.com".'],
  ])('refuses the principal %j, and names its place', async (principal, problem) => {
    expect(failureOf(await post({ principals: ['good.example.com', principal] }))).toEqual(
      invalidField('principals[1]', problem),
    );
    expect(await stored()).toEqual([]);
  });

  const rfc3339 = 'must be an RFC 3339 timestamp with its offset, such as 2027-01-31T09:30:00Z.';
  const years = 'must be in the years 1970 to 9999 in UTC; a certificate cannot hold any other time.';
  const notAfter =
    'must be at least one second after the start of validity, which is the time of creation if not given.';
  test.each([
    ['valid_after', { valid_after: '1969-12-31T23:59:59Z' }, years],
    ['valid_until', { valid_until: '2026-11-20T21:00:00Z' }, notAfter],
    [
      'valid_until',
      { valid_after: '2027-11-20T21:00:00Z' },
      'must be given if the start is a year or more ahead: the default, one year after creation, is not after it.',
    ],
    ['valid_until', { valid_until: '+52w' }, rfc3339],
    ['principals', { principals: 'a.example.com' }, 'must be a list or null.'],
    ['principals[0]', { principals: [5] }, 'must be a string.'],
  ])('refuses %s in %j', async (field, values, problem) => {
    expect(failureOf(await post(values))).toEqual(invalidField(field, problem));
    expect(await stored()).toEqual([]);
  });

  test.each([
    ['ssh_certificate_authority_id', undefined, 'is required; it must be a string.'],
    ['ssh_certificate_authority_id', null, 'must be a string.'],
    ['ssh_certificate_authority_id', true, 'must be a string.'],
    ['public_key', undefined, 'is required; it must be a string.'],
    ['public_key', null, 'must be a string.'],
    ['public_key', { key: 'x' }, 'must be a string.'],
    ['public_key', [hostKeys.ed25519], 'must be a string.'],
  ])('refuses a creation whose %s is %j', async (field, value, problem) => {
    expect(failureOf(await post({ [field]: value }))).toEqual(invalidField(field, problem));
  });

  /** Ids that name no authority of the account. */
  const unknownAuthorities: [string, () => Promise<string>, isNamed: boolean][] = [
    ['an unknown authority', async () => 'sshca_01h455vb4pex5vsknk084sn02q', true],
    ['an authority of another account', async () => newAuthority(await service.otherAccount('other')), true],
    ['an authority in upper case', async () => (await newAuthority()).toUpperCase(), false],
    ['an id of another kind', async () => (await post()).body.id, true],
    ['a malformed id', async () => 'nonsense', false],
    ['an empty id', async () => '', false],
    [
      'an authority that is deleted',
      async () => {
        const id = await newAuthority();
        await service.rest('DELETE', `/ssh_certificate_authorities/${id}`);
        return id;
      },
      true,
    ],
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

  test.each([
    ['certificate', 'x'],
    ['key_type', 'ed25519'],
    ['serial', 5],
  ])('refuses to be told the %s', async (field, value) => {
    expect(failureOf(await post({ [field]: value }))).toMatchObject({ status: 400, field });
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
  onOneEngine(() => {
    test.each(Object.entries(authorityKinds))('is signed by an authority of %s', async (_, values) => {
      const ssh_certificate_authority_id = await newAuthority(service, values);
      const { status, body } = await post({ ssh_certificate_authority_id });
      const authority = (await service.rest('GET', `/ssh_certificate_authorities/${ssh_certificate_authority_id}`))
        .body;
      const blob = Buffer.from(authority.public_key.split(' ')[1], 'base64');
      expect(status).toBe(201);
      expect(Buffer.from(body.certificate.split(' ')[1], 'base64').includes(blob)).toBe(true);
    });
  });
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
    ['public_key', '', createOnly],
    ['principals', ['b.example.com'], createOnly],
    ['principals', [], createOnly],
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

describe('DELETE /ssh_host_certificates/{id}', () => {
  test('leaves the other certificates of the authority', async () => {
    const ssh_certificate_authority_id = await newAuthority();
    const first = (await post({ ssh_certificate_authority_id })).body;
    const second = (await post({ ssh_certificate_authority_id })).body;
    expect((await service.rest('DELETE', `${path}/${first.id}`)).status).toBe(204);
    expect(await stored()).toEqual([second]);
  });
});
