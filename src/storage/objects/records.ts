// Rows that are not objects: what an area remembers besides its objects, such as revocations. Neither clients nor the trail know
// them.

import { holdsSecrets } from '../keys/reseal.ts';
import type { AccountScope } from './account-scope.ts';
import { writerOf } from './changes.ts';
import type { Conditions, NewRecord, RecordModel } from './columns.ts';
import { writesOfList } from './list-writes.ts';
import type { ObjectWrite as Write } from './object-changes.ts';
import type { RowDelta } from './row-deltas.ts';

/** Prepares writes of the rows of one model, to be stored alongside another change or by `storeRecords`. */
export interface Records<M extends RecordModel> {
  /** It fails with an error that `isDuplicate` recognizes if there is such a row. */
  prepareCreate(scope: AccountScope, row: NewRecord<M>): Write;
  /** Creates a row, or changes the one with the same key. */
  prepareSet(scope: AccountScope, row: NewRecord<M>): Write;
  /** It fails with an error that `isMissingRow` recognizes if no row meets the conditions, one of which is on the key. */
  prepareUpdate(scope: AccountScope, where: Conditions<M>, columns: Partial<NewRecord<M>>): Write;
  /** Creates rows that name the same columns, many with each of the writes. */
  prepareCreateAll(scope: AccountScope, rows: readonly NewRecord<M>[]): Write[];
  /** It fails with an error that `isMissingRow` recognizes if no row meets the conditions, one of which is on the key. */
  prepareRemove(scope: AccountScope, where: Conditions<M>): Write;
  /** Deletes all rows that meet the conditions, if there are any. */
  prepareRemoveAll(scope: AccountScope, where: Conditions<M>): Write;
}

/**
 * Creates the writes of a model.
 *
 * @param key the column that identifies a row
 */
export function records<M extends RecordModel>(model: M, key = 'id'): Records<M> {
  const changing = (scope: AccountScope) => writerOf(scope).rowChanges;
  const untouched = (write: Write['write'], delta: RowDelta, rows: readonly object[] = []): Write => ({
    write,
    touched: [],
    deltas: [delta],
    seals: rows.some(holdsSecrets),
  });
  const creating = (scope: AccountScope, row: NewRecord<M>) =>
    untouched(changing(scope).create(model, row), { model, kind: 'create', rows: [row] }, [row]);
  return {
    prepareCreate: creating,
    prepareSet: (scope, row) =>
      untouched(changing(scope).set(model, row, key), { model, kind: 'set', key, row }, [row]),
    prepareUpdate: (scope, where, columns) =>
      untouched(changing(scope).update(model, where, columns, [key], key), { model, kind: 'update', where, columns }, [
        columns,
      ]),
    prepareCreateAll: (scope, rows) =>
      writesOfList(
        rows,
        (row) => creating(scope, row),
        (some) => untouched(changing(scope).createAll(model, some), { model, kind: 'create', rows: some }, some),
      ),
    prepareRemove: (scope, where) =>
      untouched(changing(scope).remove(model, where, key), { model, kind: 'remove', where }),
    prepareRemoveAll: (scope, where) =>
      untouched(changing(scope).removeAll(model, where), { model, kind: 'remove', where }),
  };
}

/** Stores a write of records by itself. Throws as the write says. */
export async function storeRecords(scope: AccountScope, write: Write): Promise<void> {
  await writerOf(scope).apply({ write });
}
