// Follows the page "Two thousand hosts" as an operator does: its commands, in order, on the operator's machine, on three hosts with
// their own daemons, and on a client.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyDirectory, makeKey, removeDirectory, type Sshd } from '../support/openssh.ts';
import { startService, type TestService } from '../support/service.ts';
import { read } from '../support/source-files.ts';
import { startShell } from './shell.ts';
import {
  type Host,
  makeHost,
  missingPrograms,
  type Outcome,
  programPath,
  runCommand,
  startHost,
} from './ssh-scripts.ts';

const page = read('docs/two-thousand-hosts.md');
const blocks = [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, role = '', text = '']) => ({ role, text }));
const blocksOf = (role: string) => blocks.filter((block) => block.role === role).map(({ text }) => text);

test('every block of the page is one that somebody runs', () => {
  expect(blocks.length).toBeGreaterThan(10);
  expect([...new Set(blocks.map(({ role }) => role))].sort()).toEqual(['sh', 'sh client', 'sh host', 'yaml']);
});

/** Returns the commands that cloud-init runs for a service, on a machine whose directories are in variables. */
const cloudInitCommands = (url: string) =>
  (/ {2}- \|\n((?: {4}.*\n)+)/.exec(blocksOf('yaml')[0] ?? '')?.[1] ?? '')
    .replace(/^ {4}/gm, '')
    .replaceAll('https://sallyport.example.com', url)
    .replaceAll('/usr/local/sbin', '"$BIN"')
    .replaceAll('/run/sallyport-token', '"$TOKEN_FILE"');

describe.skipIf(missingPrograms !== null)('a script with another checksum is not run, and replaces none', () => {
  test.each([
    ['on a host', () => blocksOf('sh host')[0] ?? '', 'sallyport-ssh-host'],
    ['by cloud-init', cloudInitCommands, 'sallyport-ssh-host'],
    ['on a client', () => blocksOf('sh client')[0] ?? '', 'sallyport-ssh-client'],
  ])('%s', async (_, commands, name) => {
    const directory = keyDirectory();
    const at = (file: string) => join(directory, file);
    const scripts = ['ssh/host.sh', 'ssh/client.sh', `bin/${name}`];
    for (const file of ['ssh', 'bin']) mkdirSync(at(file));
    for (const file of scripts) writeFileSync(at(file), `#!/bin/sh\ntouch ${at('run')} # ${file}\n`, { mode: 0o755 });
    writeFileSync(at('token'), 'sshet_abc\n');
    const url = `file://${directory}`;
    const env = { PATH: `${at('bin')}:${process.env.PATH}`, URL: url, BIN: at('bin'), ACCOUNT: 'acct_a' };
    // Run as when pasted, and as cloud-init does: without stopping at the first failure.
    const outcome = await runCommand(programPath('dash') ?? '', ['-c', commands(url)], {
      ...env,
      TOKEN_FILE: at('token'),
    });
    expect(existsSync(at('run'))).toBe(false);
    expect(readFileSync(at(`bin/${name}`), 'utf8')).toContain(`# bin/${name}`);
    expect(outcome).toMatchObject({ code: 1, out: `${name}.new: FAILED\n` });
    removeDirectory(directory);
  });
});

describe.skipIf(missingPrograms !== null)('the page', () => {
  let service: TestService;
  let directory: string;
  const hosts: Host[] = [];
  const daemons: { sshd: Sshd; reload: string }[] = [];
  const path = (name: string) => join(directory, name);
  const pastMs = 61 * 86_400_000;

  beforeAll(async () => {
    directory = keyDirectory();
    service = await startService({ baseUrl: null });
    const userKey = await makeKey(directory, 'user', '-t', 'ed25519');
    const settings = [`AuthorizedKeysFile ${userKey}.pub`];
    for (const number of [1, 2, 3]) {
      const place = { name: `web${number}.example.com`, address: `127.0.0.${number + 1}`, settings };
      const host = await makeHost(directory, { shell: ['dash'], path: '' }, place);
      hosts.push(host);
      daemons.push(await startHost(host));
      for (const name of ['bin', 'cron']) mkdirSync(host.at(name));
      writeFileSync(host.at('bin/hostname'), `#!/bin/sh\necho ${host.name}\n`, { mode: 0o755 });
    }
    for (const name of ['operator', 'client', 'client/bin', 'client/cron']) mkdirSync(path(name));
    const names = hosts.map(
      ({ name, address }, index) =>
        `Host ${name}\n  HostName ${address}\n  Port ${daemons[index]?.sshd.port}\n  HostKeyAlias ${name}\n`,
    );
    writeFileSync(
      path('client/ssh_config'),
      `IdentityFile ${userKey}\nIdentitiesOnly yes\nBatchMode yes\nStrictHostKeyChecking yes\n` +
        `UserKnownHostsFile /dev/null\nLogLevel ERROR\n${names.join('')}`,
    );
  });
  afterAll(async () => {
    await Promise.all(daemons.map(({ sshd }) => sshd.stop()));
    expect(service.failures).toEqual([]);
    await service.close();
    removeDirectory(directory);
  });

  /** The variables of a machine whose directory is not /etc/ssh. */
  const machine = (at: (name: string) => string): Record<string, string> => ({
    PATH: `${at('bin')}:${process.env.PATH}`,
    HOME: directory,
    URL: service.url,
    BIN: at('bin'),
    SSH_DIR: at('.').replace(/\/\.?$/, ''),
    CRON_DIR: at('cron'),
    UNIT_DIR: at('cron'),
    TOKEN_FILE: at('token'),
  });
  const bash = (script: string, env: Record<string, string>) =>
    runCommand(programPath('bash') ?? '', ['--norc', '-euo', 'pipefail', '-c', script], env);
  const onHost = (place: number, script: string): Promise<Outcome> => {
    const host = hosts[place];
    if (host === undefined) throw new Error(`There is no host ${place}.`);
    return bash(script, { ...machine(host.at), RELOAD_SSHD: daemons[place]?.reload ?? '' });
  };
  const onClient = (script: string, env: Record<string, string> = {}) =>
    bash(script, { ...machine((name) => path(join('client', name))), ...env });
  /** Returns the command that cron runs on a machine. */
  const cronJob = (file: string) =>
    readFileSync(file, 'utf8')
      .trim()
      .replace(/^\S+ \S+ \S+ \S+ \S+ root /, '');
  const hostJob = (place: number) => onHost(place, cronJob(hosts[place]?.at('cron/sallyport-ssh-host') ?? ''));
  const clientJob = () => onClient(cronJob(path('client/cron/sallyport-ssh-client')));
  const connect = (place: number) => onClient(`ssh -F "$SSH_DIR/ssh_config" ${hosts[place]?.name} true`);
  const fine = { code: 0, out: '', errors: '' };
  const quiet = { code: 0, errors: '' };

  test('leads to hosts that are trusted, renewed, found, revoked, and moved to another authority', async () => {
    service.setTime(new Date(Date.now() - pastMs));
    const operator = startShell(path('operator'), {
      PATH: process.env.PATH ?? '',
      URL: service.url,
      API_KEY: service.token,
      LATE_DAYS: '30',
      GONE: 'web3.example.com',
    });
    const [authority = '', token = '', late = '', revoke = '', ...replacing] = blocksOf('sh');
    const [announce = '', handOver = '', retire = '', count = '', retireNow = '', ...rest] = replacing;
    expect(rest).toEqual([]);
    const said = await operator.paste(authority);
    expect(said).toMatch(/^authority sshca_\w+ of the account acct_\w+\n$/);
    const account = /acct_\w+/.exec(said)?.[0] ?? '';
    expect(await operator.paste(token)).toBe('');
    const secret = readFileSync(path('operator/token'), 'utf8');
    expect(secret).toMatch(/^sshet_\S+\n$/);

    // Each host is enrolled in a different way.
    const [enroll = '', status = ''] = blocksOf('sh host');
    const [, ansible = ''] = blocksOf('yaml');
    for (const place of [0, 1]) writeFileSync(hosts[place]?.at('token') ?? '', secret);
    expect(await onHost(0, enroll)).toMatchObject(quiet);
    expect(await onHost(1, cloudInitCommands(service.url))).toMatchObject(quiet);
    await onHost(2, `cp ${hosts[0]?.at('bin/sallyport-ssh-host')} "$BIN"`);
    const steps = [...ansible.matchAll(/cmd: (.*)\n(?: +stdin: "(.*)"\n)?/g)].map(([, command = '', input]) =>
      [command, ...(input === undefined ? [] : [`<<<'${input}'`])]
        .join(' ')
        .replace('{{ sallyport_url }}', service.url)
        .replace('{{ sallyport_token }}', secret.trim())
        .replace('{{ inventory_hostname }}', 'web3.example.com'),
    );
    expect(steps).toHaveLength(2);
    expect(await onHost(2, steps.join('\n'))).toMatchObject(quiet);
    const [setUp = ''] = blocksOf('sh client');
    expect(await onClient(setUp, { ACCOUNT: account })).toMatchObject(quiet);
    expect(await Promise.all([0, 1, 2].map(connect))).toEqual([fine, fine, fine]);
    expect(await onHost(0, status)).toMatchObject(quiet);

    // 61 days later, on hosts whose timers run.
    service.setTime(new Date());
    expect([await hostJob(0), await hostJob(1)]).toEqual([fine, fine]);
    const found = JSON.parse(await operator.paste(late)).data.sshHostCertificates;
    expect(found).toEqual({
      totalCount: 1,
      nodes: [{ description: 'web3.example.com', validUntil: expect.any(String) }],
    });
    expect(await Promise.all([0, 1, 2].map(connect))).toEqual([fine, fine, fine]);

    await operator.paste(revoke);
    expect(await clientJob()).toEqual(fine);
    expect((await Promise.all([0, 1, 2].map(connect))).map(({ code }) => code)).toEqual([0, 0, 255]);
    expect(await hostJob(2)).toMatchObject({ code: 4, errors: expect.stringContaining('NOT_FOUND') });

    const lines = () => readFileSync(path('client/sallyport_known_hosts'), 'utf8').match(/^@cert-authority /gm);
    expect(lines()).toHaveLength(1);
    await operator.paste(announce);
    expect(await clientJob()).toEqual(fine);
    expect(lines()).toHaveLength(2);
    expect(await operator.paste(handOver)).toContain('"handed_over"');
    // An emergency: the hosts move to the successor by their next runs, although they were renewed a moment ago.
    const left = async () => /"total":(\d+)/.exec(await operator.paste(count))?.[1];
    expect(await left()).toBe('2');
    expect([await hostJob(0), await hostJob(1)]).toEqual([fine, fine]);
    expect(await left()).toBe('0');
    expect(await operator.paste(retire)).toContain('IN_USE');
    expect(await operator.paste(retireNow)).toContain('"retired"');
    expect(await clientJob()).toEqual(fine);
    expect(lines()).toHaveLength(1);
    expect(await Promise.all([0, 1].map(connect))).toEqual([fine, fine]);

    // No emergency: the next one is replaced in peace.
    await operator.paste('AUTHORITY=$SUCCESSOR');
    await operator.paste(announce);
    expect(await operator.paste(handOver)).toContain('"handed_over"');
    service.setTime(new Date(Date.now() + 100 * 86_400_000));
    expect(await operator.paste(retire)).toContain('"retired"');
    expect(await clientJob()).toEqual(fine);
    expect(lines()).toHaveLength(1);
    service.setTime(new Date());
  });
});
