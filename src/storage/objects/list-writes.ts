// Creates, locks and deletes many rows with one statement, from a list that is one JSON argument. A statement for each row costs an
// event loop turn for every few dozen rows on SQLite, and a server with PostgreSQL as much; a list costs a tenth.

import type { Dialect } from '../sql/dialect.ts';
import { type Column, type ColumnType, namesOf } from '../sql/shapes.ts';
import { type Sql, sql, statementOf, verbatim } from '../sql/statement.ts';
import { quote } from '../sql/statement-values.ts';
import { storedTime } from '../sql/times.ts';
import type { ChangeStatement } from './row-changer.ts';

/** Most rows that one statement writes: some 3 ms on SQLite (measured). */
export const rowsOfStatementMax = 200;

/** Divides a list into those of as many statements. */
export function listsOfStatements<T>(items: readonly T[], most = rowsOfStatementMax): T[][] {
  const lists: T[][] = [];
  for (let start = 0; start < items.length; start += most) lists.push(items.slice(start, start + most));
  return lists;
}

/** Prepares the writes of a list: one for each row alone, whose statement is kept, or for as many as one statement writes. */
export function writesOfList<T, W>(items: readonly T[], one: (item: T) => W, many: (items: readonly T[]) => W): W[] {
  return listsOfStatements(items).map((some) => {
    const [only, ...others] = some;
    return only !== undefined && others.length === 0 ? one(only) : many(some);
  });
}

/** Converts one of Prisma's values into an entry of a list, as the dialect's `stored` takes it. */
function entryOf(value: unknown, type: ColumnType): unknown {
  if (value === null) return null;
  switch (type) {
    case 'Boolean':
      return value === true ? 1 : 0;
    case 'DateTime':
      return value instanceof Date ? storedTime(value) : value;
    case 'BigInt':
      return String(value);
    case 'Json':
      return JSON.stringify(value);
    case 'Bytes':
      return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
    default:
      return value;
  }
}

/** Writes the statements for lists in a dialect. */
export function createListStatements(dialect: Dialect) {
  const { entries, stored } = dialect.json;
  const valuesOf = (columns: readonly Column[]) =>
    verbatim(columns.map(({ type }, index) => stored[type](`e.value ->> ${index}`)).join(', '));
  const table = (columns: readonly Column[], rows: readonly (readonly unknown[])[]) => {
    const list = rows.map((row) => columns.map(({ type }, index) => entryOf(row[index], type)));
    return sql`${entries(JSON.stringify(list))} AS e`;
  };
  const written = (statement: Sql, rows: number, finds: number): ChangeStatement => {
    return { ...statementOf(dialect, statement), rows, finds };
  };
  const metBy = (accountId: string, conditions: readonly Sql[]) =>
    conditions.reduce((all, some) => sql`${all} AND ${some}`, sql`"accountId" = ${accountId}`);
  return {
    /** Writes the statement that creates rows of an account from the values of columns. */
    insert(model: string, accountId: string, columns: readonly Column[], rows: readonly (readonly unknown[])[]) {
      const [into, names] = [verbatim(quote(model)), verbatim(namesOf(columns))];
      const from = table(columns, rows);
      return written(
        sql`INSERT INTO ${into} ("accountId", ${names}) SELECT ${accountId}, ${valuesOf(columns)} FROM ${from} RETURNING 1`,
        rows.length,
        // It creates all of them or fails.
        0,
      );
    },

    /**
     * Writes the statement that changes rows of an account: each is found by its key, and by its version if that is given, and must be
     * there.
     *
     * @param rows the values of the key, then of the version if there is one, then of the columns
     */
    update(
      model: string,
      accountId: string,
      found: readonly Column[],
      columns: readonly Column[],
      rows: readonly (readonly unknown[])[],
    ) {
      const all = [...found, ...columns];
      const value = (index: number) => stored[all[index]?.type ?? 'String'](`e.value ->> ${index}`);
      const set = columns.map(({ name }, index) => `${quote(name)} = ${value(found.length + index)}`).join(', ');
      const met = found.map(({ name }, index) => `AND ${quote(model)}.${quote(name)} = ${value(index)}`).join(' ');
      const [into, from] = [verbatim(quote(model)), table(all, rows)];
      // Not by an index of the account: SQLite would look through the list for each of its rows.
      const ofAccount = sql`(${into}."accountId" || '') = ${accountId}`;
      return written(
        sql`UPDATE ${into} SET ${verbatim(set)} FROM ${from} WHERE ${ofAccount} ${verbatim(met)} RETURNING 1`,
        rows.length,
        rows.length,
      );
    },

    isOneOf(column: Column, values: readonly unknown[]): Sql {
      const name = verbatim(quote(column.name));
      const [only] = values;
      if (values.length === 1 && typeof only === 'string') return sql`${name} = ${only}`;
      const rows = values.map((value) => [value]);
      return sql`${name} IN (SELECT ${valuesOf([column])} FROM ${table([column], rows)})`;
    },

    /** Writes the statement that changes the rows of an account that meet conditions, if there are any. */
    change(model: string, accountId: string, assignments: readonly Sql[], conditions: readonly Sql[]) {
      const set = assignments.reduce((all, some) => sql`${all}, ${some}`);
      const met = metBy(accountId, conditions);
      return written(sql`UPDATE ${verbatim(quote(model))} SET ${set} WHERE ${met} RETURNING 1`, 1, 0);
    },

    /** Writes the statement that deletes the rows of an account that meet conditions, if there are any. */
    remove(model: string, accountId: string, conditions: readonly Sql[]) {
      return written(
        sql`DELETE FROM ${verbatim(quote(model))} WHERE ${metBy(accountId, conditions)} RETURNING 1`,
        1,
        0,
      );
    },
  };
}
