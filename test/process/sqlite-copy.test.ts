// `sallyport copy` as an operator runs it, and how it ends.

import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import {
  cli,
  databaseFile,
  endOf,
  newPath,
  readyServer,
  rest,
  start,
  temporaryDirectory,
  until,
  usedFile,
} from './support.ts';

/** Creates a database that a server has used, and adds policies to it. */
async function filledDatabase(policies = 0): Promise<string> {
  const { path } = await usedFile(0);
  const database = new Sqlite(path);
  database.exec(
    `INSERT INTO IpPolicy (id, accountId, createdAt) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT printf('ipp_%026d', i), (SELECT id FROM Account), '2026-11-20T21:00:00.500+00:00' FROM n LIMIT ${policies}`,
  );
  database.close();
  return path;
}

/** Counts the rows of a table. */
function count(path: string, table: string): number {
  const database = new Sqlite(path, { readonly: true });
  try {
    return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  } finally {
    database.close();
  }
}

const keyOf = (path: string) => readFileSync(`${path}.key`, 'utf8').trim();

describe('copy', () => {
  test('makes a database on which a server goes on, beside a server on the first one', async () => {
    const path = await filledDatabase(3);
    const first = await readyServer(databaseFile(path));
    const moved = join(temporaryDirectory(), 'deep/moved.db');
    const copied = await cli(databaseFile(path), ['copy', '--from', `file:${path}`, '--to', `file:${moved}`], {
      SECRET_KEY: keyOf(path),
    });
    expect([copied.code, copied.errors]).toEqual([0, '']);
    expect(copied.out).toContain(`rows from ${path} to ${moved}, and verified each table:\n`);
    expect(copied.out).toMatch(/\n {2}IpPolicy {2}3 {2}[0-9a-f]{64}\n/);
    expect(copied.out).toMatch(
      /\nWhat was written to \S+ after \S+Z is not in the copy\.\nThe secret key is not in the copy/,
    );
    expect(existsSync(`${moved}.key`)).toBe(false);

    const second = await readyServer(databaseFile(moved), { SECRET_KEY: keyOf(path) });
    const [before, after] = await Promise.all(
      [first, second].map(async ({ url }) => (await rest(url, 'GET', '/ssh_certificate_authorities')).text()),
    );
    expect(after?.replaceAll(second.url, first.url)).toBe(before);
    const [authority] = JSON.parse(after ?? '').ssh_certificate_authorities;
    const certificate = { ssh_certificate_authority_id: authority.id, public_key: authority.public_key };
    expect((await rest(second.url, 'POST', '/ssh_host_certificates', certificate)).status).toBe(201);
  });

  test('takes the key file that was put beside the target, and nothing without a key', async () => {
    const path = await filledDatabase();
    const moved = newPath('moved.db');
    const call = ['copy', '--from', `file:${path}`, '--to', `file:${moved}`];
    const without = await cli(databaseFile(path), call);
    expect([without.code, without.out, existsSync(moved)]).toEqual([1, '', false]);
    expect(without.errors).toBe(
      `${path} was sealed with a secret key that is not here. Put its key file back to ${moved}.key, or set SECRET_KEY; ` +
        'without the key the private keys in the database cannot be used.\n',
    );
    copyFileSync(`${path}.key`, `${moved}.key`);
    expect((await cli(databaseFile(path), call)).code).toBe(0);
    const again = await cli(databaseFile(path), call);
    expect(again).toEqual({
      code: 1,
      out: '',
      errors: `The database ${moved} is not empty: Account has rows. A copy never overwrites or mixes: name an empty database.\n`,
    });
  });

  test('never repeats a URL that it does not understand: it may hold a password', async () => {
    const path = newPath();
    for (const option of ['--from', '--to']) {
      const other = option === '--from' ? '--to' : '--from';
      const { code, errors } = await cli(databaseFile(path), [
        'copy',
        other,
        `file:${path}`,
        option,
        'mysql://me:secret@host/database',
      ]);
      expect([code, errors]).toEqual([1, expect.stringMatching(`^${option} must name an SQLite file, .*\n$`)]);
      expect(errors).not.toContain('secret');
    }
  });

  test('shows how far it is, and leaves an empty target when it is killed or asked to end', async () => {
    const path = await filledDatabase(400_000);
    const environment = { SECRET_KEY: keyOf(path) };
    const moved = newPath('moved.db');
    for (const signal of ['SIGKILL', 'SIGINT'] as const) {
      const copying = start('cli', ['copy', '--from', `file:${path}`, '--to', `file:${moved}`], environment);
      await until(() => copying.printed.errors !== '' || copying.child.exitCode !== null);
      expect(copying.printed.errors).toMatch(/^(copied|verified) \d+ % of 4000\d\d rows\n/);
      copying.child.kill(signal);
      const { code, out, errors } = await endOf(copying);
      expect([code, out]).toEqual([signal === 'SIGKILL' ? null : 1, '']);
      if (signal === 'SIGINT') {
        expect(errors).toBe(`Stopped by SIGINT. Nothing was copied: the database ${moved} is empty.\n`);
      }
      expect([count(moved, 'Account'), count(moved, 'IpPolicy')]).toEqual([0, 0]);
    }
    expect(count(path, 'IpPolicy')).toBe(400_000);
  });
});
