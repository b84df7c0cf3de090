// Outside judge: OpenSSH itself reads the certificates that a running service issues, and judges hosts by them.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataOf } from '../support/answers.ts';
import {
  clientVersion,
  judge,
  keyDirectory,
  makeKey,
  missingOpenssh,
  removeDirectory,
  type Sshd,
  sshdSettings,
  startSshd,
} from '../support/openssh.ts';
import { ofOneServer, startService, type TestService } from '../support/service.ts';
import { authorityKinds } from '../support/ssh.ts';

type AuthorityKind = keyof typeof authorityKinds;
const authorityKindNames = Object.keys(authorityKinds) as AuthorityKind[]; // the keys of a literal

/** The options of ssh-keygen for each kind of host key, and the algorithm under which a client requests its certificate. */
const hostKinds = {
  ed25519: { options: ['-t', 'ed25519'], algorithm: 'ssh-ed25519' },
  p256: { options: ['-t', 'ecdsa', '-b', '256'], algorithm: 'ecdsa-sha2-nistp256' },
  p384: { options: ['-t', 'ecdsa', '-b', '384'], algorithm: 'ecdsa-sha2-nistp384' },
  p521: { options: ['-t', 'ecdsa', '-b', '521'], algorithm: 'ecdsa-sha2-nistp521' },
  'rsa 2048': { options: ['-t', 'rsa', '-b', '2048'], algorithm: 'rsa-sha2-512' },
} as const;
type HostKind = keyof typeof hostKinds;
const hostKindNames = Object.keys(hostKinds) as HostKind[]; // likewise

/** The fields of a certificate that the tests need. */
interface Certificate {
  id: string;
  certificate: string;
}
interface CertificateRequest {
  authority: string;
  publicKey: string;
  principals: string[];
  valid_after?: string;
  valid_until?: string;
}

const skipped = missingOpenssh === null ? '' : ` (skipped: ${missingOpenssh})`;
if (missingOpenssh !== null) process.stderr.write(`The tests with real handshakes are skipped: ${missingOpenssh}.\n`);

describe.skipIf(missingOpenssh !== null)(`OpenSSH${skipped}`, () => {
  let service: TestService;
  let directory: string;
  const hostKeyFiles = new Map<HostKind, string>();
  const authorities = new Map<AuthorityKind, { id: string; trustFile: string }>();

  const named = <K, V>(map: Map<K, V>, key: K): V => {
    const value = map.get(key);
    if (value === undefined) throw new Error(`nothing under ${String(key)}`);
    return value;
  };
  const publicKeyOf = (kind: HostKind) => readFileSync(`${named(hostKeyFiles, kind)}.pub`, 'utf8');

  beforeAll(async () => {
    directory = keyDirectory();
    service = await startService({ baseUrl: null });
    service.setTime(new Date());
    const keys = hostKindNames.map(async (kind) => {
      hostKeyFiles.set(kind, await makeKey(directory, `host-${kind.replace(' ', '')}`, ...hostKinds[kind].options));
    });
    const made = authorityKindNames.map(async (kind) => {
      const { body } = await service.rest('POST', '/ssh_certificate_authorities', authorityKinds[kind]);
      const query = 'query ($id: ID!) { authority: sshCertificateAuthority(id: $id) { knownHostsLine } }';
      const { authority } = dataOf(await service.graphql(query, { id: body.id }));
      const trustFile = join(directory, `trust-${kind.replace(' ', '')}`);
      writeFileSync(trustFile, `${authority.knownHostsLine}\n`);
      authorities.set(kind, { id: body.id, trustFile });
    });
    await Promise.all([...keys, ...made]);
  });
  afterAll(async () => {
    expect(service.failures).toEqual([]);
    await service.close();
    removeDirectory(directory);
  });

  /** Requests a certificate. */
  async function issue({ authority, publicKey, principals, ...times }: CertificateRequest): Promise<Certificate> {
    const { status, body } = await service.rest('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authority,
      public_key: publicKey,
      principals,
      ...times,
    });
    expect(status).toBe(201);
    return body;
  }

  let files = 0;
  /** Stores a certificate as an operator does, in a new file. */
  function store({ certificate }: Certificate): string {
    files += 1;
    const file = join(directory, `host-${files}-cert.pub`);
    writeFileSync(file, `${certificate}\n`);
    return file;
  }

  /** Starts a host with keys of some kinds and certificates for them. */
  const startHost = (kinds: readonly HostKind[], certificateFiles: readonly string[]): Promise<Sshd> =>
    startSshd((port) => {
      const file = join(directory, `sshd-${port}`);
      const lines = [
        ...sshdSettings(port),
        ...kinds.map((kind) => `HostKey ${named(hostKeyFiles, kind)}`),
        ...certificateFiles.map((path) => `HostCertificate ${path}`),
      ];
      writeFileSync(file, `${lines.join('\n')}\n`);
      return file;
    });

  /** Lists the certificate algorithm first and the plain one last: without the latter, newer clients stop before they say why. */
  const prefer = (kind: HostKind) => {
    const { algorithm } = hostKinds[kind];
    return `HostKeyAlgorithms=${algorithm}-cert-v01@openssh.com,${algorithm}`;
  };

  test.each(authorityKindNames)(
    'a client accepts a host with keys of every kind by an authority of %s',
    async (kind) => {
      const { id, trustFile } = named(authorities, kind);
      const certificates = await Promise.all(
        hostKindNames.map((hostKind) =>
          issue({ authority: id, publicKey: publicKeyOf(hostKind), principals: ['host.example.com'] }),
        ),
      );
      const host = await startHost(hostKindNames, certificates.map(store));
      try {
        const judgements = await Promise.all(
          hostKindNames.map(async (hostKind) => {
            const { accepted, log } = await judge(host.port, 'host.example.com', trustFile, prefer(hostKind));
            const algorithm = /kex: host key algorithm: (\S+)/.exec(log)?.[1];
            return { hostKind, accepted, algorithm };
          }),
        );
        expect(judgements).toEqual(
          hostKindNames.map((hostKind) => ({
            hostKind,
            accepted: true,
            algorithm: `${hostKinds[hostKind].algorithm}-cert-v01@openssh.com`,
          })),
        );
      } finally {
        await host.stop();
      }
    },
  );

  /** Installs a certificate on a new host and lets a client judge it under a name. */
  async function judged(request: Partial<CertificateRequest>, name: string, ...options: string[]) {
    const { id, trustFile } = named(authorities, 'ed25519');
    const principals = ['host.example.com'];
    const values = { authority: id, publicKey: publicKeyOf('ed25519'), principals, ...request };
    const certificate = await issue(values);
    const host = await startHost(['ed25519'], [store(certificate)]);
    try {
      return { ...(await judge(host.port, name, trustFile, prefer('ed25519'), ...options)), certificate };
    } finally {
      await host.stop();
    }
  }
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();

  test.each([
    ['its name', ['host.example.com'], 'host.example.com'],
    ['the second of its names', ['host.example.com', 'other.example.com'], 'other.example.com'],
    ['its name, as the client dials it', ['localhost'], 'localhost'],
    ['its name in other case', ['host.example.com'], 'HOST.example.com'],
    ['its address', ['127.0.0.1'], '127.0.0.1'],
  ])('a client accepts a host under %s', async (_, principals, name) => {
    const { accepted, log } = await judged({ principals }, name);
    expect({ accepted, log: accepted ? '' : log }).toEqual({ accepted: true, log: '' });
  });

  test('a client accepts a host from the second on in which the certificate was made', async () => {
    service.setTime(new Date());
    expect(await judged({}, 'host.example.com')).toMatchObject({ accepted: true });
  });

  test.each([
    ['under another name', { principals: ['host.example.com'] }, 'other.example.com', /name is not a listed principal/],
    ['under another address', { principals: ['10.0.0.5'] }, '127.0.0.1', /name is not a listed principal/],
    [
      'whose certificate has expired',
      { valid_after: hours(-2), valid_until: hours(-1) },
      'host.example.com',
      /expired/,
    ],
    ['whose certificate is not yet valid', { valid_after: hours(1) }, 'host.example.com', /not yet valid/],
  ])('a client refuses a host %s', async (_, request, name, reason) => {
    const { accepted, log } = await judged(request, name);
    expect(accepted).toBe(false);
    expect(log).toMatch(reason);
    expect(log).toMatch(/Host key verification failed/);
  });

  test('a client refuses a host by an authority that it does not trust', async () => {
    const { accepted, log } = await judged({ authority: named(authorities, 'p256').id }, 'host.example.com');
    expect(accepted).toBe(false);
    expect(log).toMatch(/Host key verification failed/);
  });

  test('a client before 10.3 accepts every name of a host without principals, and a later one none', async () => {
    const { major, minor } = clientVersion();
    const isLater = major > 10 || (major === 10 && minor >= 3);
    for (const name of ['host.example.com', '127.0.0.1']) {
      const { accepted, log } = await judged({ principals: [] }, name);
      expect({ name, accepted }).toEqual({ name, accepted: !isLater });
      if (isLater) expect(log).toMatch(/lacks principal list/);
    }
  });

  test('a client from 10.3 on accepts every name of a host with the principal *, and an earlier one none', async () => {
    const { major, minor } = clientVersion();
    const isLater = major > 10 || (major === 10 && minor >= 3);
    expect((await judged({ principals: ['*'] }, 'host.example.com')).accepted).toBe(isLater);
  });

  test('a client refuses a host whose certificate was deleted, and no other', async () => {
    const { id, trustFile } = named(authorities, 'ed25519');
    const request = { authority: id, publicKey: publicKeyOf('ed25519'), principals: ['host.example.com'] };
    const [lost, kept] = [await issue(request), await issue(request)];
    const { authority } = dataOf(
      // Without a base URL, each server answers with its own.
      await ofOneServer(service).graphql(`{ authority: sshCertificateAuthority(id: "${id}") { revocationListUrl } }`),
    );
    expect(authority.revocationListUrl.startsWith(service.url)).toBe(true);
    const listFile = join(directory, 'revoked');
    const refresh = async () => {
      const answer = await fetch(authority.revocationListUrl);
      writeFileSync(listFile, Buffer.from(await answer.arrayBuffer()));
    };
    await refresh();
    const accepted = async (certificate: Certificate) => {
      const host = await startHost(['ed25519'], [store(certificate)]);
      try {
        return await judge(host.port, 'host.example.com', trustFile, prefer('ed25519'), `RevokedHostKeys=${listFile}`);
      } finally {
        await host.stop();
      }
    };
    expect(await accepted(lost)).toMatchObject({ accepted: true });

    await service.rest('DELETE', `/ssh_host_certificates/${lost.id}`);
    expect(await accepted(lost)).toMatchObject({ accepted: true }); // the client has the old list
    await refresh();
    const refused = await accepted(lost);
    expect(refused.accepted).toBe(false);
    expect(refused.log).toMatch(/revoked/i);
    expect(await accepted(kept)).toMatchObject({ accepted: true });
  });

  test('the list of the account has clients refuse revoked hosts of every authority, also of a deleted one', async () => {
    const { body: old } = await service.rest('POST', '/ssh_certificate_authorities');
    const { viewer } = dataOf(await service.graphql('{ viewer { account { sshRevocationListUrl } } }'));
    const [first, second] = [named(authorities, 'ed25519'), named(authorities, 'p256')];
    const trustFile = join(directory, 'trust-three');
    const lines = [first, second].map((authority) => readFileSync(authority.trustFile, 'utf8'));
    writeFileSync(trustFile, [...lines, `@cert-authority * ${old.public_key}\n`].join(''));
    const request = { publicKey: publicKeyOf('ed25519'), principals: ['host.example.com'] };
    const issueBy = (authority: string) => issue({ ...request, authority });
    const lost = [await issueBy(first.id), await issueBy(second.id), await issueBy(old.id)];
    const kept = [await issueBy(first.id), await issueBy(second.id)];
    for (const { id } of lost.slice(0, 2)) await service.rest('DELETE', `/ssh_host_certificates/${id}`);
    const removal = await service.rest('DELETE', `/ssh_certificate_authorities/${old.id}?revoke_certificates=true`);
    expect(removal.status).toBe(204);

    const fetchList = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
    const listFile = join(directory, 'revoked-account');
    writeFileSync(listFile, await fetchList(viewer.account.sshRevocationListUrl));
    const files = [...lost, ...kept].map(store);
    const asked = files.map((file) => spawnSync('ssh-keygen', ['-Q', '-f', listFile, file], { encoding: 'utf8' }));
    expect(asked.map(({ status }) => status)).toEqual([1, 1, 1, 0, 0]);
    const judged = async (list: string) => {
      const verdicts: boolean[] = [];
      for (const file of files) {
        const host = await startHost(['ed25519'], [file]);
        try {
          const options = [prefer('ed25519'), `RevokedHostKeys=${list}`];
          verdicts.push((await judge(host.port, 'host.example.com', trustFile, ...options)).accepted);
        } finally {
          await host.stop();
        }
      }
      return verdicts;
    };
    expect(await judged(listFile)).toEqual([false, false, false, true, true]);

    // The lists of two authorities in one file are not a valid list, so a client refuses every host.
    const urls = [first, second].map(({ id }) => `${service.url}/ssh_certificate_authorities/${id}/krl`);
    writeFileSync(`${listFile}-joined`, Buffer.concat(await Promise.all(urls.map(fetchList))));
    expect(await judged(`${listFile}-joined`)).toEqual([false, false, false, false, false]);
  });
});
