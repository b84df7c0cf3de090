// Creates, updates and deletes single rows with our own statements. Prisma plans and interprets each write anew, which costs
// several times what the database takes for it (`docs/performance.md`), and a write to the columns of one row needs none of that. A
// test compares what these statements store and return with Prisma's own.

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
import { quote } from '../sql/statement-values.ts';
import { createListStatements, listed } from './list-writes.ts';
import type { ChangeStatement } from './row-changer.ts';

/** A statement that changes one row and returns it, or several. */
export interface RowChange {
  readonly statement: ChangeStatement;
  /** Turns the values that the statement returns into a row, as Prisma would; an empty one if it changes several. */
  readonly read: (values: readonly unknown[]) => object;
}

/**
 * Writes changes to rows of one account, in Prisma's terms. Returns null for a change that needs Prisma, because it involves more
 * than the columns of one row or has a value that is not of its column's type.
 */
export interface RowChanges {
  create(model: string, row: object): RowChange | null;
  /** Creates rows that name the same columns, at least one. */
  createAll(model: string, rows: readonly object[]): RowChange | null;
  /**
   * Changes rows, each of which is found by the columns `found`, such as its id and its version before, and must be there.
   *
   * @param rows pairs of the values that find a row and those to store; all name the same columns
   */
  updateAll(model: string, rows: readonly { readonly found: object; readonly columns: object }[]): RowChange | null;
  /** Creates a row, or changes the one that has its value in the column `key`, which is unique. */
  set(model: string, row: object, key: string): RowChange | null;
  /**
   * @param where conditions, one of them on the key: the id, unless another column identifies the rows of the model
   * @param giving the columns to return: all unless given
   */
  update(model: string, where: object, columns: object, giving?: readonly string[], key?: string): RowChange | null;
  /** Returns the key of the removed row: the id, unless another column identifies the rows of the model. */
  remove(model: string, where: object, key?: string): RowChange | null;
  /** Deletes all rows that meet conditions: columns with the value that they have, or with a list of values, `{ in: [...] }`. */
  removeAll(model: string, where: object): RowChange | null;
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
  const nameOf = ({ column }: Term) => quote(column.name);
  const conditionsOf = (terms: readonly Term[], placeholders: readonly string[]) =>
    terms.map((term, index) => `${nameOf(term)} ${term.sign ?? '='} ${placeholders[index]}`).join(' AND ');

  return (accountId) => {
    const own: Term = { column: { name: 'accountId', type: 'String', read: undefined }, sign: null, value: accountId };

    return {
      create(model, row) {
        const terms = readTerms(columnsOf(model), row, {});
        if (terms === null) return null;
        const all = [own, ...terms];
        const write = (placeholders: readonly string[]) =>
          `INSERT INTO ${quote(model)} (${all.map(nameOf).join(', ')}) VALUES (${placeholders.join(', ')})`;
        return changeOf(accountId, `create ${model}`, all, write, () => shapeOf(model));
      },

      createAll(model, rows) {
        const all = rows.map((row) => readTerms(columnsOf(model), row, {}) ?? []);
        const columns = listed((all[0] ?? []).map(({ column }) => column));
        const names = columns?.map(({ name }) => name).join();
        const isAlike = (terms: readonly Term[]) => terms.map(({ column }) => column.name).join() === names;
        if (columns === null || columns.length === 0 || !all.every(isAlike)) return null;
        const values = all.map((terms) => terms.map(({ value }) => value));
        return changeOfMany(lists.insert(model, accountId, columns, values));
      },

      updateAll(model, rows) {
        const ofModel = columnsOf(model);
        const read = rows.map(({ found, columns }) => [
          readTerms(ofModel, found, {}) ?? [],
          readTerms(ofModel, columns, {}) ?? [],
        ]);
        const [found, columns] = (read[0] ?? []).map((terms) => listed(terms.map(({ column }) => column)));
        if (found == null || columns == null || found.length === 0 || columns.length === 0) return null;
        const names = [...found, ...columns].map(({ name }) => name).join();
        if (
          !read.every(
            (terms) =>
              terms
                .flat()
                .map(({ column }) => column.name)
                .join() === names,
          )
        )
          return null;
        const values = read.map((terms) => terms.flat().map(({ value }) => value));
        return changeOfMany(lists.update(model, accountId, found, columns, values));
      },

      set(model, row, key) {
        const terms = readTerms(columnsOf(model), row, {});
        if (terms === null) return null;
        const all = [own, ...terms];
        const changed = terms.map(nameOf).filter((name) => name !== quote(key));
        const write = (positions: readonly string[]) =>
          `INSERT INTO ${quote(model)} (${all.map(nameOf).join(', ')}) VALUES (${positions.join(', ')}) ` +
          `ON CONFLICT (${quote(key)}) DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
        return changeOf(accountId, `set ${model} ${key}`, all, write, () => [columnOf(shapeOf(model), key)]);
      },

      update(model, where, columns, giving, key = 'id') {
        const terms = readTerms(columnsOf(model), columns, steps);
        const conditions = readConditions(columnsOf(model), where, key);
        if (terms === null || conditions === null || terms.length === 0) return null;
        const met = [own, ...conditions];
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
        const conditions = readConditions(columnsOf(model), where, key);
        if (conditions === null) return null;
        const met = [own, ...conditions];
        const write = (placeholders: readonly string[]) =>
          `DELETE FROM ${quote(model)} WHERE ${conditionsOf(met, placeholders)}`;
        return changeOf(accountId, `remove ${model} ${key}`, met, write, () => [columnOf(shapeOf(model), key)]);
      },

      removeAll(model, where) {
        const conditions = [];
        for (const [name, given] of Object.entries(where)) {
          const [column = null] = listed([columnOf(shapeOf(model), name)]) ?? [];
          const values = isLiteral(given) && 'in' in given ? given.in : [given];
          if (column === null || !Array.isArray(values) || !values.every(isValueOf[column.type])) return null;
          conditions.push(lists.isOneOf(column, values));
        }
        return changeOfMany(lists.remove(model, accountId, conditions));
      },
    };
  };
}

/** The columns of a model by their names. */
type Columns = ReadonlyMap<string, Column>;

/** A column with a value, and the operator between them. */
interface Term {
  readonly column: Column;
  /** Null for plain equality or assignment. */
  readonly sign: string | null;
  readonly value: unknown;
}

/** Prisma's names of operations on numbers, with their operators in SQL. */
type Signs = Readonly<Record<string, string>>;
const steps: Signs = { increment: '+', decrement: '-' };
const comparisons: Signs = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

/** Parses columns with their values: `{ version: { increment: 1 } }` is `version`, `+` and 1. Returns null for anything else. */
function readTerms(columns: Columns, values: object, signs: Signs): Term[] | null {
  const terms: Term[] = [];
  for (const [name, given] of Object.entries(values)) {
    // To Prisma, this column is not named.
    if (given === undefined) continue;
    const column = columns.get(name);
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

/**
 * Parses conditions that one row at most can meet, because they name its key. Returns null for anything else, and if a value is
 * null, which equals nothing.
 */
function readConditions(columns: Columns, where: object, key: string): Term[] | null {
  const terms = readTerms(columns, where, comparisons) ?? [];
  const namesRow = terms.some(({ column, sign }) => column.name === key && sign === null);
  return namesRow && terms.every(({ value }) => value !== null) ? terms : null;
}

/** Whether a value is one that the storage writes to a column, by the type of the column. */
const isValueOf: Readonly<Record<ColumnType, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  // 32 bits, signed.
  Int: (value) => typeof value === 'number' && (value | 0) === value,
  Boolean: (value) => typeof value === 'boolean',
  BigInt: (value) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
  // Not numbers, which SQLite stores as numbers and returns in its own form, and not Prisma's own objects for null.
  Json: (value) => Array.isArray(value) || isLiteral(value),
  DateTime: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  Bytes: (value) => value instanceof Uint8Array,
};

function isLiteral(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
