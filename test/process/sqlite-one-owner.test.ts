// One server per database, whatever the file is called and even if its lock file is removed; and files that only one user can
// access.

import { chmodSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { second, startTurns } from '../support/turns.ts';
import { command, commandJson } from './one-process.ts';
import {
  cli,
  type DatabaseFile,
  databaseFile,
  emptyFile,
  endOf,
  newPath,
  readyServer,
  rest,
  type Server,
  start,
  startServer,
  temporaryDirectory,
  until,
} from './support.ts';

/** Starts a server that must not run, and returns its error output. */
async function refused(path: string): Promise<string> {
  const second = await startServer(databaseFile(path));
  expect(await second.ended).toBe(1);
  expect(second.printed.out).toBe('');
  return second.printed.errors;
}

/** Checks that a server works, and that commands beside it find in the file what it stores. */
async function unaffected({ url, database: { path } }: Server<DatabaseFile>) {
  expect((await rest(url, 'POST', '/ip_policies', { description: 'stored' })).status).toBe(201);
  expect((await rest(url, 'GET', '/ip_policies')).status).toBe(200);
  const copy = join(temporaryDirectory(), 'copy.db');
  expect((await commandJson(databaseFile(path), ['backup', copy])).backup.tables.IpPolicy).toBeGreaterThan(0);
}

describe('a second server', () => {
  const byAnotherName = (path: string) =>
    `Sallyport cannot run. The database ${path} is in use by another process, possibly under another path or with its ` +
    'lock file removed. One process uses a file at a time: stop the other one, or give this one a file of its own.\n';

  test('is refused within 2 seconds, and the first goes on', async () => {
    const first = await readyServer(databaseFile(newPath()));
    const { path } = first.database;
    const timed = async (environment: Record<string, string>) => {
      const turns = startTurns();
      const ended = await endOf(start('main', [], environment));
      return { ...ended, turns: turns() };
    };
    // The time that the program takes to load on this machine now.
    const { turns: loading } = await timed({ PORT: 'bad' });
    const { code, out, errors, turns } = await timed({ PORT: '0', DATABASE_URL: `file:${path}` });
    expect(turns - loading).toBeLessThan(2 * second);
    expect([code, out]).toEqual([1, '']);
    expect(errors).toContain(
      `Sallyport cannot run. The database ${path} is in use by another process (lock file ${path}.lock). ` +
        'One process uses a file at a time: stop the other one, or give this one a file of its own.\n',
    );
    expect((await rest(first.url, 'POST', '/ip_policies', {})).status).toBe(201);
  });

  test('is refused through a hard link, in this directory or another', async () => {
    const first = await readyServer(emptyFile());
    mkdirSync(join(dirname(first.database.path), 'elsewhere'));
    for (const name of ['other.db', 'elsewhere/test.db']) {
      const link = join(dirname(first.database.path), name);
      linkSync(first.database.path, link);
      expect(await refused(link)).toBe(byAnotherName(link));
    }
    await unaffected(first);
  });

  test('is refused after the lock file was removed, and after it was removed twice', async () => {
    const first = await readyServer(emptyFile());
    for (let count = 0; count < 2; count++) {
      rmSync(`${first.database.path}.lock`);
      expect(await refused(first.database.path)).toBe(byAnotherName(first.database.path));
    }
    await unaffected(first);
  });

  test('is refused through a symbolic link, and by the name after the file was given another', async () => {
    const first = await readyServer(emptyFile());
    const link = join(temporaryDirectory(), 'link.db');
    symlinkSync(first.database.path, link);
    expect(await refused(link)).toContain(
      `The database ${link} is in use by another process (lock file ${first.database.path}.lock)`,
    );
    const moved = join(dirname(first.database.path), 'moved.db');
    renameSync(first.database.path, moved);
    expect(await refused(moved)).toBe(byAnotherName(moved));
    renameSync(moved, first.database.path);
    await unaffected(first);
  });

  test('runs at once after the first was killed, and finds what that had acknowledged', async () => {
    const { path } = emptyFile();
    const first = await readyServer(databaseFile(path));
    expect((await rest(first.url, 'POST', '/ip_policies', {})).status).toBe(201);
    first.child.kill('SIGKILL');
    await first.ended;
    const link = join(dirname(path), 'other.db');
    const second = await readyServer(databaseFile(path));
    linkSync(path, link);
    expect(await refused(link)).toContain('is in use by another process');
    await unaffected(second);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });

  test('leaves the commands that visit the database as they were', async () => {
    const server = await readyServer(emptyFile());
    const copy = join(temporaryDirectory(), 'copy.db');
    const ran = [
      await command(server.database, ['key', 'create', '--account', 'default', '--json']),
      await command(server.database, ['backup', copy]),
      await command(server.database, ['migrate', 'status']),
      await command(server.database, ['migrate', 'apply']),
      await command(server.database, ['doctor']),
    ];
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
    const restore = await command(server.database, ['restore', copy]);
    expect([restore.code, restore.errors]).toEqual([1, expect.stringContaining('is in use by another process')]);
    await unaffected(server);
  });

  test('is kept out by the lock file alone where the program flock is missing, which the log says', async () => {
    const first = await readyServer(emptyFile(), { PATH: '/nonexistent' });
    expect(first.log().map(({ msg }) => msg)).toContain(
      'the program flock is missing or has no effect here: only the lock file keeps a second server out',
    );
    expect(await refused(first.database.path)).toContain('is in use by another process (lock file');
    await unaffected(first);
  });
});

describe('the files of a database', () => {
  /** Returns the modes of all files in a directory. */
  const modes = (directory: string) =>
    Object.fromEntries(
      readdirSync(directory).map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
    );
  const files = {
    'test.db': '600',
    'test.db-shm': '600',
    'test.db-wal': '600',
    'test.db.lock': '600',
    'test.db.lock-journal': '600',
    'test.db.key': '600',
  };

  test('are for their user alone from the first moment, in a directory that exists', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const server = await startServer(databaseFile(join(directory, 'test.db')));
    const seen = new Set<string>();
    await until(() => {
      for (const name of readdirSync(directory)) {
        try {
          seen.add((statSync(join(directory, name)).mode & 0o777).toString(8));
        } catch {
          // Gone by now: a file that is first written under another name.
        }
      }
      return server.printed.out.includes('\n');
    });
    expect([...seen]).toEqual(['600']);
    expect(modes(directory)).toEqual(files);
  });

  test('are taken from others at start where an earlier version left them readable, which the log says', async () => {
    const path = newPath();
    const first = await readyServer(databaseFile(path));
    first.child.kill('SIGKILL');
    await first.ended;
    for (const name of readdirSync(dirname(path))) chmodSync(join(dirname(path), name), 0o644);
    const server = await readyServer(databaseFile(path));
    expect(modes(dirname(path))).toEqual(files);
    const line = server.log().find(({ files: changed }) => changed !== undefined);
    expect(line).toMatchObject({ msg: 'files that other users could access are now private (mode 0600)' });
    expect([line?.files].flat().map((file) => basename(String(file)))).toEqual([
      'test.db',
      'test.db-wal',
      'test.db-shm',
      'test.db.lock',
      'test.db.lock-journal',
      'test.db.key',
    ]);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect((await readyServer(databaseFile(path))).log().filter(({ files: changed }) => changed !== undefined)).toEqual(
      [],
    );
  });

  test('are for their user alone as commands make them, copies that others may read included', async () => {
    const path = newPath();
    expect((await cli(databaseFile(path), ['migrate', 'apply'])).code).toBe(0);
    expect((await command(databaseFile(path), ['key', 'create', '--account', 'default'])).code).toBe(1);
    const copy = join(temporaryDirectory(), 'copy.db');
    expect((await command(databaseFile(path), ['backup', copy])).code).toBe(0);
    chmodSync(copy, 0o644);
    chmodSync(path, 0o644);
    const seen = new Set<string>();
    const restoring = cli(databaseFile(path), ['restore', copy]);
    let done = false;
    void restoring.then(() => {
      done = true;
    });
    await until(() => {
      for (const name of readdirSync(dirname(path)).filter((file) => file.endsWith('.part'))) {
        try {
          seen.add((statSync(join(dirname(path), name)).mode & 0o777).toString(8));
        } catch {
          // Renamed by now.
        }
      }
      return done;
    });
    expect(await restoring).toMatchObject({ code: 0 });
    expect([...seen].filter((mode) => mode !== '600')).toEqual([]);
    expect(new Set(Object.values(modes(dirname(path))))).toEqual(new Set(['600']));
  });
});
