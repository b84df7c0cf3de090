// Rows that are not objects: what an area remembers besides its objects, such as revocations. Neither clients nor the trail know
// them.

import { holdsSecrets } from '../keys/reseal.ts';
import type { AccountScope } from './account-scope.ts';
import { plainly, writerOf } from './changes.ts';
import type { Conditions, NewRecord, RecordModel } from './columns.ts';
import { delegateName, type WritingDelegate } from './delegates.ts';
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
  const property = delegateName<RecordModel>(model);
  const writing = (scope: AccountScope): WritingDelegate => writerOf(scope).db[property];
  const untouched = (write: Write['write'], delta: RowDelta, rows: readonly object[] = []): Write => ({
    write,
    touched: [],
    deltas: [delta],
    seals: rows.some(holdsSecrets),
  });
  const ofAccount = ({ accountId }: AccountScope, row: object) => ({ ...row, accountId });
  const creating = (scope: AccountScope, row: NewRecord<M>) =>
    untouched(
      plainly(writerOf(scope).rowChanges.create(model, row), () =>
        writing(scope).create({ data: ofAccount(scope, row) }),
      ),
      { model, kind: 'create', rows: [row] },
      [row],
    );
  return {
    prepareCreate: creating,
    prepareSet: (scope, row) =>
      untouched(
        plainly(writerOf(scope).rowChanges.set(model, row, key), () => {
          const where = { [key]: (row as { readonly [column: string]: unknown })[key] };
          return writing(scope).upsert({ where, create: ofAccount(scope, row), update: row, select: { [key]: true } });
        }),
        { model, kind: 'set', key, row },
        [row],
      ),
    prepareUpdate: (scope, where, columns) =>
      untouched(
        plainly(writerOf(scope).rowChanges.update(model, where, columns, [key], key), () =>
          writing(scope).update({ where, data: columns, select: { [key]: true } }),
        ),
        { model, kind: 'update', where, columns },
        [columns],
      ),
    prepareCreateAll: (scope, rows) =>
      writesOfList(
        rows,
        (row) => creating(scope, row),
        (some) => {
          // The delegate of `M` takes rows of `M`.
          const planned = () =>
            writing(scope).createMany({ data: some.map((row) => ofAccount(scope, row)) as never[] });
          const write = plainly<object>(writerOf(scope).rowChanges.createAll(model, some), planned);
          return untouched(write, { model, kind: 'create', rows: some }, some);
        },
      ),
    prepareRemove: (scope, where) =>
      untouched(
        plainly(writerOf(scope).rowChanges.remove(model, where, key), () =>
          writing(scope).delete({ where, select: { [key]: true } }),
        ),
        { model, kind: 'remove', where },
      ),
    prepareRemoveAll: (scope, where) =>
      untouched(
        plainly<object>(writerOf(scope).rowChanges.removeAll(model, where), () => writing(scope).deleteMany({ where })),
        { model, kind: 'remove', where },
      ),
  };
}

/** Stores a write of records by itself. Throws as the write says. */
export async function storeRecords(scope: AccountScope, write: Write): Promise<void> {
  await writerOf(scope).apply({ write });
}
