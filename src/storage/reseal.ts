// Changes the key that all secrets of a database are sealed under.

import type { Changes, Write } from './changes.ts';
import type { PrismaClient } from './generated/client/client.ts';
import { getDatamodel } from './generated/pothos.ts';
import { secretCheckFact } from './secret-key.ts';
import { ownerOf, type Secrets } from './secrets.ts';

/** A column with secrets, each sealed for the row that it is in (see `ownerOf`). */
interface SealedColumn {
  readonly model: string;
  /** The column that holds the id of the row. */
  readonly id: string;
  readonly column: string;
}

/** Columns with secrets tell so by their names. */
const sealedColumns: readonly SealedColumn[] = Object.entries(getDatamodel().datamodel.models).flatMap(
  ([model, { fields }]) =>
    fields
      .filter(({ name }) => name.startsWith('sealed'))
      .map(({ name }) => {
        const id = fields.find(({ isId }) => isId)?.name;
        if (id === undefined) throw new Error(`${model}.${name} is sealed, but rows of ${model} have no id.`);
        return { model, id, column: name };
      }),
);

/** The part of a Prisma delegate that is needed here, the same for every model. */
interface Delegate {
  findMany(args: object): Promise<Record<string, unknown>[]>;
  update(args: object): Write;
}

/**
 * Seals every secret of a database anew, in one batch: a change that fails or is killed leaves all of them as they were.
 * Nobody else may write to the database meanwhile.
 *
 * @param sealedCheck what later tells the new key from others
 * @returns how many secrets there are
 * @throws Error when a secret does not open under the old key
 */
export async function resealAll(
  client: PrismaClient,
  changes: Changes,
  from: Secrets,
  to: Secrets,
  sealedCheck: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const writes: Write[] = [];
  for (const { model, id, column } of sealedColumns) {
    // Prisma names the delegate of a model so, and every one has these methods.
    const delegate = Reflect.get(client, `${model.charAt(0).toLowerCase()}${model.slice(1)}`) as Delegate;
    for (const row of await delegate.findMany({ select: { [id]: true, [column]: true } })) {
      const sealed = row[column];
      if (!(sealed instanceof Uint8Array)) continue;
      const owner = ownerOf(model, String(row[id]));
      const data = { [column]: to.seal(from.open(sealed, owner), owner) };
      writes.push(delegate.update({ where: { [id]: row[id] }, data, select: { [id]: true } }));
    }
  }
  const check = client.serverFact.update({ where: { name: secretCheckFact }, data: { value: sealedCheck } });
  await changes.apply({ write: check, before: writes });
  return writes.length;
}
