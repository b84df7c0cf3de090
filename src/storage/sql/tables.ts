// Reads and fills the tables of all models for copying: in the order of their relations, row by row, past Prisma's planning.
// Everything is derived from the models, so a new model is copied without being named here.

import type { ArgType, SqlQueryable } from '@prisma/driver-adapter-utils';
import { getDatamodel } from '../generated/pothos.ts';
import type { Dialect } from './dialect.ts';
import { argTypeOf, type ColumnType, isColumnType, toArgument } from './shapes.ts';
import { quote } from './statement-values.ts';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Indexes in `columns` of the primary key's columns, in key order. */
  readonly key: readonly number[];
}

/** The values of a row as Prisma returns them, in the order of the columns; undefined for null. */
export type Row = readonly unknown[];

type Model = ReturnType<typeof getDatamodel>['datamodel']['models'][string];

/** All tables. Each comes after the tables that its rows refer to. */
export const tables: readonly Table[] = orderTables(getDatamodel().datamodel.models);

/**
 * Sorts the tables of models into an order in which their rows can be stored.
 *
 * @throws Error for anything that copying does not support: an unknown column type, an autoincrement key, circular relations
 */
export function orderTables(models: Readonly<Record<string, Model>>): Table[] {
  const ordered: Table[] = [];
  const waiting = new Map(Object.entries(models));
  while (waiting.size > 0) {
    const free = [...waiting].filter(([name, model]) => wholesOf(name, model).every((whole) => !waiting.has(whole)));
    if (free.length === 0) throw new Error(`The models ${[...waiting.keys()].join(', ')} refer to each other.`);
    for (const [name, model] of free) {
      ordered.push(tableOf(name, model));
      waiting.delete(name);
    }
  }
  return ordered;
}

/**
 * Returns the names of the other models that a model refers to. Rows may refer to rows of their own table by a foreign key that can be
 * deferred: it is checked when all of them are there.
 */
function wholesOf(name: string, { fields }: Model): string[] {
  return fields
    .filter(
      ({ kind, type, relationFromFields = [] }) => kind === 'object' && type !== name && relationFromFields.length > 0,
    )
    .map(({ type }) => type);
}

function tableOf(name: string, { fields, primaryKey }: Model): Table {
  const columns = fields
    .filter(({ kind }) => kind !== 'object')
    .map((field) => {
      if (!isColumnType(field.type) || field.isList) {
        throw new Error(`${name}.${field.name} has the type ${field.type}: teach storage/sql/tables.ts to copy it.`);
      }
      if (field.isId && field.hasDefaultValue) {
        // The counter is stored outside the table, and would restart in a copy.
        throw new Error(
          `${name}.${field.name} is numbered by the database: teach storage/sql/tables.ts to copy the counter.`,
        );
      }
      return { name: field.name, type: field.type };
    });
  const keyNames = primaryKey?.fields ?? fields.filter(({ isId }) => isId).map((field) => field.name);
  const key = keyNames.map((column) => columns.findIndex((other) => other.name === column));
  if (key.length === 0) throw new Error(`${name} has no primary key, by which its rows could be read page by page.`);
  return { name, columns, key };
}

/** A database whose tables are read or filled. */
export interface TableAccess {
  readonly database: SqlQueryable;
  readonly dialect: Dialect;
}

/** Counts the rows of a table. */
export async function countRows(database: SqlQueryable, { name }: Table): Promise<number> {
  const sql = `SELECT count(*) FROM ${quote(name)}`;
  const { rows } = await database.queryRaw({ sql, args: [], argTypes: [] });
  return Number(rows[0]?.[0]);
}

/** Most rows of a page, and its approximate size in bytes: a row may have a few bytes, or half a million. */
const pageRowsMax = 512;
const pageBytes = 2 ** 20;

/** Which rows of a table are read: those with one of the values in a column of text. */
export interface OnlyRows {
  readonly column: string;
  readonly values: readonly string[];
}

/**
 * Reads the rows of a table in the order of its primary key, page by page.
 *
 * @param work processes a page, and returns its size in bytes, from which the length of the next page is chosen
 * @param only which rows; null for all
 */
export async function eachPage(
  access: TableAccess,
  table: Table,
  work: (page: readonly Row[]) => Promise<number>,
  only: OnlyRows | null = null,
): Promise<void> {
  let take = 16;
  let last: Row | undefined;
  for (;;) {
    const page = await readPage(access, table, last, take, only);
    if (page.length === 0) return;
    const bytes = await work(page);
    if (page.length < take) return;
    last = page.at(-1);
    // At most twice as many: the next rows may be larger.
    const fitting = Math.floor((take * pageBytes) / Math.max(1, bytes));
    take = Math.max(1, Math.min(fitting, take * 2, pageRowsMax));
  }
}

async function readPage(
  { database, dialect }: TableAccess,
  { name, columns, key }: Table,
  after: Row | undefined,
  take: number,
  only: OnlyRows | null,
): Promise<Row[]> {
  const { placeholder, decode } = dialect;
  const keyColumns = key.flatMap((index) => columns[index] ?? []);
  const keyList = keyColumns.map((column) => quote(column.name)).join(', ');
  const args: unknown[] = [];
  const argTypes: ArgType[] = [];
  const argument = (value: unknown, type: ColumnType) => {
    args.push(value);
    argTypes.push(argTypeOf(type));
    return placeholder(args.length);
  };
  const conditions: string[] = [];
  if (only !== null) {
    const values = only.values.map((value) => argument(value, 'String'));
    conditions.push(`${quote(only.column)} IN (${values.join(', ')})`);
  }
  if (after !== undefined) {
    const values = key.map((index, at) => argument(after[index], keyColumns[at]?.type ?? 'String'));
    conditions.push(`(${keyList}) > (${values.join(', ')})`);
  }
  const condition = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const sql =
    `SELECT ${columns.map((column) => quote(column.name)).join(', ')} FROM ${quote(name)} ` +
    `${condition} ORDER BY ${keyList} LIMIT ${argument(take, 'Int')}`;
  const { rows } = await database.queryRaw({ sql, args, argTypes });
  const readers = columns.map(({ type }) => decode[type]);
  return rows.map((values) =>
    values.map((value, index) => {
      if (value === null) return undefined;
      const read = readers[index];
      return read === undefined ? value : read(value);
    }),
  );
}

/** Most rows that one statement stores. */
const batchRowsMax = 128;

/** Stores rows. */
export async function insertRows(
  { database, dialect }: TableAccess,
  { name, columns }: Table,
  rows: readonly Row[],
): Promise<void> {
  const { placeholder } = dialect;
  const into = `INSERT INTO ${quote(name)} (${columns.map((column) => quote(column.name)).join(', ')}) VALUES`;
  const rowTypes = columns.map(({ type }) => argTypeOf(type));
  for (let start = 0; start < rows.length; ) {
    // Powers of two, so that there are few different statements to prepare.
    const size = Math.min(batchRowsMax, 2 ** Math.floor(Math.log2(rows.length - start)));
    const batch = rows.slice(start, start + size);
    const lists = batch.map((_, at) => {
      const placeholders = columns.map((_column, index) => placeholder(at * columns.length + index + 1));
      return `(${placeholders.join(', ')})`;
    });
    await database.executeRaw({
      sql: `${into} ${lists.join(', ')}`,
      args: batch.flatMap((row) => columns.map(({ type }, index) => toArgument(row[index], type))),
      argTypes: batch.flatMap(() => rowTypes),
    });
    start += size;
  }
}
