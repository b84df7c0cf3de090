// Generates rows of every model that belongs to accounts, with values of every type, and compares rows.

import fc from 'fast-check';
import { expect, inject } from 'vitest';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import type { Row } from './delegates.ts';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly hasDefaultValue: boolean;
}

/** A model that belongs to accounts. */
export interface Model {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Columns that identify a row: `id`, or those of a module. */
  readonly key: readonly string[];
  /** Columns and sets of columns whose values are unique. */
  readonly unique: readonly (readonly string[])[];
}

/** Every model that belongs to accounts; a new model is included automatically. */
export const models: readonly Model[] = Object.entries(getDatamodel().datamodel.models).flatMap(([name, model]) => {
  const columns = model.fields.filter(({ kind }) => kind === 'scalar');
  if (!columns.some((column) => column.name === 'accountId')) return [];
  const single = columns.filter(({ isId, isUnique }) => isId || isUnique).map((column) => [column.name]);
  const unique = [...single, ...model.uniqueIndexes.map(({ fields }) => fields)];
  const key = model.primaryKey?.fields ?? columns.filter(({ isId }) => isId).map((column) => column.name);
  return [{ name, columns, key, unique: [...unique, key] }];
});
/** Models that clients address by id. */
export const resources = models.filter(({ columns }) => columns.some(({ name }) => name === 'id'));
/** Models that are parts of others. */
export const others = models.filter((model) => !resources.includes(model));

/** Ids of accounts. */
export const accounts = ['acct_a', 'acct_b', "acct_'; --", ''];

/** Whether the engine can store a value: PostgreSQL cannot store NUL, which the program refuses before the storage does. */
const storable = (value: unknown) => inject('engine') === 'sqlite' || !JSON.stringify(value).includes('\\u0000');
/** The earliest time that the engine can store: PostgreSQL has no year 0. */
const firstTime = new Date(`${inject('engine') === 'sqlite' ? '0000' : '0001'}-01-01T00:00:00.000Z`);

/** Texts for columns. */
export const text = fc
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

/** Values for each type of the schema language that the models use. */
export const valuesOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
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
  // Few enough that some ids exist, some do not, and some belong to another account.
  if (name === 'id') return fc.oneof(fc.constantFrom(...'abcdefghij', 'é', 'Z', '', "'", '10', '9'), text);
  const values = valuesOf[type];
  if (values === undefined) throw new Error(`There are no values of the type ${type}: add some here.`);
  return isRequired ? values : fc.option(values, { nil: null });
}

/** Generates rows of a model without collisions in unique columns. */
export function rowsOfModel({ columns, unique }: Model, maxLength = 12): fc.Arbitrary<Row[]> {
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

/** Shows what a comparison of values alone would miss: the types, and the class of each value, such as `Buffer`. */
function typed(rows: readonly object[]): unknown {
  return rows.map((row) =>
    Object.entries(row)
      .sort(([one], [two]) => (one < two ? -1 : 1))
      .map(([name, value]) => [name, Object.prototype.toString.call(value), value?.constructor?.name, value]),
  );
}

/** Compares rows that were read in two ways: their values and their types. */
export function expectSame(actual: readonly object[], expected: readonly object[]): void {
  expect(actual).toStrictEqual(expected);
  expect(typed(actual)).toStrictEqual(typed(expected));
}
