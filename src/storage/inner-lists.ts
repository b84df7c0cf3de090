// Lists inside of objects: rows that refer to an object, in an order. Those of many objects are read, or counted, by one statement.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { WriteConditions } from './conditions.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import type { ListPart } from './object-reads.ts';
import { type Argument, collectValues, padded } from './statement-values.ts';

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
  /** Whether the index that it is read by begins with the account, and not with the object. */
  readonly indexedByAccount?: true;
  /** What else its rows have in common, in Prisma's terms. */
  readonly where?: object;
}

/** A part of a list whose places are values of its order. */
export type InnerPart = ListPart<string | number>;

/** What a list holds at a place of its order. */
export interface InnerEntry {
  readonly id: string;
  readonly place: string | number;
}

/** The lists of the objects of one account. All methods throw UNAVAILABLE where the storage cannot serve them now. */
export interface InnerLists {
  /** Reads, for each of some objects, what its list holds, as far as asked for, in the order of the list: all in one statement. */
  innerLists(list: InnerList, parents: readonly string[], part: InnerPart): Promise<Map<string, InnerEntry[]>>;
  /** Counts, for each of some objects, what its whole list holds: all in one statement. */
  innerCounts(list: InnerList, parents: readonly string[]): Promise<Map<string, number>>;
}

/** Creates the reader of lists over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createInnerListsOf(
  connection: SqlQueryable,
  dialect: Dialect,
  writeConditions: WriteConditions,
): (accountId: string) => InnerLists {
  const { quote, joinsLaterally } = dialect;

  return (accountId) => {
    /** Sends a statement about lists, written with what gives a value its place in it. */
    const read = async (
      { model, parent, where = {} }: InnerList,
      parents: readonly string[],
      write: (parts: Parts) => string,
    ) => {
      const { argument, query } = collectValues<Argument | null>(dialect);
      // Null equals nothing, so that the filling has no list.
      const values = padded(parents, null).map((each) => `(${argument(each)})`);
      const ofAccount = (name: string) => `${name}.${quote('accountId')} = ${argument(accountId)}`;
      const rowsOf = (name: string) => `${ofAccount(name)} AND ${name}.${quote(parent)} = p.column1`;
      const narrowed = (name: string) =>
        writeConditions(model, name, where, argument)
          .map((condition) => ` AND ${condition}`)
          .join('');
      const sql = write({
        parents: `(VALUES ${values.join(', ')}) p`,
        table: quote(model),
        argument,
        ofAccount,
        rowsOf,
        narrowed,
      });
      return (await translated(connection.queryRaw(query(sql)))).rows;
    };

    return {
      async innerLists(list, parents, { take, backward, after, before }) {
        const { parent, value, order, direction, indexedByAccount = false } = list;
        const isDescending = (direction === 'DESC') !== backward;
        const written = isDescending ? 'DESC' : 'ASC';
        const [further, nearer] = direction === 'DESC' ? ['<', '>'] : ['>', '<'];
        // Prisma reads the lists of several objects whole and cuts them afterwards; here each is read as far as asked for.
        const rows = await read(list, parents, ({ parents, table, argument, ofAccount, rowsOf, narrowed }) => {
          const bound = (sign: string | undefined, place: string | number | undefined) =>
            place === undefined ? '' : ` AND x.${quote(order)} ${sign} ${argument(place)}`;
          const cut = () =>
            `${narrowed('x')}${bound(further, after)}${bound(nearer, before)} ` +
            `ORDER BY x.${quote(order)} ${written} LIMIT ${argument(take)}`;
          if (joinsLaterally) {
            // The account is asked for after the cut, where the index does not begin with it: without statistics PostgreSQL would
            // find all rows of the account for each object as well, and keep those that are in both (measured: 260 ms instead of 4).
            const rowsOfParent = indexedByAccount ? rowsOf('x') : `x.${quote(parent)} = p.column1`;
            return (
              `SELECT p.column1, t.id, t.place FROM ${parents} CROSS JOIN LATERAL (` +
              `SELECT x.${quote(value)} AS id, x.${quote(order)} AS place, x.${quote('accountId')} FROM ${table} x ` +
              `WHERE ${rowsOfParent}${cut()}) t WHERE ${ofAccount('t')} ORDER BY t.place ${written}`
            );
          }
          // CROSS JOIN keeps SQLite's planner from reading all rows of the account for each object (measured: 510 ms for 0.9).
          return (
            `SELECT p.column1, t.${quote(value)}, t.${quote(order)} FROM ${parents} CROSS JOIN ${table} t WHERE ${rowsOf('t')} ` +
            `AND t.${quote(order)} IN (SELECT x.${quote(order)} FROM ${table} x WHERE ${rowsOf('x')}${cut()}) ` +
            `ORDER BY t.${quote(order)} ${written}`
          );
        });
        const lists = new Map<string, InnerEntry[]>(parents.map((id) => [id, []]));
        for (const [parent, id, place] of backward ? rows.toReversed() : rows) {
          lists.get(String(parent))?.push({ id: String(id), place: typeof place === 'string' ? place : Number(place) });
        }
        return lists;
      },

      async innerCounts(list, parents) {
        const rows = await read(
          list,
          parents,
          ({ parents, table, rowsOf, narrowed }) =>
            `SELECT p.column1, count(x.${quote(list.parent)}) FROM ${parents} ` +
            `LEFT JOIN ${table} x ON ${rowsOf('x')}${narrowed('x')} GROUP BY p.column1`,
        );
        return new Map(rows.map(([parent, count]) => [String(parent), Number(count)]));
      },
    };
  };
}

/** What a statement about lists is written of. */
interface Parts {
  /** The objects, as a table `p` with the one column that both engines call `column1`. */
  readonly parents: string;
  readonly table: string;
  /** Gives a value its place in the statement: they are asked for in the order in which they stand there. */
  readonly argument: (value: string | number) => string;
  /** Writes the condition for the rows of the account. */
  readonly ofAccount: (name: string) => string;
  /** Writes the condition for the rows of the list of an object: it asks for those of the account. */
  readonly rowsOf: (name: string) => string;
  /** Writes what the list leaves out, as a further condition. */
  readonly narrowed: (name: string) => string;
}
