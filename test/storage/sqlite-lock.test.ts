// One process per database file.
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockDatabase } from '../../src/storage/sqlite/lock.ts';
import { account, openClient, start, temporaryDatabase, temporaryDirectory } from './fixtures/temporary.ts';

test('refuses a second process with a message that names the file, and leaves the first alone', async () => {
  const path = temporaryDatabase();
  const lock = lockDatabase(path);
  const client = openClient(path);
  const second = start('opener.ts', `file:${path}`);
  expect(await second.line()).toBe(
    `refused: The database ${path} is in use by another process (lock file ${path}.lock). ` +
      'One process uses a file at a time: stop the other one, or give this one a file of its own.',
  );
  await client.account.create({ data: account('a') });
  lock.release();
  const third = start('opener.ts', `file:${path}`);
  expect(await third.line()).toBe('applied 0 with 0 engine(s)');
});

test('refuses a second lock of the same process', () => {
  const path = join(temporaryDirectory(), 'test.db');
  const lock = lockDatabase(path);
  expect(() => lockDatabase(path)).toThrow('is in use by another process');
  lock.release();
  lock.release();
  lockDatabase(path).release();
});

test('knows a file by its other names', () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'test.db');
  writeFileSync(path, '');
  mkdirSync(join(directory, 'links'));
  symlinkSync(path, join(directory, 'links/file.db'));
  symlinkSync(directory, join(directory, 'links/directory'));
  const lock = lockDatabase(path);
  expect(() => lockDatabase(join(directory, 'links/file.db'))).toThrow('in use');
  expect(() => lockDatabase(join(directory, 'links/directory/test.db'))).toThrow('in use');
  expect(() => lockDatabase(join(directory, 'links/../test.db'))).toThrow('in use');
  lockDatabase(join(directory, 'other.db')).release();
  lock.release();
});

test('makes the directory, for this user alone', () => {
  const directory = join(temporaryDirectory(), 'new/data');
  lockDatabase(join(directory, 'test.db')).release();
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('tells why a lock cannot be taken at all', () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), '');
  expect(() => lockDatabase(join(directory, 'file/test.db'))).toThrow(join(directory, 'file'));
  mkdirSync(join(directory, 'test.db.lock'));
  expect(() => lockDatabase(join(directory, 'test.db'))).toThrow(
    `${directory}/test.db.lock cannot be written: there is something else of this name. Name another place.`,
  );
});

test('vanishes with a process that is killed', async () => {
  const path = temporaryDatabase();
  const first = start('opener.ts', `file:${path}`);
  expect(await first.line()).toBe('applied 0 with 0 engine(s)');
  expect(() => lockDatabase(path)).toThrow('is in use by another process');
  first.process.kill('SIGKILL');
  await first.end();
  lockDatabase(path).release();
});
