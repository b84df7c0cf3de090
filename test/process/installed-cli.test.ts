// The command line beside an installed server: `deploy/sallyport` runs it with the server's settings, as the server's user.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { copyPrograms } from '../support/programs.ts';
import { root } from '../support/source-files.ts';
import { type Ended, endOf, run, temporaryDirectory } from './support.ts';

const directory = mkdtempSync(join(tmpdir(), 'sallyport-installed-'));
copyPrograms(inject('programs'), directory);
mkdirSync(join(directory, 'deploy'), { recursive: true });
cpSync(join(root, 'deploy/sallyport'), join(directory, 'deploy/sallyport'));
chmodSync(directory, 0o755);
afterAll(() => rmSync(directory, { recursive: true }));

/** The user of the server: another one if this is root, otherwise the current user. */
const isRoot = process.getuid?.() === 0;
const user = isRoot ? 'nobody' : userInfo().username;
const idOf = (option: string) => Number(execFileSync('id', [option, user], { encoding: 'utf8' }));
const [uid, gid] = [idOf('-u'), idOf('-g')];

/** Creates an installation: a state directory of the user, a settings file, and a link to the command. */
function install(settings: (database: string) => string) {
  const home = temporaryDirectory();
  chmodSync(home, 0o755);
  const [state, environment, command] = [join(home, 'state'), join(home, 'environment'), join(home, 'sallyport')];
  const database = join(state, 'sallyport.db');
  mkdirSync(state, { mode: 0o700 });
  chownSync(state, uid, gid);
  writeFileSync(environment, settings(database), { mode: 0o600 });
  symlinkSync(join(directory, 'deploy/sallyport'), command);
  const variables = { SALLYPORT_ENVIRONMENT: environment, SALLYPORT_USER: user };
  return {
    database,
    environment,
    command,
    variables,
    call: (args: string[], more: Record<string, string> = {}): Promise<Ended> =>
      endOf(run(command, args, { ...variables, ...more })),
  };
}

test('is beside the database of the server, makes its files as the user of the server, and takes its secret key', async () => {
  const { database, call } = install(
    (path) =>
      `# The settings\n\n  DATABASE_URL=file:${path}\nSECRET_KEY="${Buffer.alloc(32, 7).toString('base64')}"\nCORS_ORIGINS='https://a.example'`,
  );
  expect(await call(['migrate', 'apply'])).toMatchObject({ code: 0, errors: '' });
  const made = await call(['account', 'create', 'branch']);
  expect([made.code, made.errors]).toEqual([0, '']);
  expect(statSync(database)).toMatchObject({ uid, mode: 0o100600 });
  // The key is in the settings: no key file was made.
  expect(existsSync(`${database}.key`)).toBe(false);
  const { code, out } = await call(['doctor', '--json']);
  expect(code).toBe(0);
  const { checks }: { checks: { name: string; level: string; message: string }[] } = JSON.parse(out);
  expect(checks.filter(({ level }) => level === 'fail')).toEqual([]);
  expect(checks.find(({ name }) => name === 'secret key')).toMatchObject({ level: 'ok' });
  expect(checks.find(({ name }) => name === 'file')?.message).toContain(database);
});

test('doctor fails when the server has no database yet, and says where it looked', async () => {
  const { database, call } = install((path) => `DATABASE_URL=file:${path}\n`);
  const { code, out } = await call(['doctor']);
  expect(code).toBe(1);
  expect(out).toContain(`fail  database: There is no database at ${database}.`);
});

test('a variable that is set for a call wins over the settings', async () => {
  const { call } = install((path) => `DATABASE_URL=file:${path}\n`);
  const { code, out } = await call(['doctor'], { DATABASE_URL: 'file:/nowhere/drill.db' });
  expect([code, out]).toEqual([1, expect.stringContaining('There is no database at /nowhere/drill.db.')]);
});

test.each([
  ['DATABASE_URL=file:a.db\nnonsense', /line 2 is not NAME=value\.\n$/],
  ['BAD-NAME=1', /line 1 is not NAME=value\.\n$/],
  ['SECRET_KEY=hush\\n', /line 1: backslashes are not supported\.\n$/],
])('settings that cannot be read end a call, without a value in the message: %j', async (settings, message) => {
  const { call } = install(() => settings);
  const { code, out, errors } = await call(['doctor']);
  expect([code, out]).toEqual([1, '']);
  expect(errors).toMatch(message);
  expect(errors).not.toContain('hush');
});

test('a call without the settings of a server fails, rather than look at another database', async () => {
  const { environment, call } = install(() => '');
  rmSync(environment);
  expect(await call(['doctor'])).toEqual({
    code: 1,
    out: '',
    errors: `sallyport: ${environment}, which holds the settings of the server, does not exist.\n`,
  });
});

test.each(['', 'DATABASE_URL=file:./data/sallyport.db'])(
  'settings without an absolute path fail a call, rather than name another database in each directory: %j',
  async (settings) => {
    const { environment, call } = install(() => settings);
    expect(await call(['doctor'])).toEqual({
      code: 1,
      out: '',
      errors: `sallyport: DATABASE_URL in ${environment} must have an absolute path: DATABASE_URL=file:/var/lib/sallyport/sallyport.db\n`,
    });
  },
);

test('another user is told whom to be', async (context) => {
  context.skip(!isRoot, 'only root may become another user');
  const { command, variables } = install(() => '');
  const { code, errors } = await endOf(run('runuser', ['-u', 'daemon', '--', command, 'doctor'], variables));
  expect([code, errors]).toEqual([1, 'sallyport: run it as root or as nobody: sudo sallyport doctor\n']);
});
