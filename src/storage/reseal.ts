// The key that all secrets of a database are sealed under: changing it, and storing no secret under another one.

import { SallyportError } from '../domain/errors.ts';
import type { Changes, Write } from './changes.ts';
import { isMissingRow } from './errors.ts';
import type { PrismaClient } from './generated/client/client.ts';
import { getDatamodel } from './generated/pothos.ts';
import { relationsOf } from './relations.ts';
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
const sealedPrefix = 'sealed';
const sealedColumns: readonly SealedColumn[] = Object.entries(getDatamodel().datamodel.models).flatMap(
  ([model, { fields }]) =>
    fields
      .filter(({ name }) => name.startsWith(sealedPrefix))
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
 * Nobody else may write to the database meanwhile. A server that does because its right to the database was lost unnoticed can
 * store no more secrets (see `createSealing`).
 *
 * @param checks what tells the old key from others, sealed anew, and what later tells the new one
 * @returns how many secrets there are
 * @throws Error when a secret does not open under the old key
 */
export async function resealAll(
  client: PrismaClient,
  changes: Changes,
  from: Secrets,
  to: Secrets,
  checks: { readonly from: Uint8Array<ArrayBuffer>; readonly to: Uint8Array<ArrayBuffer> },
): Promise<number> {
  const where = { name: secretCheckFact };
  await changes.apply({ write: client.serverFact.update({ where, data: { value: checks.from } }) });
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
  const check = client.serverFact.update({ where: { ...where, value: checks.from }, data: { value: checks.to } });
  await changes.apply({ write: check, before: writes });
  return writes.length;
}

/** Tells whether columns to write, or those of a module among them, hold a secret. */
export function holdsSecrets(model: string, columns: object): boolean {
  return Object.entries(columns).some(
    ([name, value]) =>
      name.startsWith(sealedPrefix) || (relationsOf.get(model)?.has(name) === true && nestsSecrets(value)),
  );
}

function nestsSecrets(write: unknown): boolean {
  if (typeof write !== 'object' || write === null) return false;
  return Object.entries(write).some(([name, value]) => name.startsWith(sealedPrefix) || nestsSecrets(value));
}

/**
 * Creates the way by which changes go that may store secrets: they are stored only where the database is still sealed under the
 * key that this process has. On SQLite no other process can have changed that; on PostgreSQL it can, where the connection that
 * holds the right to the database was lost for a moment, or servers cannot see each other behind a pooler.
 *
 * @param sealedCheck what the database had to check the key with when it was opened
 */
export function createSealing(client: PrismaClient, changes: Changes, sealedCheck: Uint8Array<ArrayBuffer>): Changes {
  const where = { name: secretCheckFact, value: sealedCheck };
  const isUnchanged = async () => (await client.serverFact.count({ where })) > 0;
  return {
    async apply(change) {
      if (change.seals !== true) return changes.apply(change);
      // Locks the row, so that a change of the key and this one come one after the other.
      const check = client.serverFact.update({ where, data: { value: sealedCheck } });
      try {
        return await changes.apply({ ...change, before: [...(change.before ?? []), check] });
      } catch (error) {
        if (!isMissingRow(error) || (await isUnchanged())) throw error;
        throw new SallyportError(
          'UNAVAILABLE',
          'The secret key has been changed. The operator must restart the server.',
          {
            cause: error,
          },
        );
      }
    },
  };
}
