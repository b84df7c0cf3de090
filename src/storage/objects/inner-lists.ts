// Lists inside objects: rows that refer to an object, in an order. The lists of many objects are read or counted by one statement.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { translated } from '../errors.ts';
import type { WriteConditions } from '../sql/conditions.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { ListPart } from '../sql/list-parts.ts';
import { type Argument, collectValues, padded, quote } from '../sql/statement-values.ts';

/** A list inside objects: rows of a model that refer to the object, in an order. */
export interface InnerList {
  readonly model: string;
  /** The column that holds the id of the object. */
  readonly parent: string;
  /** The column to read: the id of an entry. */
  readonly value: string;
  /** The column that the list is ordered by. No two rows of one list have the same value there. */
  readonly order: string;
  readonly direction: 'ASC' | 'DESC';
  /** Whether the index that it is read by begins with the account rather than the object. */
  readonly indexedByAccount?: true;
  /** A further condition on its rows, in Prisma's terms. */
  readonly where?: object;
}

/** Returns the list of the objects whose ids are in a column of the rows that refer to an object, newest first. */
export function newestFirst(model: string, parent: string, value: string): InnerList {
  return { model, parent, value, order: value, direction: 'DESC' };
}

/** Returns the list of what such rows refer to, in the order that they were given in. */
export function asGiven(model: string, parent: string, value: string): InnerList {
  return { model, parent, value, order: 'position', direction: 'ASC' };
}

/** A part of a list. Its positions are values of the order column. */
export type InnerPart = ListPart<string | number>;

/** An entry of a list, with its value in the order column. */
export interface InnerEntry {
  readonly id: string;
  readonly position: string | number;
}

/** Up to how many entries of each of several lists are counted by one statement. */
const innerCountMax = 250;

/** The lists of the objects of one account. All methods throw UNAVAILABLE if the storage cannot serve them now. */
export interface InnerLists {
  /** Reads the requested part of each object's list, in list order, all in one statement. */
  innerLists(list: InnerList, parents: readonly string[], part: InnerPart): Promise<Map<string, InnerEntry[]>>;
  /**
   * Counts the entries of each object's whole list, all in one statement; without the condition of the list. Null for a list of more
   * than `innerCountMax` entries, which takes several statements: see `Count`.
   */
  innerSizes(list: InnerList, parents: readonly string[]): Promise<Map<string, number | null>>;
  /** Counts the entries of each object's list that meet its condition, all in one statement. For lists with a known size. */
  innerCounts(list: InnerList, parents: readonly string[]): Promise<Map<string, number>>;
}

/** Creates the reader of lists over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createInnerListsOf(
  connection: SqlQueryable,
  dialect: Dialect,
  writeConditions: WriteConditions,
): (accountId: string) => InnerLists {
  const { joinsLaterally } = dialect;

  return (accountId) => {
    /** Sends a statement about lists, which `write` composes of its parts. */
    const read = async (
      { model, parent, where = {} }: InnerList,
      parents: readonly string[],
      write: (parts: Parts) => string,
    ) => {
      const { argument, query } = collectValues<Argument | null>(dialect);
      // Null equals nothing, so the padding has no list.
      const objects = padded(parents, null);
      const ofAccount = (name: string) => `${name}.${quote('accountId')} = ${argument(accountId)}`;
      const rowsOf = (name: string) => `${ofAccount(name)} AND ${name}.${quote(parent)} = p.column1`;
      const narrowed = (name: string) =>
        writeConditions(model, name, where, argument)
          .map((condition) => ` AND ${condition}`)
          .join('');
      const sql = write({
        parents: () => `(VALUES ${objects.map((each) => `(${argument(each)})`).join(', ')}) p`,
        table: quote(model),
        argument,
        ofAccount,
        rowsOf,
        narrowed,
      });
      return (await translated(connection.queryRaw(query(sql)))).rows;
    };

    /**
     * Writes the condition for the rows of an object's list that an index decides. If it does not begin with the account, the account
     * is checked after the cut: without statistics, PostgreSQL would also find all rows of the account for each object, and keep those
     * that are in both (measured: 260 ms instead of 4).
     */
    const rowsByIndex = ({ parent, indexedByAccount }: InnerList, rowsOf: Parts['rowsOf']) =>
      indexedByAccount ? rowsOf('x') : `x.${quote(parent)} = p.column1`;

    return {
      async innerLists(list, parents, { take, backward, after, before }) {
        const { value, order, direction } = list;
        const isDescending = (direction === 'DESC') !== backward;
        const written = isDescending ? 'DESC' : 'ASC';
        const [further, nearer] = direction === 'DESC' ? ['<', '>'] : ['>', '<'];
        // Prisma reads the lists of several objects whole and cuts them afterwards; here only the requested part of each is read.
        const rows = await read(list, parents, ({ parents, table, argument, ofAccount, rowsOf, narrowed }) => {
          const bound = (sign: string | undefined, position: string | number | undefined) =>
            position === undefined ? '' : ` AND x.${quote(order)} ${sign} ${argument(position)}`;
          const cut = () =>
            `${narrowed('x')}${bound(further, after)}${bound(nearer, before)} ` +
            `ORDER BY x.${quote(order)} ${written} LIMIT ${argument(take)}`;
          if (joinsLaterally) {
            return (
              `SELECT p.column1, t.id, t.position FROM ${parents()} CROSS JOIN LATERAL (` +
              `SELECT x.${quote(value)} AS id, x.${quote(order)} AS position, x.${quote('accountId')} FROM ${table} x ` +
              `WHERE ${rowsByIndex(list, rowsOf)}${cut()}) t WHERE ${ofAccount('t')} ORDER BY t.position ${written}`
            );
          }
          // CROSS JOIN keeps SQLite's planner from reading all rows of the account for each object (measured: 510 ms instead of
          // 0.9).
          return (
            `SELECT p.column1, t.${quote(value)}, t.${quote(order)} FROM ${parents()} CROSS JOIN ${table} t WHERE ${rowsOf('t')} ` +
            `AND t.${quote(order)} IN (SELECT x.${quote(order)} FROM ${table} x WHERE ${rowsOf('x')}${cut()}) ` +
            `ORDER BY t.${quote(order)} ${written}`
          );
        });
        const lists = new Map<string, InnerEntry[]>(parents.map((id) => [id, []]));
        for (const [parent, id, position] of backward ? rows.toReversed() : rows) {
          lists
            .get(String(parent))
            ?.push({ id: String(id), position: typeof position === 'string' ? position : Number(position) });
        }
        return lists;
      },

      async innerSizes(list, parents) {
        const rows = await read(list, parents, ({ parents, table, argument, ofAccount, rowsOf }) => {
          const some = `SELECT x.${quote('accountId')} FROM ${table} x WHERE ${rowsByIndex(list, rowsOf)}`;
          const cut = `${some} ORDER BY x.${quote(list.order)} LIMIT ${argument(innerCountMax + 1)}`;
          return `SELECT p.column1, (SELECT count(*) FROM (${cut}) t WHERE ${ofAccount('t')}) FROM ${parents()}`;
        });
        const sizes = new Map(rows.map(([parent, size]) => [String(parent), Number(size)]));
        return new Map(parents.map((id) => [id, (sizes.get(id) ?? 0) > innerCountMax ? null : (sizes.get(id) ?? 0)]));
      },

      async innerCounts(list, parents) {
        const rows = await read(
          list,
          parents,
          ({ parents, table, rowsOf, narrowed }) =>
            `SELECT p.column1, count(x.${quote(list.parent)}) FROM ${parents()} ` +
            `LEFT JOIN ${table} x ON ${rowsOf('x')}${narrowed('x')} GROUP BY p.column1`,
        );
        return new Map(rows.map(([parent, count]) => [String(parent), Number(count)]));
      },
    };
  };
}

/** The parts that a statement about lists is composed of. */
interface Parts {
  /** Writes the objects, as a table `p` with the one column that both engines call `column1`. */
  readonly parents: () => string;
  readonly table: string;
  /** Adds a value and returns its placeholder. Values must be added in the order in which they appear in the statement. */
  readonly argument: (value: string | number) => string;
  /** Writes the condition for the rows of the account. */
  readonly ofAccount: (name: string) => string;
  /** Writes the condition for the rows of an object's list, including the condition on the account. */
  readonly rowsOf: (name: string) => string;
  /** Writes the list's own conditions (`InnerList.where`), to be appended to others. */
  readonly narrowed: (name: string) => string;
}
