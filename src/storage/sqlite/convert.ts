// Converts values between Prisma and SQLite: arguments going in, column types and rows coming out.
import { type ArgType, type ColumnType, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { ColumnDefinition } from 'better-sqlite3';

/** The columns of a statement, as far as they are known without rows. */
export interface Columns {
  readonly names: string[];
  /** Undefined for an expression: SQLite declares no type for it, so its values decide. */
  readonly types: readonly (ColumnType | undefined)[];
  /** Indexes of the columns whose values may be numbers; only these need converting. */
  readonly numeric: readonly number[];
  /** Whether integers may be too large for a number. If so, the driver must return all integers as `bigint`, which takes longer. */
  readonly wide: boolean;
}

/**
 * The types that Prisma's migrations declare on SQLite, one for each scalar of its schema language. Nothing else
 * creates tables here; a column of any other type is judged by its values.
 */
const declaredTypes: ReadonlyMap<string | null, ColumnType> = new Map([
  ['TEXT', ColumnTypeEnum.Text],
  ['INTEGER', ColumnTypeEnum.Int32],
  ['BIGINT', ColumnTypeEnum.Int64],
  ['REAL', ColumnTypeEnum.Double],
  ['DECIMAL', ColumnTypeEnum.Numeric],
  ['BOOLEAN', ColumnTypeEnum.Boolean],
  ['DATETIME', ColumnTypeEnum.DateTime],
  ['JSONB', ColumnTypeEnum.Json],
  ['BLOB', ColumnTypeEnum.Bytes],
]);

/** Types whose integers a number holds exactly. Any other may hold 64 bits: an expression, and JSON, whose text may be a number. */
const narrowTypes: ReadonlySet<ColumnType | undefined> = new Set([
  ColumnTypeEnum.Text,
  ColumnTypeEnum.Int32,
  ColumnTypeEnum.Double,
  ColumnTypeEnum.Boolean,
  ColumnTypeEnum.DateTime,
  ColumnTypeEnum.Bytes,
]);

/** Describes a statement's columns from their definitions alone. */
export function describeColumns(definitions: readonly ColumnDefinition[]): Columns {
  const types = definitions.map((definition) => declaredTypes.get(definition.type?.toUpperCase() ?? null));
  // TEXT is the one declared type that turns every number into text when it is stored (affinity, sqlite.org/datatype3).
  const numeric = types.flatMap((type, index) => (type === ColumnTypeEnum.Text ? [] : [index]));
  const wide = !types.every((type) => narrowTypes.has(type));
  return { names: definitions.map((definition) => definition.name), types, numeric, wide };
}

/** Converts one argument of Prisma to what SQLite stores, in the formats that Prisma's own tools use. */
export function toSqlite(value: unknown, type: ArgType | undefined): unknown {
  switch (typeof value) {
    case 'boolean':
      return value ? 1n : 0n;
    case 'number':
      // The driver binds every JavaScript number as a REAL, and 5 / 2.0 is not 5 / 2.
      return Number.isSafeInteger(value) && type?.scalarType !== 'float' ? BigInt(value) : value;
    case 'string':
      switch (type?.scalarType) {
        case 'int':
        case 'bigint':
          return BigInt(value);
        case 'float':
        case 'decimal':
          return Number(value);
        case 'datetime':
          return dateText(new Date(value));
        case 'bytes':
          return Buffer.from(value, 'base64');
        default:
          return value;
      }
    default:
      return value instanceof Date ? dateText(value) : value;
  }
}

/** Formats a time with `+00:00` instead of `Z`, like Prisma: stored times are compared as text. */
function dateText(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

/** Converts the rows of a statement in place, and returns the type of each column. */
export function fromSqlite(columns: Columns, rows: readonly unknown[][]): ColumnType[] {
  const types = columns.types.map((type, index) => type ?? typeOfValues(rows, index));
  for (const index of columns.numeric) {
    const type = types[index];
    for (const row of rows) row[index] = valueFromSqlite(row[index], type);
  }
  return types;
}

function valueFromSqlite(value: unknown, type: ColumnType | undefined): unknown {
  if (typeof value !== 'bigint' && typeof value !== 'number') return value;
  // A number in a DATETIME column is milliseconds since 1970: older versions of Prisma wrote times that way.
  if (type === ColumnTypeEnum.DateTime) return new Date(Number(value)).toISOString();
  // JSONB has numeric affinity: the JSON text `1` is stored as a number, and Prisma wants text back.
  if (type === ColumnTypeEnum.Json) return String(value);
  if (typeof value === 'number') return value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
}

/** Finds a type that fits every value of a column; a column of nulls fits any type. */
function typeOfValues(rows: readonly unknown[][], index: number): ColumnType {
  const kinds = new Set(rows.map((row) => row[index]).map((value) => (value === null ? null : typeof value)));
  kinds.delete(null);
  if (kinds.has('string')) return ColumnTypeEnum.Text;
  if (kinds.has('object')) return ColumnTypeEnum.Bytes;
  // Reals among integers: Prisma would truncate the reals if the column were an integer.
  if (kinds.has('number')) return ColumnTypeEnum.UnknownNumber;
  return kinds.has('bigint') ? ColumnTypeEnum.Int64 : ColumnTypeEnum.Int32;
}
