// Lists narrowed to the objects that hold a text.

import type { ObjectReads, ResourceModel, Row, Selection } from '../storage/collection.ts';
import type { SearchedList } from '../storage/list-search.ts';
import type { Edges } from './connection.ts';
import type { Context } from './context.ts';
import { cursorAt, type Order, type Range } from './list-order.ts';
import { searchedFieldsOf, searchTurn } from './search.ts';

/** A list and the text that its objects hold. */
interface FoundList<M extends ResourceModel> {
  readonly collection: ObjectReads<M>;
  readonly where: object;
  readonly text: string;
}

/** Reads a page of the objects that hold a text. */
export async function readFound<M extends ResourceModel>(
  list: FoundList<M>,
  order: Order,
  range: Range,
  selection: Selection,
  context: Context,
): Promise<Edges<Row<M>>> {
  const { scope } = context;
  const { take, backward } = range;
  const { column, ascending } = order;
  // One more than is asked for tells whether there is one.
  const found = await scope.rows.searchedList.places(searched(list, context), {
    ...range,
    column,
    ascending,
    take: take + 1,
  });
  const places = found.slice(0, take);
  if (backward) places.reverse();
  const rows = await list.collection.getMany(
    scope,
    places.map(({ id }) => id),
    selection,
  );
  const edges = places.flatMap((place, index) => {
    const node = rows[index] ?? null;
    // Deleted meanwhile.
    return node === null ? [] : [{ cursor: cursorAt(order, place), node }];
  });
  return { edges, more: found.length > take };
}

/** Counts the objects that hold a text. */
export function countFound<M extends ResourceModel>(list: FoundList<M>, context: Context): Promise<number> {
  return context.scope.rows.searchedList.count(searched(list, context));
}

function searched<M extends ResourceModel>(
  { collection: { model }, where, text }: FoundList<M>,
  context: Context,
): SearchedList {
  return { model, own: searchedFieldsOf(model) ?? [], text, where, turn: searchTurn(context) };
}
