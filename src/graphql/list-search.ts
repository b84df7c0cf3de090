// Lists narrowed to the objects that hold a text.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ObjectReads, ResourceModel, Row, Selection } from '../storage/collection.ts';
import type { SearchedList } from '../storage/list-search.ts';
import type { Edges } from './connection.ts';
import type { Context } from './context.ts';
import { cursorAt, type Order, type Range } from './list-order.ts';
import { searchedFieldsOf } from './search.ts';

/** A list and the text that its objects hold. */
interface FoundList<M extends ResourceModel> {
  readonly collection: ObjectReads<M>;
  readonly where: object;
  readonly text: string;
}

/** Reads a page of the objects that hold a text, in a turn of its own: to look through 10,000 objects takes milliseconds. */
export async function readFound<M extends ResourceModel>(
  list: FoundList<M>,
  order: Order,
  range: Range,
  selection: Selection,
  { scope }: Context,
): Promise<Edges<Row<M>>> {
  await nextTurn();
  const { take, backward } = range;
  const { column, ascending } = order;
  // One more than is asked for tells whether there is one.
  const found = await scope.rows.searchedList.places(searched(list), { ...range, column, ascending, take: take + 1 });
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

/** Counts the objects that hold a text, in a turn of its own. */
export async function countFound<M extends ResourceModel>(list: FoundList<M>, { scope }: Context): Promise<number> {
  await nextTurn();
  return scope.rows.searchedList.count(searched(list));
}

function searched<M extends ResourceModel>({ collection: { model }, where, text }: FoundList<M>): SearchedList {
  return { model, own: searchedFieldsOf(model) ?? [], text, where };
}
