// Finds the objects of a list that contain a text, in list order and page by page. A text is matched as in `search.ts`.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { kindOfId } from '../../domain/values/ids.ts';
import { translated } from '../errors.ts';
import { plainIn, type WriteConditions } from '../sql/conditions.ts';
import type { Dialect } from '../sql/dialect.ts';
import { foundByIndex } from '../sql/filter-indexes.ts';
import type { IdBounds, ListPart, Position, RowOrder } from '../sql/list-parts.ts';
import { type Bound, type EndOf, type RowRange, versionColumn } from '../sql/range.ts';
import { collectValues, quote } from '../sql/statement-values.ts';
import { folded, type ScanOf, type Sought } from './search.ts';

/** A list, and the text that its objects contain. */
export interface SearchedList extends Sought {
  /** A further condition on the objects, in Prisma's terms. */
  readonly where: object;
  readonly within: IdBounds;
}

export interface FoundPart {
  /** The positions of the objects of the part, in list order, or reversed if it is read backward. */
  readonly positions: readonly Position[];
  /** How many objects contain the text in the whole list, as far as it was searched. */
  readonly count: number;
  /** Whether the list has older objects than those that were searched. */
  readonly isPartial: boolean;
}

/**
 * Searches a list. Of the objects that have those of its values that one index finds, the newest `searchedRowsMax` are searched, whatever the
 * order of the list, so that the time of a search does not grow with the data and every order finds the same objects. Throws
 * UNAVAILABLE if the storage cannot serve it now.
 */
export type ListSearch = (list: SearchedList, order: RowOrder, part: ListPart) => Promise<FoundPart>;

interface Parts {
  readonly scanOf: ScanOf;
  readonly endOf: EndOf;
  readonly writeConditions: WriteConditions;
}

/** Creates the search over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createListSearchOf(
  connection: SqlQueryable,
  dialect: Dialect,
  { scanOf, endOf, writeConditions }: Parts,
): (accountId: string) => ListSearch {
  const { decode } = dialect;
  const positionsIn = (rows: readonly (readonly unknown[])[], column: string): Position[] =>
    rows.map(([id, value]) => ({
      id: String(id),
      value: column === versionColumn ? Number(value) : decode.DateTime(value),
    }));

  return (accountId) => {
    /** Finds the object whose whole id is the text, however old it is, if it is in the list. */
    const findById = async ({ model, text, where, within }: SearchedList, column: string): Promise<Position[]> => {
      const id = folded(text);
      if (kindOfId(id) !== model) return [];
      const { argument, query } = collectValues(dialect);
      const own = { accountId, id };
      const bounds = { id: { lt: within.olderThan, gt: within.newerThan } };
      const conditions = [own, bounds, where].flatMap((each) => writeConditions(model, 's', each, argument));
      const sql = `SELECT s.${quote('id')}, s.${quote(column)} FROM ${quote(model)} s WHERE ${conditions.join(' AND ')}`;
      return positionsIn((await translated(connection.queryRaw(query(sql)))).rows, column);
    };

    /** Finds the positions of all objects of a list that contain the text, in no particular order. */
    const findAll = async (list: SearchedList, column: string) => {
      const { model, where, within } = list;
      const ids = { id: { lt: within.olderThan, gt: within.newerThan } };
      const among = amongOf(list, column);
      const scan = scanOf(accountId, {
        ...list,
        among,
        columns: [column],
        conditions: (argument) => [ids, where].flatMap((each) => writeConditions(model, 's', each, argument)),
      });
      const found = new Map<string, Position>();
      let last: Bound | undefined;
      for await (const { rows, until } of scan) {
        for (const position of positionsIn(rows, column)) found.set(position.id, position);
        last = until;
      }
      for (const position of await findById(list, column)) found.set(position.id, position);
      const older = { ...among, lessThan: last, ascending: false, take: 1 };
      const isPartial = last !== undefined && (await endOf(accountId, model, older)) !== undefined;
      return { all: [...found.values()], isPartial };
    };

    return async (list, { column = 'createdAt', ascending }, { take, backward, after, before }) => {
      // Ids are in the order of creation.
      const numberOf = column === 'createdAt' ? () => 0 : ({ value }: Position) => Number(value);
      const direction = ascending ? 1 : -1;
      const compare = (one: Position, other: Position) =>
        direction * (numberOf(one) - numberOf(other) || (one.id < other.id ? -1 : Number(one.id > other.id)));
      const { all, isPartial } = await findAll(list, column);
      const positions = all.filter(
        (position) =>
          (after === undefined || compare(position, after) > 0) &&
          (before === undefined || compare(position, before) < 0),
      );
      positions.sort((one, other) => (backward ? compare(other, one) : compare(one, other)));
      return { positions: positions.slice(0, take), count: all.length, isPartial };
    };
  };
}

/**
 * Returns the range of rows to search: in version order if the list is in that order, otherwise the rows within its bounds on ids.
 */
function amongOf({ model, where, within }: SearchedList, column: string): Omit<RowRange, 'ascending' | 'take'> {
  const equal = foundByIndex(model, plainIn(where));
  return column === versionColumn
    ? { equal, column, lessThan: undefined, greaterThan: undefined }
    : { equal, lessThan: within.olderThan, greaterThan: within.newerThan };
}
