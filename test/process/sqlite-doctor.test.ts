// `doctor` on a database file and its surroundings.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { command, commandJson } from './one-process.ts';
import {
  cli,
  type DatabaseFile,
  databaseFile,
  endOf,
  newPath,
  start,
  temporaryDirectory,
  usedFile,
} from './support.ts';

async function levels(database: DatabaseFile) {
  const { checks } = await commandJson(database, ['doctor']);
  return Object.fromEntries(checks.map(({ name, level }: { name: string; level: string }) => [name, level]));
}

test('finds no database where there is none, and makes none; nor do commands that read, or seal anew, make one', async () => {
  const fresh = databaseFile(newPath('data/test.db'));
  const commands =
    'account list|account create a|key list|key create|audit export|ssh-authority list|restrictions suspend|backup x.db';
  for (const args of [
    ...commands.split('|'),
    'secret rotate',
    'export nginx --out x',
    'migrate status',
    'copy --from file:no.db --to file:x.db',
  ]) {
    const { errors } = await command(fresh, args.split(' '));
    expect([args, errors]).toEqual([
      args,
      args === 'migrate status' ? '' : expect.stringContaining('There is no database at '),
    ]);
  }
  expect(await levels(fresh)).toMatchObject({ database: 'fail' });
  expect((await cli(fresh, ['doctor'])).code).toBe(1);
  expect(existsSync(dirname(fresh.path))).toBe(false);
});

test.each([
  ['/proc/x/y.db', '/proc/x cannot be written: no file of this name can be in /proc. Name another place.'],
  ['/tmp', '/tmp is a directory: the database needs the name of a file'],
  ['data/', 'data/ is a directory: the database needs the name of a file'],
  ['/dev/null', '/dev/null is no file that can hold data'],
  ['/etc/passwd/x.db', '/etc/passwd cannot be written: there is something else of this name. Name another place.'],
  ['/etc/passwd', 'The database /etc/passwd cannot be read: file is not a database.'],
])('ends with a message where no database can be: %s', async (path, message) => {
  const migrated = await command(databaseFile(path), ['migrate', 'apply']);
  expect([migrated.code, migrated.errors]).toEqual([1, expect.stringContaining(message)]);
  expect((await command(databaseFile(path), ['doctor'])).code).toBe(1);
});

test('as another user, commands name the file and what to do', async (context) => {
  // Root without the right to pass over permissions: any other user could not read the programs of this run.
  const asAnother = ['setpriv', '--bounding-set=-dac_override,-dac_read_search'];
  context.skip(process.getuid?.() !== 0 || spawnSync('setpriv', ['--version']).status !== 0, 'needs root and setpriv');
  const { path, environment } = await usedFile();
  const nobody = 65_534;
  for (const [closed, args] of [
    [path, ['backup', `${path}.copy`]],
    [dirname(path), ['key', 'list']],
  ] as const) {
    chownSync(closed, nobody, nobody);
    const { code, errors } = await endOf(start('cli', args, environment, asAnother));
    expect([code, errors]).toEqual([
      1,
      `${path} cannot be opened: this user may not do that. Run this as the user that the server runs as.\n`,
    ]);
  }
});

test('names what others can read, a key file that is gone, and damage', async () => {
  const file = await usedFile();
  const { path } = file;
  chmodSync(dirname(path), 0o755);
  chmodSync(path, 0o644);
  chmodSync(`${path}.key`, 0o644);
  const { code, out } = await command(file, ['doctor']);
  expect(code).toBe(0);
  const line = (name: string) => out.split('\n').find((found) => found.slice(6).startsWith(`${name}: `)) ?? '';
  expect(line('file')).toMatch(/^warn .*Run: chmod 600/);
  expect(line('secret key')).toMatch(/^warn .*Other users can read/);

  copyFileSync(`${path}.key`, `${path}.key.kept`);
  rmSync(`${path}.key`);
  expect(await levels(file)).toMatchObject({ 'secret key': 'fail' });
  expect(existsSync(`${path}.key`)).toBe(false);
  const bytes = readFileSync(path);
  bytes.fill(0xa5, 8192, bytes.length - 8192);
  writeFileSync(path, bytes);
  const damaged = await command(file, ['doctor']);
  expect(damaged.code).toBe(1);
  expect(damaged.out).toMatch(/^fail {2}(integrity|migrations): /m);
});

test('sees a disk that is nearly full', async (context) => {
  const mount = temporaryDirectory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mount]);
  // Only root can mount; otherwise the test is skipped.
  context.skip(mounted.status !== 0, 'a small tmpfs cannot be mounted here');
  mkdirSync(join(mount, 'data'));
  try {
    expect(await levels(databaseFile(join(mount, 'data/test.db')))).toMatchObject({ disk: 'fail' });
  } finally {
    spawnSync('umount', ['-l', mount]);
  }
});
