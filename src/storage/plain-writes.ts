// Rows made, changed and deleted by statements that are written here. Prisma plans and interprets each write anew, which costs
// several times what the database does for it (`docs/performance.md`); one of the columns of one row needs none of that. A test
// compares what they store and give with Prisma's own.

import type { ArgType, SqlQuery } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';
import {
  argTypeOf,
  type Column,
  type ColumnType,
  columnOf,
  createShapes,
  namesOf,
  toArgument,
  toRow,
} from './shapes.ts';

/** A statement that changes one row and gives it back. */
export interface RowChange {
  readonly statement: SqlQuery;
  /** Makes the row of the values that the statement gives, as Prisma would. */
  readonly read: (values: readonly unknown[]) => object;
}

/**
 * Writes changes to rows of one account, in Prisma's terms. Null for what Prisma has to do: it takes more than the columns of
 * one row, or has a value that is not of the type of its column.
 */
export interface RowChanges {
  create(model: string, row: object): RowChange | null;
  /**
   * @param where conditions, of which one is the id
   * @param giving what to give back of the row: all columns unless given
   */
  update(model: string, where: object, columns: object, giving?: readonly string[]): RowChange | null;
  /** Gives back the key: the id, unless rows of the model are told apart by another column. */
  remove(model: string, where: object, key?: string): RowChange | null;
}

/** Creates what writes changes for an account, in the dialect of its engine. */
export function createRowChangesOf(dialect: Dialect): (accountId: string) => RowChanges {
  const { quote, placeholder } = dialect;
  const shapeOf = createShapes(dialect);

  return (accountId) => {
    const own: Term = { column: { name: 'accountId', type: 'String', read: undefined }, sign: null, value: accountId };

    const changeOf = (given: readonly Column[], write: (argument: (term: Term) => string) => string): RowChange => {
      const args: unknown[] = [];
      const argTypes: ArgType[] = [];
      const argument = ({ column, value }: Term) => {
        args.push(value === null ? null : toArgument(value, column.type));
        argTypes.push(argTypeOf(column.type));
        return placeholder(args.length);
      };
      return {
        statement: { sql: `${write(argument)} RETURNING ${namesOf(dialect, given)}`, args, argTypes },
        read: (values) => toRow(accountId, given, values),
      };
    };
    const nameOf = ({ column }: Term) => quote(column.name);
    const conditionsOf = (terms: readonly Term[], argument: (term: Term) => string) =>
      [own, ...terms].map((term) => `${nameOf(term)} ${term.sign ?? '='} ${argument(term)}`).join(' AND ');

    return {
      create(model, row) {
        const shape = shapeOf(model);
        const terms = readTerms(shape, row, {});
        if (terms === null) return null;
        const all = [own, ...terms];
        return changeOf(shape, (argument) => {
          const values = all.map(argument).join(', ');
          return `INSERT INTO ${quote(model)} (${all.map(nameOf).join(', ')}) VALUES (${values})`;
        });
      },

      update(model, where, columns, giving) {
        const shape = shapeOf(model);
        const terms = readTerms(shape, columns, steps);
        const conditions = readConditions(shape, where, 'id');
        if (terms === null || conditions === null || terms.length === 0) return null;
        return changeOf(giving?.map((name) => columnOf(shape, name)) ?? shape, (argument) => {
          const assignments = terms.map((term) => {
            const before = term.sign === null ? '' : `${nameOf(term)} ${term.sign} `;
            return `${nameOf(term)} = ${before}${argument(term)}`;
          });
          return `UPDATE ${quote(model)} SET ${assignments.join(', ')} WHERE ${conditionsOf(conditions, argument)}`;
        });
      },

      remove(model, where, key = 'id') {
        const shape = shapeOf(model);
        const conditions = readConditions(shape, where, key);
        if (conditions === null) return null;
        return changeOf([columnOf(shape, key)], (argument) => {
          return `DELETE FROM ${quote(model)} WHERE ${conditionsOf(conditions, argument)}`;
        });
      },
    };
  };
}

/** A column with a value, and what stands between them. */
interface Term {
  readonly column: Column;
  /** Null where the value is that of the column. */
  readonly sign: string | null;
  readonly value: unknown;
}

/** What Prisma calls operations on numbers, with their signs. */
type Signs = Readonly<Record<string, string>>;
const steps: Signs = { increment: '+', decrement: '-' };
const comparisons: Signs = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** Reads columns with their values: `{ version: { increment: 1 } }` is `version`, `+` and 1. Null for anything else. */
function readTerms(shape: readonly Column[], columns: object, signs: Signs): Term[] | null {
  const terms: Term[] = [];
  for (const [name, given] of Object.entries(columns)) {
    // Prisma takes it for a column that is not named.
    if (given === undefined) continue;
    const column = shape.find((other) => other.name === name);
    if (column === undefined) return null;
    const { sign, value } = readOperation(column, given, signs);
    if (!isValueOf[column.type](value) && (value !== null || sign !== null || column.type === 'Json')) return null;
    terms.push({ column, sign, value });
  }
  return terms;
}

function readOperation({ type }: Column, given: unknown, signs: Signs): Pick<Term, 'sign' | 'value'> {
  if (type === 'Int' && typeof given === 'object' && given !== null) {
    const [[operation, value] = ['', undefined], ...others] = Object.entries(given);
    const sign = Object.hasOwn(signs, operation) ? signs[operation] : undefined;
    if (sign !== undefined && others.length === 0) return { sign, value };
  }
  return { sign: null, value: given };
}

/** Reads conditions that one row can meet, because they name its key; null for anything else, and for null, which equals nothing. */
function readConditions(shape: readonly Column[], where: object, key: string): Term[] | null {
  const terms = readTerms(shape, where, comparisons) ?? [];
  const namesRow = terms.some(({ column, sign }) => column.name === key && sign === null);
  return namesRow && terms.every(({ value }) => value !== null) ? terms : null;
}

/** Tells whether a value is one that the storage gives a column of a type. */
const isValueOf: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  // 32 bits, with the sign.
  Int: (value) =>
    typeof value === 'number' && Number.isInteger(value) && BigInt.asIntN(32, BigInt(value)) === BigInt(value),
  Boolean: (value) => typeof value === 'boolean',
  BigInt: (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
  // Not a number, which SQLite stores as one and reads back in its own form, and not Prisma's own objects for null.
  Json: (value) => Array.isArray(value) || isLiteral(value),
  DateTime: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  Bytes: (value) => value instanceof Uint8Array,
};

function isLiteral(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
