// Finding the objects of a list that hold a text, in the order of the list and page by page. What holds it is found as by `search.ts`.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { kindOfId } from '../domain/ids.ts';
import { createConditions } from './conditions.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import type { Place } from './object-reads.ts';
import { type EndOf, writeRange } from './range.ts';
import {
  computedRowsMax,
  createSearchOf,
  createSlicesOf,
  folded,
  isComputed,
  type SearchedField,
  searchedRowsMax,
  type Turn,
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
  /** Waits before each part of the rows that are looked through. */
  readonly turn: Turn;
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
 * Searches lists. Of those that have the first of its equal values, the newest `searchedRowsMax` are looked through, whatever its order: so
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
export function createListSearchOf(
  connection: SqlQueryable,
  dialect: Dialect,
  endOf: EndOf,
): (accountId: string) => ListSearch {
  const { quote, placeholder, decode } = dialect;
  const shapeOf = createShapes(dialect);
  const writeConditions = createConditions(dialect, shapeOf);
  const searchOf = createSearchOf(connection, dialect, endOf);
  const slicesOf = createSlicesOf(endOf);

  return (accountId) => {
    /** Gives the ids of what no column tells: an object by its whole id, however old it is, and those of which something is computed. */
    const idsOf = async ({ model, own, text, turn }: SearchedList): Promise<readonly string[]> => {
      if (kindOfId(folded(text)) === model) return [folded(text)];
      if (!isComputed(own, text)) return [];
      return (await searchOf(accountId)(model, own, text, computedRowsMax, turn)).map(({ id }) => id);
    };

    /**
     * Finds those of some rows that are in a list.
     *
     * @param rows which ones, as `writeRange` says it
     * @param holding writes what else is asked of them
     */
    const findAmong = async (
      { model, where }: SearchedList,
      column: string,
      { condition, args: values }: { readonly condition: string; readonly args: readonly Argument[] },
      holding: (argument: (value: Argument) => string) => readonly string[],
    ): Promise<Place[]> => {
      const args: Argument[] = [accountId, ...values];
      const argument = (value: Argument) => {
        args.push(value);
        return placeholder(args.length);
      };
      const conditions = [...holding(argument), ...writeConditions(model, 's', where, argument)];
      const sql =
        `SELECT s.${quote('id')}, s.${quote(column)} FROM (SELECT * FROM ${quote(model)} WHERE ${condition}) s ` +
        `WHERE ${['1 = 1', ...conditions].join(' AND ')}`;
      const { rows } = await translated(connection.queryRaw({ sql, args, argTypes: args.map(argType) }));
      return rows.map(([id, time]) => ({ id: String(id), time: decode.DateTime(time) }));
    };

    /** Finds the places of all objects of a list, in no order. */
    const findAll = async (list: SearchedList, column: string): Promise<Place[]> => {
      const { model, own, text, where } = list;
      const found = new Map<string, Place>();
      const add = (places: readonly Place[]) => {
        for (const place of places) found.set(place.id, place);
      };
      const holding = (argument: (value: Argument) => string) => [`(${writeHolding(dialect, own, text, argument)})`];
      for await (const slice of slicesOf(accountId, model, equalIn(where), searchedRowsMax, list.turn)) {
        add(await findAmong(list, column, writeRange(dialect, slice), holding));
      }
      const ids = await idsOf(list);
      const [first] = ids;
      if (first !== undefined) {
        const args = padded(ids, first);
        // Behind the account, which is the first value.
        const named = args.map((_, place) => placeholder(place + 2)).join(', ');
        const condition = `${quote('accountId')} = ${placeholder(1)} AND ${quote('id')} IN (${named})`;
        add(await findAmong(list, column, { condition, args }, () => []));
      }
      return [...found.values()];
    };

    return {
      async places(list, { column = 'createdAt', ascending, take, backward, after, before }) {
        // Ids are in the order of creation.
        const timeOf = column === 'createdAt' ? () => 0 : ({ time }: Place) => time.getTime();
        const direction = ascending ? 1 : -1;
        const compare = (one: Place, other: Place) =>
          direction * (timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : Number(one.id > other.id)));
        const between = (await findAll(list, column)).filter(
          (place) =>
            (after === undefined || compare(place, after) > 0) && (before === undefined || compare(place, before) < 0),
        );
        between.sort(compare);
        return backward ? between.reverse().slice(0, take) : between.slice(0, take);
      },

      count: async (list) => (await findAll(list, 'createdAt')).length,
    };
  };
}

/** Gives the first condition that is an equal value of text, along whose index a list is read: no index has two of them. */
function equalIn(where: object): Record<string, string> {
  const equal = Object.entries(where).find((entry): entry is [string, string] => typeof entry[1] === 'string');
  return equal === undefined ? {} : Object.fromEntries([equal]);
}
