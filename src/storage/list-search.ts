// Finding the objects of a list that hold a text, in the order of the list and page by page. What holds it is found as by `search.ts`.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { kindOfId } from '../domain/ids.ts';
import { createConditions, writeAny } from './conditions.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import type { Place } from './object-reads.ts';
import { writeRange } from './range.ts';
import {
  computedRowsMax,
  createSearchOf,
  folded,
  isComputed,
  type SearchedField,
  searchedRowsMax,
  writeHolding,
} from './search.ts';
import { createShapes } from './shapes.ts';
import { type Argument, argType, padded } from './statement-values.ts';

/** A list and the text that its objects hold. */
export interface SearchedList {
  readonly model: string;
  /** The fields that objects are searched by, beside the id and the notes. */
  readonly own: readonly SearchedField[];
  readonly text: string;
  /** What else the objects have in common, in Prisma's terms. */
  readonly where: object;
}

/** A part of the list: the first `take` between two places or, backward, the last. */
export interface SearchedRange {
  /** The column with the time that the list is in the order of; ids are in the order of creation, without one. */
  readonly column: string | undefined;
  readonly ascending: boolean;
  readonly take: number;
  readonly backward: boolean;
  readonly after: Place | undefined;
  readonly before: Place | undefined;
}

/**
 * Searches lists. Of those that a list with its equal values has, the newest `searchedRowsMax` are looked through, whatever its order: so
 * that no search takes longer the more there is, and every order has the same objects. Both throw UNAVAILABLE where the storage cannot
 * serve it now.
 */
export interface ListSearch {
  /** Finds the places of the objects of a part, in the order of the list. */
  places(list: SearchedList, range: SearchedRange): Promise<Place[]>;
  /** Counts the objects of the whole list. */
  count(list: SearchedList): Promise<number>;
}

/** Creates the search over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createListSearchOf(connection: SqlQueryable, dialect: Dialect): (accountId: string) => ListSearch {
  const { quote, placeholder, decode } = dialect;
  const shapeOf = createShapes(dialect);
  const writeConditions = createConditions(dialect, shapeOf);
  const searchOf = createSearchOf(connection, dialect);

  return (accountId) => {
    /** Finds the ids that alone can be the answer; null where that has to be looked for. */
    const idsOf = async ({ model, own, text }: SearchedList): Promise<readonly string[] | null> => {
      // An object is found by its whole id however old it is.
      if (kindOfId(folded(text)) === model) return [folded(text)];
      if (!isComputed(own, text)) return null;
      return (await searchOf(accountId)(model, own, text, computedRowsMax)).map(({ id }) => id);
    };

    /** Reads from the objects of a list, which a statement calls `s`. */
    const read = async (
      list: SearchedList,
      write: (from: string, argument: (value: Argument) => string) => string,
    ): Promise<readonly unknown[][]> => {
      const { model, own, text, where } = list;
      const args: Argument[] = [];
      const argument = (value: Argument) => {
        args.push(value);
        return placeholder(args.length);
      };
      const ids = await idsOf(list);
      if (ids?.length === 0) return [];
      const [first = ''] = ids ?? [];
      // Each part takes its arguments when it is written, in the order in which they stand.
      const looked = () => {
        const { condition, args: values } = writeRange(dialect, {
          equal: equalIn(where),
          lessThan: undefined,
          greaterThan: undefined,
          ascending: false,
          take: searchedRowsMax,
        });
        for (const value of [accountId, ...values]) argument(value);
        return `SELECT * FROM ${quote(model)} WHERE ${condition}`;
      };
      const named = (some: readonly string[]) =>
        `SELECT * FROM ${quote(model)} t WHERE t.${quote('accountId')} = ${argument(accountId)} ` +
        `AND ${writeAny(`t.${quote('id')}`, padded(some, first), argument)}`;
      const rows = ids === null ? looked() : named(ids);
      const holding = ids === null ? [`(${writeHolding(dialect, own, text, argument)})`] : [];
      const conditions = [...holding, ...writeConditions(model, 's', where, argument)];
      const from = `FROM (${rows}) s WHERE ${['1 = 1', ...conditions].join(' AND ')}`;
      const sql = write(from, argument);
      return (await translated(connection.queryRaw({ sql, args, argTypes: args.map(argType) }))).rows;
    };

    return {
      async places(list, { column = 'createdAt', ascending, take, backward, after, before }) {
        const order = [...(column === 'createdAt' ? [] : [`s.${quote(column)}`]), `s.${quote('id')}`];
        const rows = await read(list, (from, argument) => {
          const bound = (sign: '<' | '>', place: Place | undefined) => {
            if (place === undefined) return '';
            const values = [...(order.length === 1 ? [] : [place.time]), place.id].map((value) => argument(value));
            return ` AND (${order.join(', ')}) ${sign} (${values.join(', ')})`;
          };
          const [further, nearer] = ascending ? (['>', '<'] as const) : (['<', '>'] as const);
          const bounds = `${bound(further, after)}${bound(nearer, before)}`;
          const direction = ascending === backward ? 'DESC' : 'ASC';
          const sorted = order.map((name) => `${name} ${direction}`).join(', ');
          return `SELECT s.${quote('id')}, s.${quote(column)} ${from}${bounds} ORDER BY ${sorted} LIMIT ${take}`;
        });
        return rows.map(([id, time]) => ({ id: String(id), time: decode.DateTime(time) }));
      },

      async count(list) {
        const [row] = await read(list, (from) => `SELECT count(*) ${from}`);
        return Number(row?.[0] ?? 0);
      },
    };
  };
}

/** Gives the conditions that are equal values of text: those along whose index a list is read. */
function equalIn(where: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(where).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
