// Lists narrowed to the objects that contain a text.

import { paceOf } from '../../load/answer-slices.ts';
import type { ResourceModel, Row } from '../../storage/objects/collection.ts';
import type { FoundPart } from '../../storage/objects/searched-list.ts';
import type { ListPart } from '../../storage/sql/list-parts.ts';
import type { Context } from '../kit/context.ts';
import { searchedFieldsOf } from '../kit/search-query.ts';
import { cursorAt, type Entries, type Order, type ReadList } from './list-order.ts';

interface FoundList<M extends ResourceModel> extends ReadList<M> {
  readonly text: string;
}

/** The facts about a whole list that a search finds out. */
export type FoundWhole = Pick<FoundPart, 'count' | 'isPartial'>;

/** Reads a page of the objects that contain a text. */
export async function readFound<M extends ResourceModel>(
  list: FoundList<M>,
  order: Order,
  part: ListPart,
  context: Context,
): Promise<Entries<Row<M>> & { readonly whole: FoundWhole }> {
  const { take, backward } = part;
  // One extra object tells whether the list goes on.
  const { positions: found, ...whole } = await find(list, order, { ...part, take: take + 1 }, context);
  const positions = found.slice(0, take);
  if (backward) positions.reverse();
  const ids = positions.map(({ id }) => id);
  const rows = await list.collection.getMany(context.scope, ids);
  const entries = positions.map((position, index) => ({
    cursor: cursorAt(order, position),
    node: rows[index] ?? null,
  }));
  return { entries, more: found.length > take, whole };
}

/** Counts the objects that contain a text, without reading a page. */
export async function lookThrough<M extends ResourceModel>(
  list: FoundList<M>,
  order: Order,
  context: Context,
): Promise<FoundWhole> {
  const none = { take: 0, backward: false, after: undefined, before: undefined };
  return find(list, order, none, context);
}

function find<M extends ResourceModel>(
  { collection: { model }, where, within, text }: FoundList<M>,
  order: Order,
  part: ListPart,
  context: Context,
): Promise<FoundPart> {
  const fields = searchedFieldsOf(model) ?? [];
  const list = { model, fields, text, where, within, pace: paceOf(context) };
  return context.scope.rows.searchedList(list, order, part);
}
