// Finding objects by what they are called: their ids, names and notes, the addresses that ranges hold, the fingerprints of keys.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { rangesHolding } from '../domain/cidr.ts';
import { writeAny } from './conditions.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import { type EndOf, type Range, writeRange } from './range.ts';
import { type Argument, argType } from './statement-values.ts';

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
  /** Whether the column holds JSON: a list or a map of texts. */
  readonly isJson?: true;
  /** Text that may be in what is read, where the column does not hold it as it is: then all of the newest objects are read. */
  readonly computedFor?: RegExp;
}

/**
 * Finds the newest objects of a model that hold a text. Letters of ASCII may be of either case. Throws UNAVAILABLE where the storage
 * cannot serve it now.
 */
export type Search = (
  model: string,
  own: readonly SearchedField[],
  text: string,
  take: number,
  turn: Turn,
) => Promise<Match[]>;

/** Waits for the turn in which the next rows are looked through. Rejects where nobody waits for what is found. */
export type Turn = () => Promise<void>;

/** Rows of a model that are looked through, the newest: so that no search takes longer the more there is. */
export const searchedRowsMax = 10_000;
/** Rows of which something is computed for a search. */
export const computedRowsMax = 1_000;
/** Rows that are looked through by one statement: with the longest notes, that takes 10 ms on SQLite (measured), where nobody else is served meanwhile. */
const rowsAtOnce = 1_000;

const notes: readonly SearchedField[] = ['description', 'metadata'].map((name) => ({
  name,
  column: name,
  read: (stored: string) => [stored],
}));

/** Tells whether a text may be in what is computed: then the newest `computedRowsMax` are read whole. */
export function isComputed(own: readonly SearchedField[], text: string): boolean {
  return own.some(({ computedFor }) => computedFor?.test(folded(text)) === true);
}

/** Text that may be of the notation of JSON rather than in what it holds. */
const notation = /["\\]|^[[\]{},: ]+$/;

/** Writes that a row, which the statement calls `s`, holds a text. */
export function writeHolding(
  { quote, placeOf }: Dialect,
  own: readonly SearchedField[],
  given: string,
  argument: (value: Argument) => string,
): string {
  const text = folded(given);
  const columns = [...own, ...notes]
    .filter(({ computedFor, isJson = false }) => computedFor === undefined && !(isJson && notation.test(text)))
    .map(({ column }) => `CAST(s.${quote(column)} AS TEXT)`);
  const ranges = own.flatMap(({ rangeColumn }) =>
    rangeColumn === undefined ? [] : writeAny(`s.${quote(rangeColumn)}`, rangesHolding(given), argument),
  );
  return [
    ...ranges,
    `${placeOf(`s.${quote('id')}`, argument(text))} = 1`,
    ...columns.map((column) => `${placeOf(column, argument(text))} > 0`),
  ].join(' OR ');
}

/**
 * Creates what goes through the newest rows of an account in slices, each in a turn of its own: through `most` of those that have
 * the `equal` values (`Range`).
 */
export function createSlicesOf(endOf: EndOf) {
  return async function* (
    accountId: string,
    model: string,
    equal: Range['equal'],
    most: number,
    turn: Turn,
  ): AsyncGenerator<Range & { readonly take: number }> {
    const range = { equal, greaterThan: undefined, ascending: false, take: rowsAtOnce };
    let lessThan: string | undefined;
    for (let rows = 0; rows < most; rows += rowsAtOnce) {
      await turn();
      const until = await endOf(accountId, model, { ...range, lessThan });
      yield { ...range, lessThan, until };
      if (until === undefined) return;
      lessThan = until;
    }
  };
}

/** Creates the search of an account over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createSearchOf(
  connection: SqlQueryable,
  dialect: Dialect,
  endOf: EndOf,
): (accountId: string) => Search {
  const { quote, placeholder } = dialect;
  const slicesOf = createSlicesOf(endOf);

  return (accountId) => async (model, own, given, take, turn) => {
    const text = folded(given);
    const fields = [...own, ...notes];
    const rangeColumn = own.find((field) => field.rangeColumn !== undefined)?.rangeColumn;
    const ranges = rangeColumn === undefined ? [] : rangesHolding(given);
    const computed = isComputed(own, given);
    const columns = fields.map(({ column }) => `CAST(s.${quote(column)} AS TEXT)`);
    const held = rangeColumn === undefined ? 'NULL' : `s.${quote(rangeColumn)}`;

    const found: Match[] = [];
    let looked = 0;
    for await (const slice of slicesOf(accountId, model, {}, searchedRowsMax, turn)) {
      const computes = computed && looked < computedRowsMax;
      looked += slice.take;
      const { condition, args: values } = writeRange(dialect, slice);
      const args: Argument[] = [accountId, ...values];
      const argument = (value: Argument) => {
        args.push(value);
        return placeholder(args.length);
      };
      const sql =
        `SELECT s."id", ${columns.join(', ')}, ${held} FROM (SELECT * FROM ${quote(model)} WHERE ${condition}) s ` +
        `WHERE ${computes ? '1 = 1' : writeHolding(dialect, own, given, argument)} ` +
        `ORDER BY s."id" DESC LIMIT ${argument(computes ? slice.take : take)}`;
      const { rows } = await translated(connection.queryRaw({ sql, args, argTypes: args.map(argType) }));
      found.push(...rows.flatMap((row) => matchOf(row, fields, text, ranges) ?? []));
      if (found.length >= take) break;
    }
    return found.slice(0, take);
  };
}

/** Finds the field that holds the text; null where none does, which is known only once what is computed is. */
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

/** Writes the letters of ASCII small, and leaves all others. */
export function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
