// Searching objects by text: their ids, names and notes, the addresses that ranges hold, the fingerprints of keys.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { rangesHolding } from '../../domain/ip/cidr.ts';
import { translated } from '../errors.ts';
import { writeAny } from '../sql/conditions.ts';
import type { Dialect } from '../sql/dialect.ts';
import { type Bound, type EndOf, type RowRange, writeRows } from '../sql/range.ts';
import { entriesOfRow, type Pace, type Slice, type Slicing, textSlices } from '../sql/read-slices.ts';
import { collectValues, type Placing, quote } from '../sql/statement-values.ts';

/** An object that was found, with the first of its fields that contains the text. */
export interface Match {
  readonly id: string;
  readonly field: string;
  /** The value of the field; for a list, the matching entry. */
  readonly text: string;
}

/** A field that objects are searched by, in addition to the id. */
export interface SearchedField {
  readonly name: string;
  readonly column: string;
  /** Parses the stored column into the texts that are searched. */
  readonly read: (stored: string) => readonly string[];
  /** If the field is a range, the column with its canonical form: an address in the range finds it. */
  readonly rangeColumn?: string;
  /**
   * What JSON the column holds: a list or map of `texts`, all of which are searched, or a `record` with other names and values, of
   * which only what `read` returns is searched.
   */
  readonly json?: 'texts' | 'record';
  /** Matches texts that `read` may compute, which the column does not contain. For these, all of the newest objects are read. */
  readonly computedFor?: RegExp;
}

/** A text, and where to search for it. */
export interface Sought {
  readonly model: string;
  readonly fields: readonly SearchedField[];
  readonly text: string;
  /** How the caller follows the search. */
  readonly pace?: Pace | undefined;
}

/**
 * Finds the newest objects of a model that contain a text, ignoring the case of ASCII letters. Throws UNAVAILABLE if the storage
 * cannot serve it now.
 */
export type Search = (sought: Sought, take: number) => Promise<Match[]>;

/** Most rows of a model that a search looks through, newest first, so that its time does not grow with the data. */
export const searchedRowsMax = 10_000;
const computedRowsMax = 1_000;

/** Matches texts that could be found in JSON's syntax rather than in the values it holds. */
const notation = /["\\]|^[[\]{},: ]+$/;

/** Rows to search for a text. */
export interface Scan extends Sought {
  /** Which rows of the model to search: their values, and the bounds of their ids. */
  readonly among: Omit<RowRange, 'ascending' | 'take'>;
  /** Writes further conditions on a row, which the statement calls `s`. */
  readonly conditions?: (argument: Placing) => readonly string[];
  /** Columns to return for each row that is found. */
  readonly columns: readonly string[];
  /** Most rows to return per batch, with their matches; all rows without matches by default. */
  readonly take?: number;
}

/** The result of one slice of rows. */
interface Scanned {
  /** The values of the requested columns, for each row that was found. */
  readonly rows: readonly (readonly unknown[])[];
  /** What contains the text in each row, if that was requested. */
  readonly matches: readonly Match[];
  /** Where the slice ends; undefined for the last one of the list. */
  readonly until: Bound | undefined;
}

/**
 * Searches the newest `searchedRowsMax` rows for a text, in slices (`sql/read-slices.ts`). Throws UNAVAILABLE if the storage cannot serve it
 * now, and as `Slicing.slices`.
 */
export type ScanOf = (accountId: string, scan: Scan) => AsyncGenerator<Scanned>;

/** The building blocks of a search. */
interface Parts {
  readonly slicing: Slicing;
  readonly endOf: EndOf;
}

/** Creates the function that searches rows, over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createScanOf(connection: SqlQueryable, dialect: Dialect, { slicing, endOf }: Parts): ScanOf {
  return (accountId, { model, fields, text, pace, among, conditions, columns, take }) => {
    const isComputed = fields.some(({ computedFor }) => computedFor?.test(folded(text)) === true);
    const isRecord = fields.some(({ json }) => json === 'record');
    const matchIn = matcherOf(fields, text, columns.length + 1);
    let { lessThan } = among;
    let looked = 0;

    const scan = async (rowsAtOnce: number): Promise<Slice<Scanned>> => {
      const range = { ...among, lessThan, ascending: false, take: Math.min(rowsAtOnce, searchedRowsMax - looked) };
      const until = await endOf(accountId, model, range);
      // If the statement cannot decide, all rows of the slice are read.
      const computes = isComputed && looked < computedRowsMax;
      const reads = computes || isRecord || take !== undefined;
      const { argument, query } = collectValues(dialect);
      const read = ['id', ...columns].map((column) => `s.${quote(column)}`);
      if (reads) read.push(...columnsToRead(fields));
      const rows = writeRows(dialect, accountId, model, '*', { ...range, until }, argument);
      const asked = [
        ...(computes ? [] : [`(${writeHolding(dialect, fields, text, argument)})`]),
        ...(conditions?.(argument) ?? []),
      ];
      const cut =
        take === undefined ? '' : ` ORDER BY s.${quote('id')} DESC LIMIT ${argument(computes ? range.take : take)}`;
      const sql = `SELECT ${read.join(', ')} FROM (${rows}) s WHERE ${['1 = 1', ...asked].join(' AND ')}${cut}`;
      const found = (await translated(connection.queryRaw(query(sql)))).rows;
      const matches = reads ? found.map(matchIn) : [];
      looked += range.take;
      lessThan = until;
      const value = {
        rows: reads ? found.filter((_, index) => matches[index] !== null) : found,
        matches: matches.filter((match) => match !== null),
        until,
      };
      return { value, entries: range.take * entriesOfRow, isLast: until === undefined || looked >= searchedRowsMax };
    };
    return slicing.slices(accountId, textSlices, scan, pace);
  };
}

/** Writes the columns needed to find the match in a row: those of the fields, and the range column if a field has one. */
function columnsToRead(fields: readonly SearchedField[]): string[] {
  const rangeColumn = fields.find((field) => field.rangeColumn !== undefined)?.rangeColumn;
  const held = rangeColumn === undefined ? 'NULL' : `s.${quote(rangeColumn)}`;
  return [...fields.map(({ column }) => `CAST(s.${quote(column)} AS TEXT)`), held];
}

/** Writes the condition that a row, which the statement calls `s`, contains a text, or may contain it if SQL cannot decide. */
function writeHolding(
  { positionOf }: Dialect,
  fields: readonly SearchedField[],
  given: string,
  argument: Placing,
): string {
  const text = folded(given);
  // Rows with a `record` are checked after reading: here it is enough that the record may contain the text as JSON writes it.
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
    `${positionOf(`s.${quote('id')}`, argument(text))} = 1`,
    ...columns.map(({ column, written }) => `${positionOf(column, argument(written))} > 0`),
  ].join(' OR ');
}

/** Creates the search of an account from the function that searches its rows. */
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
 * Returns a function that finds the field of a row that contains the text; null if none does, because a row with computed texts is
 * read before it is known to match.
 *
 * @param first where in the row the columns of `columnsToRead` begin; the id is always at 0
 */
function matcherOf(fields: readonly SearchedField[], given: string, first: number) {
  const text = folded(given);
  const ranges = fields.some(({ rangeColumn }) => rangeColumn !== undefined) ? rangesHolding(given) : [];
  return (row: readonly unknown[]): Match | null => {
    const id = String(row[0]);
    if (folded(id).startsWith(text)) return { id, field: 'id', text: id };
    const values = fields.map(({ name, read, rangeColumn }, index) => {
      const stored = row[first + index];
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

/** Converts ASCII letters to lower case, and leaves all others. */
export function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
