// Rows that are read without Prisma are exactly those that Prisma gives.

import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { createRowsOf, type Range, type RowsOf } from '../../src/storage/plain-reads.ts';
import { openWithoutReferences } from '../support/database.ts';

type Row = Record<string, unknown>;

/** What the tests use of a delegate of Prisma, the same for every model. */
interface Delegate {
  findMany(args: object): Promise<Row[]>;
  createMany(args: { data: Row[] }): Promise<unknown>;
  deleteMany(): Promise<unknown>;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

interface Model {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Columns that name a row: `id`, or those of a module. */
  readonly key: readonly string[];
  /** Columns and sets of columns in which rows differ. */
  readonly unique: readonly (readonly string[])[];
}

/** Every model that belongs to accounts: a new one is among them by itself. */
const models: readonly Model[] = Object.entries(getDatamodel().datamodel.models).flatMap(([name, model]) => {
  const columns = model.fields.filter(({ kind }) => kind === 'scalar');
  if (!columns.some((column) => column.name === 'accountId')) return [];
  const single = columns.filter(({ isId, isUnique }) => isId || isUnique).map((column) => [column.name]);
  const unique = [...single, ...model.uniqueIndexes.map(({ fields }) => fields)];
  const key = model.primaryKey?.fields ?? columns.filter(({ isId }) => isId).map((column) => column.name);
  return [{ name, columns, key, unique: [...unique, key] }];
});
const resources = models.filter(({ columns }) => columns.some(({ name }) => name === 'id'));
const others = models.filter((model) => !resources.includes(model));

/** For each model and way of reading: each run asks for every account, in several ways. */
const numRuns = 12;

const accounts = ['acct_a', 'acct_b', "acct_'; --", ''];

/** PostgreSQL has no room for the character NUL; the program refuses it before the storage does. */
const storable = (value: unknown) => inject('engine') === 'sqlite' || !JSON.stringify(value).includes('\\u0000');
/** Nor has it a year 0. */
const firstTime = new Date(`${inject('engine') === 'sqlite' ? '0000' : '0001'}-01-01T00:00:00.000Z`);

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom(
      '',
      "'",
      '"',
      '\u0000',
      'a\u0000b',
      '1',
      '1.0',
      'null',
      '{}',
      '😀é',
      '\n',
      '2027-01-31T09:30:00.000+00:00',
    ),
  )
  .filter(storable);
const json = fc
  .oneof(
    fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
    // Prisma loses `__proto__` and refuses null, and no column of the schema holds either.
    fc.jsonValue({ maxDepth: 3 }).filter((value) => value !== null && !JSON.stringify(value).includes('__proto__')),
    fc.constantFrom(0, 1.5, -1, 2 ** 53, '', 'text', '1', true, false, [], {}, [null], { constructor: null }),
  )
  .filter(storable);

/** Values of each type of the schema language that the models use. */
const valuesOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  String: text,
  Int: fc.oneof(fc.integer(), fc.constantFrom(0, -(2 ** 31), 2 ** 31 - 1)),
  BigInt: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(0n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 4_294_967_295n),
  ),
  Boolean: fc.boolean(),
  DateTime: fc.oneof(
    fc.date({
      min: firstTime,
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    }),
    fc.date({
      min: firstTime,
      max: new Date('0101-01-01T00:00:00.000Z'),
      noInvalidDate: true,
    }),
    fc.constantFrom(
      firstTime,
      new Date('0004-02-29T23:59:59.999Z'),
      new Date('0099-12-31T23:59:59.999Z'),
      new Date('0100-01-01T00:00:00.001Z'),
      new Date('1969-12-31T23:59:59.999Z'),
      new Date(0),
      new Date('2024-02-29T12:34:56.789Z'),
      new Date('9999-12-31T23:59:59.999Z'),
    ),
  ),
  Bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)),
  Json: json,
};

function columnValues({ name, type, isRequired }: Column): fc.Arbitrary<unknown> {
  if (name === 'accountId') return fc.constantFrom(...accounts);
  // Few enough that some exist, some not, and some are of another account.
  if (name === 'id') return fc.oneof(fc.constantFrom(...'abcdefghij', 'é', 'Z', '', "'", '10', '9'), text);
  const values = valuesOf[type];
  if (values === undefined) throw new Error(`There are no values of the type ${type}: add some here.`);
  return isRequired ? values : fc.option(values, { nil: null });
}

/** Rows of a model that do not collide. */
function rowsOfModel({ columns, unique }: Model, maxLength = 12): fc.Arbitrary<Row[]> {
  const row = fc.record(Object.fromEntries(columns.map((column) => [column.name, columnValues(column)])));
  return fc.array(row, { maxLength }).map((rows) => {
    const seen = new Set<string>();
    return rows.filter((one) => {
      const keys = unique.map(
        (names) => `${names} ${names.map((name) => `${typeof one[name]} ${one[name]}`).join('\u0001')}`,
      );
      const isNew = keys.every((key) => !seen.has(key));
      if (isNew) for (const key of keys) seen.add(key);
      return isNew;
    });
  });
}

/** Opens both readers on one empty database, which takes rows that refer to nothing. */
async function open(): Promise<{ delegateOf: (model: Model) => Delegate; rowsOf: RowsOf }> {
  const { client, connection, dialect } = await openWithoutReferences();
  // The delegates of different models have unrelated types; what is used of them here is the same for all.
  const delegates = client as unknown as Record<string, Delegate | undefined>;
  return {
    rowsOf: createRowsOf(connection, dialect),
    delegateOf({ name }) {
      const delegate = delegates[name.replace(/^./, (first) => first.toLowerCase())];
      if (delegate === undefined) throw new Error(`Prisma has no ${name}.`);
      return delegate;
    },
  };
}

/** Puts rows in an order of their own, for answers that promise none. */
function sorted(rows: readonly object[]): object[] {
  const keyOf = (row: object) => ('id' in row ? String(row.id) : '');
  return [...rows].sort((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1));
}

/** Makes plain what a comparison of values alone would pass over: the types, and the bytes behind `Buffer`. */
function typed(rows: readonly object[]): unknown {
  return rows.map((row) =>
    Object.entries(row)
      .sort(([one], [two]) => (one < two ? -1 : 1))
      .map(([name, value]) => [name, Object.prototype.toString.call(value), value?.constructor?.name, value]),
  );
}

/** Compares rows of both readers. */
function expectSame(actual: readonly object[], expected: readonly object[]): void {
  expect(actual).toStrictEqual(expected);
  expect(typed(actual)).toStrictEqual(typed(expected));
}

const idsAsked = fc.array(fc.oneof(fc.constantFrom(...'abcdefghijxyz', 'é', 'Z', '', "'", '10', '9', 'never'), text), {
  maxLength: 20,
});
const bound = fc.option(fc.oneof(fc.constantFrom(...'abcdefghij', 'é', 'Z', '', "'", '10', '9'), text), {
  nil: undefined,
});

/** What a range asks for, in Prisma's terms. */
function inPrismaTerms(accountId: string, { equal, lessThan, greaterThan, ascending, take }: Range): object {
  const id = {
    ...(lessThan === undefined ? {} : { lt: lessThan }),
    ...(greaterThan === undefined ? {} : { gt: greaterThan }),
  };
  return { where: { AND: [equal, { accountId, id }] }, orderBy: { id: ascending ? 'asc' : 'desc' }, take };
}

test('there are models with ids, and models that are reached by their ids alone', () => {
  expect(models.length).toBe(resources.length + others.length);
  expect(resources.map(({ name }) => name)).toContain('IpPolicy');
  expect(others.map(({ name }) => name)).toContain('SamlModule');
  for (const { columns } of models) expect(columns.filter(({ type }) => !(type in valuesOf))).toEqual([]);
});

describe.each(resources.map((model) => [model.name, model] as const))('rows of %s', (name, model) => {
  const textColumns = model.columns.filter(({ type, name: column }) => type === 'String' && column !== 'accountId');

  test('are by their ids those of Prisma', async () => {
    const { delegateOf, rowsOf } = await open();
    const delegate = delegateOf(model);
    await fc.assert(
      fc.asyncProperty(rowsOfModel(model), idsAsked, async (rows, ids) => {
        await delegate.deleteMany();
        await delegate.createMany({ data: rows });
        // All that there are, those of other accounts included; then some that may be there; each alone; and none.
        const all = rows.map(({ id }) => String(id));
        for (const accountId of accounts) {
          for (const asked of [all, ids, [...ids, ...all, ...ids], ...all.map((id) => [id]), []]) {
            const expected = await delegate.findMany({ where: { accountId, id: { in: asked } } });
            const actual = await rowsOf(accountId).byIds(name, asked);
            expectSame(sorted(actual), sorted(expected));
            expect(actual.every((row) => 'accountId' in row && row.accountId === accountId)).toBe(true);
          }
        }
      }),
      { numRuns },
    );
  });

  test('are in a range those of Prisma, in the same order', async () => {
    const { delegateOf, rowsOf } = await open();
    const delegate = delegateOf(model);
    const equalTo = (rows: readonly Row[]) =>
      fc
        .subarray(textColumns, { maxLength: 2 })
        .chain((columns) =>
          fc.record(
            Object.fromEntries(
              columns.map((column) => [
                column.name,
                fc.oneof(
                  text,
                  ...(rows.length === 0 ? [] : [fc.constantFrom(...rows.map((row) => String(row[column.name])))]),
                ),
              ]),
            ),
          ),
        );
    const cases = rowsOfModel(model, 20).chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.array(
          fc.record({
            equal: fc.oneof(fc.constant({}), equalTo(rows)),
            lessThan: bound,
            greaterThan: bound,
            ascending: fc.boolean(),
            take: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(100, 101)),
          }),
          { minLength: 1, maxLength: 8 },
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([rows, ranges]) => {
        await delegate.deleteMany();
        await delegate.createMany({ data: rows });
        for (const accountId of accounts) {
          for (const range of ranges) {
            const actual = await rowsOf(accountId).range(name, range);
            expectSame(actual, await delegate.findMany(inPrismaTerms(accountId, range)));
            expect(actual.every((row) => 'accountId' in row && row.accountId === accountId)).toBe(true);
          }
        }
      }),
      { numRuns },
    );
  });
});

describe.each(models.map((model) => [model.name, model] as const))('some columns of %s', (name, model) => {
  const textColumns = model.columns.filter(({ type, name: column }) => type === 'String' && column !== 'accountId');

  test('are those of Prisma, by the values of one column', async () => {
    const { delegateOf, rowsOf } = await open();
    const delegate = delegateOf(model);
    const picked = model.columns.filter((column) => column.name !== 'accountId').map((column) => column.name);
    const cases = fc.tuple(
      rowsOfModel(model),
      fc.subarray(picked, { minLength: 1 }),
      fc.constantFrom(...textColumns),
      idsAsked,
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([rows, columns, by, values]) => {
        await delegate.deleteMany();
        await delegate.createMany({ data: rows });
        for (const accountId of accounts) {
          for (const asked of [rows.map((row) => String(row[by.name])), values, values.slice(0, 1), []]) {
            const where = { accountId, [by.name]: { in: asked } };
            const select = Object.fromEntries(columns.map((column) => [column, true]));
            const expected = await delegate.findMany({ where, select });
            // The names are those of the model, of which the compiler does not know which one it is.
            const pick = rowsOf(accountId).pick as (...names: unknown[]) => Promise<Row[]>;
            const actual = (await pick(name, columns, by.name, [...new Set(asked)])).map(
              ({ accountId: _, ...row }) => row,
            );
            expectSame(inOrder(actual), inOrder(expected));
          }
        }
      }),
      { numRuns },
    );
  });
});

/** Puts rows without ids in an order of their own. */
function inOrder(rows: readonly object[]): object[] {
  const textOf = (row: object) =>
    JSON.stringify(Object.entries(row).sort(), (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return [...rows].sort((one, two) => (textOf(one) < textOf(two) ? -1 : 1));
}

describe('many rows', () => {
  const count = 1_300;
  const idOf = (place: number) => `ipp_${String(place).padStart(5, '0')}`;
  const policies = resources.find(({ name }) => name === 'IpPolicy');
  /** Every third row is of another account. */
  const fill = async () => {
    if (policies === undefined) throw new Error('There is no model IpPolicy.');
    const { delegateOf, rowsOf } = await open();
    const delegate = delegateOf(policies);
    const data = Array.from({ length: count }, (_, place) => ({
      id: idOf(place),
      accountId: place % 3 === 0 ? 'acct_b' : 'acct_a',
      createdAt: new Date(place),
    }));
    await delegate.createMany({ data });
    return { delegate, rowsOf };
  };

  test.each([1, 2, 3, 4, 5, 255, 256, 257, 511, 512, 513, 514, 1023, 1024, 1025, 1299, 1300])(
    'are all found, and each once, by %i different ids',
    async (length) => {
      const { delegate, rowsOf } = await fill();
      const ids = Array.from({ length }, (_, place) => idOf(place));
      for (const accountId of ['acct_a', 'acct_b', 'acct_c']) {
        const expected = await delegate.findMany({ where: { accountId, id: { in: ids } } });
        expectSame(sorted(await rowsOf(accountId).byIds('IpPolicy', ids)), sorted(expected));
        expect(expected.length).toBe(
          ids.filter((_, place) => (place % 3 === 0 ? 'acct_b' : 'acct_a') === accountId).length,
        );
      }
    },
  );

  test('are found once within a statement by an id that is repeated', async () => {
    const { rowsOf } = await fill();
    const repeated = Array.from({ length: 512 }, (_, place) => idOf(1 + (place % 2)));
    expect((await rowsOf('acct_a').byIds('IpPolicy', repeated)).length).toBe(2);
    expect((await rowsOf('acct_a').byIds('IpPolicy', [idOf(1), idOf(1)])).length).toBe(1);
  });

  test('are read in pages that meet without a gap, from either end', async () => {
    const { delegate, rowsOf } = await fill();
    const rows = rowsOf('acct_a');
    for (const ascending of [true, false]) {
      const paged: object[] = [];
      let last: string | undefined;
      for (;;) {
        const page = await rows.range('IpPolicy', {
          equal: {},
          lessThan: ascending ? undefined : last,
          greaterThan: ascending ? last : undefined,
          ascending,
          take: 100,
        });
        const end = page.at(-1);
        if (end === undefined) break;
        paged.push(...page);
        last = 'id' in end ? String(end.id) : undefined;
      }
      const orderBy = { id: ascending ? 'asc' : 'desc' };
      expectSame(paged, await delegate.findMany({ where: { accountId: 'acct_a' }, orderBy }));
    }
  });
});

test('a column that the model does not have is refused, so that no name becomes part of a statement', async () => {
  const { rowsOf } = await open();
  const pick = rowsOf('acct_a').pick as (...names: unknown[]) => Promise<object[]>;
  for (const name of ['nothing', 'id" --', '', '__proto__', 'rules']) {
    await expect(pick('IpPolicy', ['id', name], 'id', ['a'])).rejects.toThrow(`There is no column ${name}.`);
    await expect(pick('IpPolicy', ['id'], name, ['a'])).rejects.toThrow(`There is no column ${name}.`);
  }
});

describe('a model', () => {
  const range: Range = { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: true, take: 10 };
  test.each(['Nothing', '', 'ipPolicy', 'IpPolicy" --', '__proto__', 'constructor', 'Account', 'ServerFact'])(
    'called %j is refused: there is none, or it is of no account',
    async (name) => {
      const { rowsOf } = await open();
      await expect(rowsOf('acct_a').byIds(name, ['a'])).rejects.toThrow(`There is no model ${name}.`);
      await expect(rowsOf('acct_a').byIds(name, ['a', 'b'])).rejects.toThrow(`There is no model ${name}.`);
      await expect(rowsOf('acct_a').byIds(name, [])).rejects.toThrow(`There is no model ${name}.`);
      await expect(rowsOf('acct_a').range(name, range)).rejects.toThrow(`There is no model ${name}.`);
    },
  );

  test.each(others.map((model) => [model.name, model] as const))(
    'without ids, as %s, is read by neither way: the failure is one, and shows nothing',
    async (name, model) => {
      const { delegateOf, rowsOf } = await open();
      const [row] = fc
        .sample(
          rowsOfModel(model).filter((rows) => rows.length > 0),
          { numRuns: 1, seed: 1 },
        )
        .flat();
      await delegateOf(model).createMany({ data: row === undefined ? [] : [{ ...row, accountId: 'acct_a' }] });
      const outcomes = await Promise.allSettled([
        rowsOf('acct_a').byIds(name, ['a']),
        rowsOf('acct_a').byIds(name, ['a', 'b']),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') expect(outcome.value).toEqual([]);
      }
    },
  );
});
