// Finding objects by what they are called: their ids, names and notes, the addresses that ranges hold, the fingerprints of keys.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { rangesHolding } from '../domain/cidr.ts';
import { writeAny } from './conditions.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import { type Bound, type EndOf, type RowRange, writeRange } from './range.ts';
import { collectValues, type Placing } from './statement-values.ts';

/** An object that was found, with the first of its fields that holds the text. */
export interface Match {
  readonly id: string;
  readonly field: string;
  /** The value of the field; of a list, the entry. */
  readonly text: string;
}

/** A field that objects are searched by, beside the id. */
export interface SearchedField {
  readonly name: string;
  readonly column: string;
  /** Reads what the column holds: the texts that may be the one. */
  readonly read: (stored: string) => readonly string[];
  /** The column with the range in canonical form, of a field that is one: it is found by an address in it. */
  readonly rangeColumn?: string;
  /**
   * What JSON the column holds: a list or a map of `texts`, all of which are looked in, or a `record` with names and values of its own,
   * of which only what is read is.
   */
  readonly json?: 'texts' | 'record';
  /** Text that may be in what is read, where the column does not hold it as it is: then all of the newest objects are read. */
  readonly computedFor?: RegExp;
}

/** A text, and where it is looked for. */
export interface Sought {
  readonly model: string;
  readonly fields: readonly SearchedField[];
  readonly text: string;
  /** Waits before each part of the rows that are looked through. */
  readonly turn: Turn;
}

/**
 * Finds the newest objects of a model that hold a text. Letters of ASCII may be of either case. Throws UNAVAILABLE where the storage
 * cannot serve it now.
 */
export type Search = (sought: Sought, take: number) => Promise<Match[]>;

/** Waits for the turn in which the next rows are looked through. Rejects where nobody waits for what is found. */
export type Turn = () => Promise<void>;

/** Rows of a model that are looked through, the newest: so that no search takes longer the more there is. */
export const searchedRowsMax = 10_000;
/** Rows of which something is computed for a search. */
const computedRowsMax = 1_000;
/** Rows that are looked through by one statement: with the longest notes, that takes 10 ms on SQLite (measured), where nobody else is served meanwhile. */
const rowsAtOnce = 1_000;

/** Text that may be of the notation of JSON rather than in what it holds. */
const notation = /["\\]|^[[\]{},: ]+$/;

/** Rows to look through for a text. */
export interface Scan extends Sought {
  /** Which rows of the model: those that have these values, with ids between these. */
  readonly among: Omit<RowRange, 'ascending' | 'take'>;
  /** Writes what else is asked of a row, which the statement calls `s`. */
  readonly conditions?: (argument: Placing) => readonly string[];
  /** Columns to read of each row that is found. */
  readonly columns: readonly string[];
  /** How many rows of a part are wanted, with what of each holds the text; all of them without that unless given. */
  readonly take?: number;
}

/** What a part of the rows holds. */
interface Scanned {
  /** The values of the columns that were asked for, of each row that was found. */
  readonly rows: readonly (readonly unknown[])[];
  /** What of each holds the text, where that was asked for. */
  readonly matches: readonly Match[];
  /** Where the part ends, in the order of its rows; undefined where it is the last part. */
  readonly until: Bound | undefined;
}

/**
 * Looks through the newest `searchedRowsMax` rows for a text, part by part, each in a turn of its own. Throws UNAVAILABLE where the storage
 * cannot serve it now.
 */
export type ScanOf = (accountId: string, scan: Scan) => AsyncGenerator<Scanned>;

/** Creates what looks through rows, over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createScanOf(connection: SqlQueryable, dialect: Dialect, endOf: EndOf): ScanOf {
  const { quote } = dialect;
  return async function* (accountId, { model, fields, text, turn, among, conditions, columns, take }) {
    const isComputed = fields.some(({ computedFor }) => computedFor?.test(folded(text)) === true);
    const isRecord = fields.some(({ json }) => json === 'record');
    let { lessThan } = among;
    for (let looked = 0; looked < searchedRowsMax; looked += rowsAtOnce) {
      await turn();
      const range = { ...among, lessThan, ascending: false, take: rowsAtOnce };
      const until = await endOf(accountId, model, range);
      // What a statement cannot tell, all rows are read for.
      const computes = isComputed && looked < computedRowsMax;
      const reads = computes || isRecord || take !== undefined;
      const { argument, query } = collectValues(dialect);
      const read = ['id', ...columns].map((column) => `s.${quote(column)}`);
      if (reads) read.push(...columnsToRead(dialect, fields));
      const rows = `SELECT * FROM ${quote(model)} WHERE ${writeRange(dialect, accountId, { ...range, until }, argument)}`;
      const asked = [
        ...(computes ? [] : [`(${writeHolding(dialect, fields, text, argument)})`]),
        ...(conditions?.(argument) ?? []),
      ];
      const cut =
        take === undefined ? '' : ` ORDER BY s.${quote('id')} DESC LIMIT ${argument(computes ? rowsAtOnce : take)}`;
      const sql = `SELECT ${read.join(', ')} FROM (${rows}) s WHERE ${['1 = 1', ...asked].join(' AND ')}${cut}`;
      const found = (await translated(connection.queryRaw(query(sql)))).rows;
      const matchIn = matcherOf(fields, text, columns.length + 1);
      const matches = reads ? found.map(matchIn) : [];
      yield {
        rows: reads ? found.filter((_, place) => matches[place] !== null) : found,
        matches: matches.filter((match) => match !== null),
        until,
      };
      if (until === undefined) return;
      lessThan = until;
    }
  };
}

/** Writes the columns that tell what of a row holds a text: those of the fields, and the range, if one of them is that. */
function columnsToRead({ quote }: Dialect, fields: readonly SearchedField[]): string[] {
  const rangeColumn = fields.find((field) => field.rangeColumn !== undefined)?.rangeColumn;
  const held = rangeColumn === undefined ? 'NULL' : `s.${quote(rangeColumn)}`;
  return [...fields.map(({ column }) => `CAST(s.${quote(column)} AS TEXT)`), held];
}

/** Writes that a row, which the statement calls `s`, holds a text: of what it cannot tell, that it may. */
function writeHolding(
  { quote, placeOf }: Dialect,
  fields: readonly SearchedField[],
  given: string,
  argument: Placing,
): string {
  const text = folded(given);
  // Rows with a `record` are read for what it holds: here it is enough that it may hold the text, as JSON writes that.
  const columns = fields
    .filter(({ computedFor, json }) => computedFor === undefined && !(json === 'texts' && notation.test(text)))
    .map(({ column, json }) => ({
      column: `CAST(s.${quote(column)} AS TEXT)`,
      written: json === 'record' ? JSON.stringify(text).slice(1, -1) : text,
    }));
  const ranges = fields.flatMap(({ rangeColumn }) =>
    rangeColumn === undefined ? [] : writeAny(`s.${quote(rangeColumn)}`, rangesHolding(given), argument),
  );
  return [
    ...ranges,
    `${placeOf(`s.${quote('id')}`, argument(text))} = 1`,
    ...columns.map(({ column, written }) => `${placeOf(column, argument(written))} > 0`),
  ].join(' OR ');
}

/** Creates the search of an account out of what looks through its rows. */
export function createSearchOf(scanOf: ScanOf): (accountId: string) => Search {
  return (accountId) => async (sought, take) => {
    const among = { equal: {}, lessThan: undefined, greaterThan: undefined };
    const found: Match[] = [];
    for await (const { matches } of scanOf(accountId, { ...sought, among, columns: [], take })) {
      found.push(...matches);
      if (found.length >= take) break;
    }
    return found.slice(0, take);
  };
}

/**
 * Makes what finds the field of a row that holds the text; null where none does, which is known only once what is computed is.
 *
 * @param first where in the row the columns begin that `columnsToRead` names; the id comes first of all
 */
function matcherOf(fields: readonly SearchedField[], given: string, first: number) {
  const text = folded(given);
  const ranges = fields.some(({ rangeColumn }) => rangeColumn !== undefined) ? rangesHolding(given) : [];
  return (row: readonly unknown[]): Match | null => {
    const id = String(row[0]);
    if (folded(id).startsWith(text)) return { id, field: 'id', text: id };
    const values = fields.map(({ name, read, rangeColumn }, place) => {
      const stored = row[first + place];
      return { name, texts: stored === null ? [] : read(String(stored)), isRange: rangeColumn !== undefined };
    });
    for (const { name, texts } of values) {
      const matching = texts.find((one) => folded(one).includes(text));
      if (matching !== undefined) return { id, field: name, text: matching };
    }
    const held = values.find(({ isRange }) => isRange && ranges.includes(String(row.at(-1))));
    return held === undefined ? null : { id, field: held.name, text: held.texts[0] ?? '' };
  };
}

/** Writes the letters of ASCII small, and leaves all others. */
export function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
