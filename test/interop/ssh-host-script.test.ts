// The host script under failures: a service that lies, a configuration that sshd refuses, a reload that fails.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { keyDirectory, makeKey, removeDirectory, sshdPath, sshdSettings } from '../support/openssh.ts';
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

/** The service's answers. */
interface Answers {
  challenge: (url: string, subject: string) => string;
  /** Arguments with which ssh-keygen creates the certificate from the keys in a directory. */
  sign: string[];
  key: string;
  knownHosts: string;
  status: number;
  body: string | null;
  /** What is said about a certificate, and the revocation list. */
  told: (path: string) => [number, string | Buffer];
  /** Which enrollment, counted from 1, is answered by closing the connection. */
  lost: number;
}

const fine = { code: 0, out: '', errors: '' };

const readers: [string, string[]][] = [
  ['dash', ['-n']],
  ['busybox', ['sh', '-n']],
  ['bash', ['--posix', '-n']],
  ['shellcheck', ['--shell=sh']],
];
for (const [name, args] of readers) {
  const program = programPath(name);
  // The name says that the test is skipped, and why.
  const skipped = program === undefined ? `, skipped: no ${name} on this machine` : '';
  test.skipIf(program === undefined)(`${name} finds no fault in the scripts${skipped}`, async () => {
    for (const script of [hostScript, clientScript]) {
      expect(await runCommand(program ?? '', [...args, script], {})).toEqual(fine);
    }
  });
}

describe.skipIf(missingPrograms !== null)('sallyport-ssh-host', () => {
  let directory: string;
  let service: Server;
  let url: string;
  let answers: Answers;
  let asked: string[];
  /** The enrollments received, by the idempotency key and body that a repetition must share. */
  let enrollments: { key: unknown; body: string }[];
  const id = 'shcrt_01m7xc4kkmepqbszdn9mnvx5t8';
  const path = (name: string) => join(directory, name);
  const line = (file: string) => readFileSync(path(file), 'utf8').split(' ').slice(0, 2).join(' ').trim();
  const keygen = (...args: string[]) => {
    const { status, stderr } = spawnSync('ssh-keygen', ['-q', ...args], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };

  beforeAll(async () => {
    directory = keyDirectory();
    await Promise.all(['authority', 'other', 'foreign'].map((name) => makeKey(directory, name, '-t', 'ed25519')));
    service = createServer((request, reply) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        asked.push(`${request.method} ${request.url}`);
        if (request.method === 'GET') {
          const [status, answer] = answers.told(request.url ?? '');
          return reply.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
        }
        const body = JSON.parse(text);
        const send = (status: number, answer: string) =>
          reply.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
        if (request.url === '/ssh_challenges') {
          const subject = body.token === undefined ? body.ssh_host_certificate_id : 'sshenr_01m7xc4kkmepqbszdn9mnvx5t8';
          return send(201, JSON.stringify({ challenge: answers.challenge(url, subject), expires_at: '' }));
        }
        if (request.url === '/ssh_enrollments') {
          enrollments.push({ key: request.headers['idempotency-key'], body: text });
          if (enrollments.length === answers.lost) return request.socket.destroy();
        }
        if (answers.body !== null) return send(answers.status, answers.body);
        writeFileSync(path('asked.pub'), answers.key === '' ? `${body.public_key}\n` : `${line(answers.key)}\n`);
        keygen(...answers.sign, path('asked.pub'));
        const certificate = readFileSync(path('asked-cert.pub'), 'utf8').trim();
        // As another program may serialize JSON: every letter x and sign = escaped.
        const answer = JSON.stringify({ uri: '"id":"', id, certificate, known_hosts: answers.knownHosts });
        send(answers.status, answer.replace(/=/g, '\\u003d').replace(/x/g, '\\u0078'));
      });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    // The address of a listening TCP server has a port.
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
    enrollments = [];
    answers = {
      challenge: (service, subject) => `sallyport-challenge-v1 ${service} ${subject} 2026-11-20T21:05:00Z AbC-_9`,
      sign: signing('authority', '-h', '-n', 'web1.example.com,10.1.0.7', '-V', '-1h:+1d'),
      key: '',
      knownHosts: `@cert-authority * ${line('other.pub')}\n@cert-authority * ${line('authority.pub')}\n`,
      status: 201,
      body: null,
      told: () => [200, '{"suggested_window": {"start": "2099-01-01T00:00:00Z"}}'],
      lost: 0,
    };
  });
  afterAll(async () => {
    await new Promise((resolve) => service.close(resolve));
    removeDirectory(directory);
  });

  const signing = (authority: string, ...options: string[]) => ['-s', path(authority), '-I', id, ...options];
  const debian = (): Runner => ({ shell: ['dash'], path: makeSystem(directory, 'debian', 'curl') });
  const enroll = (host: Host, ...options: string[]) =>
    host.run(['enroll', '--url', url, '--name', 'web1.example.com,10.1.0.7', ...options], { input: 'sshet_abc\n' });

  const runners: [string, () => Runner][] = [
    ['dash with curl', debian],
    ['busybox with wget', () => ({ shell: ['busybox', 'sh'], path: makeSystem(directory, 'busybox', 'wget') })],
    ['bash with wget', () => ({ shell: ['bash'], path: makeSystem(directory, 'debian', 'wget') })],
  ];
  test.each(runners)('%s enrolls a host, and repeats nothing', async (_, runner) => {
    const host = await makeHost(directory, runner());
    const before = host.files();
    const enrolled = await enroll(host);
    expect(enrolled).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^\S+_ed25519_key is enrolled: shcrt_\w+, until \S+Z, for 10\.1\.0\.7 web1\.example\.com\n$/,
      ),
      errors: '',
    });
    const certificate = host.at('ssh_host_ed25519_key-cert.pub');
    const { 'ssh_host_ed25519_key-cert.pub': text, ...after } = host.files();
    expect(text).toBe(readFileSync(path('asked-cert.pub'), 'utf8'));
    expect(after).toEqual({
      ...before,
      sshd_config: `HostCertificate ${certificate}\n${before.sshd_config}`,
      'sallyport-ssh-host.conf': `# Written by sallyport-ssh-host.\nURL=${url}\nRELOAD_SSHD=true\nSSHD_CONFIG=${host.at('sshd_config')}\n`,
    });
    expect(asked).toEqual(['POST /ssh_challenges', 'POST /ssh_enrollments']);
    expect(await enroll(host)).toMatchObject({ code: 0, out: expect.stringContaining('is enrolled already') });
    expect(await host.run(['renew', '--if-needed'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('is valid until'),
    });
    expect(asked.slice(2)).toEqual([`GET /ssh/renewal_info/${id}`, `GET /ssh/renewal_info/${id}`]);
    expect(await host.run(['status'])).toEqual({
      code: 8,
      out: expect.stringContaining(`${certificate}: ${id} is valid, until`),
      errors: '',
    });
    expect(readdirSync(host.at('.sallyport-ssh-host'))).toEqual(['lock']);
  });

  test('certifies the keys that are asked for, and has an included directory have the lines', async () => {
    const host = await makeHost(directory, debian(), {
      types: ['rsa', 'ecdsa', 'ed25519'],
      // sshd only warns about this setting.
      settings: ['KeyRegenerationInterval 3600'],
    });
    const before = readFileSync(host.at('sshd_config'), 'utf8');
    mkdirSync(host.at('sshd_config.d'));
    writeFileSync(host.at('sshd_config'), `Include ${host.at('sshd_config.d')}/*.conf\n${before}`);
    expect(await enroll(host, '--key-types', 'rsa,ecdsa')).toMatchObject({ code: 0, errors: '' });
    expect(readFileSync(host.at('sshd_config.d/10-sallyport.conf'), 'utf8')).toBe(
      `HostCertificate ${host.at('ssh_host_ecdsa_key-cert.pub')}\nHostCertificate ${host.at('ssh_host_rsa_key-cert.pub')}\n`,
    );
    expect(await enroll(host, '--key-types', 'all')).toMatchObject({ code: 0, errors: '' });
    expect(readFileSync(host.at('sshd_config.d/10-sallyport.conf'), 'utf8').split('\n')).toHaveLength(4);
    expect(asked.filter((request) => request === 'POST /ssh_enrollments')).toHaveLength(3);
  });

  /** Returns the files of a host that contain the token, including those in the script's own directory. */
  const filesWithToken = (host: Host) =>
    readdirSync(host.directory, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !statSync(host.at(file)).isDirectory() && readFileSync(host.at(file), 'utf8').includes('sshet_abc'),
    );

  test('asks again for the key whose answer was lost, by the same request, and keeps no token meanwhile', async () => {
    const host = await makeHost(directory, debian(), { types: ['ecdsa', 'ed25519'] });
    answers.lost = 2;
    expect(await enroll(host, '--key-types', 'all')).toEqual({
      code: 3,
      out: expect.stringMatching(/^\S+_ed25519_key is enrolled: .+\n$/),
      errors: expect.stringMatching(/_ecdsa_key is not enrolled: \S+ does not answer: .+\n$/),
    });
    expect(filesWithToken(host)).toEqual([]);
    for (const status of [409, 503]) {
      answers = { ...answers, status, body: '{}' };
      expect(await enroll(host, '--key-types', 'all')).toMatchObject({ code: status === 409 ? 4 : 3 });
      expect(filesWithToken(host)).toEqual([]);
    }
    answers = { ...answers, status: 201, body: null };
    expect(await enroll(host, '--key-types', 'all')).toMatchObject({ code: 0, errors: '' });
    expect(enrollments).toHaveLength(5);
    expect(new Set(enrollments.slice(1).map(({ key, body }) => `${key} ${body}`)).size).toBe(1);
    expect(enrollments[1]?.key).not.toBe(enrollments[0]?.key);
    expect(readdirSync(host.at('.sallyport-ssh-host'))).toEqual(['lock']);
  });

  test('asks by a new request with another token, and forgets one that is answered', async () => {
    const host = await makeHost(directory, debian());
    answers.lost = 1;
    expect(await enroll(host)).toMatchObject({ code: 3 });
    const kept = readdirSync(host.at('.sallyport-ssh-host')).filter((file) => file !== 'lock');
    expect(kept).toEqual([expect.stringMatching(/^enroll-[0-9a-f]{16}$/)]);
    const request = readFileSync(host.at(`.sallyport-ssh-host/${kept[0]}`));
    const args = ['enroll', '--url', url, '--name', 'web1.example.com,10.1.0.7'];
    expect(await host.run(args, { input: 'sshet_other' })).toMatchObject({ code: 0 });
    expect(enrollments[1]?.key).not.toBe(enrollments[0]?.key);
    expect(readdirSync(host.at('.sallyport-ssh-host'))).toEqual(['lock']);
    // As left by a run that was killed once everything was in place.
    writeFileSync(host.at(`.sallyport-ssh-host/${kept[0]}`), request);
    expect(await enroll(host)).toMatchObject({ code: 0, out: expect.stringContaining('is enrolled already') });
    expect(readdirSync(host.at('.sallyport-ssh-host'))).toEqual(['lock']);
  });

  test('tells two keys of the same name in two directories apart', async () => {
    const host = await makeHost(directory, debian());
    for (const [place, type] of [
      ['a', 'ecdsa'],
      ['b', 'ed25519'],
    ] as const) {
      mkdirSync(host.at(place));
      await makeKey(host.at(place), 'host_key', '-t', type);
    }
    writeFileSync(host.at('sshd_config'), `HostKey ${host.at('a/host_key')}\nHostKey ${host.at('b/host_key')}\n`);
    expect(await enroll(host, '--key-types', 'all')).toMatchObject({ code: 0, errors: '' });
    for (const place of ['a', 'b']) {
      const [key, certificate] = [`${place}/host_key.pub`, `${place}/host_key-cert.pub`].map(
        (file) => spawnSync('ssh-keygen', ['-l', '-f', host.at(file)], { encoding: 'utf8' }).stdout.split(' ')[1],
      );
      expect([place, certificate]).toEqual([place, key]);
    }
  });

  test('warns of a certificate that can end between two hourly runs', async () => {
    const warning = /^warning: shcrt_\w+ is valid for \d+ minutes, and can end before an hourly run renews it/;
    const enrolled = async (validity: string) => {
      answers.sign = signing('authority', '-h', '-n', 'web1.example.com,10.1.0.7', '-V', validity);
      const { code, out } = await enroll(await makeHost(directory, debian()));
      return { code, isWarned: warning.test(out) };
    };
    expect(await enrolled('-1m:+5h')).toEqual({ code: 0, isWarned: true });
    expect(await enrolled('-1m:+7h')).toEqual({ code: 0, isWarned: false });
  });

  const lies: [string, () => Partial<Answers>, RegExp][] = [
    [
      'a challenge for another service',
      () => ({
        challenge: (_, subject) => `sallyport-challenge-v1 https://other.test ${subject} 2026-11-20T21:05:00Z x`,
      }),
      /calls itself https:\/\/other\.test/,
    ],
    [
      'a challenge for something else',
      () => ({ challenge: (service) => `sallyport-challenge-v1 ${service} ${id} 2026-11-20T21:05:00Z x` }),
      /is for shcrt_\w+, which was not asked for/,
    ],
    [
      'a challenge of another form',
      () => ({
        challenge: (service, subject) => `sallyport-challenge-v1 ${service} ${subject} 2026-11-20T21:05:00Z x y`,
      }),
      /form/,
    ],
    [
      'a challenge of two lines',
      () => ({
        challenge: (service, subject) => `sallyport-challenge-v1 ${service} ${subject} 2026-11-20T21:05:00Z\nx y`,
      }),
      /form/,
    ],
    ['a certificate for another key', () => ({ key: 'foreign.pub' }), /another key/],
    [
      'a certificate by an authority that it does not name',
      () => ({ sign: signing('foreign', '-h', '-n', 'web1.example.com,10.1.0.7', '-V', '-1h:+1d') }),
      /authority that clients are not told to trust/,
    ],
    [
      'a certificate for other names',
      () => ({ sign: signing('authority', '-h', '-n', 'web1.example.com', '-V', '-1h:+1d') }),
      /other names/,
    ],
    [
      'the certificate of a user',
      () => ({ sign: signing('authority', '-n', 'web1.example.com,10.1.0.7', '-V', '-1h:+1d') }),
      /no host certificate/,
    ],
    [
      'a certificate that has ended',
      () => ({ sign: signing('authority', '-h', '-n', 'web1.example.com,10.1.0.7', '-V', '-2h:-1h') }),
      /has ended/,
    ],
    ['no certificate', () => ({ body: JSON.stringify({ id, certificate: 'none', known_hosts: '' }) }), /cannot read/],
    ['the page of a proxy', () => ({ status: 200, body: '<html>Sign in</html>' }), /status 200: is it the address/],
    ['half an answer', () => ({ body: `{"id": "${id}", "certificate": "ssh-ed25519` }), /without a certificate/],
  ];
  test.each(lies)('changes nothing after %s', async (_, lie, reason) => {
    answers = { ...answers, ...lie() };
    const host = await makeHost(directory, debian());
    const before = host.files();
    const { code, out, errors } = await enroll(host);
    expect({ code, out, errors }).toEqual({ code: 5, out: '', errors: expect.stringMatching(reason) });
    expect(errors.split('\n')).toHaveLength(2);
    const { 'sallyport-ssh-host.conf': _conf, ...after } = host.files();
    expect(after).toEqual(before);
  });

  test.each([
    [
      403,
      4,
      'ENROLLMENT_TOKEN_UNUSABLE',
      'The token\nis "used up".',
      ': ENROLLMENT_TOKEN_UNUSABLE: The tokenis "used up".',
    ],
    [500, 3, 'INTERNAL', 'Sorry.', ': INTERNAL: Sorry.'],
  ])('tells why the service answers %i, in one line', async (status, code, error_code, msg, said) => {
    answers = { ...answers, status, body: JSON.stringify({ error_code, status_code: status, msg, details: {} }) };
    for (const [, runner] of runners) {
      const host = await makeHost(directory, runner());
      const key = host.at('ssh_host_ed25519_key');
      expect(await enroll(host)).toEqual({
        code,
        out: '',
        errors: `sallyport-ssh-host: ${key} is not enrolled${said}\n`,
      });
    }
  });

  test('ends with 3 where nobody answers', async () => {
    for (const [, runner] of runners) {
      const host = await makeHost(directory, runner());
      const outcome = await host.run(['enroll', '--url', 'http://127.0.0.1:1', '--name', 'a.test'], {
        input: 'sshet_abc',
      });
      expect(outcome).toEqual({
        code: 3,
        out: '',
        errors: expect.stringMatching(/http:\/\/127\.0\.0\.1:1 does not answer: .+\n$/),
      });
    }
  });

  test.each([
    [
      'a token as an argument',
      ['enroll', '--url', 'https://a.test', 'sshet_abc'],
      /never give the token as an argument/,
    ],
    ['HTTP to another machine', ['enroll', '--url', 'http://a.test'], /must begin with https/],
    [
      'HTTP to a machine that looks like this one',
      ['enroll', '--url', 'http://127.0.0.1.a.test'],
      /must begin with https/,
    ],
    ['a URL with a password', ['enroll', '--url', 'http://localhost:1@a.test'], /no URL/],
    ['a name in capitals', ['enroll', '--url', 'https://a.test', '--name', 'A.test'], /small letters/],
    ['an unknown option', ['renew', '--all'], /unknown argument --all/],
    ['two commands', ['renew', 'status'], /one command/],
    ['--force and --if-needed', ['renew', '--force', '--if-needed'], /or/],
    ['--force without a key', ['renew', '--force'], /needs an API key/],
    ['no command', [], /Usage/],
  ])('refuses %s', async (_, args, reason) => {
    const host = await makeHost(directory, debian());
    expect(await host.run(args, { input: 'sshet_abc' })).toEqual({
      code: 2,
      out: '',
      errors: expect.stringMatching(reason),
    });
  });

  test.each([
    ['refuses the new files', 'exit 1', 'true', /sshd does not accept the new files, the old ones are back: broken/],
    ['does not reload', 'exit 0', 'echo no daemon; exit 1', /sshd does not reload, the old files are back: no daemon/],
  ])('puts the old files back when sshd %s', async (_, end, reload, reason) => {
    const host = await makeHost(directory, debian());
    expect(await enroll(host)).toMatchObject({ code: 0 });
    const before = host.files();
    // The real sshd, except that it refuses any certificate but the first.
    const stub = host.at('.bin');
    mkdirSync(stub);
    writeFileSync(
      join(stub, 'sshd'),
      `#!/bin/sh\nif [ "$1" = -t ] && ! cmp -s ${path('asked-cert.pub')} ${path('kept')}; then echo broken; ${end}; fi\nexec ${join(debian().path, 'sshd')} "$@"\n`,
      { mode: 0o755 },
    );
    writeFileSync(path('kept'), readFileSync(path('asked-cert.pub')));
    const env = { PATH: `${stub}:${debian().path}`, RELOAD_SSHD: reload };
    const again = ['enroll', '--again', '--url', url, '--name', 'web1.example.com,10.1.0.7'];
    const refused = await host.run(again, { input: 'sshet_abc', env });
    expect(refused).toEqual({ code: 6, out: '', errors: expect.stringMatching(reason) });
    const { 'sallyport-ssh-host.conf': _conf, ...after } = host.files();
    const { 'sallyport-ssh-host.conf': _before, ...kept } = before;
    expect(after).toEqual(kept);
  });

  test('asks for nothing while the configuration of sshd is broken', async () => {
    const host = await makeHost(directory, debian(), { settings: ['NoSuchSetting yes'] });
    expect(await enroll(host)).toEqual({ code: 6, out: '', errors: expect.stringContaining('NoSuchSetting') });
    expect(asked).toEqual([]);
  });

  describe('that sshd presents what is installed', () => {
    const faults: [string, (host: Host) => string, RegExp, (text: string) => string][] = [
      [
        'because a line of the former authority comes last',
        (host) => {
          writeFileSync(host.at('former.pub'), readFileSync(host.at('ssh_host_ed25519_key.pub')));
          keygen('-s', path('other'), '-I', 'former', '-h', '-n', 'web1.example.com', host.at('former.pub'));
          return `HostCertificate ${host.at('former-cert.pub')}`;
        },
        /the old files are back: sshd presents another certificate than \S+: remove the line "HostCertificate \S+former-cert\.pub" from/,
        (text) => text.replace(/^HostCertificate .*former-cert.pub\n/m, ''),
      ],
      [
        'because the algorithms leave certificates out',
        () => 'HostKeyAlgorithms rsa-sha2-512,ssh-ed25519',
        /the old files are back: sshd presents \S+ without certificate, because HostKeyAlgorithms in its configuration leaves out/,
        (text) => text.replace('rsa-sha2-512', 'ssh-ed25519-cert-v01@openssh.com'),
      ],
      ['because it is not reached', () => '', /the old files are back: .*set RELOAD_SSHD to a command/, (text) => text],
    ];
    test.concurrent.each(faults)(
      'is refused where it does not, %s, until that is mended',
      async (_, line, reason, mend) => {
        const host = await makeHost(directory, debian());
        const settings = readFileSync(host.at('sshd_config'), 'utf8');
        const spoiling = line(host);
        writeFileSync(host.at('sshd_config'), `${settings}${spoiling}\n`);
        const { sshd, reload } = await startHost(host);
        const filesOf = () => {
          const { 'sshd_config.log': _log, 'sallyport-ssh-host.conf': _conf, ...files } = host.files();
          return files;
        };
        const before = filesOf();
        const again = (reloading: string, ...args: string[]) =>
          host.run(args, { input: 'sshet_abc', env: { RELOAD_SSHD: reloading } });
        const args = ['enroll', '--url', url, '--name', 'web1.example.com,10.1.0.7'];
        const isReached = spoiling !== '';
        expect(await again(isReached ? reload : 'true', ...args)).toEqual({
          code: 6,
          out: '',
          errors: expect.stringMatching(reason),
        });
        expect(filesOf()).toEqual(before);
        writeFileSync(host.at('sshd_config'), mend(before.sshd_config ?? ''));
        expect(await again(reload, ...args)).toMatchObject({ code: 0, errors: '' });
        const healthy = await again(reload, 'status');
        expect(healthy.out).not.toContain('clients do not get it');
        // The configuration is spoilt afterwards, by another hand.
        if (isReached) {
          writeFileSync(host.at('sshd_config'), `${spoiling}\n${host.files().sshd_config}${spoiling}\n`);
          await runCommand(reload, [], { PATH: process.env.PATH ?? '' });
          expect(await again(reload, 'status')).toMatchObject({
            code: 8,
            out: expect.stringContaining('clients do not get it: sshd presents'),
          });
          expect(await again(reload, 'renew', '--if-needed')).toMatchObject({ code: 6, out: expect.any(String) });
        } else {
          // What a timer runs has the settings of the enrollment.
          expect(await host.run(['uninstall'], { env: { RELOAD_SSHD: '' } })).toMatchObject({ code: 0, errors: '' });
          const { 'ssh_host_ed25519_key-cert.pub': certificate, ...left } = filesOf();
          expect([left, certificate]).toEqual([before, expect.stringContaining('-cert-v01@')]);
          expect(readdirSync(host.directory)).not.toContain('.sallyport-ssh-host');
          const presented = spawnSync('ssh-keyscan', ['-c', '-t', 'ed25519', '-p', String(sshd.port), '127.0.0.1']);
          expect(presented.stdout.toString()).toBe('');
        }
        await sshd.stop();
      },
    );

    test.concurrent('also where a socket starts it for each connection, and there is nothing to reload', async () => {
      const host = await makeHost(directory, debian());
      const socket = createTcpServer({ pauseOnConnect: true }, (connection) => {
        const args = ['-i', '-f', host.at('sshd_config')];
        spawn(sshdPath ?? '', args, { stdio: [connection, connection, 'ignore'] });
        connection.destroy();
      });
      await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve));
      // The address of a listening TCP server has a port.
      const { port } = socket.address() as AddressInfo;
      const settings = readFileSync(host.at('sshd_config'), 'utf8');
      writeFileSync(host.at('sshd_config'), `${sshdSettings(port, '127.0.0.1').join('\n')}\n${settings}`);
      const env = { SSHD_ADDRESS: `127.0.0.1:${port}` };
      const args = ['enroll', '--url', url, '--name', 'web1.example.com,10.1.0.7'];
      expect(await host.run(args, { input: 'sshet_abc', env })).toMatchObject({ code: 0, errors: '' });
      expect((await host.run(['status'], { env })).out).not.toContain('clients do not get it');
      writeFileSync(host.at('sshd_config'), `HostKeyAlgorithms ssh-ed25519\n${host.files().sshd_config}`);
      expect(await host.run(['status'], { env })).toMatchObject({
        code: 8,
        out: expect.stringContaining('clients do not get it: sshd presents'),
      });
      await new Promise((resolve) => socket.close(resolve));
    });
  });

  const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
  test.skipIf(!canMount)('ends with 1 on a disk that is full or read-only, whenever that is', async () => {
    const host = await makeHost(directory, debian());
    expect(await enroll(host)).toMatchObject({ code: 0 });
    const state = host.at('.sallyport-ssh-host');
    const mount = (...args: string[]) => expect(spawnSync('mount', [...args, state]).status).toBe(0);
    const fails = { code: 1, errors: expect.stringContaining(`cannot write into ${host.directory}: `) };
    const commands = [['enroll', '--again', '--url', url], ['renew'], ['status'], ['install', '--cron'], ['uninstall']];
    mount('-t', 'tmpfs', '-o', 'size=32k', 'tmpfs');
    try {
      for (const command of commands) expect(await host.run(command, { input: 'sshet_abc' })).toMatchObject(fails);
      mount('-o', 'remount,size=1m,ro');
      for (const command of commands) expect(await host.run(command, { input: 'sshet_abc' })).toMatchObject(fails);
      // The disk is full once the challenge is there.
      mount('-o', 'remount,rw');
      const { challenge } = answers;
      answers.challenge = (...args) => {
        spawnSync('dd', ['if=/dev/zero', `of=${state}/filler`, 'bs=4k']);
        return challenge(...args);
      };
      const before = host.files();
      expect(await enroll(host, '--again')).toMatchObject(fails);
      expect(host.files()).toEqual(before);
    } finally {
      spawnSync('umount', [state]);
    }
  });

  test('shows no secrets to other users, neither with curl nor with wget', async () => {
    for (const [, runner] of runners.slice(0, 2)) {
      const host = await makeHost(directory, runner());
      const stub = host.at('.bin');
      mkdirSync(stub);
      // Programs that record how they are called.
      for (const name of readdirSync(runner().path)) {
        const real = join(runner().path, name);
        const script = `#!${join(debian().path, 'sh')}\nprintf '%s\\n' "$0 $*" >>${host.at('.calls')}\nexec ${real} "$@"\n`;
        writeFileSync(join(stub, name), script, { mode: 0o755 });
      }
      const env = { PATH: stub, SALLYPORT_API_KEY: 'key-of-an-operator' };
      const args = ['enroll', '--url', url, '--name', 'web1.example.com,10.1.0.7'];
      expect(await host.run(args, { input: 'sshet_abc', env })).toMatchObject({ code: 0 });
      answers.key = host.at('ssh_host_ed25519_key.pub').slice(directory.length + 1);
      expect(await host.run(['renew', '--force'], { env })).toMatchObject({ code: 0, errors: '' });
      answers.key = '';
      const calls = readFileSync(host.at('.calls'), 'utf8');
      expect(calls).toMatch(/curl|wget/);
      expect(calls).not.toMatch(/sshet_abc|key-of-an-operator|SSH SIGNATURE/);
    }
  });

  test('lets no two runs work at once', async () => {
    const host = await makeHost(directory, debian());
    const first = host.run(['enroll', '--url', url, '--name', 'web1.example.com,10.1.0.7'], {
      input: 'sshet_abc',
      env: { RELOAD_SSHD: 'sleep 1' },
    });
    const second = enroll(host);
    const codes = (await Promise.all([first, second])).map(({ code }) => code);
    expect(codes).toEqual([0, 0]);
    // One of the runs waited and then found nothing to do.
    expect(asked.filter((request) => request === 'POST /ssh_enrollments')).toHaveLength(1);
  });

  test('is run every hour by systemd, or by cron, until that is taken back', async () => {
    const host = await makeHost(directory, debian());
    const stub = host.at('.bin');
    mkdirSync(stub);
    writeFileSync(join(stub, 'systemctl'), `#!/bin/sh\necho "$*" >>${host.at('.calls')}\n`, { mode: 0o755 });
    for (const name of ['units', 'cron']) mkdirSync(host.at(name));
    const env = { PATH: `${stub}:${debian().path}`, UNIT_DIR: host.at('units'), CRON_DIR: host.at('cron') };
    const network = { HTTPS_PROXY: 'http://user:a=b=@proxy.test:3128', CURL_CA_BUNDLE: '/etc/own ca.pem' };
    const bad = await host.run(['install', '--cron'], { env: { ...env, NO_PROXY: 'a\nb' } });
    expect(bad).toMatchObject({ code: 2, errors: expect.stringContaining('NO_PROXY') });
    expect(await host.run(['install', '--systemd'], { env: { ...env, ...network } })).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^later runs use HTTPS_PROXY as it is here\nlater runs use CURL_CA_BUNDLE as it is here\n/,
      ),
      errors: '',
    });
    expect(statSync(host.at('.sallyport-ssh-host/network')).mode & 0o777).toBe(0o600);
    // A run by a timer, whose curl tells what it goes by.
    writeFileSync(join(stub, 'curl'), `#!/bin/sh\necho "$HTTPS_PROXY $CURL_CA_BUNDLE" >${host.at('.went')}\nexit 7\n`, {
      mode: 0o755,
    });
    expect(await enroll(host)).toMatchObject({ code: 0 });
    await host.run(['renew', '--if-needed'], { env });
    expect(readFileSync(host.at('.went'), 'utf8')).toBe(`${Object.values(network).join(' ')}\n`);
    expect(await host.run(['install', '--cron'], { env })).toMatchObject({ code: 0, errors: '' });
    expect(readFileSync(host.at('units/sallyport-ssh-host.service'), 'utf8')).toContain(
      `Environment=SSH_DIR=${host.directory}\nExecStart=${hostScript} renew --if-needed\n`,
    );
    expect(readFileSync(host.at('units/sallyport-ssh-host.timer'), 'utf8')).toContain(
      'OnCalendar=hourly\nRandomizedDelaySec=60min\nPersistent=true\n',
    );
    expect(readFileSync(host.at('cron/sallyport-ssh-host'), 'utf8')).toMatch(
      new RegExp(`^\\d+ \\* \\* \\* \\* root SSH_DIR=${host.directory} ${hostScript} --quiet renew --if-needed\n$`),
    );
    expect(await host.run(['install', '--uninstall'], { env })).toMatchObject({ code: 0, errors: '' });
    expect([...readdirSync(host.at('units')), ...readdirSync(host.at('cron'))]).toEqual([]);
    expect(readFileSync(host.at('.calls'), 'utf8').split('\n')).toEqual([
      'daemon-reload',
      'enable --now sallyport-ssh-host.timer',
      'disable --now sallyport-ssh-host.timer',
      'daemon-reload',
      '',
    ]);
  });
});
