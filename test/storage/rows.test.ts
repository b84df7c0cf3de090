// Rows read without Prisma are exactly those that Prisma returns.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRowsOf, type RowsOf } from '../../src/storage/objects/plain-reads.ts';
import type { RowRange } from '../../src/storage/sql/range.ts';
import { createSlicing } from '../../src/storage/sql/read-slices.ts';
import { auditActions } from '../../src/storage/trail/audit-actions.ts';
import { byEngine, openWithoutReferences } from '../support/database.ts';
import { type Delegate, delegateOf, type Row } from '../support/delegates.ts';
import {
  accounts,
  expectSame,
  type Model,
  models,
  others,
  resources,
  rowsOfModel,
  text,
  valuesOf,
} from '../support/model-rows.ts';
import { runs } from '../support/runs.ts';

/** Runs per model and way of reading; each queries every account in several ways. Fewer if each query is a message to a server. */
const numRuns = runs(byEngine({ sqlite: 12, postgresql: 6 }));

// Both readers share one database that does not enforce foreign keys; each test empties its table first.
let database: Awaited<ReturnType<typeof openWithoutReferences>>;
let rowsOf: RowsOf;
beforeAll(async () => {
  database = await openWithoutReferences();
  rowsOf = createRowsOf(
    database.connection,
    database.dialect,
    createSlicing(database.dialect, () => 0),
  );
});
afterAll(() => database.close());

/** Sorts rows, for answers that promise no order. */
function sorted(rows: readonly object[]): object[] {
  const keyOf = (row: object) => ('id' in row ? String(row.id) : '');
  return [...rows].sort((one, two) => (keyOf(one) < keyOf(two) ? -1 : 1));
}

const idsAsked = fc.array(fc.oneof(fc.constantFrom(...'abcdefghijxyz', 'é', 'Z', '', "'", '10', '9', 'never'), text), {
  maxLength: 20,
});
const bound = fc.option(fc.oneof(fc.constantFrom(...'abcdefghij', 'é', 'Z', '', "'", '10', '9'), text), {
  nil: undefined,
});

/** Returns the Prisma query for a range. */
function inPrismaTerms(accountId: string, { equal, lessThan, greaterThan, until, ascending, take }: RowRange): object {
  const id = {
    ...(lessThan === undefined || (ascending && until !== undefined) ? {} : { lt: lessThan }),
    ...(greaterThan === undefined || (!ascending && until !== undefined) ? {} : { gt: greaterThan }),
    ...(until === undefined ? {} : { [ascending ? 'lte' : 'gte']: until }),
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
    const delegate = delegateOf(database.client, model.name);
    await fc.assert(
      fc.asyncProperty(rowsOfModel(model), idsAsked, async (rows, ids) => {
        await delegate.deleteMany();
        await delegate.createMany({ data: rows });
        // All ids, including those of other accounts; then some that may exist; each alone; and none.
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
    const delegate = delegateOf(database.client, model.name);
    const equalTo = (rows: readonly Row[]) =>
      fc
        .subarray(textColumns, { maxLength: Math.min(2, textColumns.length) })
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
            until: bound,
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
            if (range.take === 0) continue;
            const last = actual.length === range.take ? actual.at(-1) : undefined;
            expect(await rowsOf(accountId).endOf(name, range)).toBe(
              last !== undefined && 'id' in last ? last.id : undefined,
            );
          }
        }
      }),
      { numRuns },
    );
  });
});

test('events that an index finds by several columns, or by several of its ranges, are those of Prisma', async () => {
  const delegate = delegateOf(database.client, 'AuditEvent');
  const model = resources.find(({ name }) => name === 'AuditEvent') ?? expect.fail();
  const chosen = { actor: ['cli', 'ak_a'], kind: ['IpPolicy', 'ApiKey', 'Request'], action: auditActions };
  const equal = fc
    .subarray(Object.entries(chosen))
    .chain((some) => fc.record(Object.fromEntries(some.map(([name, values]) => [name, fc.constantFrom(...values)]))));
  const rows = rowsOfModel(model, 20).chain((made) =>
    fc.tuple(
      ...made.map((row) =>
        equal.map((some) => {
          const event = { ...row, actor: 'cli', kind: 'ApiKey', action: 'create', ...some };
          // Requests are only refused, and nothing else is.
          const isRefused = event.kind === 'Request' || event.action === 'refuse';
          return isRefused ? { ...event, kind: 'Request', action: 'refuse' } : event;
        }),
      ),
    ),
  );
  const range = fc.record({
    equal,
    lessThan: bound,
    greaterThan: bound,
    until: bound,
    ascending: fc.boolean(),
    take: fc.integer({ min: 1, max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(rows, fc.array(range, { minLength: 1, maxLength: 8 }), async (stored, ranges) => {
      await delegate.deleteMany();
      await delegate.createMany({ data: stored });
      for (const accountId of accounts) {
        for (const asked of ranges) {
          const expected = await delegate.findMany(inPrismaTerms(accountId, asked));
          expectSame(await rowsOf(accountId).range('AuditEvent', asked), expected);
          const within = { olderThan: asked.lessThan, newerThan: asked.greaterThan };
          const list = { model: 'AuditEvent', where: asked.equal, within };
          const all = inPrismaTerms(accountId, { ...asked, until: undefined, take: stored.length });
          expect(await rowsOf(accountId).count(list)).toBe((await delegate.findMany(all)).length);
          const last = expected.length === asked.take ? expected.at(-1)?.id : undefined;
          expect(await rowsOf(accountId).endOf('AuditEvent', asked)).toBe(last);
        }
      }
    }),
    { numRuns: 4 * numRuns },
  );
});

/** Returns the columns by whose values rows are found. */
const textColumnsOf = ({ columns }: Model) =>
  columns.filter(({ type, name }) => type === 'String' && name !== 'accountId');
const found = models.filter((model) => textColumnsOf(model).length > 0);

describe.each(found.map((model) => [model.name, model] as const))('some columns of %s', (name, model) => {
  test('are those of Prisma, by the values of one column', async () => {
    const delegate = delegateOf(database.client, model.name);
    const picked = model.columns.filter((column) => column.name !== 'accountId').map((column) => column.name);
    const cases = fc.tuple(
      rowsOfModel(model),
      fc.subarray(picked, { minLength: 1 }),
      fc.constantFrom(...textColumnsOf(model)),
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
            // The names are those of the model, but the compiler does not know which model it is.
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

/** Sorts rows without ids. */
function inOrder(rows: readonly object[]): object[] {
  const byName = ([one]: [string, unknown], [two]: [string, unknown]) => (one < two ? -1 : 1);
  const textOf = (row: object) =>
    JSON.stringify(Object.entries(row).sort(byName), (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return [...rows].sort((one, two) => (textOf(one) < textOf(two) ? -1 : 1));
}

describe('many rows', () => {
  const count = 1_300;
  const idOf = (place: number) => `ipp_${String(place).padStart(5, '0')}`;
  const policies = resources.find(({ name }) => name === 'IpPolicy');
  let delegate: Delegate;
  /** Stores rows, every third of them in another account. */
  beforeAll(async () => {
    if (policies === undefined) throw new Error('There is no model IpPolicy.');
    delegate = delegateOf(database.client, policies.name);
    await delegate.deleteMany();
    const data = Array.from({ length: count }, (_, index) => ({
      id: idOf(index),
      accountId: index % 3 === 0 ? 'acct_b' : 'acct_a',
      createdAt: new Date(index),
    }));
    await delegate.createMany({ data });
  });

  test.each([1, 2, 3, 4, 5, 255, 256, 257, 511, 512, 513, 514, 1023, 1024, 1025, 1299, 1300])(
    'are all found, and each once, by %i different ids',
    async (length) => {
      const ids = Array.from({ length }, (_, index) => idOf(index));
      for (const accountId of ['acct_a', 'acct_b', 'acct_c']) {
        const expected = await delegate.findMany({ where: { accountId, id: { in: ids } } });
        expectSame(sorted(await rowsOf(accountId).byIds('IpPolicy', ids)), sorted(expected));
        expect(expected.length).toBe(
          ids.filter((_, index) => (index % 3 === 0 ? 'acct_b' : 'acct_a') === accountId).length,
        );
      }
    },
  );

  test('are found once within a statement by an id that is repeated', async () => {
    const repeated = Array.from({ length: 512 }, (_, index) => idOf(1 + (index % 2)));
    expect((await rowsOf('acct_a').byIds('IpPolicy', repeated)).length).toBe(2);
    expect((await rowsOf('acct_a').byIds('IpPolicy', [idOf(1), idOf(1)])).length).toBe(1);
  });

  test('are read in pages that meet without a gap, from either end', async () => {
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
  const pick = rowsOf('acct_a').pick as (...names: unknown[]) => Promise<object[]>;
  for (const name of ['nothing', 'id" --', '', '__proto__', 'rules']) {
    await expect(pick('IpPolicy', ['id', name], 'id', ['a'])).rejects.toThrow(`There is no column ${name}.`);
    await expect(pick('IpPolicy', ['id'], name, ['a'])).rejects.toThrow(`There is no column ${name}.`);
  }
});

describe('a model', () => {
  const range: RowRange = { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: true, take: 10 };
  test.each(['Nothing', '', 'ipPolicy', 'IpPolicy" --', '__proto__', 'constructor', 'Account', 'ServerFact'])(
    'called %j is refused: there is none, or it is of no account',
    async (name) => {
      await expect(rowsOf('acct_a').byIds(name, ['a'])).rejects.toThrow(`There is no model ${name}.`);
      await expect(rowsOf('acct_a').byIds(name, ['a', 'b'])).rejects.toThrow(`There is no model ${name}.`);
      await expect(rowsOf('acct_a').byIds(name, [])).rejects.toThrow(`There is no model ${name}.`);
      await expect(rowsOf('acct_a').range(name, range)).rejects.toThrow(`There is no model ${name}.`);
    },
  );

  test.each(others.map((model) => [model.name, model] as const))(
    'without ids, as %s, is read by neither way: the failure is one, and shows nothing',
    async (name, model) => {
      const delegate = delegateOf(database.client, model.name);
      await delegate.deleteMany();
      const [row] = fc
        .sample(
          rowsOfModel(model).filter((rows) => rows.length > 0),
          { numRuns: 1, seed: 1 },
        )
        .flat();
      await delegate.createMany({ data: row === undefined ? [] : [{ ...row, accountId: 'acct_a' }] });
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
