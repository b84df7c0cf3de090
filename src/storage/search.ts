// Finding objects by what they are called: their ids, names and notes, the addresses that ranges hold, the fingerprints of keys.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { canonicalAddress, networkOf } from '../domain/cidr.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import { type EndOf, type Range, writeRange } from './range.ts';
import { argType } from './statement-values.ts';

/** An object that was found, with the first of its fields that holds the text. */
export interface Match {
  readonly id: string;
  readonly field: string;
  /** The value of the field; of a list, the entry. */
  readonly text: string;
}

/** A field that objects are searched by, beside the id and the notes that all have. */
export interface SearchedField {
  readonly name: string;
  readonly column: string;
  /** Reads what the column holds: the texts that may be the one. */
  readonly read: (stored: string) => readonly string[];
  /** The column with the range in canonical form, of a field that is one: it is found by an address in it. */
  readonly rangeColumn?: string;
  /** Text that may be in what is read, where the column does not hold it as it is: then all of the newest objects are read. */
  readonly computedFor?: RegExp;
}

/**
 * Finds the newest objects of a model that hold a text. Letters of ASCII may be of either case. Throws UNAVAILABLE where the storage
 * cannot serve it now.
 */
export type Search = (model: string, own: readonly SearchedField[], text: string, take: number) => Promise<Match[]>;

/** Rows of a model that are looked through, the newest: so that no search takes longer the more there is. */
export const searchedRowsMax = 10_000;
/** Rows of which something is computed for a search. */
const computedRowsMax = 1_000;
/** Rows that are looked through by one statement: with the longest notes, that takes 10 ms on SQLite (measured), where nobody else is served meanwhile. */
const rowsAtOnce = 1_000;

const notes: readonly SearchedField[] = ['description', 'metadata'].map((name) => ({
  name,
  column: name,
  read: (stored: string) => [stored],
}));

/** Creates the search of an account over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createSearchOf(
  connection: SqlQueryable,
  dialect: Dialect,
  endOf: EndOf,
): (accountId: string) => Search {
  const { quote, placeholder, placeOf } = dialect;

  return (accountId) => async (model, own, given, take) => {
    const text = folded(given);
    const fields = [...own, ...notes];
    const rangeColumn = own.find((field) => field.rangeColumn !== undefined)?.rangeColumn;
    const ranges = rangeColumn === undefined ? [] : rangesOf(given);
    const isComputed = own.some(({ computedFor }) => computedFor?.test(text) === true);

    /** Finds what holds the text among some rows. */
    const findAmong = async (range: Range): Promise<Match[]> => {
      const columns = fields.map(({ column }) => `CAST(${quote(column)} AS TEXT) AS ${quote(column)}`);
      const held = rangeColumn === undefined ? 'NULL' : quote(rangeColumn);
      // Each part takes its arguments when it is written, in the order in which they stand.
      const { condition, args: bounds } = writeRange(dialect, range);
      const rowsLookedThrough = `SELECT "id", ${columns.join(', ')}, ${held} AS held FROM ${quote(model)} WHERE ${condition}`;
      const args: (string | number)[] = [accountId, ...bounds];
      const argument = (value: string | number) => {
        args.push(value);
        return placeholder(args.length);
      };
      const matching = () =>
        [
          `${placeOf('s."id"', argument(text))} = 1`,
          ...fields
            .filter(({ computedFor }) => computedFor === undefined)
            .map(({ column }) => `${placeOf(`s.${quote(column)}`, argument(text))} > 0`),
          ...(ranges.length === 0 ? [] : [`s.held IN (${ranges.map(argument).join(', ')})`]),
        ].join(' OR ');
      const sql =
        `SELECT s."id", ${fields.map(({ column }) => `s.${quote(column)}`).join(', ')}, s.held FROM (${rowsLookedThrough}) s ` +
        `WHERE ${isComputed ? '1 = 1' : matching()} ` +
        `ORDER BY s."id" DESC LIMIT ${argument(isComputed ? rowsAtOnce : take)}`;
      const { rows } = await translated(connection.queryRaw({ sql, args, argTypes: args.map(argType) }));
      return rows.flatMap((row) => matchOf(row, fields, text, ranges) ?? []);
    };

    const found: Match[] = [];
    const range = { equal: {}, greaterThan: undefined, ascending: false, take: rowsAtOnce };
    let lessThan: string | undefined;
    for (let rows = 0; rows < (isComputed ? computedRowsMax : searchedRowsMax); rows += rowsAtOnce) {
      if (rows > 0) await nextTurn();
      const until = await endOf(accountId, model, { ...range, lessThan });
      found.push(...(await findAmong({ ...range, lessThan, until })));
      if (until === undefined || found.length >= take) break;
      lessThan = until;
    }
    return found.slice(0, take);
  };
}

/** Finds the field that holds the text; null where only the form in which a list is stored does. */
function matchOf(
  row: readonly unknown[],
  fields: readonly SearchedField[],
  text: string,
  ranges: readonly string[],
): Match | null {
  const id = String(row[0]);
  if (folded(id).startsWith(text)) return { id, field: 'id', text: id };
  const values = fields.map(({ name, read, rangeColumn }, place) => {
    const stored = row[place + 1];
    return { name, texts: stored === null ? [] : read(String(stored)), isRange: rangeColumn !== undefined };
  });
  for (const { name, texts } of values) {
    const matching = texts.find((one) => folded(one).includes(text));
    if (matching !== undefined) return { id, field: name, text: matching };
  }
  const held = values.find(({ isRange }) => isRange && ranges.includes(String(row.at(-1))));
  return held === undefined ? null : { id, field: held.name, text: held.texts[0] ?? '' };
}

/** Gives the ranges that hold an address, in their canonical form; none for what is no address. */
function rangesOf(text: string): string[] {
  const address = canonicalAddress(text);
  if (address === null) return [];
  const bitsMax = address.includes(':') ? 128 : 32;
  return Array.from({ length: bitsMax + 1 }, (_, bits) => networkOf(`${address}/${bits}`)).filter(
    (range) => range !== null,
  );
}

/** Writes the letters of ASCII small, and leaves all others. */
function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
