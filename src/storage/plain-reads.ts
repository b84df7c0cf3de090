// Rows by id and by page, and some columns of many rows, read by statements that are written once for each model. Prisma
// plans and interprets each read anew, which costs several times what the database does for it (`docs/performance.md`); a
// document that selects no relation needs none of that. A test compares every answer with Prisma's own.

import type { ArgType, SqlQueryable } from '@prisma/driver-adapter-utils';
import { translated } from './errors.ts';
import type { Prisma } from './generated/client/client.ts';
import { getDatamodel } from './generated/pothos.ts';

type Models = Prisma.TypeMap['model'];
type Scalars<M extends keyof Models> = Models[M]['payload']['scalars'];

/** The rows of one account. All methods throw UNAVAILABLE where the storage cannot serve them now. */
export interface AccountRows {
  /** Reads the rows that ids name, in no particular order; nothing for an id that names none. */
  byIds(model: string, ids: readonly string[]): Promise<object[]>;
  /** Reads rows in the order of their ids. */
  range(model: string, range: Range): Promise<object[]>;
  /** Reads some columns of rows in the order of their ids. */
  pickRange<M extends keyof Models, C extends keyof Scalars<M> & string>(
    model: M,
    columns: readonly C[],
    range: Range,
  ): Promise<Pick<Scalars<M>, C>[]>;
  /** Reads, for each of some objects, which others its list holds, as far as asked for: all in one statement. */
  innerLists(list: InnerList, parents: readonly string[], take: number): Promise<Map<string, string[]>>;
  /**
   * Reads some columns of the rows that have a value, or one of many, in a column; in no particular order.
   *
   * @param values at most one of a unique column each, so that no row comes twice
   */
  pick<M extends keyof Models, C extends keyof Scalars<M> & string>(
    model: M,
    columns: readonly C[],
    column: keyof Scalars<M> & string,
    values: readonly string[],
  ): Promise<Pick<Scalars<M>, C>[]>;
}

/** A list inside of objects: rows of a model that refer to the object, in an order. */
export interface InnerList {
  readonly model: string;
  /** The column that holds the id of the object. */
  readonly parent: string;
  /** The column to read: the id of what the list holds. */
  readonly value: string;
  /** The column that gives the order. No two rows of one list have the same value there. */
  readonly order: string;
  readonly direction: 'ASC' | 'DESC';
  /** Leaves out rows whose time in a column is not before a moment. */
  readonly before?: { readonly column: string; readonly moment: Date } | undefined;
}

/** Which rows to read: the first `take` in the order, of those that have all the `equal` values. */
export interface Range {
  readonly equal: Readonly<Record<string, string>>;
  readonly lessThan: string | undefined;
  readonly greaterThan: string | undefined;
  readonly ascending: boolean;
  readonly take: number;
}

/** Gives the rows of an account. */
export type RowsOf = (accountId: string) => AccountRows;

/** Creates the reader of rows over a connection of Prisma's driver adapter. */
export function createRowsOf(connection: SqlQueryable): RowsOf {
  const shapes = readShapes();
  const shapeOf = (model: string) => {
    const shape = shapes.get(model);
    if (shape === undefined) throw new Error(`There is no model ${model}.`);
    return shape;
  };
  const narrowed = (model: string, names: readonly string[]) => {
    const columns = names.map((name) => columnOf(shapeOf(model), name));
    return { columns, select: selectOf(model, columns) };
  };

  return (accountId) => {
    const read = async (
      { columns, select }: Pick<Shape, 'columns' | 'select'>,
      condition: string,
      args: readonly (string | number)[],
    ) => {
      const sql = `${select} ${condition}`;
      const query = { sql, args: [accountId, ...args], argTypes: [textArgument, ...args.map(argType)] };
      const { rows } = await translated(connection.queryRaw(query));
      return rows.map((values) => toRow(accountId, columns, values));
    };
    const readWhere = async (shape: Pick<Shape, 'columns' | 'select'>, column: string, values: readonly string[]) => {
      const [first, second] = values;
      if (first === undefined) return [];
      if (second === undefined) return read(shape, `AND "${column}" = ?`, [first]);
      const pages: object[][] = [];
      for (let start = 0; start < values.length; start += valuesMax) {
        const page = values.slice(start, start + valuesMax);
        const some = padded(page, page[0] ?? first);
        pages.push(await read(shape, `AND "${column}" IN (${some.map(() => '?').join(', ')})`, some));
      }
      return pages.flat();
    };
    const readRange = (
      shape: Pick<Shape, 'columns' | 'select'>,
      { equal, lessThan, greaterThan, ascending, take }: Range,
    ) => {
      const args: (string | number)[] = [];
      let condition = '';
      const narrow = (comparison: string, value: string | undefined) => {
        if (value === undefined) return;
        condition += `AND ${comparison} ? `;
        args.push(value);
      };
      for (const [column, value] of Object.entries(equal)) narrow(`"${column}" =`, value);
      narrow('"id" <', lessThan);
      narrow('"id" >', greaterThan);
      args.push(take);
      return read(shape, `${condition}ORDER BY "id" ${ascending ? 'ASC' : 'DESC'} LIMIT ?`, args);
    };
    return {
      byIds: async (model, ids) => readWhere(shapeOf(model), 'id', ids),

      async pick(model, names, column, values) {
        const rows = await readWhere(narrowed(model, names), columnOf(shapeOf(model), column).name, values);
        // Rows with the columns that were named, each read as the model says.
        return rows as Pick<Scalars<typeof model>, (typeof names)[number]>[];
      },

      range: async (model, range) => readRange(shapeOf(model), range),

      async pickRange(model, names, range) {
        const rows = await readRange(narrowed(model, names), range);
        // Rows with the columns that were named, each read as the model says.
        return rows as Pick<Scalars<typeof model>, (typeof names)[number]>[];
      },

      async innerLists({ model, parent, value, order, direction, before }, parents, take) {
        // Null equals nothing, so that the filling has no list.
        const some = padded(parents, null);
        const narrowed = before === undefined ? '' : `AND x."${before.column}" < ?`;
        // Prisma reads the lists of several objects whole and cuts them afterwards; here each is read as far as asked for.
        const sql =
          // CROSS JOIN keeps the planner from reading all rows of the account for each object (measured: 510 ms for 0.9).
          `SELECT p.column1, t."${value}" FROM (VALUES ${some.map(() => '(?)').join(', ')}) p ` +
          `CROSS JOIN "${model}" t WHERE t."accountId" = ? AND t."${parent}" = p.column1 AND t."${order}" IN (` +
          `SELECT x."${order}" FROM "${model}" x WHERE x."accountId" = ? AND x."${parent}" = p.column1 ${narrowed} ` +
          `ORDER BY x."${order}" ${direction} LIMIT ?) ORDER BY t."${order}" ${direction}`;
        const moments = before === undefined ? [] : [before.moment.toISOString()];
        const args = [...some, accountId, accountId, ...moments, take];
        const argTypes = args.map(argType);
        if (before !== undefined) argTypes[some.length + 2] = timeArgument;
        const { rows } = await translated(connection.queryRaw({ sql, args, argTypes }));
        const lists = new Map<string, string[]>(parents.map((id) => [id, []]));
        for (const [id, found] of rows) lists.get(String(id))?.push(String(found));
        return lists;
      },
    };
  };
}

/** Most values in one statement. */
const valuesMax = 512;

/** Fills a list of values up to a power of two, so that there are few statements to prepare. */
function padded<F>(values: readonly string[], filling: F): (string | F)[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length }, (_, place) => values[place] ?? filling);
}

const textArgument: ArgType = { scalarType: 'string', arity: 'scalar' };
const numberArgument: ArgType = { scalarType: 'int', arity: 'scalar' };
const timeArgument: ArgType = { scalarType: 'datetime', arity: 'scalar' };

function argType(value: string | number | null): ArgType {
  return typeof value === 'number' ? numberArgument : textArgument;
}

/** A column of a model, and how a value of the driver becomes the one that Prisma gives. */
interface Column {
  readonly name: string;
  readonly read: ((value: unknown) => unknown) | undefined;
}

interface Shape {
  /** The columns that are read: all but the account. */
  readonly columns: readonly Column[];
  /** The beginning of every statement, up to the account, which needs not be read. */
  readonly select: string;
}

/** What Prisma makes of a value of the driver, by the type of the field; undefined where it is the same. */
const readers: Readonly<Record<string, Column['read']>> = {
  String: undefined,
  Int: undefined,
  Boolean,
  BigInt: (value) => BigInt(String(value)),
  DateTime: (value) => readTime(String(value)),
  // The bytes are copied: those of the driver may lie in memory that it shares with others.
  Bytes: (value) => (value instanceof Uint8Array ? new Uint8Array(value) : value),
  Json: (value) => JSON.parse(String(value)),
};

/** Reads a time as it is stored, `2027-01-31T09:30:00.000+00:00`, in half the time that `Date` takes to look for its form. */
function readTime(text: string): Date {
  // `Date.UTC` takes the years 0 to 99 for those of the last century.
  if (text.length !== 29 || !text.endsWith('+00:00') || text.startsWith('00')) return new Date(text);
  const pair = (place: number) => (text.charCodeAt(place) - 48) * 10 + text.charCodeAt(place + 1) - 48;
  const milliseconds = pair(20) * 10 + text.charCodeAt(22) - 48;
  return new Date(Date.UTC(pair(0) * 100 + pair(2), pair(5) - 1, pair(8), pair(11), pair(14), pair(17), milliseconds));
}

/** Reads columns and types of the models that belong to accounts. Throws Error for a type that nobody taught it. */
function readShapes(): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const [model, { fields }] of Object.entries(getDatamodel().datamodel.models)) {
    const scalars = fields.filter(({ kind }) => kind === 'scalar');
    if (!scalars.some(({ name }) => name === 'accountId')) continue;
    const columns = scalars
      .filter(({ name }) => name !== 'accountId')
      .map(({ name, type }) => {
        if (!Object.hasOwn(readers, type))
          throw new Error(`${model}.${name} has the type ${type}: add it to the readers.`);
        return { name, read: readers[type] };
      });
    shapes.set(model, { columns, select: selectOf(model, columns) });
  }
  return shapes;
}

function selectOf(model: string, columns: readonly Column[]): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  return `SELECT ${names} FROM "${model}" WHERE "accountId" = ?`;
}

/** Finds a column, so that nothing else becomes part of a statement. */
function columnOf({ columns }: Shape, name: string): Column {
  const column = columns.find((other) => other.name === name);
  if (column === undefined) throw new Error(`There is no column ${name}.`);
  return column;
}

function toRow(accountId: string, columns: readonly Column[], values: readonly unknown[]): object {
  const row: Record<string, unknown> = { accountId };
  for (let place = 0; place < columns.length; place++) {
    const column = columns[place];
    const value = values[place];
    if (column !== undefined)
      row[column.name] = column.read === undefined || value === null ? value : column.read(value);
  }
  return row;
}
