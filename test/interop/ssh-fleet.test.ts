// A fleet with real parts, driven by the scripts alone: a service, hosts with their own daemons on loopback addresses, and clients.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataOf } from '../support/answers.ts';
import { keyDirectory, makeKey, printCertificates, removeDirectory, type Sshd } from '../support/openssh.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  clientScript,
  type Host,
  hostScript,
  makeHost,
  makeSystem,
  missingPrograms,
  programPath,
  type Runner,
  runCommand,
  startHost,
} from './ssh-scripts.ts';

const dayMs = 86_400_000;

describe.skipIf(missingPrograms !== null)('a fleet of hosts', () => {
  let service: TestService;
  let directory: string;
  let authority: string;
  let account: string;
  let userKey: string;
  const path = (name: string) => join(directory, name);
  const runner = (shell: Runner['shell'], kind: 'debian' | 'busybox', fetcher: 'curl' | 'wget'): Runner => ({
    shell,
    path: makeSystem(directory, kind, fetcher),
  });

  beforeAll(async () => {
    directory = keyDirectory();
    service = await startService({ baseUrl: null });
    service.setTime(new Date());
    authority = (await service.rest('POST', '/ssh_certificate_authorities', {})).body.id;
    account = dataOf(await service.graphql('{ viewer { account { id } } }')).viewer.account.id;
    userKey = await makeKey(directory, 'user', '-t', 'ed25519');
  });
  afterAll(async () => {
    expect(service.failures).toEqual([]);
    await service.close();
    removeDirectory(directory);
  });

  /** Creates an enrollment token. */
  async function makeToken(maxUses = 1): Promise<{ id: string; token: string }> {
    const { body } = await service.rest('POST', '/ssh_enrollment_tokens', {
      ssh_certificate_authority_id: authority,
      principals: ['*.example.com', '127.0.0.0/8'],
      max_uses: maxUses,
    });
    return body;
  }
  const usesOf = async (id: string) => (await service.rest('GET', `/ssh_enrollment_tokens/${id}`)).body.uses;
  const certificatesOf = async (key: string): Promise<{ id: string }[]> => {
    const { body } = await service.rest('GET', '/ssh_host_certificates?limit=100');
    return body.ssh_host_certificates.filter((each: { public_key: string }) => key.startsWith(each.public_key));
  };
  const certificateId = async (host: Host) =>
    /Key ID: "(\w+)"/.exec(await printCertificates(host.at('ssh_host_ed25519_key-cert.pub')))?.[1];
  const publicKey = (host: Host) => readFileSync(host.at('ssh_host_ed25519_key.pub'), 'utf8');
  const enrollment = (host: Host) => ['enroll', '--url', service.url, '--name', `${host.name},${host.address}`];

  describe('of three hosts', () => {
    const hosts: Host[] = [];
    const daemons: { sshd: Sshd; reload: string }[] = [];
    const clientDirectory = () => path('client');
    const client = (...args: string[]) =>
      runCommand(programPath('dash') ?? '', [clientScript, ...args], {
        PATH: makeSystem(directory, 'debian', 'curl'),
        SSH_DIR: clientDirectory(),
      });
    /** Logs in to a host. */
    const connect = (host: Host) =>
      runCommand(programPath('ssh') ?? '', ['-F', join(clientDirectory(), 'ssh_config'), host.name, 'true'], {
        PATH: process.env.PATH ?? '',
        HOME: directory,
      });
    const trusted = { code: 0, out: '', errors: '' };

    beforeAll(async () => {
      const runners = [
        runner(['dash'], 'debian', 'curl'),
        runner(['busybox', 'sh'], 'busybox', 'wget'),
        runner(['bash'], 'debian', 'wget'),
      ];
      const settings = [`AuthorizedKeysFile ${userKey}.pub`];
      for (const [index, each] of runners.entries()) {
        const host = await makeHost(directory, each, {
          name: `web${index + 1}.example.com`,
          address: `127.0.0.${index + 2}`,
          settings,
        });
        hosts.push(host);
        daemons.push(await startHost(host));
      }
      mkdirSync(clientDirectory());
      const blocks = hosts.map(
        ({ name, address }, index) =>
          `Host ${name}\n  HostName ${address}\n  Port ${daemons[index]?.sshd.port}\n  HostKeyAlias ${name}\n`,
      );
      writeFileSync(
        join(clientDirectory(), 'ssh_config'),
        `IdentityFile ${userKey}\nIdentitiesOnly yes\nBatchMode yes\nStrictHostKeyChecking yes\n` +
          `UserKnownHostsFile /dev/null\nLogLevel ERROR\n${blocks.join('')}`,
      );
    });
    afterAll(() => Promise.all(daemons.map(({ sshd }) => sshd.stop())));

    /** Returns the service's time: 61 days ago, when the hosts get certificates for 90 days. */
    const past = () => new Date(Date.now() - 61 * dayMs);
    const run = (place: number, args: string[], input = '') =>
      hosts[place]?.run(args, { input, env: { RELOAD_SSHD: daemons[place]?.reload ?? '' } }) ??
      Promise.reject(new Error('no such host'));

    test('is enrolled by the scripts alone, in each shell, and trusted by its certificates', async () => {
      service.setTime(past());
      const { id, token } = await makeToken(3);
      const enrolled = await Promise.all(hosts.map((host, index) => run(index, enrollment(host), token)));
      expect(enrolled.map(({ code, errors }) => ({ code, errors }))).toEqual(
        hosts.map(() => ({ code: 0, errors: '' })),
      );
      expect(await usesOf(id)).toBe(3);
      expect(await client('setup', '--url', service.url, '--account', account)).toMatchObject({ code: 0, errors: '' });
      expect(await Promise.all(hosts.map(connect))).toEqual(hosts.map(() => trusted));
    });

    test('renews by itself when the service lets it, and not before', async () => {
      const before = await Promise.all(hosts.map(certificateId));
      expect(await run(0, ['renew', '--dry-run'])).toMatchObject({
        code: 0,
        out: expect.stringContaining('can be renewed: Sallyport answers, and the key signs its challenge'),
        errors: '',
      });
      // Renewal is due by the hosts' clocks, but not yet by the service's.
      const early = await Promise.all(hosts.map((_, index) => run(index, ['renew', '--if-needed'])));
      expect(early).toEqual(
        hosts.map(() => ({ code: 0, out: expect.stringContaining('is not renewed yet'), errors: '' })),
      );
      service.setTime(new Date());
      const due = await Promise.all(hosts.map((_, index) => run(index, ['renew', '--if-needed'])));
      expect(due).toEqual(hosts.map(() => ({ code: 0, out: expect.stringContaining('is renewed'), errors: '' })));
      const after = await Promise.all(hosts.map(certificateId));
      expect(after.filter((id) => before.includes(id))).toEqual([]);
      expect(await Promise.all(hosts.map(connect))).toEqual(hosts.map(() => trusted));
      const again = await Promise.all(hosts.map((_, index) => run(index, ['renew', '--if-needed'])));
      expect(again.map(({ out }) => out)).toEqual(hosts.map(() => expect.stringContaining('is valid until')));
      // An earlier renewal requires an API key.
      expect(await run(0, ['renew'])).toMatchObject({ code: 4, errors: expect.stringContaining('NOT_RENEWABLE') });
      const forced = await hosts[0]?.run(['renew', '--force'], { env: { SALLYPORT_API_KEY: service.token } });
      expect(forced).toMatchObject({ code: 0, errors: '' });
    });

    test('refuses a revoked host after the next refresh, and lets it not renew', async () => {
      const [host] = hosts;
      if (host === undefined) throw new Error('There are three hosts.');
      for (const { id } of await certificatesOf(publicKey(host))) {
        expect((await service.rest('DELETE', `/ssh_host_certificates/${id}`)).status).toBe(204);
      }
      expect(await connect(host)).toEqual(trusted);
      expect(await client('refresh')).toMatchObject({ code: 0, errors: '' });
      expect(await connect(host)).toMatchObject({ code: 255, errors: expect.stringMatching(/revoked/i) });
      expect(await Promise.all(hosts.slice(1).map(connect))).toEqual([trusted, trusted]);
      expect(await run(0, ['renew'])).toMatchObject({ code: 4, errors: expect.stringContaining('NOT_FOUND') });
      const found = / (shcrt_\w+) was revoked: enroll this host again/;
      expect(await run(0, ['renew', '--if-needed'])).toMatchObject({ code: 4, errors: expect.stringMatching(found) });
      expect(await run(0, ['status'])).toMatchObject({ code: 8, out: expect.stringMatching(found), errors: '' });
      const { token } = await makeToken();
      expect(await run(0, enrollment(host), token)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/ was revoked, so that the host is enrolled again\n\S+ is enrolled: /),
        errors: '',
      });
      expect(await connect(host)).toEqual(trusted);
      expect(await run(0, enrollment(host), token)).toMatchObject({ code: 0, out: expect.stringContaining('already') });
      expect((await run(0, ['status'])).out).toMatch(/ is valid, until .+\nnothing renews it: .+\n$/);
    });
  });

  test.each([
    ['used up', async () => ({ ...(await makeToken()), wait: 0, isUsed: true }), 'ENROLLMENT_TOKEN_UNUSABLE'],
    ['ended', async () => ({ ...(await makeToken()), wait: 2 * dayMs, isUsed: false }), 'ENROLLMENT_TOKEN_UNUSABLE'],
    ['unknown', async () => ({ token: `sshet_${'a'.repeat(43)}`, wait: 0, isUsed: false }), 'UNAUTHENTICATED'],
  ])('says why a token that is %s does not enroll a host', async (_, make, code) => {
    service.setTime(new Date());
    const { token, wait, isUsed } = await make();
    const first = await makeHost(directory, runner(['dash'], 'debian', 'curl'));
    if (isUsed) expect(await first.run(enrollment(first), { input: token })).toMatchObject({ code: 0 });
    service.setTime(new Date(Date.now() + wait));
    const host = await makeHost(directory, runner(['dash'], 'debian', 'curl'));
    const refused = await host.run(enrollment(host), { input: token });
    expect(refused).toEqual({ code: 4, out: '', errors: expect.stringContaining(`: ${code}: `) });
    const other = await host.run(['enroll', '--url', service.url, '--name', 'web1.example.net'], {
      input: (await makeToken()).token,
    });
    service.setTime(new Date());
    expect(other).toEqual({ code: 4, out: '', errors: expect.stringContaining(': FORBIDDEN: ') });
  });

  /** The programs by which a run changes something; a run may be killed just before each call of them. */
  const steps = ['curl', 'mv', 'cp', 'rm', 'sshd'];

  /** Creates programs that count their calls and kill the run at a given call. */
  function makeKillers(host: Host): string {
    const stub = host.at('.killers');
    const real = makeSystem(directory, 'debian', 'curl');
    rmSync(stub, { recursive: true, force: true });
    mkdirSync(stub);
    for (const name of steps) {
      const script = `#!${join(real, 'sh')}
read -r calls <${stub}/calls
calls=$((calls + 1))
echo $calls >${stub}/calls
[ "$calls" != "$KILLED_AT" ] || kill -s KILL 0
exec ${join(real, name)} "$@"
`;
      writeFileSync(join(stub, name), script, { mode: 0o755 });
    }
    return `${stub}:${real}`;
  }

  /** Runs the script in its own process group, which is killed before one of its steps. */
  async function runKilled(host: Host, killedAt: number, args: string[], input: string, reload: string) {
    const env = { PATH: makeKillers(host), RELOAD_SSHD: reload, KILLED_AT: String(killedAt), SSH_DIR: host.directory };
    writeFileSync(host.at('.killers/calls'), '0\n');
    const setsid = programPath('setsid') ?? '';
    return runCommand(setsid, ['--wait', programPath('dash') ?? '', hostScript, ...args], env, input);
  }

  /** Kills a run before each of its steps. `prepare` creates the initial state; `check` examines the host after the next run. */
  async function killAtEachStep(
    prepare: () => Promise<{ host: Host; args: string[]; input: string }>,
    check: (host: Host) => Promise<void>,
    every = 1,
  ): Promise<number> {
    for (let killedAt = 1; ; killedAt += every) {
      const { host, args, input } = await prepare();
      const certificate = host.at('ssh_host_ed25519_key-cert.pub');
      // The certificate that the daemon has read. The daemon runs without one, too.
      const loaded = host.at('.loaded');
      const reload = `[ ! -e ${certificate} ] || cp ${certificate} ${loaded}`;
      const killed = await runKilled(host, killedAt, args, input, reload);
      if (killed.code === 0) return killedAt - 1;
      const sshd = await runCommand(programPath('sshd') ?? '', ['-t', '-f', host.at('sshd_config')], {});
      expect([killedAt, sshd]).toEqual([killedAt, { code: 0, out: '', errors: '' }]);
      const next = await host.run(args, { input, env: { RELOAD_SSHD: reload } });
      expect([killedAt, next]).toMatchObject([killedAt, { code: 0, errors: '' }]);
      expect([killedAt, readFileSync(loaded, 'utf8')]).toEqual([killedAt, readFileSync(certificate, 'utf8')]);
      expect(readFileSync(host.at('sshd_config'), 'utf8').match(/^HostCertificate/gm)).toHaveLength(1);
      await check(host);
    }
  }

  describe('a run that is killed before any of its steps leaves a host that works, and the next run finishes', () => {
    test.concurrent('while it enrolls, which takes one use of the token', async () => {
      let tokenId = '';
      const killed = await killAtEachStep(
        async () => {
          const { id, token } = await makeToken();
          tokenId = id;
          const host = await makeHost(directory, runner(['dash'], 'debian', 'curl'));
          return { host, args: enrollment(host), input: token };
        },
        async (host) => {
          expect(await usesOf(tokenId)).toBe(1);
          // The stored request is removed, whenever the run was killed.
          const kept = readdirSync(host.at('.sallyport-ssh-host'));
          expect(kept.filter((file) => file.startsWith('enroll-'))).toEqual([]);
        },
        // Every other step is enough: the rest is covered by the renewals below.
        2,
      );
      expect(killed).toBeGreaterThan(10);
    });

    test.concurrent('while it renews, which makes one certificate', async () => {
      const host = await makeHost(directory, runner(['dash'], 'debian', 'curl'));
      // As after 61 of 90 days.
      const { body } = await service.rest('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: authority,
        public_key: publicKey(host),
        principals: [host.name],
        valid_after: new Date(Date.now() - 61 * dayMs).toISOString(),
        valid_until: new Date(Date.now() + 29 * dayMs).toISOString(),
      });
      const certificate = host.at('ssh_host_ed25519_key-cert.pub');
      writeFileSync(certificate, `${body.certificate}\n`);
      writeFileSync(host.at('sshd_config'), `HostCertificate ${certificate}\n${host.files().sshd_config}`);
      const before = `${host.directory}-before`;
      cpSync(host.directory, before, { recursive: true });
      const killed = await killAtEachStep(
        async () => {
          rmSync(host.directory, { recursive: true });
          cpSync(before, host.directory, { recursive: true });
          return { host, args: ['renew', '--if-needed', '--url', service.url], input: '' };
        },
        async () => expect(await certificatesOf(publicKey(host))).toHaveLength(2),
      );
      expect(killed).toBeGreaterThan(10);
    });
  });
});
