// The orders of lists: the values that clients choose from, cursors that mark positions, and reading a page in an order.

import type { InputRef } from '@pothos/core';
import { invalid, type SallyportError } from '../../domain/errors.ts';
import { isIdOf, type Kind } from '../../domain/values/ids.ts';
import { lastMs } from '../../domain/values/time.ts';
import { paceOf } from '../../load/answer-slices.ts';
import type { ObjectReads, PageRequest, ResourceModel, Row } from '../../storage/objects/collection.ts';
import type { IdBounds, ListPart, Position, RowOrder } from '../../storage/sql/list-parts.ts';
import { versionColumn } from '../../storage/sql/range.ts';
import { builder } from '../kit/builder.ts';
import type { Context } from '../kit/context.ts';
import { enumOf, enumValues } from '../kit/enum-values.ts';

export interface Order extends RowOrder {
  /** The suffix that its cursors carry after the position; undefined for `newestFirst`, whose cursors predate the suffix. */
  readonly mark: string | undefined;
}

/** The default order. */
export const newestFirst: Order = { column: undefined, ascending: false, mark: undefined };

export const orders = {
  created_at_desc: newestFirst,
  created_at_asc: { column: undefined, ascending: true, mark: 'created_at_asc' },
  updated_at_desc: { column: 'updatedAt', ascending: false, mark: 'updated_at_desc' },
  updated_at_asc: { column: 'updatedAt', ascending: true, mark: 'updated_at_asc' },
} as const satisfies Record<string, Order>;

export const orderValues = enumValues<keyof typeof orders>({
  created_at_desc: 'By the time of creation, newest first.',
  created_at_asc: 'By the time of creation, oldest first.',
  updated_at_desc:
    'By the time of the last change, latest first. An object that changes between two pages moves to the beginning.',
  updated_at_asc:
    'By the time of the last change, earliest first. An object that changes between two pages moves to the end.',
});

export interface Orders {
  /** The enum of the orders. */
  readonly type: InputRef<string>;
  /** The orders by the values of the enum. */
  readonly values: Readonly<Record<string, Order>>;
}

/** The default choice of orders. */
export const listOrders: Orders = {
  type: builder.enumType('ListOrder', {
    description: 'The order of a list of objects.',
    values: orderValues,
  }),
  values: orders,
};

/** The orders of lists of sessions, which nobody edits: by their beginning and by their last use. */
export const sessionOrders: Orders = {
  type: enumOf('SessionOrder', 'The order of a list of sessions.', {
    created_at_desc: 'By start, latest first.',
    created_at_asc: 'By start, earliest first.',
    last_used_at_desc: 'By last use, latest first.',
    last_used_at_asc: 'By last use, earliest first.',
  }),
  values: {
    created_at_desc: newestFirst,
    created_at_asc: orders.created_at_asc,
    last_used_at_desc: { column: 'lastUsedAt', ascending: false, mark: 'last_used_at_desc' },
    last_used_at_asc: { column: 'lastUsedAt', ascending: true, mark: 'last_used_at_asc' },
  },
};

/** The highest version: number columns are signed 32-bit integers. */
const versionMax = 2 ** 31 - 1;

/** Returns the same order by version, for the events of one object. Versions are exact; ids are only as exact as clocks agree. */
export function byVersion(order: Order): Order {
  return { ...order, column: versionColumn };
}

/** Returns the order with the given name; newest first if there is none. */
export function orderOf({ values }: Orders, name: string | null | undefined): Order {
  return (name == null ? undefined : values[name]) ?? newestFirst;
}

/** A list, with the condition that its objects meet. */
export interface ReadList<M extends ResourceModel> {
  readonly collection: ObjectReads<M>;
  readonly where: object;
  readonly within: IdBounds;
}

/** The objects of a page with their cursors. */
export interface Entries<R> {
  /** Null for an object that was deleted after its position was read: the list goes on there all the same. */
  readonly entries: readonly { readonly cursor: string; readonly node: R | null }[];
  /** Whether the list goes on beyond the page in the direction of reading. */
  readonly more: boolean;
}

/**
 * Reads a page in an order, in one statement unless few of many rows may meet the condition.
 *
 * @param columns those to read, the id and that of the order among them; all by default
 */
export async function readInOrder<M extends ResourceModel>(
  { collection, where, within }: ReadList<M>,
  order: Order,
  part: ListPart,
  context: Context,
  columns?: readonly string[],
): Promise<Entries<Row<M>>> {
  const { column, ascending } = order;
  // The storage reads the newest first by creation, and the earliest first by any other time. For the opposite, the page is reversed.
  const isOfTime = column !== undefined && column !== versionColumn;
  const isTurned = ascending !== isOfTime;
  const { take } = part;
  const backward = part.backward !== isTurned;
  const [after, before] = isTurned ? [part.before, part.after] : [part.after, part.before];
  const bounds = { take, backward, after, before };
  const [{ scope }, pace] = [context, paceOf(context)];
  const { rows, more } = isOfTime
    ? await collection.pageByTime(scope, column, bounds, where, pace, columns)
    : await collection.page(scope, pageRequest(column, bounds, within), where, pace, columns);
  const entries = rows.map((row) => ({ cursor: cursorAt(order, positionOf(column, row)), node: row }));
  return { entries: isTurned ? entries.reverse() : entries, more };
}

/** Returns the position of a row in the order of a column; undefined for the id. */
function positionOf(column: string | undefined, row: { readonly id: string }): Position {
  // Safe cast: a row is an object of columns.
  const value = column === undefined ? 0 : (row as { readonly [column: string]: unknown })[column];
  if (!(value instanceof Date) && typeof value !== 'number') throw new Error(`${column} is no time, and no version.`);
  return { id: row.id, value };
}

/** Formats the cursor of an object. It contains the time or version, so it stays valid when the object is changed or deleted. */
export function cursorAt({ column, mark }: Order, { id, value }: Position): string {
  const ofColumn = column === undefined ? '' : `.${Number(value)}`;
  return `${id}${ofColumn}${mark === undefined ? '' : `.${mark}`}`;
}

/** The form of all cursors: an id, a time in milliseconds or a version, and the name of an order. */
const cursorForm = /^([a-z]+_[0-9a-z]+)(?:\.(\d{1,15}))?(?:\.([a-z_]+))?$/;

/** Parses a cursor of an order. Throws INVALID_INPUT. */
export function readCursor(
  kind: Kind,
  { column, mark }: Order,
  field: string,
  text: string | null | undefined,
): Position | undefined {
  if (text == null) return undefined;
  const [, id = '', digits, ofOrder] = cursorForm.exec(text) ?? [];
  const isOfVersions = column === versionColumn;
  const value = Number(digits ?? 0);
  if (!isIdOf(kind, id) || value > (isOfVersions ? versionMax : lastMs)) throw noCursor(field);
  if (ofOrder !== mark || (digits === undefined) !== (column === undefined)) {
    throw otherOrder(field);
  }
  return { id, value: isOfVersions ? value : new Date(value) };
}

/** Creates the error for a cursor of another order. */
export function otherOrder(field: string): SallyportError {
  return invalid(field, 'is a cursor of another order. Leave it out to begin with the first page of this one.');
}

/** Creates the error for text that is not a cursor of a list. */
export function noCursor(field: string): SallyportError {
  return invalid(field, 'must be a cursor from an earlier page of this list.');
}

/** Builds the request for a page by ids or versions, between two positions and within bounds on ids. */
function pageRequest(
  column: string | undefined,
  { take, backward, after, before }: ListPart,
  { olderThan, newerThan }: IdBounds,
): PageRequest {
  if (column !== undefined) {
    const versionAt = (position: Position | undefined) => (position === undefined ? undefined : Number(position.value));
    const versions = { olderThan: versionAt(after), newerThan: versionAt(before) };
    return { take, backward, olderThan, newerThan, versions };
  }
  const ids = (...bounds: (string | undefined)[]) => bounds.filter((bound) => bound !== undefined).sort();
  return { take, backward, olderThan: ids(after?.id, olderThan)[0], newerThan: ids(before?.id, newerThan).at(-1) };
}
