// The columns of the models, for our own statements: how values go to the driver, and how the driver's values are decoded.

import type { ArgScalarType, ArgType } from '@prisma/driver-adapter-utils';
import { getDatamodel } from '../generated/pothos.ts';
import type { Decode, Decoders, Dialect } from './dialect.ts';
import { quote } from './statement-values.ts';

export type ColumnType = keyof Decoders;

/** A column of a model, and how the driver's value is converted into Prisma's. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly read: Decode | undefined;
}

/** The columns of a model whose rows belong to accounts, without `accountId`. */
export type Shape = readonly Column[];

/** The scalar type that the driver is given for the values of a column. */
const argScalarTypes: Readonly<Record<ColumnType, ArgScalarType>> = {
  String: 'string',
  Int: 'int',
  Boolean: 'boolean',
  BigInt: 'bigint',
  Json: 'json',
  DateTime: 'datetime',
  Bytes: 'bytes',
};

/** Returns whether columns may have this type. */
export function isColumnType(type: string): type is ColumnType {
  return Object.hasOwn(argScalarTypes, type);
}

/** Returns the argument type that the driver is given for a column type. */
export function argTypeOf(type: ColumnType): ArgType {
  return { scalarType: argScalarTypes[type], arity: 'scalar' };
}

/** Converts one of Prisma's values into a driver argument. */
export function toArgument(value: unknown, type: ColumnType): unknown {
  if (value === undefined) return null;
  // Null is a JSON value too.
  return type === 'Json' ? JSON.stringify(value) : value;
}

/**
 * Reads the shapes of the models that belong to accounts.
 *
 * @returns a function that finds a shape by model, and throws Error for an unknown one
 * @throws Error for a type without a decoder
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

/** Finds a column by name, so that only known names become part of a statement. Throws Error if there is none. */
export function columnOf(shape: Shape, name: string): Column {
  const column = shape.find((other) => other.name === name);
  if (column === undefined) throw new Error(`There is no column ${name}.`);
  return column;
}

/** Writes the quoted names of columns for a statement. */
export function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => quote(name)).join(', ');
}

/** Builds a row of an account from the driver's values of some columns. */
export type ToRow = (accountId: string, values: readonly unknown[]) => object;

/** Creates the function that builds rows from the values of some columns. */
export function createToRow(columns: readonly Column[]): ToRow {
  // Copied for each row: V8 gives copies one shape with room for all columns, which is cheaper than adding them one by one.
  const names = ['accountId', ...columns.map(({ name }) => name)];
  const blank: Readonly<Record<string, unknown>> = Object.fromEntries(names.map((name) => [name, null]));
  return (accountId, values) => {
    const row: Record<string, unknown> = { ...blank };
    row.accountId = accountId;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index];
      const value = values[index];
      if (column !== undefined)
        row[column.name] = column.read === undefined || value === null ? value : column.read(value);
    }
    return row;
  };
}
