// Translates conditions on rows from Prisma's terms into SQL for our own statements, as far as the filters of lists need it.

import { getDatamodel } from '../generated/pothos.ts';
import { columnOf, type Shape } from './shapes.ts';
import type { Argument, Placing } from './statement-values.ts';
import { quote } from './statement-values.ts';

/** Writes the condition of a list, as `createConditions` says. */
export type WriteConditions = ReturnType<typeof createConditions>;

/** The comparison operators in SQL. */
const signs: Readonly<Record<string, string>> = { equals: '=', lt: '<', lte: '<=', gt: '>', gte: '>=', not: '<>' };

/**
 * Creates the function that writes the condition of a list, for rows that the statement has under an alias. It returns the parts,
 * to be joined by AND.
 *
 * @throws Error for a condition that it does not know
 */
export function createConditions(shapeOf: (model: string) => Shape) {
  const write = (model: string, row: string, where: object, argument: Placing): string[] =>
    Object.entries(where).flatMap(([name, wanted]: [string, unknown]) => {
      if (wanted === undefined) return [];
      if (name === 'OR' && Array.isArray(wanted)) {
        const each = wanted.map((one: object) => ['1 = 1', ...write(model, row, one, argument)].join(' AND '));
        return [each.length === 0 ? '1 = 0' : `(${each.join(' OR ')})`];
      }
      if (isObject(wanted) && isObject(wanted.some)) return [writeSome(model, row, name, wanted.some, argument)];
      const column = `${row}.${name === 'accountId' ? quote(name) : quote(columnOf(shapeOf(model), name).name)}`;
      if (wanted === null) return [`${column} IS NULL`];
      if (isComparable(wanted)) return [`${column} = ${argument(wanted)}`];
      if (!isObject(wanted)) throw unknown(name);
      return Object.entries(wanted).flatMap(([comparison, value]) => {
        if (value === undefined) return [];
        if (comparison === 'not' && value === null) return [`${column} IS NOT NULL`];
        if (comparison === 'in' && Array.isArray(value)) return [writeAny(column, value, argument)];
        if (comparison === 'notIn' && Array.isArray(value)) return [`NOT (${writeAny(column, value, argument)})`];
        const sign = signs[comparison];
        if (sign === undefined || !isComparable(value)) throw unknown(`${name}.${comparison}`);
        return [`${column} ${sign} ${argument(value)}`];
      });
    });

  const writeSome = (model: string, row: string, name: string, where: object, argument: Placing): string => {
    const { models } = getDatamodel().datamodel;
    const other = models[model]?.fields.find((field) => field.name === name)?.type ?? '';
    const reference = models[other]?.fields.find(
      ({ type, relationFromFields: from }) => type === model && from?.length,
    );
    const [key] = reference?.relationFromFields ?? [];
    if (key === undefined) throw unknown(name);
    const conditions = [`o.${quote(key)} = ${row}.${quote('id')}`, ...write(other, 'o', where, argument)];
    return `EXISTS (SELECT 1 FROM ${quote(other)} o WHERE ${conditions.join(' AND ')})`;
  };

  return write;
}

/** Writes the condition that a column has one of some values. */
export function writeAny(column: string, values: readonly unknown[], argument: Placing): string {
  // SQL has no empty lists.
  if (values.length === 0) return '1 = 0';
  const placeholders = values.map((value) => {
    if (!isComparable(value)) throw unknown(column);
    return argument(value);
  });
  return `${column} IN (${placeholders.join(', ')})`;
}

function unknown(what: string): Error {
  return new Error(`${what}: this condition cannot be searched by. Teach it to conditions.ts.`);
}

function isComparable(value: unknown): value is Argument {
  return typeof value === 'string' || typeof value === 'boolean' || value instanceof Date;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns whether a condition only requires columns to have certain texts. */
export function isPlain(where: object): where is Record<string, string> {
  return Object.values(where).every((value) => typeof value === 'string');
}

/** Returns the conditions that require a column to have a certain text. */
export function plainIn(where: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(where).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/**
 * Returns the first condition that requires a column to have a certain text, or none. A list is read along the index of that column,
 * and no index has two such columns.
 *
 * @param isIndexed returns whether an index can find the rows by a column; by default, of any
 */
export function equalIn(where: object, isIndexed = (_column: string) => true): Record<string, string> {
  const equal = Object.entries(where).find(([column, value]) => typeof value === 'string' && isIndexed(column));
  return equal === undefined ? {} : Object.fromEntries([equal]);
}

/** Returns the ids that a condition lists; undefined if it lists none. They are few. */
export function idsIn(where: object): readonly string[] | undefined {
  const { id } = where as { readonly id?: { readonly in?: readonly string[] } };
  return typeof id === 'object' ? id.in : undefined;
}

/** Returns a condition without those on some columns, and without those that ask nothing. */
export function without(where: object, columns: object): object {
  return Object.fromEntries(
    Object.entries(where).filter(([name, wanted]) => wanted !== undefined && !(name in columns)),
  );
}
