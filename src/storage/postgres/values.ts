// Values between Prisma and PostgreSQL: arguments going in, column types and rows coming out.

import { type ArgType, type ColumnType, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';

interface Reading {
  readonly type: ColumnType;
  /** Converts the text that PostgreSQL sends; undefined if Prisma takes it as it is. */
  readonly read?: (text: string) => unknown;
}

const text: Reading = { type: ColumnTypeEnum.Text };
// The driver can read lists, but the type of its ids has only single values.
const textList: Reading = {
  type: ColumnTypeEnum.TextArray,
  read: pg.types.getTypeParser(1009 as typeof pg.types.builtins.TEXT),
};
const time: Reading = { type: ColumnTypeEnum.DateTime, read: isoTime };

/** PostgreSQL's type of a time without a zone. */
const timestamp = 1114;

/** How values are read, by the object id of their type (`pg_type.dat` of PostgreSQL; those ids never change). */
const readings: ReadonlyMap<number, Reading> = new Map([
  [16, { type: ColumnTypeEnum.Boolean, read: (value: string) => value === 't' }],
  [17, { type: ColumnTypeEnum.Bytes, read: pg.types.getTypeParser(17) }],
  [18, { type: ColumnTypeEnum.Character }], // "char", in the system's own tables
  [19, text], // name
  [20, { type: ColumnTypeEnum.Int64 }],
  [21, { type: ColumnTypeEnum.Int32, read: Number }],
  [23, { type: ColumnTypeEnum.Int32, read: Number }],
  [25, text],
  [26, { type: ColumnTypeEnum.Int64 }], // oid
  [114, { type: ColumnTypeEnum.Json }],
  [700, { type: ColumnTypeEnum.Float, read: Number }],
  [701, { type: ColumnTypeEnum.Double, read: Number }],
  [1002, textList], // char[]
  [1003, textList], // name[]
  [1009, textList],
  [1042, text], // bpchar
  [1043, text], // varchar
  [timestamp, time],
  [1184, time],
  [1700, { type: ColumnTypeEnum.Numeric }],
  [2950, { type: ColumnTypeEnum.Uuid }],
  [3802, { type: ColumnTypeEnum.Json }],
]);

/** Returns the type of a column: text if unknown, because PostgreSQL can send every type as text. */
export function columnType(oid: number): ColumnType {
  return (readings.get(oid) ?? text).type;
}

/** How the driver reads values: into the forms that Prisma takes. */
export const types = {
  getTypeParser: (oid: number) => readings.get(oid)?.read ?? ((value: string) => value),
};

/**
 * Returns the function that turns the text that PostgreSQL sends into a value for the decoders of the dialect; undefined if they
 * take the text. Times stay text: converting each into Prisma's form would be wasted work.
 */
export function parserOf(oid: number): ((text: string) => unknown) | undefined {
  const reading = readings.get(oid);
  return oid === timestamp ? undefined : reading?.read;
}

/**
 * Converts a time as PostgreSQL sends it, `2027-01-31 09:30:00.5`, into the form that SQLite stores, with all three digits of the
 * milliseconds: `2027-01-31T09:30:00.500+00:00`. All times are stored in UTC, without a zone.
 */
function isoTime(value: string): string {
  // Every object of a page has one, so this only cuts: most of PostgreSQL's text already has its form.
  const zone = value.endsWith('+00') ? 3 : 0;
  const milliseconds = value
    .slice(dayAndClock + 1, value.length - zone)
    .padEnd(3, '0')
    .slice(0, 3);
  return `${value.slice(0, 10)}T${value.slice(11, dayAndClock)}.${milliseconds}+00:00`;
}

/** The length of `2027-01-31 09:30:00`. */
const dayAndClock = 19;

/** Converts a Prisma argument into what the driver sends. */
export function toPostgres(value: unknown, type: ArgType | undefined): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value !== 'string') return value;
  switch (type?.scalarType) {
    case 'datetime':
      return new Date(value).toISOString();
    case 'bytes':
      return Buffer.from(value, 'base64');
    default:
      return value;
  }
}

/** Converts a Prisma argument into its form in a protocol message: text, or bytes as they are. Takes no lists. */
export function toText(value: unknown, type: ArgType | undefined): string | Buffer | null {
  const sent = toPostgres(value, type);
  if (sent === null || sent === undefined || sent instanceof Buffer) return sent ?? null;
  return String(sent);
}
