// Reads rows by id and by page, and some columns of many rows, with statements that are written once per model. Prisma plans and
// interprets each read anew, which costs several times what the database does for it (`docs/performance/notes.md`). A test compares every
// answer with Prisma's own.

import type { SqlQuery, SqlQueryable } from '@prisma/driver-adapter-utils';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { translated } from '../errors.ts';
import type { Prisma } from '../generated/client/client.ts';
import { createConditions } from '../sql/conditions.ts';
import type { Dialect } from '../sql/dialect.ts';
import { createPartsOf, type PartsOf } from '../sql/merged-parts.ts';
import {
  createEndOf,
  createEndOfPart,
  type EndOf,
  type EndOfPart,
  type RowPart,
  type RowRange,
  writePart,
  writeRows,
} from '../sql/range.ts';
import type { Pace, Slice, SliceSizes, Slicing } from '../sql/read-slices.ts';
import { type Column, columnOf, createShapes, createToRow, namesOf, type ToRow } from '../sql/shapes.ts';
import { collectValues, type Placing, padded, quote, textArgument } from '../sql/statement-values.ts';
import { type Count, createCountOf } from './counting.ts';
import { createInnerListsOf, type InnerLists } from './inner-lists.ts';
import type { RowReader } from './row-changer.ts';
import { createScanOf, createSearchOf, type Search } from './search.ts';
import { createListSearchOf, type ListSearch } from './searched-list.ts';

type Models = Prisma.TypeMap['model'];
type Scalars<M extends keyof Models> = Models[M]['payload']['scalars'];

/** The rows of one account. All methods throw UNAVAILABLE if the storage cannot serve them now. */
export interface AccountRows extends Pick<Dialect, 'turnIsMoment'>, InnerLists {
  /** Finds objects of a kind by a text, as `Search`. */
  readonly search: Search;
  /** Finds objects of a list by a text, as `ListSearch`. */
  readonly searchedList: ListSearch;
  /** Reads the rows with the given ids, in no particular order; nothing for an id that names none. */
  byIds(model: string, ids: readonly string[]): Promise<object[]>;
  /**
   * Reads rows in the order of their ids.
   *
   * @param where a further condition on each row, in Prisma's terms
   * @param columns those to read; all by default
   */
  range(model: string, range: RowRange, where?: object, columns?: readonly string[]): Promise<object[]>;
  /** Reads a part of the rows in another order, lowest first or, backward, reversed; as `range`. */
  part(model: string, part: RowPart, where?: object, columns?: readonly string[]): Promise<object[]>;
  /** Counts the rows of a list, as `Count`. */
  readonly count: Count;
  /** Looks through rows in slices, as `Slicing.slices`. */
  slices<T>(sizes: SliceSizes, look: (rows: number) => Promise<Slice<T>>, pace?: Pace): AsyncGenerator<T>;
  /** Does a piece of work in the turn of the account, as `Slicing.inTurn`. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Finds where a part of a range ends, as `EndOf`. */
  endOf(model: string, range: RowRange): ReturnType<EndOf>;
  /** Finds the parts of a list that have rows, as `PartsOf`: once for all of its slices. */
  partsOf(model: string, equal: RowRange['equal']): ReturnType<PartsOf>;
  /** Finds where a part of a list in the order of a time ends, as `EndOfPart`. */
  endOfPart(model: string, part: RowPart): ReturnType<EndOfPart>;
  /** Reads some columns of rows in the order of their ids. */
  pickRange<M extends keyof Models, C extends keyof Scalars<M> & string>(
    model: M,
    columns: readonly C[],
    range: RowRange,
  ): Promise<Pick<Scalars<M>, C>[]>;
  /**
   * Reads some columns of the rows that have a value, or one of many, in a column; in no particular order.
   *
   * @param values without repetitions, so that no row is returned twice
   */
  pick<M extends keyof Models, C extends keyof Scalars<M> & string>(
    model: M,
    columns: readonly C[],
    column: keyof Scalars<M> & string,
    values: readonly string[],
  ): Promise<Pick<Scalars<M>, C>[]>;
  /**
   * Reads the ids of at most `take` rows that have one of some values in a column, through an index of the account and that column;
   * in no particular order.
   */
  idsOfAny<M extends keyof Models>(
    model: M,
    column: keyof Scalars<M> & string,
    values: readonly string[],
    take: number,
  ): Promise<string[]>;
}

export type RowsOf = (accountId: string) => AccountRows;

/** Maximum number of values that a list in a statement may have. */
const valuesMax = 512;
/** Most choices of columns whose statements are kept: clients choose, too, and change their minds. */
const readingsMax = 1_000;
const twoTexts = [textArgument, textArgument];

/** Creates the reader of rows over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createRowsOf(connection: SqlQueryable & RowReader, dialect: Dialect, slicing: Slicing): RowsOf {
  const { gathersIds, turnIsMoment } = dialect;
  const shapeOf = createShapes(dialect);
  const writeConditions = createConditions(shapeOf);
  const innerListsOf = createInnerListsOf(connection, dialect, writeConditions);
  const endOf = createEndOf(connection, dialect);
  const endOfPart = createEndOfPart(connection, dialect);
  const partsOf = createPartsOf(connection, dialect);
  const countOf = createCountOf(connection, dialect, { slicing, endOfPart, partsOf, writeConditions });
  const scanOf = createScanOf(connection, dialect, { slicing, endOf });
  const searchOf = createSearchOf(scanOf);
  const listSearchOf = createListSearchOf(connection, dialect, { scanOf, endOf, writeConditions });
  const readingOf = (model: string, columns: readonly Column[]): Reading => ({
    toRow: createToRow(columns),
    model,
    names: columns.map(({ name }) => name),
    select: `SELECT ${namesOf(columns)} FROM ${quote(model)}`,
    byOne: new Map(),
  });
  /**
   * Writes the statement for one value of a column only once: each read looks it up by its text, and a new string would have to be
   * hashed first.
   */
  const byOneValue = ({ select, byOne }: Reading, column: string) => {
    return getOrInsertComputed(byOne, column, () => {
      const [own, one] = ['accountId', column].map(
        (name, index) => `${quote(name)} = ${dialect.placeholder(index + 1)}`,
      );
      return `${select} WHERE ${own} AND ${one}`;
    });
  };
  const readings = new LRUCache<string, Reading>({ max: readingsMax });
  const whole = (model: string) =>
    getOrInsertComputed<string, Reading>(readings, model, () => readingOf(model, shapeOf(model)));
  const narrowed = (model: string, names: readonly string[]) =>
    getOrInsertComputed<string, Reading>(readings, `${model} ${names.join()}`, () => {
      const shape = shapeOf(model);
      return readingOf(
        model,
        names.map((name) => columnOf(shape, name)),
      );
    });
  const chosen = (model: string, names?: readonly string[]) =>
    names === undefined ? whole(model) : narrowed(model, names);

  return (accountId) => {
    const send = async ({ toRow }: Reading, query: SqlQuery) => {
      const rows = await translated(connection.readRows(query));
      return rows.map((values) => toRow(accountId, values));
    };
    const read = (reading: Reading, write: (argument: Placing) => string) => {
      const { argument, query } = collectValues(dialect);
      return send(reading, query(write(argument)));
    };
    const writeOwn = (argument: Placing<string>) => `${quote('accountId')} = ${argument(accountId)}`;
    const readWhere = async (reading: Reading, column: string, values: readonly string[]) => {
      const [first, second] = values;
      if (first === undefined) return [];
      if (second === undefined) {
        return send(reading, { sql: byOneValue(reading, column), args: [accountId, first], argTypes: twoTexts });
      }
      const pages: object[][] = [];
      for (let start = 0; start < values.length; start += valuesMax) {
        const page = values.slice(start, start + valuesMax);
        const some = padded(page, page[0] ?? first);
        const writeSome = (argument: Placing<string>) => `${quote(column)} IN (${some.map(argument).join(', ')})`;
        pages.push(
          await read(reading, (argument) => `${reading.select} WHERE ${writeOwn(argument)} AND ${writeSome(argument)}`),
        );
      }
      return pages.flat();
    };
    const othersOf = (model: string, where: object, argument: Placing) => ({
      others: () => writeConditions(model, quote(model), where, argument),
    });
    const readRange = async (reading: Reading, range: RowRange, where: object = {}) => {
      const { model, names } = reading;
      const parts = range.parts ?? (await partsOf(accountId, model, range.equal));
      if (parts.length === 0) return [];
      return read(reading, (argument) =>
        writeRows(dialect, accountId, model, names, { ...range, parts }, argument, othersOf(model, where, argument)),
      );
    };
    const readPart = (reading: Reading, part: RowPart, where: object = {}) => {
      const { model, names } = reading;
      return read(reading, (argument) =>
        writePart(dialect, accountId, model, names, part, argument, othersOf(model, where, argument)),
      );
    };
    const readIds = (model: string, ids: readonly string[]) => readWhere(whole(model), 'id', ids);
    const gathered = new Map<string, DataLoader<string, object | undefined>>();
    const gather = (model: string) =>
      getOrInsertComputed(gathered, model, () => gathering((ids) => readIds(model, ids), valuesMax));
    return {
      turnIsMoment,

      async byIds(model, ids) {
        const [id] = ids;
        if (!gathersIds || id === undefined || ids.length > 1) return readIds(model, ids);
        const row = await gather(model).load(id);
        return row === undefined ? [] : [row];
      },

      async pick(model, names, column, values) {
        const rows = await readWhere(narrowed(model, names), columnOf(shapeOf(model), column).name, values);
        // Rows with the named columns, each decoded as the model says.
        return rows as Pick<Scalars<typeof model>, (typeof names)[number]>[];
      },

      range: async (model, range, where, columns) => readRange(chosen(model, columns), range, where),

      part: async (model, part, where, columns) => readPart(chosen(model, columns), part, where),

      count: countOf(accountId),

      slices: (sizes, look, pace) => slicing.slices(accountId, sizes, look, pace),

      inTurn: (work) => slicing.inTurn(accountId, work),

      endOf: (model, range) => endOf(accountId, model, range),

      partsOf: (model, equal) => partsOf(accountId, model, equal),

      endOfPart: (model, part) => endOfPart(accountId, model, part),

      async pickRange(model, names, range) {
        const rows = await readRange(narrowed(model, names), range);
        // Rows with the named columns, each decoded as the model says.
        return rows as Pick<Scalars<typeof model>, (typeof names)[number]>[];
      },

      async idsOfAny(model, column, values, take) {
        const { argument, query } = collectValues(dialect);
        // Each value by itself: for a list of them, PostgreSQL may read all rows until enough have one of them.
        const parts = values.map((value) => {
          const ends = { take, backward: false, after: undefined, before: undefined };
          const part: RowPart = { ...ends, equal: { [column]: value }, indexedByAccount: true, columns: [column] };
          return `SELECT * FROM (${writePart(dialect, accountId, model, ['id'], part, argument)}) AS "part"`;
        });
        const sql = `${parts.join(' UNION ALL ')} LIMIT ${argument(take)}`;
        return (await translated(connection.queryRaw(query(sql)))).rows.map(([id]) => String(id));
      },

      ...innerListsOf(accountId),
      search: searchOf(accountId),
      searchedList: listSearchOf(accountId),
    };
  };
}

/**
 * Creates the reader of single rows, which reads all rows that one turn of the event loop asks for at once. A turn ends when all
 * sockets with data have been read, so that the requests of many clients share a statement. Nothing is cached: a later request gets
 * what is stored then.
 */
function gathering(read: (ids: readonly string[]) => Promise<object[]>, atOnce: number) {
  return new DataLoader<string, object | undefined>(
    async (ids) => {
      const rows = await read([...new Set(ids)]);
      // Whole rows of a model that has ids.
      const byId = new Map((rows as { id: string }[]).map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    },
    { cache: false, maxBatchSize: atOnce, batchScheduleFn: (send) => setImmediate(send) },
  );
}

/** How the columns that are read become a row, and the beginning of the statement that reads them. The account need not be read. */
interface Reading {
  readonly model: string;
  readonly names: readonly string[];
  readonly toRow: ToRow;
  readonly select: string;
  /** The whole statement for one value of a column, by the column. */
  readonly byOne: Map<string, string>;
}
