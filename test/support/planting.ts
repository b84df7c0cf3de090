// Rows that a test needs and that nobody has made in the way of the product: stored by the statements of the storage, without checks
// and events.

import type { AccountScope } from '../../src/storage/objects/account-scope.ts';
import { type Write, writerOf } from '../../src/storage/objects/changes.ts';
import { listsOfStatements } from '../../src/storage/objects/list-writes.ts';

const store = <T>(scope: AccountScope, write: Write<T>) =>
  writerOf(scope).forced.apply({ write: { write, touched: [], deltas: [] } });

/** Stores rows of a model, which all name the same columns, as rows of the account, whatever account they name. */
export async function plant(scope: AccountScope, model: string, rows: readonly object[]): Promise<void> {
  const { rowChanges } = writerOf(scope);
  for (const some of listsOfStatements(rows)) {
    await store(
      scope,
      rowChanges.createAll(
        model,
        some.map((row) => ({ ...row, accountId: undefined })),
      ),
    );
  }
}

/** Changes rows of the account: those with these values. */
export async function alter(scope: AccountScope, model: string, where: object, columns: object): Promise<void> {
  await store(scope, writerOf(scope).rowChanges.changeAll(model, where, columns));
}

/** Deletes rows of the account: those with these values. */
export async function uproot(scope: AccountScope, model: string, where: object = {}): Promise<void> {
  await store(scope, writerOf(scope).rowChanges.removeAll(model, where));
}
