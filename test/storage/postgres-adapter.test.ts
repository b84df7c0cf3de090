// What storage promises on PostgreSQL, tested on a real server.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ArgScalarType,
  ColumnTypeEnum,
  type IsolationLevel,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { failureOf, isMissingRow } from '../../src/storage/errors.ts';
import type { RowChanger } from '../../src/storage/objects/row-changer.ts';
import { createPostgresAdapterFactory } from '../../src/storage/postgres/adapter.ts';
import { readUrl } from '../../src/storage/postgres/url.ts';
import { openClient, type TestDatabase, testDatabase } from '../support/database.ts';
import { sql } from '../support/query.ts';
import { runs } from '../support/runs.ts';
import { account } from './fixtures/temporary.ts';

interface Opened {
  readonly adapter: SqlDriverAdapter & RowChanger;
  /** All statements so far. */
  readonly statements: string[];
}

async function openAdapter(database?: TestDatabase, parameters = ''): Promise<Opened> {
  const { url } = database ?? (await testDatabase());
  const statements: string[] = [];
  const onStatement = (text: string) => statements.push(text);
  const adapter = await createPostgresAdapterFactory({
    address: readUrl(`${url}${parameters}`),
    onStatement,
  }).connect();
  onTestFinished(() => adapter.dispose());
  return { adapter, statements };
}

/** Returns the cause that an error reports. */
const causeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error) => error.cause,
  );

/** Text without NUL characters, which PostgreSQL does not store. */
const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\u0000'));
const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const big = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

describe('values', () => {
  test('come back as they were stored, through the columns of a model', async () => {
    const client = await openClient(await testDatabase());
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
      version: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      createdAt: date,
      updatedAt: date,
    });
    await fc.assert(
      fc.asyncProperty(row, async (data) => {
        expect(await client.apiKey.create({ data })).toEqual(data);
        expect(await client.apiKey.findUnique({ where: { id: data.id } })).toEqual(data);
        expect(await client.apiKey.count({ where: { ...data, passGroups: { equals: data.passGroups } } })).toBe(1);
        await client.apiKey.delete({ where: { id: data.id } });
      }),
      { numRuns: runs(50) },
    );
  });

  test('have the types and the forms that Prisma expects', async () => {
    const { adapter } = await openAdapter();
    await adapter.executeScript(
      'CREATE TABLE t (big BIGINT, json JSONB, bytes BYTEA, at TIMESTAMP(3), flag BOOLEAN, real FLOAT8, small INTEGER, word TEXT)',
    );
    const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('\\u0000'));
    const real = fc.double({ noNaN: true, noDefaultInfinity: true });
    const values = fc.tuple(big, json, fc.uint8Array(), date, fc.boolean(), real);
    await fc.assert(
      fc.asyncProperty(values, async ([big, json, bytes, at, flag, real]) => {
        await adapter.executeRaw(sql('DELETE FROM t'));
        const stored = await adapter.queryRaw(
          sql(
            'INSERT INTO t VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *',
            [String(big), 'bigint'],
            [JSON.stringify(json), 'json'],
            [Buffer.from(bytes).toString('base64'), 'bytes'],
            [at.toISOString(), 'datetime'],
            [flag, 'boolean'],
            [real, 'float'],
            [-5, 'int'],
            ['00012', 'string'],
          ),
        );
        const { Int64, Json, Bytes, DateTime, Double, Int32, Text } = ColumnTypeEnum;
        expect(stored.columnNames).toEqual(['big', 'json', 'bytes', 'at', 'flag', 'real', 'small', 'word']);
        expect(stored.columnTypes).toEqual([Int64, Json, Bytes, DateTime, ColumnTypeEnum.Boolean, Double, Int32, Text]);
        const [row = []] = stored.rows;
        expect(row[0]).toBe(String(big));
        // PostgreSQL's JSON numbers have no negative zero.
        expect(JSON.parse(String(row[1]))).toEqual(JSON.parse(JSON.stringify(json)));
        expect(row[2]).toEqual(Buffer.from(bytes));
        expect(row[3]).toBe(at.toISOString().replace('Z', '+00:00'));
        // Nor do the numbers that the driver sends as text.
        expect(row.slice(4)).toEqual([flag, real + 0, -5, '00012']);
        expect((await adapter.queryRaw(sql('SELECT * FROM t'))).rows).toEqual([row]);
      }),
      { numRuns: runs(100) },
    );
  });

  test('of raw queries keep integers exact', async () => {
    const client = await openClient(await testDatabase());
    const exact = 2n ** 53n + 1n;
    const [row] = await client.$queryRaw<object[]>`
      SELECT ${exact}::int8 AS exact, 5 / 2 AS quotient, ${true}::bool AS flag, ${new Date(86_400_000)}::timestamp AS at,
        ${Buffer.from('a')}::bytea AS bytes, NULL AS nothing`;
    expect(row).toEqual({
      exact,
      quotient: 2,
      flag: true,
      at: new Date(86_400_000),
      bytes: new Uint8Array([97]),
      nothing: null,
    });
  });
});

describe('errors', () => {
  test('have the kinds that Prisma gives codes to', async () => {
    const client = await openClient(await testDatabase());
    await client.account.create({ data: account('a') });
    const code = (work: Promise<unknown>) =>
      work.then(
        () => 'no error',
        (error) => error.code,
      );
    expect(await code(client.account.create({ data: account('a') }))).toBe('P2002');
    expect(await code(client.account.create({ data: { ...account('b'), name: 'a' } }))).toBe('P2002');
    const entry = { accountId: 'a', ipRestrictionId: 'none', position: 0, ipPolicyId: 'p' };
    expect(await code(client.ipRestrictionPolicy.create({ data: entry }))).toBe('P2003');
    expect(await code(client.account.update({ where: { id: 'none' }, data: { name: 'x' } }))).toBe('P2025');
    expect(await code(client.$queryRaw`SELEC`)).toBe('P2010');
  });

  test('name what they are about', async () => {
    const { adapter } = await openAdapter();
    await adapter.executeScript(`
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE t (a TEXT NOT NULL CHECK (a <> 'bad'), b INTEGER REFERENCES parent ON DELETE RESTRICT);
      CREATE UNIQUE INDEX pair ON t (a, b);
      INSERT INTO parent VALUES (1);
      INSERT INTO t VALUES ('A', 1)`);
    const cause = (statement: string) => causeOf(adapter.executeRaw(sql(statement)));
    expect(await cause("INSERT INTO t VALUES ('A', 1)")).toMatchObject({
      kind: 'UniqueConstraintViolation',
      constraint: { index: 'pair' },
      table: 't',
      originalCode: '23505',
    });
    expect(await cause('INSERT INTO t VALUES (NULL, 1)')).toMatchObject({
      kind: 'NullConstraintViolation',
      constraint: { fields: ['a'] },
    });
    expect(await cause("INSERT INTO t VALUES ('x', 2)")).toMatchObject({ kind: 'ForeignKeyConstraintViolation' });
    expect(await cause('DELETE FROM parent')).toMatchObject({ kind: 'ForeignKeyConstraintViolation' });
    expect(await cause("INSERT INTO t VALUES ('bad', 1)")).toMatchObject({ kind: 'postgres', originalCode: '23514' });
    expect(await cause('DELETE FROM missing')).toMatchObject({ kind: 'TableDoesNotExist' });
    expect(await cause('SELECT missing FROM t')).toMatchObject({ kind: 'ColumnNotFound' });
    expect(await cause("INSERT INTO t VALUES (U&'\\0000', 1)")).toMatchObject({ kind: 'postgres' });
  });

  test('of use after closing are clear, and pass', async () => {
    const { adapter } = await openAdapter();
    await adapter.dispose();
    for (const work of [
      () => adapter.queryRaw(sql('SELECT 1')),
      () => adapter.executeRaw(sql('DELETE FROM "Account"')),
      () => adapter.startTransaction(),
    ]) {
      const error = await work().catch((error) => error);
      expect([error.message, failureOf(error)]).toEqual([
        'The database has been closed: the program is shutting down.',
        'unavailable',
      ]);
    }
  });

  test('of a session that was ended pass, and the next statement has another session', async () => {
    const database = await testDatabase();
    const { adapter } = await openAdapter(database);
    const end = sql('SELECT pg_terminate_backend(pg_backend_pid())');
    expect(failureOf(await adapter.queryRaw(end).catch((error) => error))).toBe('unavailable');
    expect((await adapter.queryRaw(sql('SELECT 1'))).rows).toEqual([[1]]);
    // It is unknown whether a write was stored before its session ended.
    const write = sql('UPDATE "Account" SET "name" = pg_terminate_backend(pg_backend_pid())::text');
    await (await openClient(database)).account.create({ data: account('a') });
    expect(failureOf(await adapter.executeRaw(write).catch((error) => error))).toBe('uncertain');
    expect(await adapter.executeRaw(sql('UPDATE "Account" SET "name" = \'b\''))).toBe(1);
  });
});

describe('reads', () => {
  test('of one turn do not wait for each other, nor for a write', async () => {
    const { adapter } = await openAdapter();
    await adapter.executeScript('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)');
    const writer = await adapter.startTransaction();
    await writer.executeRaw(sql('UPDATE t SET a = 2'));
    // Enough to use up every connection, if each read had its own.
    const reads = Array.from({ length: 100 }, () => adapter.queryRaw(sql('SELECT a FROM t')));
    expect((await Promise.all(reads)).flatMap(({ rows }) => rows.flat())).toEqual(Array(100).fill(1));
    await writer.commit();
    expect((await adapter.queryRaw(sql('SELECT a FROM t'))).rows).toEqual([[2]]);
  });

  test('that fail leave the others of their turn alone', async () => {
    const { adapter } = await openAdapter();
    const reads = ['SELECT 1', 'SELECT 1 / 0', 'SELECT missing', 'SELECT 2'].map((one) => adapter.queryRaw(sql(one)));
    const settled = await Promise.allSettled([...reads, ...reads]);
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([
      ...[true, false, false, true],
      ...[true, false, false, true],
    ]);
  });

  test('that lock rows are made where writes are', async () => {
    const { adapter } = await openAdapter();
    await adapter.executeScript('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)');
    const writer = await adapter.startTransaction();
    await writer.executeRaw(sql('UPDATE t SET a = 2'));
    const locking = adapter.queryRaw(sql('SELECT a FROM t FOR UPDATE'));
    expect((await adapter.queryRaw(sql('SELECT a FROM t'))).rows).toEqual([[1]]);
    await writer.commit();
    expect((await locking).rows).toEqual([[2]]);
  });
});

describe('transactions', () => {
  const open = async () => {
    const opened = await openAdapter();
    await opened.adapter.executeScript('CREATE TABLE t (a INTEGER PRIMARY KEY)');
    const rows = async () => (await opened.adapter.queryRaw(sql('SELECT a FROM t ORDER BY a'))).rows.flat();
    return { ...opened, rows };
  };

  test('are seen by nobody before the commit, and by everybody from then on', async () => {
    const { adapter, rows } = await open();
    const transaction = await adapter.startTransaction();
    await transaction.executeRaw(sql('INSERT INTO t VALUES (1)'));
    expect(await rows()).toEqual([]);
    await transaction.commit();
    expect(await rows()).toEqual([1]);
  });

  test('that are rolled back leave nothing', async () => {
    const { adapter, rows } = await open();
    const transaction = await adapter.startTransaction();
    await transaction.executeRaw(sql('INSERT INTO t VALUES (1)'));
    await transaction.rollback();
    expect(await rows()).toEqual([]);
  });

  test('in which a statement failed cannot be committed, whoever swallows the error', async () => {
    const { adapter, rows } = await open();
    const transaction = await adapter.startTransaction();
    await transaction.executeRaw(sql('INSERT INTO t VALUES (1)'));
    await expect(transaction.executeRaw(sql('INSERT INTO t VALUES (1)'))).rejects.toThrow();
    const error = await transaction.commit().catch((error) => error);
    expect([error.cause.kind, failureOf(error)]).toEqual(['TransactionAlreadyClosed', null]);
    expect(await rows()).toEqual([]);
  });

  test('that have ended run nothing more', async () => {
    const { adapter, rows } = await open();
    for (const end of ['commit', 'rollback'] as const) {
      const transaction = await adapter.startTransaction();
      await transaction[end]();
      const late = transaction.executeRaw(sql('INSERT INTO t VALUES (1)'));
      expect(await causeOf(late)).toMatchObject({ kind: 'TransactionAlreadyClosed' });
      expect(await causeOf(transaction.commit())).toMatchObject({ kind: 'TransactionAlreadyClosed' });
    }
    expect(await rows()).toEqual([]);
  });

  test('may be nested: an inner one is undone alone', async () => {
    const { adapter, rows } = await open();
    const transaction = await adapter.startTransaction();
    await transaction.executeRaw(sql('INSERT INTO t VALUES (1)'));
    await transaction.createSavepoint?.('nested');
    await expect(transaction.executeRaw(sql('INSERT INTO t VALUES (1)'))).rejects.toThrow();
    await transaction.rollbackToSavepoint?.('nested');
    await transaction.executeRaw(sql('INSERT INTO t VALUES (2)'));
    await transaction.commit();
    expect(await rows()).toEqual([1, 2]);
  });

  test('that cannot be begun may have stored their first statement, and say so', async () => {
    const { adapter, rows } = await open();
    // The server refuses this level, which Prisma does not have, like a BEGIN that an administrator cancels.
    const transaction = await adapter.startTransaction('NONSENSE' as IsolationLevel);
    const error = await transaction.executeRaw(sql('INSERT INTO t VALUES (1)')).catch((error) => error);
    expect(failureOf(error)).toBe('uncertain');
    await transaction.rollback();
    expect(await rows()).toEqual([1]);
  });

  test('take no round trip to begin', async () => {
    const { adapter, statements } = await open();
    statements.length = 0;
    const transaction = await adapter.startTransaction('REPEATABLE READ');
    const inserted = transaction.executeRaw(sql('INSERT INTO t VALUES ($1)', [1, 'int']));
    // Both were sent before anything was awaited.
    expect(statements).toEqual(['BEGIN ISOLATION LEVEL REPEATABLE READ', 'INSERT INTO t VALUES (1)']);
    await inserted;
    await transaction.commit();
  });

  test('give their connections back, however they end', async () => {
    const { adapter } = await open();
    for (let round = 0; round < 30; round += 1) {
      const transaction = await adapter.startTransaction();
      const failing = sql(
        round % 3 === 0 ? 'SELECT pg_terminate_backend(pg_backend_pid())' : 'SELECT 1 / (1 - $1::int)',
        [round % 3, 'int'],
      );
      await transaction.queryRaw(round % 3 === 0 ? { ...failing, args: [], argTypes: [] } : failing).catch(() => {});
      await (round % 2 === 0 ? transaction.commit() : transaction.rollback()).catch(() => {});
    }
    expect(await adapter.executeRaw(sql('INSERT INTO t VALUES (1)'))).toBe(1);
  });
});

describe('statements that are stored together', () => {
  const insert = (value: number) => sql('INSERT INTO t VALUES ($1) RETURNING a', [value, 'int']);
  const nothing = sql('UPDATE t SET a = 9 WHERE a = 99 RETURNING a');
  const end = sql('SELECT pg_terminate_backend(pg_backend_pid())');
  const open = async (parameters = '') => {
    const opened = await openAdapter(undefined, parameters);
    await opened.adapter.executeScript('CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (0)');
    opened.statements.length = 0;
    const rows = async () => (await opened.adapter.queryRaw(sql('SELECT a FROM t ORDER BY a'))).rows.flat();
    return { ...opened, rows };
  };

  test('take one round trip: all are sent before anything is answered, and nothing else is', async () => {
    const { adapter, statements, rows } = await open();
    expect(await adapter.changeRows([insert(1)])).toEqual([[1]]);
    const changed = adapter.changeRows([insert(2), insert(3)]);
    await nextTurn();
    expect(statements).toEqual([1, 2, 3].map((value) => `INSERT INTO t VALUES (${value}) RETURNING a`));
    expect(await changed).toEqual([[2], [3]]);
    expect(await adapter.changeRows([])).toEqual([]);
    expect(await rows()).toEqual([0, 1, 2, 3]);
  });

  test('have a transaction of their own, and fail alone, whatever comes at the same time', async () => {
    const { adapter, rows } = await open();
    const transactionOf = sql('UPDATE t SET a = a WHERE a = 0 RETURNING xmin::text');
    const changes = [
      [insert(1), transactionOf],
      [insert(2), nothing, insert(3)],
      [insert(4), insert(0)],
      [insert(5), transactionOf],
      [nothing],
      [insert(6)],
    ];
    // After the first round, all statements are prepared.
    for (const _ of [1, 2, 3]) {
      const settled = await Promise.allSettled(changes.map((change) => adapter.changeRows(change)));
      expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, false, false, true, false, true]);
      const [first, missing, duplicate, second, alone] = settled.map((one) =>
        'reason' in one ? one.reason : one.value.at(-1),
      );
      expect(first).not.toEqual(second);
      expect([isMissingRow(missing), isMissingRow(alone), duplicate.cause.kind]).toEqual([
        true,
        true,
        'UniqueConstraintViolation',
      ]);
      expect(await rows()).toEqual([0, 1, 5, 6]);
      await adapter.executeRaw(sql('DELETE FROM t WHERE a > 0'));
    }
  });

  test('that wait for a lock hold nobody else up', async () => {
    const { adapter, rows } = await open();
    const holder = await adapter.startTransaction();
    await holder.executeRaw(sql('UPDATE t SET a = a'));
    const locked = adapter.changeRows([insert(1), sql('UPDATE t SET a = -1 WHERE a = 0 RETURNING a')]);
    const others = Array.from({ length: 40 }, (_, n) => adapter.changeRows([insert(n + 2)]));
    expect((await Promise.all(others)).flat(2)).toEqual(Array.from({ length: 40 }, (_, n) => n + 2));
    expect(await rows()).toHaveLength(41);
    await holder.commit();
    expect(await locked).toEqual([[1], [-1]]);
  });

  test('are one transaction behind a pooler, too', async () => {
    const { adapter, rows } = await open('&pgbouncer=true');
    const changes = [[insert(1)], [insert(2), nothing], [insert(3), insert(4)], [insert(5)]];
    const settled = await Promise.allSettled(changes.map((change) => adapter.changeRows(change)));
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true]);
    expect(await rows()).toEqual([0, 1, 3, 4, 5]);
  });

  test('are none of them stored where one fails, and the first failure is told', async () => {
    const { adapter, rows } = await open();
    const failure = (...statements: ReturnType<typeof sql>[]) =>
      adapter.changeRows(statements).catch((error: unknown) => error);
    // More rounds than there are connections.
    for (let round = 0; round < 12; round += 1) {
      expect(isMissingRow(await failure(insert(1), nothing, insert(0)))).toBe(true);
      expect(await failure(insert(1), insert(0), nothing)).toMatchObject({
        cause: { kind: 'UniqueConstraintViolation' },
      });
    }
    expect(await rows()).toEqual([0]);
  });

  test('that end their session before the commit are not stored, and those of others are', async () => {
    const { adapter, rows } = await open();
    const lost = (...statements: ReturnType<typeof sql>[]) =>
      adapter.changeRows(statements).catch((error: unknown) => failureOf(error));
    expect(await lost(insert(1), end, insert(2))).toBe('unavailable');
    const alone = sql('UPDATE t SET a = pg_terminate_backend(pg_backend_pid())::int + 9 RETURNING a');
    const [ended, others] = await Promise.all([lost(alone), adapter.changeRows([insert(1), insert(2)])]);
    expect([ended, others]).toEqual(['unavailable', [[1], [2]]]);
    expect(await rows()).toEqual([0, 1, 2]);
  });

  test('of a commit whose answer never came may be stored', async () => {
    const { adapter } = await open();
    // The commit checks the constraint, which ends the session.
    await adapter.executeScript(`
      CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER leaving AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION leave()`);
    const failure = await adapter.changeRows([insert(1), insert(2)]).catch((error: unknown) => failureOf(error));
    expect(failure).toBe('uncertain');
  });
});

describe('isolation', () => {
  test('has whoever changes a row second wait, and then see the row as the first one left it', async () => {
    const client = await openClient(await testDatabase());
    const key = { id: 'k', accountId: 'a', tokenHash: 'h', createdAt: new Date(0) };
    await client.apiKey.create({ data: key });
    const once = { where: { id: 'k' }, data: { version: { increment: 1 } } };
    await Promise.all(Array.from({ length: 50 }, () => client.apiKey.update(once)));
    expect(await client.apiKey.findUnique({ where: { id: 'k' } })).toMatchObject({ version: 51 });
    // Compare-and-set in one statement: of all writers that expect the same version, one succeeds.
    const expected = { where: { id: 'k', version: 51 }, data: { version: { increment: 1 } } };
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => client.apiKey.update(expected)));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is READ COMMITTED unless a transaction asks for more, which then may have to be repeated', async () => {
    const { adapter } = await openAdapter();
    await adapter.executeScript('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)');
    const level = await adapter.startTransaction();
    expect((await level.queryRaw(sql('SHOW transaction_isolation'))).rows).toEqual([['read committed']]);
    await level.rollback();
    const strict = await adapter.startTransaction('SERIALIZABLE');
    await strict.queryRaw(sql('SELECT a FROM t'));
    await adapter.executeRaw(sql('UPDATE t SET a = 2'));
    expect(await causeOf(strict.executeRaw(sql('UPDATE t SET a = 3')))).toMatchObject({
      kind: 'TransactionWriteConflict',
      originalCode: '40001',
    });
    await strict.rollback();
  });
});

describe('prepared statements', () => {
  const prepared = sql('SELECT count(*)::int FROM pg_prepared_statements');

  test('are those that come again, no more than a thousand, and never very long ones', async () => {
    const { adapter } = await openAdapter();
    const transaction = await adapter.startTransaction();
    const count = async () => (await transaction.queryRaw(prepared)).rows.flat()[0];
    expect([await count(), await count()]).toEqual([0, 1]);
    for (let round = 0; round < 3; round += 1) await transaction.queryRaw(sql('SELECT 1'));
    expect(await count()).toBe(2);
    for (let round = 0; round < 3; round += 1) await transaction.queryRaw(sql(`SELECT '${'x'.repeat(10_000)}'`));
    expect(await count()).toBe(2);
    const others = () => Array.from({ length: 1_200 }, (_, n) => transaction.queryRaw(sql(`SELECT ${n}, 'more'`)));
    await Promise.all(others());
    expect(await count()).toBe(2);
    await Promise.all(others());
    expect(await count()).toBe(1_000);
    await transaction.rollback();
  });

  test('are not made of those with many values, whose plan depends on them', async () => {
    const { adapter } = await openAdapter();
    const transaction = await adapter.startTransaction();
    const count = async () => (await transaction.queryRaw(prepared)).rows.flat()[0];
    expect([await count(), await count()]).toEqual([0, 1]);
    const args = Array.from({ length: 128 }, (_, index) => String(index));
    const argTypes = args.map(() => ({ scalarType: 'string', arity: 'scalar' }) as const);
    const text = `SELECT '1'::text IN (${args.map((_, index) => `$${index + 1}`).join(', ')})`;
    for (let round = 0; round < 3; round += 1) await transaction.queryRaw({ sql: text, args, argTypes });
    expect(await count()).toBe(1);
    await transaction.rollback();
  });

  test('are not made of those that come again only after a great deal of text', async () => {
    const { adapter } = await openAdapter();
    const transaction = await adapter.startTransaction();
    const send = (text: string) => transaction.queryRaw(sql(text));
    const count = async () => (await transaction.queryRaw(prepared)).rows.flat()[0];
    expect([await count(), await count()]).toEqual([0, 1]);
    await send('SELECT 1');
    for (let number = 0; number < 250; number += 1) await send(`SELECT '${'x'.repeat(9_000)}${number}'`);
    await send('SELECT 1');
    expect(await count()).toBe(1);
    await send('SELECT 1');
    expect(await count()).toBe(2);
    await transaction.rollback();
  });

  test('are not made behind a pooler, which gives each transaction another session', async () => {
    const { adapter } = await openAdapter(undefined, '&pgbouncer=true');
    for (let round = 0; round < 3; round += 1) await adapter.queryRaw(sql('SELECT 1'));
    expect((await adapter.queryRaw(prepared)).rows).toEqual([[0]]);
  });
});

test('whoever watches sees statements with their values', async () => {
  const { adapter, statements } = await openAdapter();
  const times = sql(
    'SELECT $2::text, $1::int, $10::text',
    ...Array.from({ length: 10 }, (_, n): [unknown, ArgScalarType] => [n, 'int']),
  );
  await adapter.queryRaw({ ...times, args: [1, "it's", ...Array(7).fill(null), '$1'] }).catch(() => {});
  expect(statements).toEqual(["SELECT 'it''s'::text, 1::int, '$1'::text"]);
});
