// The columns of the models, for statements that are written here: how a value goes to the driver, and what becomes of one
// that comes from it.

import type { ArgScalarType, ArgType } from '@prisma/driver-adapter-utils';
import type { Decode, Decoders, Dialect } from './engine.ts';
import { getDatamodel } from './generated/pothos.ts';

/** A type that columns have. */
export type ColumnType = keyof Decoders;

/** A column of a model, and how a value of the driver becomes the one that Prisma gives. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly read: Decode | undefined;
}

/** The columns of a model whose rows belong to accounts: all but the account. */
export type Shape = readonly Column[];

/** What the driver is told of the values of a column. */
const argScalarTypes: Readonly<Record<ColumnType, ArgScalarType>> = {
  String: 'string',
  Int: 'int',
  Boolean: 'boolean',
  BigInt: 'bigint',
  Json: 'json',
  DateTime: 'datetime',
  Bytes: 'bytes',
};

/** Tells whether it is a type that columns here may have. */
export function isColumnType(type: string): type is ColumnType {
  return Object.hasOwn(argScalarTypes, type);
}

/** Gives what the driver is told of the values of a type. */
export function argTypeOf(type: ColumnType): ArgType {
  return { scalarType: argScalarTypes[type], arity: 'scalar' };
}

/** Writes a value of Prisma's as the drivers take it. */
export function toArgument(value: unknown, type: ColumnType): unknown {
  if (value === undefined) return null;
  // Null is a JSON value, too.
  return type === 'Json' ? JSON.stringify(value) : value;
}

/**
 * Reads the shapes of the models that belong to accounts. Gives what finds one by the name of its model, or throws.
 *
 * @throws Error for a type that nobody taught it
 */
export function createShapes({ decode }: Dialect): (model: string) => Shape {
  const shapes = new Map<string, Shape>();
  for (const [model, { fields }] of Object.entries(getDatamodel().datamodel.models)) {
    const scalars = fields.filter(({ kind }) => kind === 'scalar');
    if (!scalars.some(({ name }) => name === 'accountId')) continue;
    const columns = scalars
      .filter(({ name }) => name !== 'accountId')
      .map(({ name, type }) => {
        if (!isColumnType(type)) {
          throw new Error(`${model}.${name} has the type ${type}: add it to the decoders of every dialect.`);
        }
        return { name, type, read: decode[type] };
      });
    shapes.set(model, columns);
  }
  return (model) => {
    const shape = shapes.get(model);
    if (shape === undefined) throw new Error(`There is no model ${model}.`);
    return shape;
  };
}

/** Finds a column, so that nothing else becomes part of a statement. */
export function columnOf(shape: Shape, name: string): Column {
  const column = shape.find((other) => other.name === name);
  if (column === undefined) throw new Error(`There is no column ${name}.`);
  return column;
}

/** Writes the names of columns for a statement. */
export function namesOf({ quote }: Dialect, columns: readonly Column[]): string {
  return columns.map(({ name }) => quote(name)).join(', ');
}

/** Makes a row of an account out of the driver's values of some columns. */
export type ToRow = (accountId: string, values: readonly unknown[]) => object;

/** Creates what makes rows of the values of some columns. */
export function createToRow(columns: readonly Column[]): ToRow {
  // To copy: V8 gives the copies one shape and room for all columns, which takes less time and memory than to add them one by one.
  const names = ['accountId', ...columns.map(({ name }) => name)];
  const blank: Readonly<Record<string, unknown>> = Object.fromEntries(names.map((name) => [name, null]));
  return (accountId, values) => {
    const row: Record<string, unknown> = { ...blank };
    row.accountId = accountId;
    for (let place = 0; place < columns.length; place++) {
      const column = columns[place];
      const value = values[place];
      if (column !== undefined)
        row[column.name] = column.read === undefined || value === null ? value : column.read(value);
    }
    return row;
  };
}
