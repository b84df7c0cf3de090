// Rows that we write are stored and returned exactly as by Prisma.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDuplicate, isMissingReference, isMissingRow } from '../../src/storage/errors.ts';
import { Prisma } from '../../src/storage/generated/client/client.ts';
import { createRowChangesOf, type RowChange } from '../../src/storage/objects/plain-writes.ts';
import { MissingRowError, type RowChanger } from '../../src/storage/objects/row-changer.ts';
import { quote } from '../../src/storage/sql/statement-values.ts';
import { byEngine, openBeside, openWithoutReferences, testDatabase } from '../support/database.ts';
import { delegateOf, type Row } from '../support/delegates.ts';
import { expectSame, type Model, models, resources, rowsOfModel } from '../support/model-rows.ts';
import { runs } from '../support/runs.ts';

/** Runs per model and kind of write. Fewer if each write is a message to a server. */
const numRuns = runs(byEngine({ sqlite: 30, postgresql: 12 }));

let database: Awaited<ReturnType<typeof openWithoutReferences>>;
beforeAll(async () => {
  database = await openWithoutReferences();
});
afterAll(() => database.close());

/** Returns functions that store and read rows of one model, in a database that does not enforce foreign keys. */
function tableOf(model: Model) {
  const { client, connection, dialect } = database;
  const delegate = delegateOf(client, model.name);
  const sql = `SELECT * FROM ${quote(model.name)}`;
  return {
    connection,
    delegate,
    changesOf: createRowChangesOf(dialect),
    /** Returns the stored rows from the driver, which shows differences that Prisma would read as the same value. */
    stored: async () => (await connection.queryRaw({ sql, args: [], argTypes: [] })).rows,
    /** Empties the table and stores a row. */
    async reset(...rows: Row[]) {
      await delegate.deleteMany();
      await delegate.createMany({ data: rows.map((row) => toPrisma(model, row)) });
    },
  };
}

/** Stores a change and returns its row. */
async function store(connection: RowChanger, change: RowChange): Promise<object> {
  const [values = []] = await connection.changeRows([change.statement]);
  return change.read(values);
}

/** Sorts rows as the driver returns them, whatever their columns. */
function sorted(rows: readonly unknown[][]): unknown[][] {
  return rows.toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** Returns a row in Prisma's terms, to whom null is a JSON value where a column may hold JSON. */
const toPrisma = (model: Model, row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isJson = model.columns.some((column) => column.name === name && column.type === 'Json');
      return [name, isJson && value === null ? Prisma.DbNull : value];
    }),
  );

/** Rows of a model, with lists and objects as JSON. */
function rowsOf(model: Model): fc.Arbitrary<Row[]> {
  const json = model.columns.filter(({ type }) => type === 'Json').map(({ name }) => name);
  return rowsOfModel(model).map((rows) =>
    rows.filter((row) => json.every((column) => typeof row[column] === 'object')),
  );
}

/** One row of a model, with numbers that can be incremented. */
function rowOf(model: Model): fc.Arbitrary<Row> {
  const counters = model.columns.filter(({ type }) => type === 'Int').map(({ name }) => name);
  return rowsOf(model)
    .filter((rows) => rows.length > 0)
    .map(([row = {}]) => ({ ...row, ...Object.fromEntries(counters.map((name) => [name, Number(row[name]) % 1000])) }));
}

/** Lets JSON have numbers of 64 bits, as text. */
const withBigInts = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

describe.each(models.map((model) => [model.name, model] as const))('rows of %s', (name, model) => {
  test('are made together as Prisma makes them', async () => {
    const { connection, changesOf, stored, reset } = tableOf(model);
    // NUL is refused before it gets here.
    const accountId = 'acct_a';
    // Of one account: what is unique in each of several need not be in one.
    const lists = rowsOf(model)
      .map((rows) => rows.filter((row) => row.accountId === accountId))
      .filter((rows) => rows.length > 0 && !JSON.stringify(rows, withBigInts).includes('u0000'));
    await fc.assert(
      fc.asyncProperty(lists, async (rows) => {
        await reset(...rows.map((row) => ({ ...row, accountId })));
        const expected = await stored();
        await reset();
        const columns = rows.map(({ accountId: _, ...row }) => row);
        await store(connection, changesOf(accountId).createAll(name, columns));
        expect(sorted(await stored())).toStrictEqual(sorted(expected));
      }),
      { numRuns },
    );
  });
});

describe.each(models.map((model) => [model.name, model] as const))('a row of %s', (name, model) => {
  test('is made as Prisma makes it, also where columns are left out that may be', async () => {
    const { connection, delegate, changesOf, stored, reset } = tableOf(model);
    const optional = model.columns
      .filter((column) => column.hasDefaultValue || !column.isRequired)
      // PostgreSQL assigns other values to each transaction.
      .filter(({ name }) => !['commitOrder', 'updatedAt'].includes(name));
    await fc.assert(
      fc.asyncProperty(rowOf(model), fc.subarray(optional), async ({ accountId, ...row }, leftOut) => {
        const columns: Row = { ...row, ...Object.fromEntries(leftOut.map((column) => [column.name, undefined])) };
        await reset();
        const expected = await delegate.create({ data: toPrisma(model, { ...columns, accountId }) });
        const expectedStored = await stored();
        await reset();
        expectSame([await store(connection, changesOf(String(accountId)).create(name, columns))], [expected]);
        expect(await stored()).toStrictEqual(expectedStored);
      }),
      { numRuns },
    );
  });
});

/** The models whose rows have versions. A pending login has an id but no version. */
const versioned = resources.filter(({ columns }) => columns.some((column) => column.name === 'version'));

describe.each(versioned.map((model) => [model.name, model] as const))('a row of %s', (name, model) => {
  const names = model.columns.map((column) => column.name).filter((column) => column !== 'accountId');
  const isCounter = (column: string) => model.columns.some((other) => other.name === column && other.type === 'Int');
  const step = fc.constantFrom('increment', 'decrement', undefined);
  /** Some columns with new values or increments. */
  const newColumns = fc
    .tuple(rowOf(model), fc.subarray(names, { minLength: 1 }), step)
    .map(([row, some, by]) =>
      Object.fromEntries(
        some.map((column) => [column, by !== undefined && isCounter(column) ? { [by]: row[column] } : row[column]]),
      ),
    );
  /** Conditions that a row meets besides its id. */
  const conditions = fc.constantFrom<(version: number) => object>(
    () => ({}),
    () => ({ version: undefined }),
    (version) => ({ version }),
    (version) => ({ version: { lt: version + 1 } }),
    (version) => ({ version: { lte: version } }),
    (version) => ({ version: { gt: version - 1 } }),
    (version) => ({ version: { gte: version } }),
  );

  test('is changed as Prisma changes it', async () => {
    const { connection, delegate, changesOf, stored, reset } = tableOf(model);
    await fc.assert(
      fc.asyncProperty(rowOf(model), newColumns, conditions, async (row, columns, condition) => {
        const { id, accountId, version } = row;
        const where = { id, ...condition(Number(version)) };
        // The key of an event begins with its account.
        const key = name === 'AuditEvent' ? { accountId_id: { accountId, id } } : {};
        await reset(row);
        const expected = await delegate.update({
          where: { ...where, ...key, accountId },
          data: toPrisma(model, columns),
        });
        const expectedStored = await stored();
        await reset(row);
        expectSame([await store(connection, changesOf(String(accountId)).update(name, where, columns))], [expected]);
        expect(await stored()).toStrictEqual(expectedStored);
        await reset(row);
        const giving = changesOf(String(accountId)).update(name, where, columns, ['id']);
        expect(await store(connection, giving)).toEqual({ id: expected.id, accountId });
        expect(await stored()).toStrictEqual(expectedStored);
      }),
      { numRuns },
    );
  });

  test('stays as it is for another account, another id, and another version', async () => {
    const { connection, changesOf, stored, reset } = tableOf(model);
    await fc.assert(
      fc.asyncProperty(rowOf(model), newColumns, async (row, columns) => {
        const { id, accountId } = { id: String(row.id), accountId: String(row.accountId) };
        const version = Number(row.version);
        await reset(row);
        const before = await stored();
        const wrong = [
          [`${accountId}x`, { id }],
          [accountId, { id: `${id}x` }],
          [accountId, { id, version: version + 1 }],
          [accountId, { id, version: { lt: version } }],
          [accountId, { id, version: { gt: version } }],
        ] as const;
        for (const [account, where] of wrong) {
          const update = store(connection, changesOf(account).update(name, where, columns));
          await expect(update).rejects.toThrow(MissingRowError);
          const removal = store(connection, changesOf(account).remove(name, where));
          await expect(removal).rejects.toThrow(MissingRowError);
        }
        expect(await stored()).toStrictEqual(before);
        expect(await store(connection, changesOf(accountId).remove(name, { id, version }))).toEqual({ id, accountId });
        expect(await stored()).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });
});

describe('is refused', () => {
  const where = { id: 'a' };
  const changes = () => createRowChangesOf(database.dialect)('acct_a');

  test.each<[what: string, columns: object]>([
    ['a nested write', { rules: { create: {} } }],
    ['a column that the model does not have', { nothing: 'x' }],
    ['a name that would end another', { 'id" --': 'x' }],
    ['a name of every object', JSON.parse('{ "__proto__": "x" }')],
    ['the account', { accountId: 'acct_b' }],
    ['a value of another type', { description: 1 }],
    ['an operation', { description: { set: 'x' } }],
    ['an operation that is not known', { version: { multiply: 2 } }],
    ['two operations', { version: { increment: 1, decrement: 1 } }],
    ['no operation', { version: {} }],
    ['an operation with another type', { version: { increment: '1' } }],
    ['an operation with nothing', { version: { increment: null } }],
    ['a fraction', { version: 1.5 }],
    ['a number of more than 32 bits', { version: 2 ** 31 }],
    ['a number that is none', { version: Number.NaN }],
    ['a time that is none', { createdAt: new Date(Number.NaN) }],
  ])('%s', (_what, columns) => {
    const { create, update } = changes();
    expect(() => update('IpPolicy', where, columns)).toThrow();
    expect(() => create('IpPolicy', { ...where, ...columns })).toThrow();
    expect(() => update('IpPolicy', { ...where, ...columns }, { description: 'x' })).toThrow();
  });

  test('a step in a new row, a comparison in a change, and a step in a condition', () => {
    const { create, update } = changes();
    expect(() => create('IpPolicy', { ...where, version: { increment: 1 } })).toThrow();
    expect(() => update('IpPolicy', where, { version: { lt: 1 } })).toThrow();
    expect(() => update('IpPolicy', { ...where, version: { increment: 1 } }, { description: 'x' })).toThrow();
  });

  test('null in a condition, and JSON that is no list and no object', () => {
    const { create, update, remove } = changes();
    expect(() => update('ApiKey', { ...where, lastUsedAt: null }, { description: 'x' })).toThrow();
    expect(() => update('ApiKey', where, { lastUsedAt: null })).not.toThrow();
    const conditions = { ...where, lastUsedAt: null };
    expect(() => remove('ApiKey', conditions)).toThrow();
    for (const hostports of [1.5, '1', true, Prisma.JsonNull, Prisma.DbNull, Prisma.AnyNull]) {
      expect(() => create('HttpsEdge', { ...where, hostports })).toThrow();
    }
    expect(() => create('HttpsEdge', { ...where, hostports: [null] })).not.toThrow();
  });

  test('a change of more than one row', () => {
    const { update, remove } = changes();
    const conditions = [
      {},
      { id: undefined },
      { id: null },
      { id: { not: 'a' } },
      { version: 1 },
      { version: { gt: 0 } },
    ];
    for (const one of conditions) {
      expect(() => update('IpPolicy', one, { description: 'x' })).toThrow();
      expect(() => remove('IpPolicy', one)).toThrow();
    }
    expect(() => remove('IpPolicy', { id: 'a', version: 1 })).not.toThrow();
  });

  test('a change of nothing', () => {
    const { update } = changes();
    expect(() => update('IpPolicy', where, {})).toThrow();
    expect(() => update('IpPolicy', where, { description: undefined })).toThrow();
  });
});

test.each(['Nothing', '', 'ipPolicy', 'IpPolicy" --', '__proto__', 'constructor', 'Account', 'ServerFact'])(
  'a model called %j is refused: there is none, or it is of no account',
  (name) => {
    const changes = createRowChangesOf(database.dialect)('acct_a');
    expect(() => changes.create(name, { id: 'a' })).toThrow(`There is no model ${name}.`);
    expect(() => changes.update(name, { id: 'a' }, { name: 'a' })).toThrow(`There is no model ${name}.`);
    expect(() => changes.remove(name, { id: 'a' })).toThrow(`There is no model ${name}.`);
  },
);

describe('several changes', () => {
  /** Creates a policy with a rule, and prepares changes with their statements. */
  const prepare = async () => {
    const own = await testDatabase();
    const { client, connection } = await openBeside(own);
    const changes = createRowChangesOf(own.engine.dialect)('acct_a');
    const statement = (change: RowChange) => change.statement;
    const rule = (id: string, range: string, ipPolicyId = 'p') => ({
      ...{ id, range, ipPolicyId, cidr: range, action: 'allow' },
      createdAt: new Date(0),
    });
    await client.ipPolicy.create({ data: { id: 'p', accountId: 'acct_a', createdAt: new Date(0) } });
    await client.ipPolicyRule.create({ data: { ...rule('r', '10.0.0.0/8'), accountId: 'acct_a' } });
    const count = (ruleCount: number) =>
      statement(changes.update('IpPolicy', { id: 'p', ruleCount }, { ruleCount: { increment: 1 } }));
    const make = (...of: Parameters<typeof rule>) => statement(changes.create('IpPolicyRule', rule(...of)));
    const state = async () => ({
      counted: (await client.ipPolicy.findFirstOrThrow()).ruleCount,
      rules: (await client.ipPolicyRule.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id),
    });
    const store = (...statements: Parameters<typeof connection.changeRows>[0][number][]) =>
      connection.changeRows(statements);
    return { count, make, state, store };
  };

  test('are not stored where a statement finds fewer rows than it must, even alone', async () => {
    const { count, make, state, store } = await prepare();
    const both = { ...count(0), finds: 2 };
    const failure = (...statements: Parameters<typeof store>) => store(...statements).catch((error: unknown) => error);
    expect(isMissingRow(await failure(both))).toBe(true);
    expect(isMissingRow(await failure(make('s', '11.0.0.0/8'), both, make('t', '10.0.0.0/8')))).toBe(true);
    const [none, made] = await store({ ...count(7), finds: 0 }, make('s', '11.0.0.0/8'));
    expect([none, made?.[0]]).toEqual([[], 's']);
    expect(await state()).toEqual({ counted: 0, rules: ['r', 's'] });
  });

  test('are stored together, in their order', async () => {
    const { count, make, state, store } = await prepare();
    const [first, second, third] = await store(count(0), make('s', '11.0.0.0/8'), count(1));
    expect([first?.[0], second?.[0], third?.[0]]).toEqual(['p', 's', 'p']);
    expect(await state()).toEqual({ counted: 2, rules: ['r', 's'] });
  });

  test('are not stored where one fails, and the first failure is told', async () => {
    const { count, make, state, store } = await prepare();
    const failure = (...statements: Parameters<typeof store>) => store(...statements).catch((error: unknown) => error);
    const [duplicate, unrelated] = [make('s', '10.0.0.0/8'), make('s', '11.0.0.0/8', 'nothing')];
    expect(isMissingRow(await failure(count(7)))).toBe(true);
    expect(isMissingRow(await failure(count(0), count(7)))).toBe(true);
    expect(isMissingRow(await failure(count(7), duplicate))).toBe(true);
    expect(isDuplicate(await failure(duplicate))).toBe(true);
    expect(isDuplicate(await failure(count(0), duplicate, count(7)))).toBe(true);
    expect(isMissingReference(await failure(unrelated))).toBe(true);
    expect(isMissingReference(await failure(count(0), unrelated, duplicate))).toBe(true);
    expect(await state()).toEqual({ counted: 0, rules: ['r'] });
  });

  test('that fail leave those alone that come at the same moment', async () => {
    const { count, make, state, store } = await prepare();
    const outcomes = await Promise.allSettled([
      store(count(0), make('s', '11.0.0.0/8')),
      store(make('t', '12.0.0.0/8'), make('u', '10.0.0.0/8')),
      store(make('v', '13.0.0.0/8')),
      store(make('w', '10.0.0.0/8')),
      store(make('x', '14.0.0.0/8'), make('y', '15.0.0.0/8')),
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, true]);
    expect(await state()).toEqual({ counted: 1, rules: ['r', 's', 'v', 'x', 'y'] });
  });
});
