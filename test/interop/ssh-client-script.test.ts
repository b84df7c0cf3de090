// The client script under failures: whatever the service answers, ssh keeps lists that it can read.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keyDirectory, makeKey, removeDirectory } from '../support/openssh.ts';
import { clientScript, makeSystem, missingPrograms, programPath, type Runner, runCommand } from './ssh-scripts.ts';

describe.skipIf(missingPrograms !== null)('sallyport-ssh-client', () => {
  let directory: string;
  let service: Server;
  let url: string;
  /** The service's answers: a status and a body for each path. */
  let answers: Record<string, { status: number; body: Buffer | string }>;
  let statuses: string[];
  const account = 'acc_01m7xc4kkmepqbszdn9mnvx5t8';
  const krlPath = `/ssh/krl/${account}`;
  const hostsPath = `/ssh/known_hosts/${account}`;
  const path = (name: string) => join(directory, name);
  const line = (name: string) => `@cert-authority * ${readFileSync(path(name), 'utf8').trim()}\n`;

  /** Writes a revocation list with ssh-keygen. */
  function krl(...serials: number[]): Buffer {
    writeFileSync(path('serials'), serials.map((serial) => `serial: ${serial}\n`).join(''));
    const { status } = spawnSync('ssh-keygen', ['-q', '-k', '-s', path('a.pub'), '-f', path('krl'), path('serials')]);
    expect(status).toBe(0);
    return readFileSync(path('krl'));
  }

  beforeAll(async () => {
    directory = keyDirectory();
    await Promise.all([makeKey(directory, 'a', '-t', 'ed25519'), makeKey(directory, 'b', '-t', 'ecdsa')]);
    service = createServer((request, reply) => {
      const { status, body } = answers[request.url ?? ''] ?? { status: 404, body: '{}' };
      const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
      const known = request.headers['if-none-match'] === tag;
      statuses.push(`${known ? 304 : status} ${request.url?.split('/')[2]}`);
      reply.writeHead(known ? 304 : status, { ETag: tag }).end(known ? '' : body);
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    // The address of a listening TCP server has a port.
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    statuses = [];
    answers = {
      [krlPath]: { status: 200, body: krl(1, 2) },
      [hostsPath]: { status: 200, body: `# SSH certificate authorities of ${account}\n# sshca_a\n${line('a.pub')}` },
    };
  });
  afterAll(async () => {
    await new Promise((resolve) => service.close(resolve));
    removeDirectory(directory);
  });

  const debian = (): Runner => ({ shell: ['dash'], path: makeSystem(directory, 'debian', 'curl') });
  const runners: [string, () => Runner][] = [
    ['dash with curl', debian],
    ['busybox with wget', () => ({ shell: ['busybox', 'sh'], path: makeSystem(directory, 'busybox', 'wget') })],
    ['bash with curl', () => ({ shell: ['bash'], path: makeSystem(directory, 'debian', 'curl') })],
  ];

  /** Creates a client: a directory with a configuration of ssh. */
  function makeClient({ shell: [shell, ...before], path: programs }: Runner, configuration = 'Host *\n') {
    const own = mkdtempSync(path('client-'));
    const at = (name: string) => join(own, name);
    writeFileSync(at('ssh_config'), configuration.replaceAll('DIRECTORY', own));
    return {
      at,
      run: (...args: string[]) =>
        runCommand(programPath(shell) ?? shell, [...before, clientScript, ...args], { PATH: programs, SSH_DIR: own }),
      setUp: (...options: string[]) =>
        runCommand(
          programPath(shell) ?? shell,
          [...before, clientScript, 'setup', '--url', url, '--account', account, ...options],
          { PATH: programs, SSH_DIR: own },
        ),
      lists: () => [readFileSync(at('sallyport_known_hosts'), 'utf8'), readFileSync(at('sallyport_revoked_hosts'))],
      names: () => readdirSync(own).sort(),
    };
  }

  test.each(runners)('%s fetches both lists once, and has ssh read them', async (_, runner) => {
    const client = makeClient(runner());
    expect(await client.setUp()).toMatchObject({ code: 0, errors: '' });
    expect(client.lists()).toEqual([answers[hostsPath]?.body, answers[krlPath]?.body]);
    expect(readFileSync(client.at('ssh_config'), 'utf8')).toBe(
      'GlobalKnownHostsFile /etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2 ' +
        `${client.at('sallyport_known_hosts')}\nRevokedHostKeys ${client.at('sallyport_revoked_hosts')}\nHost *\n`,
    );
    expect(await client.run('refresh')).toEqual({
      code: 0,
      out: 'trusted authorities: 1, for *; revoked certificates: 2\n',
      errors: '',
    });
    expect(statuses).toEqual(['200 krl', '200 known_hosts', '304 krl', '304 known_hosts']);
    expect(await client.run('status')).toMatchObject({
      code: 8,
      out: expect.stringContaining('refreshed 0 minutes ago\nnothing refreshes them: run'),
    });
    // The new list is fetched, and the damaged one is fetched again.
    answers[hostsPath] = { status: 200, body: line('a.pub') + line('b.pub') };
    writeFileSync(client.at('sallyport_revoked_hosts'), 'damaged');
    expect(await client.run('refresh')).toMatchObject({ code: 0, errors: '' });
    expect(client.lists()).toEqual([answers[hostsPath]?.body, answers[krlPath]?.body]);
    expect(statuses.slice(4)).toEqual(['200 krl', '200 known_hosts']);
  });

  test('limits the authorities to some hosts, in a directory that the configuration includes', async () => {
    const client = makeClient(debian(), 'Include DIRECTORY/ssh_config.d/*.conf\nHost *\n');
    mkdirSync(client.at('ssh_config.d'));
    expect(await client.setUp('--hosts', '*.example.com,10.0.0.*')).toMatchObject({ code: 0, errors: '' });
    expect(client.lists()[0]).toBe(String(answers[hostsPath]?.body).replace(' * ', ' *.example.com,10.0.0.* '));
    expect(readFileSync(client.at('ssh_config.d/10-sallyport.conf'), 'utf8').split('\n')).toHaveLength(3);
    expect(await client.run('setup')).toMatchObject({ code: 0, errors: '' });
    expect(readFileSync(client.at('ssh_config.d/10-sallyport.conf'), 'utf8').split('\n')).toHaveLength(3);
    expect(await client.setUp('--hosts', '*')).toMatchObject({ code: 0, errors: '' });
    expect(client.lists()[0]).toBe(answers[hostsPath]?.body);
  });

  test('leaves a configuration alone that names other revocations', async () => {
    const client = makeClient(debian(), 'RevokedHostKeys /etc/ssh/ours\n');
    expect(await client.setUp()).toMatchObject({
      code: 6,
      errors: expect.stringContaining('from /etc/ssh/ours already'),
    });
    expect(readFileSync(client.at('ssh_config'), 'utf8')).toBe('RevokedHostKeys /etc/ssh/ours\n');
  });

  describe('keeps the old lists', () => {
    let client: ReturnType<typeof makeClient>;
    beforeAll(async () => {
      client = makeClient(debian());
      answers = {
        [krlPath]: { status: 200, body: krl(1) },
        [hostsPath]: { status: 200, body: line('a.pub') },
      };
      expect(await client.setUp()).toMatchObject({ code: 0 });
    });

    const page = '<html>Sign in</html>';
    test.each([
      ['an error about the list', krlPath, 500, 3, () => 'SSHKRL'],
      ['a list that is gone', krlPath, 404, 4, () => '{"error_code":"NOT_FOUND","msg":"There is none."}'],
      ['the page of a proxy for the list', krlPath, 200, 5, () => page],
      ['an empty list', krlPath, 200, 5, () => ''],
      ['half of a list', krlPath, 200, 5, () => krl(1, 2, 3).subarray(0, 60)],
      ['a redirect', krlPath, 302, 5, () => page],
      ['the page of a proxy for the authorities', hostsPath, 200, 5, () => page],
      ['no authorities', hostsPath, 200, 5, () => ''],
      ['a host among the authorities', hostsPath, 200, 5, () => `${line('a.pub')}${line('b.pub').slice(16)}`],
      ['half of a key', hostsPath, 200, 5, () => line('b.pub').slice(0, 60)],
      ['an error about the authorities', hostsPath, 503, 3, () => '{}'],
    ])('when it gets %s', async (_, where, status, code, body) => {
      const before = client.lists();
      const names = client.names();
      answers[krlPath] = { status: 200, body: before[1] ?? '' };
      answers[hostsPath] = { status: 200, body: before[0] ?? '' };
      answers[where] = { status, body: body() };
      const outcome = await client.run('refresh');
      expect(outcome).toEqual({
        code,
        out: '',
        errors: expect.stringMatching(/^sallyport-ssh-client: .+ stays as it is.*\n$/),
      });
      expect(client.lists()).toEqual(before);
      expect(client.names()).toEqual(names);
    });

    test('when nobody answers, and says so', async () => {
      const before = client.lists();
      const conf = readFileSync(client.at('sallyport-ssh-client.conf'), 'utf8');
      writeFileSync(client.at('sallyport-ssh-client.conf'), conf.replace(url, 'http://127.0.0.1:1'));
      expect(await client.run('refresh')).toMatchObject({
        code: 3,
        out: '',
        errors: expect.stringContaining('does not answer'),
      });
      expect(client.lists()).toEqual(before);
    });
  });

  test('takes a list of authorities that has none, from an account that has none', async () => {
    const client = makeClient(debian());
    answers[hostsPath] = { status: 200, body: `# SSH certificate authorities of ${account}\n` };
    expect(await client.setUp()).toMatchObject({ code: 0, out: expect.stringContaining('trusted authorities: 0') });
  });

  const shasum = programPath('shasum');
  test.skipIf(shasum === undefined)(
    'needs no more than macOS has, keeps other runs out, and takes all back',
    async () => {
      const client = makeClient({ shell: ['dash'], path: makeSystem(directory, 'macos', 'curl') });
      const before = readFileSync(client.at('ssh_config'), 'utf8');
      const setUp = ['setup', '--url', url, '--account', account];
      expect(await client.run(...setUp)).toMatchObject({ code: 0, errors: '' });
      // Left by a run that was killed.
      writeFileSync(client.at('.sallyport-ssh-client/running'), `${spawnSync('true').pid}\n`);
      const runs = await Promise.all([client.run('refresh'), client.run('refresh')]);
      expect(runs.map(({ code, errors }) => [code, errors])).toEqual([
        [0, ''],
        [0, ''],
      ]);
      expect(statuses.slice(2)).toEqual(['304 krl', '304 known_hosts', '304 krl', '304 known_hosts']);
      expect(await client.run('uninstall')).toMatchObject({ code: 0, errors: '' });
      expect([readFileSync(client.at('ssh_config'), 'utf8'), readdirSync(client.at('.'))]).toEqual([
        before,
        ['ssh_config'],
      ]);
    },
  );

  test('says what is missing', async () => {
    const client = makeClient(debian());
    expect(await client.run('refresh')).toMatchObject({ code: 1, errors: expect.stringContaining('setup" first') });
    expect(await client.run('setup')).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--url and --account'),
    });
    expect(await client.setUp('--hosts', 'a b')).toMatchObject({ code: 2 });
    expect(await client.setUp()).toMatchObject({ code: 0 });
    rmSync(client.at('sallyport_revoked_hosts'));
    expect(await client.run('status')).toMatchObject({ code: 8, errors: expect.stringContaining('missing or broken') });
  });
});
