// What storage promises on SQLite, tested on a real file.
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failureOf } from '../../src/storage/errors.ts';
import { createSqliteAdapterFactory, type SqliteAdapter } from '../../src/storage/sqlite/adapter.ts';
import { Connection } from '../../src/storage/sqlite/connection.ts';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { toDriverError } from '../../src/storage/sqlite/errors.ts';
import { createWatch } from '../../src/storage/sqlite/watch.ts';
import { sql } from '../support/query.ts';
import { runs } from '../support/runs.ts';
import {
  account,
  bundled,
  openClient,
  start,
  startCommand,
  temporaryDatabase,
  temporaryDirectory,
} from './fixtures/temporary.ts';

async function openAdapter(path: string, busyTimeoutMs?: number): Promise<SqliteAdapter> {
  const options = busyTimeoutMs === undefined ? { path } : { path, busyTimeoutMs };
  const adapter = await createSqliteAdapterFactory(options).connect();
  onTestFinished(() => adapter.dispose());
  return adapter;
}

/** Opens the file on a separate connection. */
function outside(path: string): Database.Database {
  const database = new Sqlite(path, { timeout: 0 });
  onTestFinished(() => void database.close());
  return database;
}

/** Counts the commits in a write-ahead log: the frames that carry a database size (sqlite.org/fileformat2, section 4.1). */
function commitsInLog(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const frameBytes = 24 + log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let frame = 32; frame + frameBytes <= log.length; frame += frameBytes) {
    if (!salt.equals(log.subarray(frame + 8, frame + 16))) break;
    if (log.readUInt32BE(frame + 4) > 0) commits++;
  }
  return commits;
}

/** Returns the statement that stores an account. */
const insertAccount = (name: string) =>
  sql('INSERT INTO Account VALUES (?, ?, ?)', [name, 'string'], [name, 'string'], [name, 'string']);

const outcomes = (results: readonly PromiseSettledResult<unknown>[]) => results.map((result) => result.status);

describe('opening', () => {
  test('sets WAL, FULL, foreign keys and the busy timeout on both connections, and undoes writes without a file', async () => {
    const client = openClient(temporaryDatabase(), 6000);
    const settings = [
      'journal_mode',
      'synchronous',
      'foreign_keys',
      'busy_timeout',
      'temp_store',
      'wal_autocheckpoint',
      'cache_size',
    ];
    const read = async (through: Pick<typeof client, '$queryRawUnsafe'>) => {
      const values: unknown[] = [];
      for (const name of settings) {
        values.push(...Object.values((await through.$queryRawUnsafe<object[]>(`PRAGMA ${name}`))[0] ?? {}));
      }
      return values;
    };
    expect(await client.$transaction(read)).toEqual(['wal', 2n, 1n, 6000n, 2n, 4000n, -2000n]);
    expect(await read(client)).toEqual(['wal', 2n, 1n, 6000n, 0n, 1000n, -2000n]);
  });

  test('refuses a database that does not keep a setting, and says which', () => {
    // The empty path is SQLite's name for a temporary file, which has no write-ahead log.
    expect(() => new Connection({ path: '', busyTimeoutMs: 0 })).toThrow('SQLite keeps journal_mode at delete');
  });
});

describe('values', () => {
  test('come back as they were stored, through every column type of the models', async () => {
    const client = openClient(temporaryDatabase());
    const text = fc.string({ unit: 'binary' });
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const row = fc.record({
      id: fc.uuid(),
      accountId: text,
      description: text,
      metadata: text,
      tokenHash: fc.uuid(),
      scopes: text,
      passGroups: fc.array(text),
      passAt: fc.option(text),
      personId: fc.constant(null),
      expiresAt: fc.option(date),
      lastUsedAt: fc.option(date),
      version: int,
      createdAt: date,
      updatedAt: date,
    });
    await fc.assert(
      fc.asyncProperty(row, fc.boolean(), async (data, enforced) => {
        expect(await client.apiKey.create({ data })).toEqual(data);
        expect(await client.apiKey.findUnique({ where: { id: data.id } })).toEqual(data);
        expect(await client.apiKey.count({ where: { ...data, passGroups: { equals: data.passGroups } } })).toBe(1);
        const { id, accountId, description, metadata, version, createdAt, updatedAt } = data;
        const restriction = {
          id,
          accountId,
          type: 'api',
          enforced,
          description,
          metadata,
          version,
          createdAt,
          updatedAt,
        };
        expect(await client.ipRestriction.create({ data: restriction })).toEqual(restriction);
      }),
      { numRuns: runs(150) },
    );
  });

  test('of dates are compared in the order of time', async () => {
    const client = openClient(temporaryDatabase());
    const dates = ['0999-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '2026-11-20T00:00:00.001Z'];
    await client.account.createMany({
      data: dates.map((date) => ({ id: date, name: date, createdAt: new Date(date) })),
    });
    const found = await client.account.findMany({
      where: { createdAt: { gte: new Date(dates[1] ?? '') } },
      orderBy: { createdAt: 'desc' },
    });
    expect(found.map(({ id }) => id)).toEqual([dates[2], dates[1]]);
  });

  test('of raw queries keep integers exact and integers apart from reals', async () => {
    const client = openClient(temporaryDatabase());
    const exact = 2n ** 53n + 1n;
    const at = new Date(86_400_000);
    const [row] = await client.$queryRaw<object[]>`
      SELECT ${exact} AS exact, ${5} / ${2} AS quotient, ${true} AS flag, ${at} AS at, ${Buffer.from('a')} AS bytes`;
    expect(row).toEqual({
      exact,
      quotient: 2n,
      flag: 1n,
      at: '1970-01-02T00:00:00.000+00:00',
      bytes: new Uint8Array([97]),
    });
    expect(await client.$queryRaw`SELECT 1 AS n UNION SELECT 1.5 UNION SELECT NULL ORDER BY n`).toEqual([
      { n: null },
      { n: 1 },
      { n: 1.5 },
    ]);
  });

  test('of a date that an older Prisma stored as a number are read as dates', async () => {
    const client = openClient(temporaryDatabase());
    await client.$executeRaw`INSERT INTO Account VALUES ('a', 'a', 1700000000123)`;
    expect((await client.account.findFirstOrThrow()).createdAt).toEqual(new Date(1_700_000_000_123));
  });
});

describe('errors', () => {
  test('have the kinds that Prisma gives codes to', async () => {
    const client = openClient(temporaryDatabase());
    await client.account.create({ data: account('a') });
    const policy = { accountId: 'a', createdAt: new Date(0) };
    await client.ipPolicy.create({ data: { id: 'p', ...policy } });

    const code = (work: Promise<unknown>) =>
      work.then(
        () => 'no error',
        (error) => error.code,
      );
    expect(await code(client.account.create({ data: account('a') }))).toBe('P2002');
    expect(await code(client.account.create({ data: { ...account('b'), name: 'a' } }))).toBe('P2002');
    const lost = { id: 'ipx', accountId: 'a', ipRestrictionId: 'none', position: 0, ipPolicyId: 'p' };
    expect(
      await code(client.ipRestrictionPolicy.createMany({ data: [lost].map(({ id: _, ...entry }) => entry) })),
    ).toBe('P2003');
    expect(await code(client.account.update({ where: { id: 'none' }, data: { name: 'x' } }))).toBe('P2025');
    expect(await code(client.$queryRaw`SELECT`)).toBe('P2010');
  });

  test('name what they are about', async () => {
    const adapter = await openAdapter(temporaryDatabase());
    await adapter.executeScript(`
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE t (a TEXT NOT NULL, b INTEGER REFERENCES parent ON DELETE RESTRICT, CHECK (a <> 'bad'));
      CREATE UNIQUE INDEX both ON t (a, b);
      CREATE UNIQUE INDEX folded ON t (lower(a));
      INSERT INTO parent VALUES (1);
      INSERT INTO t VALUES ('A', 1)`);
    const cause = (text: string) =>
      adapter.executeRaw(sql(text)).then(
        () => 'no error',
        (error) => error.cause,
      );
    expect(await cause("INSERT INTO t VALUES ('A', 1)")).toMatchObject({
      kind: 'UniqueConstraintViolation',
      constraint: { index: 'folded' },
    });
    await adapter.executeScript('DROP INDEX folded');
    expect(await cause("INSERT INTO t VALUES ('A', 1)")).toMatchObject({
      kind: 'UniqueConstraintViolation',
      constraint: { fields: ['a', 'b'] },
      table: 't',
      originalCode: 'SQLITE_CONSTRAINT_UNIQUE',
    });
    expect(await cause('INSERT INTO t VALUES (NULL, 1)')).toMatchObject({
      kind: 'NullConstraintViolation',
      constraint: { fields: ['a'] },
    });
    expect(await cause("INSERT INTO t VALUES ('x', 2)")).toMatchObject({ kind: 'ForeignKeyConstraintViolation' });
    expect(await cause('DELETE FROM parent')).toMatchObject({ kind: 'ForeignKeyConstraintViolation' });
    expect(await cause("INSERT INTO t VALUES ('bad', 1)")).toMatchObject({
      kind: 'sqlite',
      extendedCode: 19,
      originalCode: 'SQLITE_CONSTRAINT_CHECK',
    });
    expect(await cause('DELETE FROM missing')).toMatchObject({ kind: 'TableDoesNotExist', table: 'missing' });
    expect(await cause('UPDATE t SET none = 1')).toMatchObject({ kind: 'ColumnNotFound', column: 'none' });
    expect(await cause('INSERT INTO t (none) VALUES (1)')).toMatchObject({ kind: 'ColumnNotFound', column: 'none' });
  });

  test('of a full disk are told apart from the others, and nothing of the group is acknowledged or kept', async () => {
    const path = temporaryDatabase();
    const client = openClient(path);
    await client.account.create({ data: account('before') });
    const pages = outside(path).pragma('page_count', { simple: true });
    // In a transaction, so that it applies to the writing connection.
    const setPagesMax = (pagesMax: number) =>
      client.$transaction((transaction) => transaction.$executeRawUnsafe(`PRAGMA max_page_count = ${pagesMax}`));
    await setPagesMax(Number(pages) + 10);
    const large = { ...account('large'), name: 'x'.repeat(1_000_000) };
    const results = await Promise.allSettled([
      client.account.create({ data: account('small') }),
      client.account.create({ data: large }),
    ]);
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.map(failureOf)).toEqual(reasons.map(() => 'unavailable'));
    const acknowledged = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id] : []));
    const stored = (await client.account.findMany()).map(({ id }) => id);
    expect(stored.sort()).toEqual(['acct_before', ...acknowledged].sort());
    await setPagesMax(1_000_000);
    await client.account.create({ data: large });
    expect(failureOf(new Error('other', { cause: new TypeError() }))).toBe(null);
    expect(failureOf(await client.account.create({ data: large }).catch((error) => error))).toBe(null);
  });

  test('that the driver has no name for are told apart by their primary codes', () => {
    const failures = [
      ['UNKNOWN_SQLITE_ERROR_4875', 'damaged'], // CORRUPT (11) with an extension
      ['UNKNOWN_SQLITE_ERROR_16138', 'unavailable'], // IOERR (10)
      ['UNKNOWN_SQLITE_ERROR_4869', 'unavailable'], // BUSY (5)
      ['UNKNOWN_SQLITE_ERROR_4865', null], // ERROR (1)
    ] as const;
    for (const [code, failure] of failures) {
      expect([code, failureOf(toDriverError(new Sqlite.SqliteError('', code)))]).toEqual([code, failure]);
    }
  });

  test('of use after closing are clear', async () => {
    const adapter = await createSqliteAdapterFactory({ path: temporaryDatabase() }).connect();
    const accepted = adapter.executeRaw(sql("INSERT INTO Account VALUES ('a', 'a', 'a')"));
    await adapter.dispose();
    await adapter.dispose();
    expect(await accepted).toBe(1);
    for (const use of [
      () => adapter.queryRaw(sql('SELECT 1')),
      () => adapter.executeRaw(sql('DELETE FROM Account')),
      () => adapter.executeScript('SELECT 1'),
      () => adapter.startTransaction(),
    ]) {
      const error = await use().catch((error) => error);
      expect(error.cause).toEqual({
        kind: 'ConnectionClosed',
        originalMessage: 'The database has been closed: the program is shutting down.',
      });
      expect(failureOf(error)).toBe('unavailable');
    }
  });
});

describe('reads', () => {
  const counted = 'SELECT count(*) FROM t';

  async function counting() {
    const path = temporaryDatabase();
    const adapter = await openAdapter(path);
    await adapter.executeScript('CREATE TABLE t (a INTEGER)');
    return { path, adapter, count: async () => (await adapter.queryRaw(sql(counted))).rows };
  }

  test('of one turn share a snapshot, and those of the next turn see what others have written meanwhile', async () => {
    const { path, count } = await counting();
    const other = outside(path);
    expect(await count()).toEqual([[0]]);
    other.exec('INSERT INTO t VALUES (1)');
    expect(await count()).toEqual([[0]]);
    await nextTurn();
    expect(await count()).toEqual([[1]]);
  });

  test('see each write that was acknowledged, also in a turn in which others have read before it', async () => {
    const { adapter, count } = await counting();
    const insert = sql('INSERT INTO t VALUES (1)');
    for (let written = 0; written < 100; written += 2) {
      const single = adapter.executeRaw(insert);
      expect(await count()).toEqual([[written]]);
      await single;
      expect(await count()).toEqual([[written + 1]]);
      const transaction = await adapter.startTransaction();
      await transaction.executeRaw(insert);
      expect(await count()).toEqual([[written + 1]]);
      await transaction.commit();
      expect(await count()).toEqual([[written + 2]]);
    }
  });

  test('hold nothing up for longer than a turn: the write-ahead log can be written back', async () => {
    const { path, adapter, count } = await counting();
    await adapter.executeRaw(sql('INSERT INTO t VALUES (1)'));
    await count();
    await nextTurn();
    // `busy` is 0 if no reader held the log.
    expect(outside(path).pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  });

  test('that fail leave later ones alone', async () => {
    const { path, adapter, count } = await counting();
    await expect(adapter.queryRaw(sql("SELECT json_extract('{', '$')"))).rejects.toThrow('malformed JSON');
    expect(await count()).toEqual([[0]]);
    outside(path).exec('DROP TABLE t');
    await nextTurn();
    await expect(count()).rejects.toThrow('no such table');
    expect((await adapter.queryRaw(sql('SELECT 1'))).rows).toEqual([[1]]);
  });
});

describe('single writes', () => {
  test('of one turn share one commit', async () => {
    const path = temporaryDatabase();
    const client = openClient(path);
    await client.account.create({ data: account('first') });
    const before = commitsInLog(path);
    await Promise.all(Array.from({ length: 50 }, (_, i) => client.account.create({ data: account(`a${i}`) })));
    expect(commitsInLog(path) - before).toBe(1);
    expect(await client.account.count()).toBe(51);
    for (let i = 0; i < 5; i++) await client.account.create({ data: account(`b${i}`) });
    expect(commitsInLog(path) - before).toBe(6);
  });

  test('of some turns that follow each other share one commit as well, and those that go on coming do not hold it up', async () => {
    const path = temporaryDatabase();
    const adapter = await openAdapter(path);
    await adapter.executeScript('CREATE TABLE t (a INTEGER)');
    const before = commitsInLog(path);
    const commits: number[] = [];
    const write = () =>
      adapter.executeRaw(sql('INSERT INTO t VALUES (1)')).then(() => {
        commits.push(commitsInLog(path) - before);
      });
    const writes = [write(), write()];
    for (let turn = 0; turn < 12; turn++) {
      await nextTurn();
      writes.push(write(), write());
    }
    await Promise.all(writes);
    expect(commits.slice(0, 4)).toEqual([1, 1, 1, 1]);
    expect(commits.at(-1)).toBeGreaterThan(1);
    expect(commits.at(-1)).toBeLessThan(writes.length / 4);
  });

  test('that are large, or very many, are committed in parts, between which other work has its turn', async () => {
    const path = temporaryDatabase();
    const adapter = await openAdapter(path);
    await adapter.executeScript('CREATE TABLE t (a TEXT)');
    const insert = (value: string) => adapter.executeRaw(sql('INSERT INTO t VALUES (?)', [value, 'string']));
    for (const { values, commits } of [
      { values: Array.from({ length: 4 }, () => 'x'.repeat(200_000)), commits: 4 },
      { values: Array.from({ length: 300 }, () => 'x'), commits: 3 },
    ]) {
      const before = commitsInLog(path);
      let turns = 0;
      const count = () => {
        turns += 1;
        counting = setImmediate(count);
      };
      let counting = setImmediate(count);
      await Promise.all(values.map(insert));
      clearImmediate(counting);
      expect(commitsInLog(path) - before).toBe(commits);
      expect(turns).toBeGreaterThanOrEqual(commits);
    }
  });

  test('are seen by nobody before the commit, and by everybody from the acknowledgement on', async () => {
    const path = temporaryDatabase();
    const adapter = await openAdapter(path);
    const look = outside(path).prepare('SELECT count(*) FROM Account').pluck();
    const insert = (name: string) => adapter.executeRaw(insertAccount(name));
    for (let round = 0; round < 20; round++) {
      const before = look.get();
      let acknowledged = 0;
      const writes = Array.from({ length: 10 }, (_, i) =>
        insert(`${round}-${i}`).then(async () => {
          acknowledged++;
          expect(look.get()).toBe(Number(before) + 10);
          expect((await adapter.queryRaw(sql('SELECT count(*) FROM Account'))).rows).toEqual([[Number(before) + 10]]);
        }),
      );
      await Promise.resolve();
      expect([acknowledged, look.get()]).toEqual([0, before]);
      await Promise.all(writes);
    }
  });

  test('do not take each other along when one fails', async () => {
    const path = temporaryDatabase();
    const client = openClient(path);
    await client.account.create({ data: account('taken') });
    const before = commitsInLog(path);
    const names = ['a', 'taken', 'b', 'taken', 'c'];
    const results = await Promise.allSettled(names.map((name) => client.account.create({ data: account(name) })));
    expect(outcomes(results)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await client.account.count()).toBe(4);
    expect(commitsInLog(path) - before).toBe(1);
  });

  test('all fail when the commit fails, and the next one succeeds', async () => {
    const path = temporaryDatabase();
    const adapter = await openAdapter(path);
    await adapter.executeScript(`
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED)`);
    const results = await Promise.allSettled([
      adapter.executeRaw(sql('INSERT INTO parent VALUES (1)')),
      adapter.executeRaw(sql('INSERT INTO child VALUES (1, 99)')),
      adapter.queryRaw(sql('INSERT INTO parent VALUES (2) RETURNING id')),
    ]);
    expect(outcomes(results)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(results[0]).toMatchObject({ reason: { cause: { kind: 'ForeignKeyConstraintViolation' } } });
    expect((await adapter.queryRaw(sql('SELECT * FROM parent'))).rows).toEqual([]);
    outside(path).exec('BEGIN IMMEDIATE; ROLLBACK');
    expect(await adapter.executeRaw(sql('INSERT INTO parent VALUES (3)'))).toBe(1);
  });

  test('all fail when a statement among them ends their transaction', async () => {
    const adapter = await openAdapter(temporaryDatabase());
    await adapter.executeScript(`
      CREATE TABLE t (a INTEGER);
      CREATE TRIGGER bomb BEFORE INSERT ON t WHEN new.a = 0 BEGIN SELECT RAISE(ROLLBACK, 'boom'); END`);
    for (const culprit of ['INSERT INTO t VALUES (0)', 'ROLLBACK']) {
      const writes = ['INSERT INTO t VALUES (1)', culprit, 'INSERT INTO t VALUES (2)'];
      const results = await Promise.allSettled(writes.map((text) => adapter.executeRaw(sql(text))));
      expect(outcomes(results)).toEqual(['rejected', 'rejected', 'rejected']);
      expect((await adapter.queryRaw(sql('SELECT * FROM t'))).rows).toEqual([]);
    }
    expect(await adapter.executeRaw(sql('INSERT INTO t VALUES (3)'))).toBe(1);
  });

  test('are on the disk when they are acknowledged', async ({ skip }) => {
    const probe = await startCommand('strace', '-V')
      .end()
      .catch(() => ({ code: 1 }));
    if (probe.code !== 0) skip('strace is not installed');
    const path = temporaryDatabase();
    const calls = join(temporaryDirectory(), 'calls');
    const writer = [bundled('writer.ts'), path, 'traced', '1', '12'];
    const trace = ['-f', '-y', '-o', calls, '-e', 'trace=fsync,fdatasync,write'];
    const { code, errors } = await startCommand('strace', ...trace, process.execPath, ...writer).end();
    if (/ptrace|not permitted/i.test(errors)) skip('strace may not trace here');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    // One letter per call: s for a sync of the log, a for an acknowledgement.
    const order = readFileSync(calls, 'utf8')
      .split('\n')
      .map((call) => (/f(data)?sync\(.*-wal>/.test(call) ? 's' : /write\(1.*"traced_/.test(call) ? 'a' : ''))
      .join('');
    expect(order).toMatch(/^s*(s+a){12}s*$/);
  });
});

describe('statements that are stored together', () => {
  const insert = (value: number) => sql('INSERT INTO t VALUES (?) RETURNING a', [value, 'int']);
  const open = async () => {
    const path = temporaryDatabase();
    const adapter = await openAdapter(path);
    await adapter.executeScript('CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (0)');
    const rows = async () => (await adapter.queryRaw(sql('SELECT a FROM t ORDER BY a'))).rows.flat();
    return { path, adapter, rows };
  };

  test('share the commit of their turn with others, and are undone without them', async () => {
    const { path, adapter, rows } = await open();
    const before = commitsInLog(path);
    const results = await Promise.allSettled([
      adapter.changeRows([insert(1), insert(2)]),
      adapter.executeRaw(insert(3)),
      adapter.changeRows([insert(4), insert(0)]),
      adapter.changeRows([insert(5), sql('UPDATE t SET a = 9 WHERE a = 99 RETURNING a'), insert(6)]),
      adapter.changeRows([insert(7)]),
      adapter.changeRows([insert(8), insert(9)]),
    ]);
    expect(outcomes(results)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await rows()).toEqual([0, 1, 2, 3, 7, 8, 9]);
    expect(commitsInLog(path) - before).toBe(1);
  });

  test('leave turns to everybody else where they are many, and other writes wait for the last of them', async () => {
    const { adapter, rows } = await open();
    const many = (start: number) => Array.from({ length: 1_000 }, (_, n) => insert(start + n));
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    const [changed, after, failed] = await Promise.allSettled([
      adapter.changeRows(many(1)),
      adapter.executeRaw(insert(1_001)),
      // The last of these rows already exists.
      adapter.changeRows([...many(2_000), insert(0)]),
    ]);
    clearInterval(counting);
    expect(changed).toEqual({ status: 'fulfilled', value: Array.from({ length: 1_000 }, (_, n) => [n + 1]) });
    expect([after.status, failed.status]).toEqual(['fulfilled', 'rejected']);
    expect((await rows()).map(Number)).toEqual(Array.from({ length: 1_002 }, (_, n) => n));
    expect(turns).toBeGreaterThan(5);
  });

  test('are seen by nobody before the commit', async () => {
    const { path, adapter } = await open();
    const look = outside(path).prepare('SELECT count(*) FROM t').pluck();
    let acknowledged = false;
    const change = adapter.changeRows([insert(1), insert(2)]).then(() => {
      acknowledged = true;
      return look.get();
    });
    await Promise.resolve();
    expect([acknowledged, look.get()]).toEqual([false, 1]);
    expect(await change).toBe(3);
  });

  test('fail when the commit fails, and when another statement ends their transaction', async () => {
    const { adapter, rows } = await open();
    await adapter.executeScript(
      'CREATE TABLE child (a INTEGER PRIMARY KEY, t INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED)',
    );
    for (const spoiler of ['INSERT INTO child VALUES (1, 99)', 'ROLLBACK']) {
      const results = await Promise.allSettled([
        adapter.changeRows([insert(1), insert(2)]),
        adapter.executeRaw(sql(spoiler)),
        adapter.changeRows([insert(3), insert(4)]),
      ]);
      expect(outcomes(results)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(await rows()).toEqual([0]);
    }
    await adapter.changeRows([insert(1), insert(2)]);
    expect(await rows()).toEqual([0, 1, 2]);
  });

  test('that end the transaction which they share take all others along', async () => {
    const { adapter, rows } = await open();
    const results = await Promise.allSettled([
      adapter.changeRows([insert(1)]),
      adapter.changeRows([insert(2), sql('INSERT OR ROLLBACK INTO t VALUES (0) RETURNING a')]),
      adapter.changeRows([insert(3)]),
    ]);
    expect(outcomes(results)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await rows()).toEqual([0]);
  });
});

describe('transactions', () => {
  test('and single writes never mix: nothing acknowledged is lost, nothing rolled back is seen', async () => {
    const path = temporaryDatabase();
    const client = openClient(path);
    const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const acknowledged: string[] = [];
    let running = true;
    let looks = 0;
    const seen = new Set<string>();
    const look = (async () => {
      while (running) {
        for (const { name } of await client.account.findMany({ where: { name: { startsWith: 'undone' } } }))
          seen.add(name);
        looks++;
        await nextTurn();
      }
    })();
    let next = 0;
    const work = async () => {
      for (let i = next++; i < 600; i = next++) {
        if (i % 10 === 0) {
          const undone = client.$transaction(async (transaction) => {
            await transaction.account.create({ data: account(`undone${i}`) });
            await crypto.subtle.sign('HMAC', key, new Uint8Array(1000));
            await nextTurn();
            throw new Error('changed my mind');
          });
          await expect(undone).rejects.toThrow('changed my mind');
        } else if (i % 10 === 1) {
          const pair = [account(`pair${i}`), account(`other${i}`)];
          await client.$transaction(pair.map((data) => client.account.create({ data })));
          acknowledged.push(...pair.map(({ name }) => name));
        } else {
          await client.account.create({ data: account(`single${i}`) });
          acknowledged.push(`single${i}`);
        }
      }
    };
    await Promise.all(Array.from({ length: 32 }, work));
    running = false;
    await look;
    expect(acknowledged.length).toBe(600);
    expect(looks).toBeGreaterThan(10);
    expect([...seen]).toEqual([]);
    const stored = outside(path).prepare<[], string>('SELECT name FROM Account').pluck().all();
    expect(stored.sort()).toEqual(acknowledged.sort());
  });

  test('hold the write lock from their first moment on, while reads go on', async () => {
    const path = temporaryDatabase();
    const client = openClient(path);
    const other = outside(path);
    await client.$transaction(async (transaction) => {
      expect(await transaction.account.count()).toBe(0);
      expect(() => other.exec('BEGIN IMMEDIATE')).toThrow('database is locked');
      await transaction.account.create({ data: account('a') });
      expect(await client.account.count()).toBe(0);
      expect(await transaction.account.count()).toBe(1);
    });
    expect(await client.account.count()).toBe(1);
    other.exec('BEGIN IMMEDIATE; ROLLBACK');
  });

  test('take turns with single writes in the order of their arrival', async () => {
    const adapter = await openAdapter(temporaryDatabase());
    await adapter.executeScript('CREATE TABLE t (place INTEGER PRIMARY KEY, who TEXT)');
    const insert = (who: string) => sql('INSERT INTO t (who) VALUES (?)', [who, 'string']);
    const transact = async (who: string) => {
      const transaction = await adapter.startTransaction('SERIALIZABLE');
      await transaction.executeRaw(insert(`${who} begins`));
      await nextTurn();
      await transaction.executeRaw(insert(`${who} ends`));
      await transaction.commit();
    };
    await Promise.all([
      adapter.executeRaw(insert('1')),
      transact('2'),
      adapter.executeRaw(insert('3')),
      adapter.executeRaw(insert('4')),
      transact('5'),
      adapter.executeRaw(insert('6')),
    ]);
    expect((await adapter.queryRaw(sql('SELECT who FROM t ORDER BY place'))).rows.flat()).toEqual([
      '1',
      '2 begins',
      '2 ends',
      '3',
      '4',
      '5 begins',
      '5 ends',
      '6',
    ]);
  });

  test('that cannot commit reject, leave nothing and hinder nobody', async () => {
    const path = temporaryDatabase();
    const client = openClient(path);
    await client.$executeRaw`CREATE TABLE child (parent TEXT REFERENCES Account DEFERRABLE INITIALLY DEFERRED)`;
    const interactive = client.$transaction(async (transaction) => {
      await transaction.account.create({ data: account('a') });
      await transaction.$executeRaw`INSERT INTO child VALUES ('none')`;
    });
    await expect(interactive).rejects.toMatchObject({ cause: { kind: 'ForeignKeyConstraintViolation' } });
    const batch = client.$transaction([
      client.account.create({ data: account('a') }),
      client.$executeRaw`INSERT INTO child VALUES ('none')`,
    ]);
    await expect(batch).rejects.toMatchObject({ cause: { kind: 'ForeignKeyConstraintViolation' } });
    expect(await client.account.count()).toBe(0);
    outside(path).exec('BEGIN IMMEDIATE; ROLLBACK');
    await client.account.create({ data: account('b') });
    await client.$transaction((transaction) => transaction.account.create({ data: account('c') }));
    expect(await client.account.count()).toBe(2);
  });

  test('of a script that leaves them open are undone at once', async () => {
    const path = temporaryDatabase();
    const adapter = await openAdapter(path);
    await adapter.executeScript("BEGIN IMMEDIATE; INSERT INTO Account VALUES ('a', 'a', 'a')");
    outside(path).exec('BEGIN IMMEDIATE; ROLLBACK');
    await expect(adapter.executeScript('BEGIN IMMEDIATE; SELECT nonsense')).rejects.toThrow('no such column: nonsense');
    outside(path).exec('BEGIN IMMEDIATE; ROLLBACK');
    expect((await adapter.queryRaw(sql('SELECT * FROM Account'))).rows).toEqual([]);
  });

  test('that SQLite has ended run nothing more', async () => {
    const adapter = await openAdapter(temporaryDatabase());
    await adapter.executeScript('CREATE TABLE t (a INTEGER UNIQUE ON CONFLICT ROLLBACK); INSERT INTO t VALUES (1)');
    const transaction = await adapter.startTransaction();
    await expect(transaction.executeRaw(sql('INSERT INTO t VALUES (1)'))).rejects.toMatchObject({
      cause: { kind: 'UniqueConstraintViolation' },
    });
    const ended = { cause: { kind: 'TransactionAlreadyClosed' } };
    await expect(transaction.executeRaw(sql('INSERT INTO t VALUES (2)'))).rejects.toMatchObject(ended);
    await expect(transaction.commit()).rejects.toMatchObject(ended);
    await expect(transaction.queryRaw(sql('SELECT 1'))).rejects.toMatchObject(ended);
    await expect(transaction.rollback()).rejects.toMatchObject(ended);
    expect((await adapter.queryRaw(sql('SELECT a FROM t'))).rows).toEqual([[1]]);
    expect(await adapter.executeRaw(sql('INSERT INTO t VALUES (3)'))).toBe(1);
  });

  test('may be nested: an inner one is undone alone', async () => {
    const client = openClient(temporaryDatabase());
    const adapter = await openAdapter(temporaryDatabase());
    const transaction = await adapter.startTransaction();
    await transaction.executeRaw(sql("INSERT INTO Account VALUES ('a', 'a', 'a')"));
    await transaction.createSavepoint?.('inner');
    await transaction.executeRaw(sql("INSERT INTO Account VALUES ('b', 'b', 'b')"));
    await transaction.rollbackToSavepoint?.('inner');
    await transaction.releaseSavepoint?.('inner');
    await transaction.commit();
    expect((await adapter.queryRaw(sql('SELECT id FROM Account'))).rows).toEqual([['a']]);
    await expect(
      client.$transaction(async () => undefined, { isolationLevel: 'ReadCommitted' as 'Serializable' }),
    ).rejects.toThrow();
    await expect(adapter.startTransaction('READ COMMITTED')).rejects.toMatchObject({
      cause: { kind: 'InvalidIsolationLevel' },
    });
  });

  test('that wait longer than their caller give their turn to the next', async () => {
    const client = openClient(temporaryDatabase());
    let late: Promise<unknown> = Promise.resolve();
    await client.$transaction(async (transaction) => {
      await transaction.account.create({ data: account('a') });
      late = client.$transaction([client.account.create({ data: account('late') })], {}).catch((error) => error);
      const impatient = client.$transaction((inner) => inner.account.create({ data: account('b') }), { maxWait: 20 });
      await expect(impatient).rejects.toMatchObject({ code: 'P2028' });
    });
    expect(await late).toMatchObject([{ name: 'late' }]);
    expect((await client.account.findMany()).map(({ name }) => name).sort()).toEqual(['a', 'late']);
  });
});

test('a lost write-ahead log is saved although the writes ahead of it in the queue are refused', async () => {
  const path = temporaryDatabase();
  const watch = createWatch(path, null, () => {});
  const adapter = await createSqliteAdapterFactory({ path, watch }).connect();
  onTestFinished(() => adapter.dispose());
  watch.opened();
  const insert = (id: string) => adapter.executeRaw(insertAccount(id));
  await insert('acknowledged');
  rmSync(`${path}-wal`);
  watch.look();
  const [before, saved, after] = await Promise.allSettled([insert('before'), adapter.saveLog(), insert('after')]);
  expect([before?.status, saved, after?.status]).toEqual([
    'rejected',
    { status: 'fulfilled', value: true },
    'rejected',
  ]);
  // Copies only the database file, without its log.
  const copy = join(temporaryDirectory(), 'copy.db');
  copyFileSync(path, copy);
  expect(outside(copy).prepare('SELECT id FROM Account').pluck().all()).toEqual(['acknowledged']);
});

describe('prepared statements', () => {
  test('are kept by their text, no more than 500, and never when very long', () => {
    const connection = new Connection({ path: ':memory:', busyTimeoutMs: 0 });
    onTestFinished(() => connection.close());
    connection.query(sql('SELECT 0'));
    for (let i = 0; i < 700; i++) {
      connection.query(sql(`SELECT ${i % 600}`));
      connection.query(sql(`SELECT 0`));
    }
    expect(connection.preparedCount).toBe(500);
    connection.query(sql(`SELECT '${'x'.repeat(20_000)}'`));
    expect(connection.preparedCount).toBe(500);
    expect(connection.query(sql('SELECT 599')).rows).toEqual([[599]]);
  });

  test('see the columns that a table has now', async () => {
    const adapter = await openAdapter(temporaryDatabase());
    await adapter.executeScript('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)');
    expect((await adapter.queryRaw(sql('SELECT * FROM t'))).columnNames).toEqual(['a']);
    await adapter.executeScript('ALTER TABLE t RENAME COLUMN a TO b; ALTER TABLE t ADD COLUMN c TEXT DEFAULT 2');
    expect(await adapter.queryRaw(sql('SELECT * FROM t'))).toEqual({
      columnNames: ['b', 'c'],
      columnTypes: [ColumnTypeEnum.Int32, ColumnTypeEnum.Text],
      rows: [[1, '2']],
    });
  });
});

describe('several processes', () => {
  test('make a write fail after the busy timeout, while reads go on, and the next one succeed', async () => {
    const path = temporaryDatabase();
    const client = openClient(path, 50);
    await client.account.create({ data: account('before') });
    const holder = start('holder.ts', path);
    expect(await holder.line()).toBe('holding');
    const writes = [
      ...Array.from({ length: 100 }, (_, i) => client.account.create({ data: account(`a${i}`) })),
      ...Array.from({ length: 20 }, (_, i) => client.$transaction([client.account.create({ data: account(`t${i}`) })])),
    ];
    const results = await Promise.allSettled(writes);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'P1008' } });
      expect(failureOf(result.status === 'rejected' && result.reason)).toBe('unavailable');
    }
    expect(await client.account.count()).toBe(1);
    holder.process.stdin?.write('go\n');
    expect(await holder.line()).toBe('released');
    await client.account.create({ data: account('after') });
    expect(await client.account.count()).toBe(2);
  });

  test('that read and then write lose no update', async () => {
    const path = temporaryDatabase();
    const client = openClient(path);
    const data = { id: 'ak_1', accountId: 'a', tokenHash: 'h', version: 0, createdAt: new Date(0) };
    await client.apiKey.create({ data });
    const counters = [start('counter.ts', path, 'ak_1', '100'), start('counter.ts', path, 'ak_1', '100')];
    for (const counter of counters) expect(await counter.end()).toEqual({ code: 0, errors: '' });
    expect((await client.apiKey.findUniqueOrThrow({ where: { id: 'ak_1' } })).version).toBe(200);
  });

  test('that are killed under load lose nothing acknowledged and leave nothing half-done', async () => {
    const path = temporaryDatabase();
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const writer = start('writer.ts', path, `r${round}`, '20');
      for (let count = 0; count < 100 + 37 * round; count++) acknowledged.push((await writer.line()) ?? 'none');
      writer.process.kill('SIGKILL');
      for (let line = await writer.line(); line !== null; line = await writer.line()) acknowledged.push(line);
      expect(await writer.end()).toEqual({ code: null, errors: '' });
      const database = new Sqlite(path);
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
      const stored = new Set(database.prepare<[], string>('SELECT id FROM Account').pluck().all());
      database.close();
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      const halves = [...stored].filter((id) => id.endsWith('_half')).map((id) => id.replace('_half', ''));
      expect(halves.length).toBeGreaterThan(0);
      expect(halves.filter((id) => !stored.has(id))).toEqual([]);
    }
  });
});
