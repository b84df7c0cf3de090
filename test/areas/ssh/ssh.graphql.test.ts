// SSH certificate authorities and host certificates in GraphQL.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { ownService, startService, type TestService } from '../../support/service.ts';
import { hostKeys, plantAuthority, plantedPublicKey } from '../../support/ssh.ts';
import { countStatements } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const newAuthority = async (values: object = {}): Promise<string> =>
  (await service.rest('POST', '/ssh_certificate_authorities', values)).body.id;

async function newCertificate(ssh_certificate_authority_id: string, values: object = {}): Promise<string> {
  const request = { ssh_certificate_authority_id, public_key: hostKeys.ed25519, ...values };
  const { status, body } = await service.rest('POST', '/ssh_host_certificates', request);
  expect(status).toBe(201);
  return body.id;
}

const ask = async (selection: string) => dataOf(await service.graphql(`{ ${selection} }`));
const idsOf = (nodes: { id: string }[]) => nodes.map(({ id }) => id);

describe('sshCertificateAuthority', () => {
  test('shows every field, with the line to paste and the address of its revocation list', async () => {
    service = await ownService();
    const id = await plantAuthority(service);
    const certificate = await newCertificate(id);
    const { authority } = await ask(`authority: sshCertificateAuthority(id: "${id}") {
      __typename id uri createdAt description metadata version keyType publicKey fingerprint knownHostsLine
      office: knownHostsLine(hosts: "*.example.com,10.0.0.*") revocationListUrl hostCertificates { nodes { id } }
    }`);
    expect(authority).toEqual({
      __typename: 'SshCertificateAuthority',
      id: 'sshca_01m7xc4kkmepqbszdn9mnvx5t8',
      uri: 'https://sallyport.test/ssh_certificate_authorities/sshca_01m7xc4kkmepqbszdn9mnvx5t8',
      createdAt: '2026-11-20T21:00:00Z',
      description: '',
      metadata: '',
      version: 1,
      keyType: 'ed25519',
      publicKey: plantedPublicKey,
      fingerprint: 'SHA256:fe85JkIjo8VPe+XqXJGH5Mau1EMFdK1OdKvJUFicyA8', // as ssh-keygen -l prints it
      knownHostsLine: `@cert-authority * ${plantedPublicKey}`,
      office: `@cert-authority *.example.com,10.0.0.* ${plantedPublicKey}`,
      revocationListUrl: 'https://sallyport.test/ssh_certificate_authorities/sshca_01m7xc4kkmepqbszdn9mnvx5t8/krl',
      hostCertificates: { nodes: [{ id: certificate }] },
    });
  });

  test.each(['', ' ', '*.example.com *.example.org', 'a,', ',a', 'a\nb', '#a', '@cert-authority', 'a\u0000'])(
    'refuses %j as hosts: it would write another line than asked for',
    async (hosts) => {
      const id = await newAuthority();
      const query =
        'query ($id: ID!, $hosts: String) { sshCertificateAuthority(id: $id) { knownHostsLine(hosts: $hosts) } }';
      expect(errorOf(await service.graphql(query, { id, hosts }))).toEqual({
        code: 'INVALID_INPUT',
        field: 'hosts',
        message: 'hosts: must be patterns of host names, separated by commas without spaces: *.example.com,10.0.0.*',
      });
    },
  );

  test.each(['private', 'sealed', 'pkcs', 'secret', 'seed'])('has no field whose name holds "%s"', async (word) => {
    const { __type } = await ask('__type(name: "SshCertificateAuthority") { fields { name } }');
    const names: string[] = __type.fields.map(({ name }: { name: string }) => name.toLowerCase());
    expect(names).toContain('publickey');
    expect(names.filter((name) => name.includes(word))).toEqual([]);
  });

  test('lists its newest certificates first, and only its own', async () => {
    const [first, second] = [await newAuthority(), await newAuthority()];
    const of = async (authority: string) => newCertificate(authority);
    const [a, b, c] = [await of(first), await of(second), await of(first)];
    const { sshCertificateAuthorities: page } = await ask(
      'sshCertificateAuthorities { nodes { id hostCertificates { nodes { id } } } }',
    );
    expect(page.nodes).toEqual([
      { id: second, hostCertificates: { nodes: [{ id: b }] } },
      { id: first, hostCertificates: { nodes: [{ id: c }, { id: a }] } },
    ]);
  });
});

describe('sshHostCertificate', () => {
  test('shows every field, with what to paste', async () => {
    service = await ownService();
    const authority = await plantAuthority(service);
    const id = await newCertificate(authority, {
      principals: ['b.example.com', 'a'],
      public_key: `${hostKeys.ed25519} root@b`,
    });
    const { body } = await service.rest('GET', `/ssh_host_certificates/${id}`);
    const { certificate } = await ask(`certificate: sshHostCertificate(id: "${id}") {
      __typename id uri createdAt description metadata version keyType publicKey fingerprint sshCertificateAuthorityId
      sshCertificateAuthority { id } principals principalsWarning validAfter validUntil expired serial certificate
      certificateFileName certificateFileContent sshdConfigLine
    }`);
    expect(certificate).toEqual({
      __typename: 'SshHostCertificate',
      id: 'shcrt_01m7xc4kkmepqbszdv6cf1scfe',
      uri: 'https://sallyport.test/ssh_host_certificates/shcrt_01m7xc4kkmepqbszdv6cf1scfe',
      createdAt: '2026-11-20T21:00:00Z',
      description: '',
      metadata: '',
      version: 1,
      keyType: 'ed25519',
      publicKey: `${hostKeys.ed25519} root@b`,
      fingerprint: 'SHA256:Ozy4ZXoGC8SWYI7CFlU/0sqNsCo+p5m0ZxXK3LKABCA', // as ssh-keygen -l prints it
      sshCertificateAuthorityId: authority,
      sshCertificateAuthority: { id: authority },
      principals: ['b.example.com', 'a'],
      principalsWarning: null,
      validAfter: '2026-11-20T21:00:00Z',
      validUntil: '2027-11-20T21:00:00Z',
      expired: false,
      serial: '2843963986278993523',
      certificate: body.certificate,
      certificateFileName: 'ssh_host_ed25519_key-cert.pub',
      certificateFileContent: `${body.certificate}\n`,
      sshdConfigLine: 'HostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub',
    });
  });

  test.each([
    ['ed25519', 'ssh_host_ed25519_key-cert.pub'],
    ['p384', 'ssh_host_ecdsa_key-cert.pub'],
    ['rsa', 'ssh_host_rsa_key-cert.pub'],
  ] as const)('names the file of a certificate for a key of %s', async (kind, name) => {
    const id = await newCertificate(await newAuthority(), { public_key: hostKeys[kind] });
    const { certificate } = await ask(
      `certificate: sshHostCertificate(id: "${id}") { certificateFileName sshdConfigLine }`,
    );
    expect(certificate).toEqual({ certificateFileName: name, sshdConfigLine: `HostCertificate /etc/ssh/${name}` });
  });

  const forAll = 'The certificate is valid for all hosts: anyone who has its key can impersonate any of them.';
  test.each([
    [[], `${forAll} OpenSSH 10.3 and later reject it.`],
    [['*'], `${forAll} OpenSSH before 10.3 rejects it.`],
    [['a.example.com', '*'], `${forAll} OpenSSH before 10.3 rejects it.`],
    [
      ['*.example.com'],
      'OpenSSH before 10.3 does not match wildcards: those clients reject hosts that no other principal names.',
    ],
    [['a.example.com'], null],
  ])('warns of the principals %j', async (principals, warning) => {
    const id = await newCertificate(await newAuthority(), { principals });
    const { certificate } = await ask(`certificate: sshHostCertificate(id: "${id}") { principals principalsWarning }`);
    expect(certificate).toEqual({ principals, principalsWarning: warning });
  });

  test('is expired from the second on in which it ends', async () => {
    const id = await newCertificate(await newAuthority(), { valid_until: '2027-01-01T00:00:00Z' });
    const expiredAt = async (time: string) => {
      service.setTime(new Date(time));
      return (await ask(`certificate: sshHostCertificate(id: "${id}") { expired }`)).certificate.expired;
    };
    expect(await expiredAt('2026-12-31T23:59:59.999Z')).toBe(false);
    expect(await expiredAt('2027-01-01T00:00:00Z')).toBe(true);
  });
});

describe('sshHostCertificates', () => {
  test('lists those that end before a time, and those of one authority', async () => {
    const [first, second] = [await newAuthority(), await newAuthority()];
    const early = await newCertificate(first, { valid_until: '2027-01-01T00:00:00Z' });
    const late = await newCertificate(first, { valid_until: '2027-03-01T00:00:00Z' });
    const other = await newCertificate(second, { valid_until: '2027-02-01T00:00:00Z' });
    const list = async (args: string) => {
      const { page } = await ask(`page: sshHostCertificates(${args}) { totalCount nodes { id } }`);
      expect(page.totalCount).toBe(page.nodes.length);
      return idsOf(page.nodes);
    };
    expect(await list('validUntilBefore: null, sshCertificateAuthorityId: null')).toEqual([other, late, early]);
    expect(await list('validUntilBefore: "2027-02-01T00:00:00Z"')).toEqual([early]);
    // Years that PostgreSQL does not support and in which no certificate expires.
    expect(await list('validUntilBefore: "0000-01-01T00:00:00Z"')).toEqual([]);
    expect(await list('validUntilBefore: "0000-01-01T00:00:00+23:59"')).toEqual([]);
    expect(await list('validUntilBefore: "9999-12-31T23:59:59-23:59"')).toEqual([other, late, early]);
    expect(await list('validUntilBefore: "2027-02-01T00:00:01Z"')).toEqual([other, early]);
    expect(await list('validUntilBefore: "2027-01-31T23:00:01-01:00"')).toEqual([other, early]);
    expect(await list(`sshCertificateAuthorityId: "${first}"`)).toEqual([late, early]);
    expect(await list(`sshCertificateAuthorityId: "${first}", validUntilBefore: "2027-02-15T00:00:00Z"`)).toEqual([
      early,
    ]);
    expect(
      await list(`sshCertificateAuthorityId: "${first}", first: 1, validUntilBefore: "2027-02-15T00:00:00Z"`),
    ).toEqual([early]);
    expect(await list('sshCertificateAuthorityId: "sshca_01h455vb4pex5vsknk084sn02q"')).toEqual([]);
    const { authority } = await ask(`authority: sshCertificateAuthority(id: "${first}") {
      hostCertificates(validUntilBefore: "2027-02-01T00:00:00Z") { nodes { id } }
    }`);
    expect(idsOf(authority.hostCertificates.nodes)).toEqual([early]);
  });
});

describe('what reading costs', () => {
  /** Returns one statement fewer on PostgreSQL, which joins an object with the object it belongs to. */

  /** Creates two authorities with three certificates each. */
  async function fill() {
    for (const authority of [await newAuthority(), await newAuthority()]) {
      for (let made = 0; made < 3; made += 1) await newCertificate(authority);
    }
    await ask('sshHostCertificates { totalCount }'); // so that the key is already cached
  }

  test.each([
    ['a list', 'sshHostCertificates { nodes { id serial expired certificate } }', 1],
    ['a list with its authorities', 'sshHostCertificates { nodes { sshCertificateAuthority { publicKey } } }', 2],
    ['a list with its count', 'sshHostCertificates { totalCount nodes { id } }', 2],
    ['authorities', 'sshCertificateAuthorities { nodes { id fingerprint knownHostsLine revocationListUrl } }', 1],
    [
      'authorities with their certificates',
      'sshCertificateAuthorities { nodes { hostCertificates { nodes { id } } } }',
      3,
    ],
    [
      'authorities with the two newest certificates of each',
      'sshCertificateAuthorities { nodes { hostCertificates(first: 2, validUntilBefore: "2030-01-01T00:00:00Z") { nodes { id } } } }',
      3,
    ],
    [
      'there and back',
      'sshCertificateAuthorities { nodes { hostCertificates { nodes { sshCertificateAuthority { id publicKey } } } } }',
      4,
    ],
  ])(
    '%s is one statement for each kind of object, and one for the ids of each list',
    async (_, selection, statements) => {
      await fill();
      expect(await countStatements(service, () => ask(selection))).toBe(statements);
    },
  );
});
