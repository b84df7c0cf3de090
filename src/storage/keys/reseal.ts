// The key that seals all secrets of a database: changing it, and ensuring that no secret is stored under another key.

import { setTimeout as pause } from 'node:timers/promises';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { SallyportError } from '../../domain/errors.ts';
import { isMissingRow } from '../errors.ts';
import { getDatamodel } from '../generated/pothos.ts';
import { type Change, type Changes, type RowWriter, type Write, waitingMsMax } from '../objects/changes.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { type Sql, sql, verbatim } from '../sql/statement.ts';
import { quote } from '../sql/statement-values.ts';
import { type CurrentKey, keyChangedError } from './current-key.ts';
import { readSealedCheck, sealCheck, secretCheckFact } from './secret-key.ts';
import { ownerOf, type Secrets } from './secrets.ts';

/** A column of secrets, each sealed for its row (see `ownerOf`). */
interface SealedColumn {
  readonly model: string;
  /** The column that holds the id of the row. */
  readonly id: string;
  readonly column: string;
}

/** The names of columns with secrets start with this. */
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

/**
 * Reseals every secret of a database in one batch. If it fails, is killed, or a server stores a secret in the meantime (see
 * `createSealing`), all secrets stay as they were.
 *
 * @param sealedCheck the sealed check text that later identifies the new key
 * @param signal stops the work, unless the batch has been sent
 * @returns the number of secrets resealed
 * @throws Error if a secret does not open under the old key, or another secret was stored in the meantime; the reason of the signal
 */
export async function resealAll(
  reads: ServerReads,
  rowWriter: RowWriter,
  changes: Changes,
  from: Secrets,
  to: Secrets,
  sealedCheck: Uint8Array<ArrayBuffer>,
  signal?: AbortSignal,
): Promise<number> {
  const value = await readSealedCheck(reads);
  if (value === null) throw new Error('The database does not say under which key its secrets are.');
  const writes: Write[] = [];
  for (const { model, id, column } of sealedColumns) {
    const nameOf = (name: string) => verbatim(quote(name));
    const [table, key, secret] = [nameOf(model), nameOf(id), nameOf(column)];
    for await (const [rowId, stored] of readAll(reads, table, key, secret)) {
      const sealed = reads.decode.Bytes(stored);
      // The secret was erased.
      if (sealed.length === 0) continue;
      const owner = ownerOf(model, String(rowId));
      const resealed = to.seal(from.open(sealed, owner), owner);
      writes.push(
        rowWriter(sql`UPDATE ${table} SET ${secret} = ${resealed} WHERE ${key} = ${String(rowId)} RETURNING ${key}`),
      );
    }
  }
  const check = rowWriter(replaceCheck(value, sealedCheck));
  try {
    signal?.throwIfAborted();
    await changes.apply({ write: check, before: writes, signal: signal && (() => signal) });
  } catch (error) {
    if (!isMissingRow(error)) throw error;
    throw new Error('A server has changed secrets meanwhile. Nothing was changed: stop all servers, and try again.', {
      cause: error,
    });
  }
  return writes.length;
}

/** Writes the statement that stores a check in place of the expected one; it finds no row if there is another one. */
const replaceCheck = (expected: Uint8Array, next: Uint8Array) =>
  sql`UPDATE "ServerFact" SET "value" = ${next} WHERE "name" = ${secretCheckFact} AND "value" = ${expected} RETURNING "name"`;

/** Rows with secrets that one statement reads. */
const rowsAtOnce = 500;

/** Reads the keys and a column of all rows that have something in it, page by page. */
async function* readAll(reads: ServerReads, table: Sql, key: Sql, column: Sql) {
  for (let last = ''; ; ) {
    const page = await reads.rows(
      sql`SELECT ${key}, ${column} FROM ${table} WHERE ${key} > ${last} AND ${column} IS NOT NULL ORDER BY ${key} LIMIT ${rowsAtOnce}`,
    );
    yield* page;
    if (page.length < rowsAtOnce) return;
    last = String(page.at(-1)?.[0]);
  }
}

/** Returns whether columns to be written hold a secret. */
export function holdsSecrets(columns: object): boolean {
  return Object.keys(columns).some((name) => name.startsWith(sealedPrefix));
}

/** Most attempts to send a change that stores secrets, while other servers store some too. */
const attemptsMax = 10;
/** How long a change may hold up the next one, in milliseconds. A change that takes longer is waiting for a locked row. */
const patienceMs = 500;

/**
 * Creates the path for changes that may store secrets. Each change that does also reseals the key check, on condition that the
 * stored check is still the expected one. So secrets are stored only while the database is under the key that this process has, and
 * a key change in progress notices every secret that is stored. On SQLite no other process can have changed the key. On PostgreSQL
 * one can, if the connection that holds the right to the database was lost for a moment, or servers cannot see each other behind a
 * pooler.
 *
 * The check is the last write of its change, so its row is locked only for the commit, however long the change has waited for
 * others. If the check fails, the whole change is still undone. `resealAll` locks in the same order.
 *
 * @param checked the sealed check as it was when the database was opened
 * @param currentKey is told of a check under another key
 */
export function createSealing(
  reads: ServerReads,
  rowWriter: RowWriter,
  changes: Changes,
  key: Uint8Array,
  randomBytes: (size: number) => Uint8Array,
  checked: Uint8Array<ArrayBuffer>,
  currentKey: Pick<CurrentKey, 'look'>,
): Changes {
  let known = checked;
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 1_000 });

  const send = async <T>(change: Change<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      const expected = known;
      const next = sealCheck(key, randomBytes);
      const check = rowWriter(replaceCheck(expected, next));
      try {
        const result = await changes.apply({ ...change, after: [...(change.after ?? []), check] });
        known = next;
        return result;
      } catch (error) {
        if (!isMissingRow(error)) throw error;
        const value = await readSealedCheck(reads);
        if (value === null || !currentKey.look(value)) throw keyChangedError(error);
        // The check is unchanged: another row was missing.
        if (Buffer.from(value).equals(expected)) throw error;
        if (attempt === attemptsMax) throw overtaken(error);
        known = value;
      }
    }
  };

  return {
    apply<T>(change: Change<T>): Promise<T> {
      if (change.seals !== true) return changes.apply(change);
      const untilMs = performance.now() + waitingMsMax;
      // One at a time, because they would conflict. Accounts take turns, and a change that is held up lets the others pass.
      return new Promise((resolve, reject) => {
        const begin = () => {
          const sent = send({ ...change, untilMs });
          resolve(sent);
          return Promise.race([sent.catch(() => {}), pause(patienceMs, undefined, { ref: false })]);
        };
        queue.run(change.accountId ?? '', begin, change.signal, { waitingMsMax }).catch(reject);
      });
    },
  };
}

function overtaken(cause: unknown): SallyportError {
  return new SallyportError('UNAVAILABLE', 'Too many secrets are being stored at once. Retry in a few seconds.', {
    cause,
  });
}
