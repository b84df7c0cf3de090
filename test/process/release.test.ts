// The files of a release: made twice, verified as the page says, and installed.

import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { read, root } from '../support/source-files.ts';
import { apiKey, endOf, npm, rest, run, temporaryDirectory, until } from './support.ts';

const missing = [
  ['dpkg-deb', '--version'],
  ['ssh-keygen', '-?'],
].flatMap(([program = '', option = '']) => (spawnSync(program, [option]).error === undefined ? [] : [program]));
if (missing.length > 0) process.stderr.write(`Without ${missing.join(' and ')}, the tests of a release are skipped.\n`);
const onAll = test.skipIf(missing.length > 0);

const directory = mkdtempSync(join(tmpdir(), 'sallyport-release-test-'));
afterAll(() => rmSync(directory, { recursive: true }));
const [key, once, again] = ['key', 'once', 'again'].map((name) => join(directory, name)) as [string, string, string];
const { version } = JSON.parse(read('package.json'));
const file = (name: string) => join(once, name);

const call = promisify(execFile);
const release = (...args: string[]) =>
  call(process.execPath, ['--import', 'tsx', 'release/release.ts', '--dry-run', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, SOURCE_DATE_EPOCH: '1700000000' },
  });

beforeAll(async () => {
  if (missing.length > 0) return;
  await call('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key]);
  await release('--to', once, '--key', key);
});

onAll('are the same when they are made again', async () => {
  await release('--to', again, '--key', key);
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  expect(readdirSync(once).sort()).toEqual([
    'SHA256SUMS',
    'SHA256SUMS.sig',
    `sallyport-${version}.cdx.json`,
    `sallyport-${version}.intoto.json`,
    `sallyport-${version}.tgz`,
    `sallyport-ssh_${version}_all.deb`,
    `sallyport_${version}_${architecture}.deb`,
  ]);
  const differing = readdirSync(once).filter(
    (name) => !readFileSync(file(name)).equals(readFileSync(join(again, name))),
  );
  expect([readdirSync(again).sort(), differing]).toEqual([readdirSync(once).sort(), []]);
});

onAll('are verified by the commands of the page, which notice a changed file', async () => {
  const downloaded = temporaryDirectory();
  cpSync(once, downloaded, { recursive: true });
  const signer = `releases@sallyport namespaces="sallyport-release" ${readFileSync(`${key}.pub`, 'utf8')}`;
  writeFileSync(join(downloaded, 'release-signers'), signer);
  const blocks = [...read('docs/verify-a-release.md').matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
  const verify = () => endOf(run('bash', ['-euc', 'cd "$1"; eval "$2"', 'bash', downloaded, blocks.join('\n')]));
  const { code, out, errors } = await verify();
  expect([code, errors]).toEqual([0, '']);
  expect(out).toContain('Good "sallyport-release" signature for releases@sallyport');
  expect(out).toContain(`sallyport-${version}.tgz: OK`);
  expect(out).toContain('"name": "source"');
  writeFileSync(join(downloaded, `sallyport-${version}.cdx.json`), '{}');
  expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining('.cdx.json: FAILED') });
  writeFileSync(join(downloaded, 'SHA256SUMS'), '');
  expect((await verify()).code).not.toBe(0);
});

onAll('list what is inside: of the server, of the dashboard, and no tools', () => {
  const { metadata, components } = JSON.parse(readFileSync(file(`sallyport-${version}.cdx.json`), 'utf8'));
  const names = components.map(({ name }: { name: string }) => name);
  expect(metadata).toMatchObject({ timestamp: '2023-11-14T22:13:20.000Z', component: { name: 'sallyport', version } });
  expect(names).toEqual(expect.arrayContaining(['express', 'react', 'react-aria-components', 'better-sqlite3-13']));
  expect(names.filter((name: string) => /^(prisma|vite|vitest|typescript|esbuild|tsx|@types\/.*)$/.test(name))).toEqual(
    [],
  );
});

onAll('install with npm, and the command of the package serves', async (context) => {
  if ((await endOf(npm('ping', '--fetch-retries=0', '--fetch-timeout=5000'))).code !== 0) {
    process.stderr.write('npm cannot reach its registry: the test of the installed package is skipped.\n');
    context.skip();
  }
  const prefix = temporaryDirectory();
  // Without scripts, because they would compile SQLite: the existing binary is copied instead.
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const installed = await endOf(npm('install', '-g', '--prefix', prefix, ...options, file(`sallyport-${version}.tgz`)));
  expect([installed.code, installed.errors]).toEqual([0, expect.not.stringContaining('EBADENGINE')]);
  const packages = join(prefix, 'lib/node_modules/sallyport/node_modules');
  const binary = 'better-sqlite3/build/Release/better_sqlite3.node';
  if (existsSync(join(packages, 'better-sqlite3'))) {
    mkdirSync(join(packages, binary, '..'), { recursive: true });
    cpSync(join(root, 'node_modules', binary), join(packages, binary));
  }
  // What reports installations to others is not among them.
  expect(existsSync(join(packages, '@scarf'))).toBe(false);
  const command = join(prefix, 'bin/sallyport');
  const commit = readFileSync(join(root, 'dist/commit'), 'utf8').trim();
  const shown = commit === '' ? version : `${version} (commit ${commit})`;
  expect(await endOf(run(command, ['--version']))).toEqual({ code: 0, out: `${shown}\n`, errors: '' });
  const server = run(command, ['serve'], {
    PORT: '0',
    DATABASE_URL: `file:${join(prefix, 'test.db')}`,
    BOOTSTRAP_API_KEY: apiKey,
  });
  await until(() => server.printed.out.includes('\n') || server.child.exitCode !== null);
  const url = /^Sallyport is listening on (\S+)$/m.exec(server.printed.out)?.[1] ?? '';
  expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'alive', version, commit: commit || null });
  expect((await rest(url, 'POST', '/ip_policies', {})).status).toBe(201);
  for (const path of ['/dashboard/', '/docs', '/graphql', '/ssh/host.sh', '/docs/guide/']) {
    expect([path, (await fetch(url + path, { headers: { Accept: 'text/html,*/*' } })).status]).toEqual([path, 200]);
  }
  server.child.kill('SIGTERM');
  expect((await endOf(server)).code).toBe(0);
});

onAll('install into another root with dpkg, and purging them leaves the data there', async (context) => {
  context.skip(process.getuid?.() !== 0, 'only root may create users');
  const other = temporaryDirectory();
  for (const path of ['etc', 'var/lib/dpkg/info', 'var/lib/dpkg/updates', 'var/lib/sallyport']) {
    mkdirSync(join(other, path), { recursive: true });
  }
  writeFileSync(join(other, 'var/lib/dpkg/status'), '');
  writeFileSync(join(other, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  writeFileSync(join(other, 'etc/group'), 'root:x:0:\n');
  const forced = ['--force-script-chrootless', '--force-depends', '--log=/dev/null'];
  const path = `${process.env.PATH}:/usr/sbin:/sbin`;
  const dpkg = (...args: string[]) => endOf(run('dpkg', [`--root=${other}`, ...forced, ...args], { PATH: path }));
  const packages = readdirSync(once).filter((name) => name.endsWith('.deb'));
  expect(await dpkg('--install', ...packages.map(file))).toMatchObject({ code: 0 });

  const at = (name: string) => join(other, name);
  const group = Number(/^sallyport:[^:]*:(\d+):/m.exec(readFileSync(at('etc/group'), 'utf8'))?.[1]);
  expect(readFileSync(at('etc/passwd'), 'utf8')).toMatch(
    /^sallyport:[^:]*:\d+:\d+::\/var\/lib\/sallyport:\/usr\/sbin\/nologin$/m,
  );
  expect(statSync(at('etc/sallyport/environment'))).toMatchObject({ uid: 0, gid: group, mode: 0o100640 });
  expect(readFileSync(at('etc/sallyport/environment'), 'utf8')).toBe(read('deploy/environment'));
  const unit = readFileSync(at('usr/lib/systemd/system/sallyport.service'), 'utf8');
  expect(unit).toContain('\nWorkingDirectory=/usr/lib/sallyport\n');
  for (const name of ['host', 'client']) {
    expect(readFileSync(at(`usr/sbin/sallyport-ssh-${name}`), 'utf8')).toBe(read(`deploy/ssh/sallyport-ssh-${name}`));
    expect(statSync(at(`usr/sbin/sallyport-ssh-${name}`)).mode).toBe(0o100755);
  }
  // The packages beside the program came with it, and none of them is missing.
  const settings = join(other, 'settings');
  writeFileSync(settings, `DATABASE_URL=file:${at('var/lib/sallyport/sallyport.db')}\n`);
  const variables = { PATH: path, SALLYPORT_ENVIRONMENT: settings, SALLYPORT_USER: 'root' };
  expect(await endOf(run(at('usr/bin/sallyport'), ['migrate', 'apply'], variables))).toMatchObject({
    code: 0,
    errors: '',
  });

  expect((await dpkg('--purge', 'sallyport', 'sallyport-ssh')).out).toContain(
    'The data of Sallyport are still in /var/lib/sallyport.',
  );
  expect(
    ['usr/lib/sallyport', 'usr/bin/sallyport', 'usr/sbin', 'etc/sallyport'].filter((name) => existsSync(at(name))),
  ).toEqual([]);
  expect(existsSync(at('var/lib/sallyport/sallyport.db'))).toBe(true);
});

onAll('are not made without --dry-run unless everything is there', async () => {
  const { code, errors } = await endOf(
    run(process.execPath, ['--import', 'tsx', join(root, 'release/release.ts'), '--to', join(directory, 'none')]),
  );
  expect([code, errors]).toEqual([1, expect.stringMatching(/^There is no release\. .+\n$/)]);
  expect(existsSync(join(directory, 'none'))).toBe(false);
});
