// The writes that store what differs between an account and a draft of it: some rows with each statement.

import { groupBy } from '../../domain/values/maps.ts';
import { holdsSecrets } from '../keys/reseal.ts';
import type { DraftedTable } from '../sql/drafted.ts';
import type { AccountScope } from './account-scope.ts';
import { writerOf } from './changes.ts';
import { actionOf, type ChangedObject, type Difference, rowChangesOf, withoutNull } from './drafted-rows.ts';
import { rowsOfStatementMax } from './list-writes.ts';
import type { ObjectWrite } from './object-changes.ts';
import type { RowChange } from './plain-writes.ts';

/** Longest list of rows that one statement gets, in characters. */
const listCharactersMax = 2 ** 20;

/** Divides objects into those of one statement. */
export function slicesOf(objects: readonly ChangedObject[]): ChangedObject[][] {
  const slices: ChangedObject[][] = [];
  let [characters, rows] = [0, 0];
  for (const object of objects) {
    const last = slices.at(-1);
    characters += object.own.characters;
    rows += object.rows;
    if (last === undefined || rows > rowsOfStatementMax || characters > listCharactersMax) {
      slices.push([object]);
      [characters, rows] = [object.own.characters, object.rows];
    } else last.push(object);
  }
  return slices;
}

/** Prepares the writes of objects that change in the same way, and of what belongs to them. */
export function writesOf(
  scope: AccountScope,
  tables: readonly DraftedTable[],
  objects: readonly ChangedObject[],
): ObjectWrite[] {
  const [first] = objects;
  if (first === undefined) return [];
  const { action } = first;
  const touch = (objects: readonly ChangedObject[], change: readonly RowChange[]): ObjectWrite[] =>
    change.map((row, index) => ({
      write: row,
      touched: index > 0 ? [] : objects.map(({ id, own }) => ({ model: own.table.name, id, action })),
      turns:
        index > 0
          ? []
          : objects.map(({ id, own }) => ({
              model: own.table.name,
              id,
              made: action === 'create' ? madeOf(own) : null,
            })),
      deltas: [],
      seals: objects.some(({ own }) => holdsSecrets(withoutNull(own.after ?? {}))),
    }));
  const own = touch(
    objects,
    rowChangesOf(
      scope,
      objects.map((object) => object.own),
    ),
  );
  const parts = groupBy(
    objects.flatMap((object) => object.parts),
    ({ table }) => table,
  );
  // In the order of the tables, in which none refers to a later one, whichever of them the first object has rows in.
  const writesOfParts = tables.flatMap(({ table }) =>
    (['delete', 'update', 'create'] as const).flatMap((action) => {
      const some = (parts.get(table) ?? []).filter((part) => actionOf(part) === action);
      const seals = some.some(({ after }) => holdsSecrets(withoutNull(after ?? {})));
      return rowChangesOf(scope, some).map((row): ObjectWrite => ({ write: row, touched: [], deltas: [], seals }));
    }),
  );
  return [...own, ...writesOfParts];
}

/** Returns the columns of a new object. One with a version is taken for one that comes back, which others may know. */
function madeOf({ after, version }: Difference): object {
  const { version: _first, ...made } = after ?? {};
  return version === undefined ? made : { ...made, version };
}

/** Keeps the objects that are deleted until their events are stored, if they are as the draft has found them. */
export function lockOf(scope: AccountScope, objects: readonly ChangedObject[]): ObjectWrite {
  const model = objects[0]?.own.table.name ?? '';
  const rows = objects.map(({ id, own }) => {
    const version = Number(own.before?.version);
    return { found: { id, version }, columns: { version: version + 1 } };
  });
  const turns = objects.map(({ id }) => ({ model, id, made: null }));
  return { write: writerOf(scope).rowChanges.updateAll(model, rows), touched: [], deltas: [], turns };
}
