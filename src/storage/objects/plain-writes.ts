// Creates, updates and deletes rows with our own statements. Prisma plans and interprets each write anew, which costs several times
// what the database takes for it (`docs/performance/notes.md`), and a write to the columns of a row needs none of that. A test compares
// what these statements store and return with Prisma's own.

import type { ArgType } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';
import type { Dialect } from '../sql/dialect.ts';
import {
  argTypeOf,
  type Column,
  type ColumnType,
  columnOf,
  createShapes,
  createToRow,
  namesOf,
  type ToRow,
  toArgument,
} from '../sql/shapes.ts';
import { sql, verbatim } from '../sql/statement.ts';
import { quote } from '../sql/statement-values.ts';
import { createListStatements } from './list-writes.ts';
import type { ChangeStatement, Write } from './row-changer.ts';

/** A write of one row, which it returns as Prisma would, or of several. */
export type RowChange = Write<object>;

/**
 * Writes changes to rows of one account, in Prisma's terms. Throws Error for a column that the model does not have, a value that is not
 * of its column's type, and conditions that could meet several rows where one is meant.
 */
export interface RowChanges {
  create(model: string, row: object): RowChange;
  /** Creates rows that name the same columns, at least one. */
  createAll(model: string, rows: readonly object[]): RowChange;
  /**
   * Changes rows, each of which is found by the columns `found`, such as its id and its version before, and must be there.
   *
   * @param rows pairs of the values that find a row and those to store; all name the same columns
   */
  updateAll(model: string, rows: readonly { readonly found: object; readonly columns: object }[]): RowChange;
  /** Creates a row, or changes the one that has its value in the column `key`, which is unique. */
  set(model: string, row: object, key: string): RowChange;
  /**
   * @param where conditions, one of them on the key: the id, unless another column identifies the rows of the model
   * @param giving the columns to return: all unless given
   */
  update(model: string, where: object, columns: object, giving?: readonly string[], key?: string): RowChange;
  /** Returns the key of the removed row: the id, unless another column identifies the rows of the model. */
  remove(model: string, where: object, key?: string): RowChange;
  /**
   * Changes all rows that meet conditions: columns with the value that they have, or with a list of values, `{ in: [...] }`.
   *
   * @returns the number of the rows as `count`
   */
  changeAll(model: string, where: object, columns: object): Write<{ count: number }>;
  /** Deletes all rows that meet conditions, as `changeAll` finds them. */
  removeAll(model: string, where: object): Write<{ count: number }>;
}

/** How many statement texts are cached: clients choose the combinations of columns that changes name. */
const statementsMax = 500;

/** A statement without its values. */
interface Template {
  readonly sql: string;
  readonly argTypes: ArgType[];
  /** Builds the row that the statement returns. */
  readonly toRow: ToRow;
}

/** Creates the writer of changes for an account, in the dialect of its engine. */
export function createRowChangesOf(dialect: Dialect): (accountId: string) => RowChanges {
  const { placeholder } = dialect;
  const lists = createListStatements(dialect);
  const shapeOf = createShapes(dialect);
  const known = new Map<string, Columns>();
  const columnsOf = (model: string) => {
    const columns = known.get(model) ?? new Map(shapeOf(model).map((column) => [column.name, column]));
    known.set(model, columns);
    return columns;
  };
  // Writing the text anew for each change took longer than the change itself on SQLite (measured).
  const templates = new LRUCache<string, Template>({ max: statementsMax });

  /** Returns a change. Its text depends only on its kind, which names the columns to return, and on its terms. */
  const changeOf = (
    accountId: string,
    kind: string,
    terms: readonly Term[],
    write: (placeholders: readonly string[]) => string,
    given: () => readonly Column[],
  ): RowChange => {
    let name = kind;
    for (const { column, sign } of terms) name += sign === null ? ` ${column.name}` : ` ${column.name}${sign}`;
    let template = templates.get(name);
    if (template === undefined) {
      const columns = given();
      const text = write(terms.map((_, index) => placeholder(index + 1)));
      template = {
        sql: `${text} RETURNING ${namesOf(columns)}`,
        argTypes: terms.map(({ column }) => argTypeOf(column.type)),
        toRow: createToRow(columns),
      };
      templates.set(name, template);
    }
    const { sql, argTypes, toRow } = template;
    const args = terms.map(({ column, value }) => (value === null ? null : toArgument(value, column.type)));
    return { statement: { sql, args, argTypes }, read: (values) => toRow(accountId, values) };
  };
  const changeOfMany = (statement: ChangeStatement): RowChange => ({ statement, read: () => ({}) });
  const countedChange = (statement: ChangeStatement): Write<{ count: number }> => ({
    statement: { ...statement, counted: true },
    read: ([count]) => ({ count: Number(count) }),
  });
  /** Reads the terms of rows, which must name the same columns, at least one. */
  const alike = (model: string, rows: readonly object[]) => {
    const columns = columnsOf(model);
    const [first = [], ...others] = rows.map((row) => readTerms(model, columns, row, {}));
    const names = (terms: readonly Term[]) => terms.map(({ column }) => column.name).join();
    if (first.length === 0 || others.some((terms) => names(terms) !== names(first))) {
      throw new Error(`Rows of ${model} can only be written together if they name the same columns.`);
    }
    return {
      columns: first.map(({ column }) => column),
      values: [first, ...others].map((terms) => terms.map(({ value }) => value)),
    };
  };
  const conditionsOfMany = (model: string, where: object) =>
    Object.entries(where).map(([name, given]) => {
      const column = columnOf(shapeOf(model), name);
      const values: unknown = isLiteral(given) && 'in' in given ? given.in : [given];
      if (!Array.isArray(values) || !values.every(isValueOf[column.type])) throw unwritable(model, name);
      return lists.isOneOf(column, values);
    });
  const nameOf = ({ column }: Term) => quote(column.name);
  const conditionsOf = (terms: readonly Term[], placeholders: readonly string[]) =>
    terms.map((term, index) => `${nameOf(term)} ${term.sign ?? '='} ${placeholders[index]}`).join(' AND ');

  return (accountId) => {
    const own: Term = { column: { name: 'accountId', type: 'String', read: undefined }, sign: null, value: accountId };

    return {
      create(model, row) {
        const terms = readTerms(model, columnsOf(model), row, {});
        const all = [own, ...terms];
        const write = (placeholders: readonly string[]) =>
          `INSERT INTO ${quote(model)} (${all.map(nameOf).join(', ')}) VALUES (${placeholders.join(', ')})`;
        return changeOf(accountId, `create ${model}`, all, write, () => shapeOf(model));
      },

      createAll(model, rows) {
        const { columns, values } = alike(model, rows);
        return changeOfMany(lists.insert(model, accountId, columns, values));
      },

      updateAll(model, rows) {
        const found = alike(
          model,
          rows.map((row) => row.found),
        );
        const changed = alike(
          model,
          rows.map((row) => row.columns),
        );
        const values = found.values.map((some, index) => [...some, ...(changed.values[index] ?? [])]);
        return changeOfMany(lists.update(model, accountId, found.columns, changed.columns, values));
      },

      set(model, row, key) {
        const terms = readTerms(model, columnsOf(model), row, {});
        const all = [own, ...terms];
        const changed = terms.map(nameOf).filter((name) => name !== quote(key));
        const write = (positions: readonly string[]) =>
          `INSERT INTO ${quote(model)} (${all.map(nameOf).join(', ')}) VALUES (${positions.join(', ')}) ` +
          `ON CONFLICT (${quote(key)}) DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
        return changeOf(accountId, `set ${model} ${key}`, all, write, () => [columnOf(shapeOf(model), key)]);
      },

      update(model, where, columns, giving, key = 'id') {
        const terms = readTerms(model, columnsOf(model), columns, steps);
        if (terms.length === 0) throw new Error(`Nothing of ${model} is to be changed.`);
        const met = [own, ...readConditions(model, columnsOf(model), where, key)];
        const write = (placeholders: readonly string[]) => {
          const assignments = terms.map((term, index) => {
            const before = term.sign === null ? '' : `${nameOf(term)} ${term.sign} `;
            return `${nameOf(term)} = ${before}${placeholders[index]}`;
          });
          const conditionsMet = conditionsOf(met, placeholders.slice(terms.length));
          return `UPDATE ${quote(model)} SET ${assignments.join(', ')} WHERE ${conditionsMet}`;
        };
        // The text also depends on how many of the terms are conditions.
        const kind = `update ${model} ${terms.length} ${giving?.join() ?? '*'}`;
        return changeOf(accountId, kind, [...terms, ...met], write, () => {
          const shape = shapeOf(model);
          return giving?.map((name) => columnOf(shape, name)) ?? shape;
        });
      },

      remove(model, where, key = 'id') {
        const met = [own, ...readConditions(model, columnsOf(model), where, key)];
        const write = (placeholders: readonly string[]) =>
          `DELETE FROM ${quote(model)} WHERE ${conditionsOf(met, placeholders)}`;
        return changeOf(accountId, `remove ${model} ${key}`, met, write, () => [columnOf(shapeOf(model), key)]);
      },

      changeAll(model, where, columns) {
        const assignments = readTerms(model, columnsOf(model), columns, steps).map((term) => {
          const before = verbatim(`${nameOf(term)} = ${term.sign === null ? '' : `${nameOf(term)} ${term.sign}`}`);
          return sql`${before} ${toArgument(term.value, term.column.type)}`;
        });
        return countedChange(lists.change(model, accountId, assignments, conditionsOfMany(model, where)));
      },

      removeAll: (model, where) => countedChange(lists.remove(model, accountId, conditionsOfMany(model, where))),
    };
  };
}

type Columns = ReadonlyMap<string, Column>;

/** A column with a value, and the operator between them. */
interface Term {
  readonly column: Column;
  /** Null for plain equality or assignment. */
  readonly sign: string | null;
  readonly value: unknown;
}

/** The types whose values are calculated with and compared. Text is not: its order depends on the database. */
const ordered: ReadonlySet<ColumnType> = new Set(['Int', 'BigInt', 'DateTime']);

/** Prisma's names of operations, with their operators in SQL. */
type Signs = Readonly<Record<string, string>>;
const steps: Signs = { increment: '+', decrement: '-' };
const comparisons: Signs = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** Parses columns with their values: `{ version: { increment: 1 } }` is `version`, `+` and 1. Throws Error for anything else. */
function readTerms(model: string, columns: Columns, values: object, signs: Signs): Term[] {
  const terms: Term[] = [];
  for (const [name, given] of Object.entries(values)) {
    // To Prisma, this column is not named.
    if (given === undefined) continue;
    const column = columns.get(name);
    if (column === undefined) throw unwritable(model, name);
    const { sign, value } = readOperation(column, given, signs);
    if (!isValueOf[column.type](value) && (value !== null || sign !== null)) throw unwritable(model, name);
    terms.push({ column, sign, value });
  }
  return terms;
}

function unwritable(model: string, name: string): Error {
  return new Error(`${model}.${name} is no column, or not with such a value.`);
}

function readOperation({ type }: Column, given: unknown, signs: Signs): Pick<Term, 'sign' | 'value'> {
  if (ordered.has(type) && isLiteral(given)) {
    const [[operation, value] = ['', undefined], ...others] = Object.entries(given);
    const sign = Object.hasOwn(signs, operation) ? signs[operation] : undefined;
    if (sign !== undefined && others.length === 0) return { sign, value };
  }
  return { sign: null, value: given };
}

/**
 * Parses conditions that one row at most can meet, because they name its key. Throws Error for anything else, and if a value is null,
 * which equals nothing.
 */
function readConditions(model: string, columns: Columns, where: object, key: string): Term[] {
  const terms = readTerms(model, columns, where, comparisons);
  const namesRow = terms.some(({ column, sign }) => column.name === key && sign === null);
  if (!namesRow || terms.some(({ value }) => value === null)) {
    throw new Error(`A row of ${model} is found by its ${key}, and by values.`);
  }
  return terms;
}

/** Whether a value is one that the storage writes to a column, by the type of the column. */
const isValueOf: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  // 32 bits, signed.
  Int: (value) => typeof value === 'number' && (value | 0) === value,
  Boolean: (value) => typeof value === 'boolean',
  // Areas calculate with numbers where a column may hold more.
  BigInt: (value) => (typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value)),
  // Not numbers, which SQLite stores as numbers and returns in its own form.
  Json: (value) => Array.isArray(value) || isLiteral(value),
  DateTime: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  Bytes: (value) => value instanceof Uint8Array,
};

function isLiteral(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
