// Backup and restore, as an operator runs them.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { command, commandJson } from './one-process.ts';
import {
  apiKey,
  cli,
  cliJson,
  databaseFile,
  newPath,
  readyServer,
  rest,
  temporaryDirectory,
  until,
  usedFile,
  withMigration,
} from './support.ts';

const sha256 = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

describe('backup', () => {
  test('copies what was acknowledged before it began, beside a server that goes on writing', async () => {
    const path = newPath('data/test.db');
    const server = await readyServer(databaseFile(path));
    const acknowledged: string[] = [];
    let stop = false;
    const writer = async (number: number) => {
      for (let count = 0; !stop; count++) {
        const description = `${number} ${count}`;
        expect((await rest(server.url, 'POST', '/ip_policies', { description })).status).toBe(201);
        acknowledged.push(description);
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
    await until(() => acknowledged.length > 100);
    const before = [...acknowledged];
    const file = join(temporaryDirectory(), 'copy.db');
    const { backup } = await cliJson(databaseFile(path), ['backup', file]);
    stop = true;
    await writers;
    expect(backup).toMatchObject({ file, integrity: 'ok', secretCheck: true, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
    const copy = new Sqlite(file, { readonly: true });
    const stored = new Set(copy.prepare('SELECT description FROM IpPolicy').pluck().all());
    copy.close();
    expect(before.filter((description) => !stored.has(description))).toEqual([]);
    expect(backup.tables.IpPolicy).toBe(stored.size);
    expect(acknowledged.length).toBeGreaterThan(stored.size);
  });

  test('copies a database that has no log to be followed, in one transaction', async () => {
    const { path } = await usedFile(3);
    const database = new Sqlite(path);
    database.pragma('journal_mode = DELETE');
    database.close();
    const file = join(temporaryDirectory(), 'copy.db');
    const { backup } = await commandJson(databaseFile(path), ['backup', file]);
    expect(backup).toMatchObject({ file, integrity: 'ok', secretCheck: true });
    const copy = new Sqlite(file, { readonly: true });
    expect(copy.prepare('SELECT count(*) FROM IpPolicy').pluck().get()).toBe(3);
    copy.close();
  });

  test('never overwrites, leaves nothing behind when it fails, and says what is not in the copy', async () => {
    const { path } = await usedFile();
    const file = join(temporaryDirectory(), 'copy.db');
    const first = await command(databaseFile(path), ['backup', file]);
    expect([first.code, first.errors]).toEqual([0, '']);
    expect(first.out).toContain('\n  IpPolicy  3\n');
    expect(first.out).toContain(`The copy does not contain the secret key. Back up its file ${path}.key too`);
    const before = sha256(file);
    const second = await cli(databaseFile(path), ['backup', file]);
    expect(second).toEqual({
      code: 1,
      out: '',
      errors: `${file} exists. A backup never overwrites a file: choose another name.\n`,
    });
    expect(sha256(file)).toBe(before);
    const missing = join(dirname(file), 'missing');
    for (const [to, reason] of [
      [join(missing, 'copy.db'), `the directory ${missing} does not exist. Make it, or name another place.`],
      [join(file, 'copy.db'), `${file} is not a directory. Name another place.`],
      [join(dirname(file), 'x'.repeat(300)), 'its name is too long. Name another place.'],
    ]) {
      const { code, errors } = await command(databaseFile(path), ['backup', `${to}`]);
      expect([code, errors]).toEqual([1, `${to} cannot be written: ${reason}\n`]);
    }
    expect(
      (await command(databaseFile(join(dirname(file), 'none.db')), ['backup', join(dirname(file), 'x.db')])).errors,
    ).toContain('There is no database');
    expect(readdirSync(dirname(file))).toEqual([basename(file)]);
  });
});

describe('restore', () => {
  test('brings everything back, and keeps aside what was there, with its last changes', async () => {
    const { path } = await usedFile(3);
    const file = join(temporaryDirectory(), 'copy.db');
    const { backup } = await commandJson(databaseFile(path), ['backup', file]);
    const busy = await readyServer(databaseFile(path));
    expect((await rest(busy.url, 'POST', '/ip_policies', { description: 'later' })).status).toBe(201);
    const refused = await command(databaseFile(path), ['restore', file]);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.errors).toContain('is in use by another process');
    // Killed: its last change is only in the write-ahead log.
    busy.child.kill('SIGKILL');
    await busy.ended;
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);

    const { restore } = await commandJson(databaseFile(path), ['restore', file]);
    expect(restore).toMatchObject({ database: path, pending: [], integrity: 'ok', tables: backup.tables });
    expect(restore.replaced).toMatch(/\.replaced-\d{8}T\d{6}Z$/);
    const replaced = new Sqlite(restore.replaced, { readonly: true });
    expect(replaced.prepare('SELECT count(*) FROM IpPolicy').pluck().get()).toBe(4);
    replaced.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const server = await readyServer(databaseFile(path));
    const answer = await (await rest(server.url, 'GET', '/ip_policies')).json();
    expect(answer).toMatchObject({ ip_policies: [2, 1, 0].map((count) => ({ description: `policy ${count}` })) });
    // The private key of the authority can be opened: it signs.
    const authorities = await commandJson(databaseFile(path), ['ssh-authority', 'list']);
    const signed = await rest(server.url, 'POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authorities.sshAuthorities[0].id,
      public_key: authorities.sshAuthorities[0].publicKey,
      principals: ['a.example.com'],
    });
    expect(signed.status).toBe(201);
  });

  test('works on another machine, with the copy and the key', async () => {
    const { path } = await usedFile();
    const file = join(temporaryDirectory(), 'copy.db');
    await commandJson(databaseFile(path), ['backup', file]);
    const elsewhere = newPath('data/test.db');
    const without = await command(databaseFile(elsewhere), ['restore', file]);
    expect([without.code, existsSync(elsewhere)]).toEqual([1, false]);
    expect(without.errors).toContain(`${file} was sealed with a secret key that is not here. Put its key file back to`);
    const key = readFileSync(`${path}.key`, 'utf8').trim();
    const wrong = await command(databaseFile(elsewhere), ['restore', file], { SECRET_KEY: 'A'.repeat(43) });
    expect(wrong.errors).toContain(`SECRET_KEY is not the key that ${file} was sealed with.`);
    expect((await commandJson(databaseFile(elsewhere), ['restore', file], { SECRET_KEY: key })).restore.replaced).toBe(
      null,
    );
    const server = await readyServer(databaseFile(elsewhere), { SECRET_KEY: key });
    expect((await rest(server.url, 'GET', '/ip_policies', undefined, apiKey)).status).toBe(200);
  });

  test('refuses what is damaged, newer, or of another program, and leaves everything as it was', async () => {
    const { path } = await usedFile(200);
    const directory = temporaryDirectory();
    const good = join(directory, 'good.db');
    await commandJson(databaseFile(path), ['backup', good]);
    const variant = (name: string, change: (file: string) => void) => {
      const file = join(directory, name);
      copyFileSync(good, file);
      change(file);
      return file;
    };
    const sql = (script: string) => (file: string) => {
      const database = new Sqlite(file);
      database.exec(script);
      database.close();
    };
    const cases: [string, string | RegExp][] = [
      [
        variant('damaged.db', (file) => {
          const bytes = readFileSync(file);
          bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 20_000);
          writeFileSync(file, bytes);
        }),
        /is damaged: |malformed/,
      ],
      [variant('cut.db', (file) => writeFileSync(file, readFileSync(file).subarray(0, 50_000))), /damaged|malformed/],
      [variant('text.db', (file) => writeFileSync(file, 'Dear diary, '.repeat(1000))), 'file is not a database'],
      [variant('empty.db', (file) => writeFileSync(file, '')), 'empty.db is not a database of this program.'],
      [
        variant(
          'newer.db',
          sql(`INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at)
            VALUES ('x', 'c', '29990101000000_future', '2999', '2999');
            DELETE FROM ServerFact WHERE name = 'backup digests'`),
        ),
        'newer.db is newer than this program',
      ],
      [variant('other.db', sql('DROP TABLE _prisma_migrations')), 'other.db is not a database of this program.'],
      [
        variant('changed.db', sql("UPDATE IpPolicy SET description = 'others'; DELETE FROM ApiKey")),
        'changed.db was changed after the backup was made: the contents of ApiKey, IpPolicy, ObjectCount are others. Restore another backup.',
      ],
      [variant('more.db', sql('CREATE TABLE "of another" (a)')), 'the contents of of another are others.'],
      [path, `${path} is the database itself.`],
      [join(directory, 'missing.db'), 'There is no file'],
    ];
    const before = sha256(path);
    const files = readdirSync(dirname(path)).sort();
    for (const [file, message] of cases) {
      const { code, out, errors } = await command(databaseFile(path), ['restore', file]);
      expect([file, code, out]).toEqual([file, 1, '']);
      expect(errors).toMatch(message);
      expect(errors).not.toContain('.part');
    }
    expect(sha256(path)).toBe(before);
    expect(readdirSync(dirname(path)).sort()).toEqual(files);
  });

  test('takes the place of a damaged database, says that it was damaged, and keeps it as it was', async () => {
    const { path } = await usedFile();
    const file = join(temporaryDirectory(), 'copy.db');
    await commandJson(databaseFile(path), ['backup', file]);
    writeFileSync(path, 'Dear diary, '.repeat(1000));
    const { code, out, errors } = await cli(databaseFile(path), ['restore', file, '--json']);
    expect(code).toBe(0);
    const { replaced } = JSON.parse(out).restore;
    expect(errors).toBe(
      `The replaced database is damaged (file is not a database). It is kept as it is: ${replaced}\n`,
    );
    expect(readFileSync(replaced, 'utf8')).toBe('Dear diary, '.repeat(1000));
    expect((await commandJson(databaseFile(path), ['account', 'list'])).accounts.length).toBe(1);
  });

  test('leaves everything as it was when the database cannot be set aside', async () => {
    const { path } = await usedFile();
    const file = join(temporaryDirectory(), 'copy.db');
    await commandJson(databaseFile(path), ['backup', file]);
    rmSync(`${path}-wal`, { force: true });
    mkdirSync(`${path}-wal`);
    const before = sha256(path);
    const files = readdirSync(dirname(path)).sort();
    const { code, out, errors } = await command(databaseFile(path), ['restore', file]);
    expect({ code, out, errors }).toEqual({
      code: 1,
      out: '',
      errors: `Cannot set ${path} aside: unable to open database file.\n`,
    });
    expect(sha256(path)).toBe(before);
    expect(readdirSync(dirname(path)).sort()).toEqual(files);
  });

  test('takes an older copy, and says what the next start will do', async () => {
    const { path } = await usedFile();
    const file = join(temporaryDirectory(), 'copy.db');
    await commandJson(databaseFile(path), ['backup', file]);
    withMigration('29990101000000_note', 'ALTER TABLE "Account" ADD COLUMN "note" TEXT;');
    expect(await commandJson(databaseFile(path), ['migrate', 'status'])).toMatchObject({
      pending: ['29990101000000_note'],
    });
    expect(await commandJson(databaseFile(path), ['doctor'])).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([expect.objectContaining({ name: 'migrations', level: 'warn' })]),
    });
    expect(await commandJson(databaseFile(path), ['migrate', 'apply'])).toEqual({ applied: ['29990101000000_note'] });
    expect((await commandJson(databaseFile(path), ['restore', file])).restore.pending).toEqual(['29990101000000_note']);
    expect((await commandJson(databaseFile(path), ['migrate', 'status'])).pending).toEqual(['29990101000000_note']);
  });

  test('says of what it cannot compare that it cannot, such as a database that was in use', async () => {
    const { path } = await usedFile();
    const file = join(temporaryDirectory(), 'copy.db');
    const { backup } = await commandJson(databaseFile(path), ['backup', file]);
    const { restore } = await commandJson(databaseFile(path), ['restore', file]);
    expect([restore.contents, restore.tables]).toEqual(['unchanged', backup.tables]);
    // A backup that is put in place by hand, and used.
    const byHand = newPath();
    copyFileSync(file, byHand);
    copyFileSync(`${path}.key`, `${byHand}.key`);
    const server = await readyServer(databaseFile(byHand));
    expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
    server.child.kill('SIGTERM');
    await server.ended;
    const { out } = await command(databaseFile(path), ['restore', byHand]);
    expect(out).toContain(
      'The file has no digests, which backups of earlier versions lack: whether its contents were changed cannot be told.\n',
    );
  });
});
