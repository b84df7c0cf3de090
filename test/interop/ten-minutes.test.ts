// Follows the page "SSH host certificates in ten minutes" as a reader does: every command, in order, in one shell.

import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  keyDirectory,
  makeKey,
  missingOpenssh,
  removeDirectory,
  type Sshd,
  sshdSettings,
  startSshd,
} from '../support/openssh.ts';
import { startService, type TestService } from '../support/service.ts';
import { read } from '../support/source-files.ts';

const page = read('docs/ssh-host-certificates.md');
const blocks = [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));

/** Why nobody can follow the page here, which needs bash, curl and the daemon; null if it can be followed. */
const missing =
  missingOpenssh ??
  ['bash', 'curl']
    .filter((name) => spawnSync(name, ['--version']).error !== undefined)
    .map((name) => `no ${name}`)[0] ??
  null;

/** The result of a shell script. */
interface Outcome {
  code: number;
  out: string;
  errors: string;
}

test('every block of the page is one that a reader runs', () => {
  expect(blocks.length).toBeGreaterThan(10);
  expect(blocks.filter(({ language }) => language !== 'sh')).toEqual([]);
});

const skipped = missing === null ? '' : ` (skipped: ${missing})`;
if (missing !== null) process.stderr.write(`The tests with real handshakes are skipped: ${missing}.\n`);

describe.skipIf(missing !== null)(`the page${skipped}`, () => {
  let service: TestService;
  let directory: string;
  let sshd: Sshd;
  let outcome: Outcome;
  const inSshDirectory = (name: string) => join(directory, 'etc', name);

  /** Runs a script without blocking this process, in which the service runs. */
  function shell(script: string, environment: Record<string, string> = {}): Promise<Outcome> {
    const options = {
      cwd: directory,
      env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, HOME: directory, ...environment },
    };
    return new Promise((resolve) => {
      execFile('bash', ['-euo', 'pipefail', '-c', script], options, (error, out, errors) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, errors });
      });
    });
  }

  beforeAll(async () => {
    directory = keyDirectory();
    mkdirSync(join(directory, 'etc'));
    service = await startService({ baseUrl: null });
    service.setTime(new Date());

    // What a machine has before its operator reads the page: a host key, a daemon, and a user who can log in.
    const hostKey = await makeKey(join(directory, 'etc'), 'ssh_host_ed25519_key', '-t', 'ed25519');
    const userKey = await makeKey(directory, 'user', '-t', 'ed25519');
    writeFileSync(
      inSshDirectory('ssh_config'),
      `IdentityFile ${userKey}\nIdentitiesOnly yes\nBatchMode yes\nAddressFamily inet\n`,
    );
    sshd = await startSshd((port) => {
      const lines = [...sshdSettings(port), `HostKey ${hostKey}`, `AuthorizedKeysFile ${userKey}.pub`];
      writeFileSync(inSshDirectory('sshd_config'), `${lines.join('\n')}\n`);
      return inSshDirectory('sshd_config');
    });
    const reload = join(directory, 'reload-sshd');
    writeFileSync(
      reload,
      `#!/bin/bash
starts() { grep -c 'Server listening' ${sshd.logFile}; }
before=$(starts)
kill -HUP ${sshd.pid}
until [ "$(starts)" -gt "$before" ]; do sleep 0.05; done
`,
      { mode: 0o755 },
    );
    outcome = await shell(blocks.map(({ text }) => text).join('\n'), {
      URL: service.url,
      API_KEY: service.token,
      SSH_DIR: join(directory, 'etc'),
      HOST: 'localhost',
      PORT: String(sshd.port),
      RELOAD_SSHD: reload,
      RENEW_DAYS: '400',
    });
  });
  afterAll(async () => {
    expect(service.failures).toEqual([]);
    await sshd.stop();
    await service.close();
    removeDirectory(directory);
  });

  test('leads to a host that is trusted, renewed, enrolled and at last refused', async () => {
    const said = outcome.out
      .split('\n')
      .filter((line) => /^(authority|successor|certificate|localhost) /.test(line))
      .map((line) => line.replace(/_\w+$/, '_...'));
    expect({ code: outcome.code, said, errors: outcome.code === 0 ? '' : outcome.errors }).toEqual({
      code: 0,
      said: [
        'authority sshca_...',
        'certificate shcrt_...',
        'localhost is trusted',
        'localhost is still trusted',
        'localhost is trusted by its new certificate',
        'successor sshca_...',
        'localhost is trusted while there are two',
        'localhost is trusted by the successor',
        'localhost is trusted by the successor alone',
        'localhost is trusted by the certificate that it has asked for',
        'localhost is refused',
      ],
      errors: '',
    });
    expect(outcome.errors).toMatch(/revoked/i);
  });

  test('trusts by one line alone, which is that of the successor at the end', () => {
    const lines = readFileSync(inSshDirectory('ssh_known_hosts'), 'utf8').trimEnd().split('\n');
    const successor = /^successor (\S+)$/m.exec(outcome.out)?.[1];
    expect(lines).toEqual([
      expect.stringMatching(/^# SSH certificate authorities of acct_\w+$/),
      `# ${successor}`,
      expect.stringMatching(/^@cert-authority \* ssh-ed25519 \S+$/),
    ]);
  });

  test('shows what is in the certificate, and which ones end soon', () => {
    expect(outcome.out).toMatch(/Type: ssh-ed25519-cert-v01@openssh\.com host certificate/);
    expect(outcome.out).toMatch(/Principals: \n\s+localhost\n/);
    const answer = (field: string) => {
      const line = outcome.out.split('\n').find((text) => text.includes(`{"${field}"`)) ?? '{}';
      return JSON.parse(line.slice(line.indexOf('{')));
    };
    expect(answer('ssh_host_certificates').ssh_host_certificates).toMatchObject([
      { description: 'localhost', principals: ['localhost'] },
    ]);
    expect(answer('data').data.sshHostCertificateCounts.total).toBe(1);
    // All certificates issued along the way: none is left by which the host would still be trusted.
    expect(answer('ssh_revocations').ssh_revocations).toHaveLength(4);
  });

  test('changes each configuration by one line, also when it is followed twice', async () => {
    const count = (file: string, word: string) =>
      readFileSync(inSshDirectory(file), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(word)).length;
    const edits = blocks.flatMap(
      ({ text }) => text.match(/^grep -q .*(?:\\\n|\|\|\n).*$|^grep -q .* \|\| sed .*$/gm) ?? [],
    );
    expect(edits).toHaveLength(2);
    expect((await shell(edits.join('\n'), { SSH_DIR: join(directory, 'etc') })).code).toBe(0);
    expect([count('sshd_config', 'HostCertificate'), count('ssh_config', 'RevokedHostKeys')]).toEqual([1, 1]);
  });

  test('never shows the API key to other users of the machine', () => {
    expect(page).not.toMatch(/-H ["']Authorization: Bearer \$/);
    expect(outcome.out + outcome.errors).not.toContain(service.token);
  });

  describe('the refresh of revocations keeps the old file', () => {
    let answers: Server;
    let status = 200;
    let body: Buffer | string = '';
    beforeAll(async () => {
      answers = createServer((_request, answer) => answer.writeHead(status).end(body));
      await new Promise<void>((resolve) => answers.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => new Promise((resolve) => answers.close(resolve)));

    const list = () => readFileSync(inSshDirectory('revoked_hosts'));
    test.each([
      ['an error', 500, () => 'SSHKRL'],
      ['a list that is gone', 404, () => '{}'],
      ['the page of a proxy', 200, () => '<html>Sign in</html>'],
      ['nothing', 200, () => ''],
      ['half of a list', 200, () => list().subarray(0, 60)],
      ['a list with a serial 0', 200, () => Buffer.concat([list().subarray(0, -8), Buffer.alloc(8)])],
    ])('when it gets %s', async (_, nextStatus, nextBody) => {
      const before = list();
      const names = readdirSync(join(directory, 'etc'));
      status = nextStatus;
      body = nextBody();
      // The address of a listening TCP server has a port.
      const url = `http://127.0.0.1:${(answers.address() as AddressInfo).port}/krl`;
      const script = '"$SSH_DIR/refresh-revoked-hosts" "$URL" "$SSH_DIR/revoked_hosts"';
      const refreshed = await shell(script, { SSH_DIR: join(directory, 'etc'), URL: url });
      expect(refreshed.code).not.toBe(0);
      expect(list()).toEqual(before);
      expect(readdirSync(join(directory, 'etc'))).toEqual(names);
    });
  });
});
