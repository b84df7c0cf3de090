// The key that all secrets of a database are sealed under: changing it, and storing no secret under another one.

import { setTimeout as pause } from 'node:timers/promises';
import { SallyportError } from '../domain/errors.ts';
import { createWorkQueue } from '../domain/work-queue.ts';
import { type Change, type Changes, type Write, waitingMsMax } from './changes.ts';
import { isMissingRow, translated } from './errors.ts';
import type { PrismaClient } from './generated/client/client.ts';
import { getDatamodel } from './generated/pothos.ts';
import { relationsOf } from './relations.ts';
import { isRightKey, sealCheck, secretCheckFact } from './secret-key.ts';
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
 * Seals every secret of a database anew, in one batch: a change that fails or is killed leaves all of them as they were. So does
 * one that a server gets in the way of, by storing a secret meanwhile (see `createSealing`).
 *
 * @param sealedCheck what later tells the new key from others
 * @returns how many secrets there are
 * @throws Error when a secret does not open under the old key, or another one was stored meanwhile
 */
export async function resealAll(
  client: PrismaClient,
  changes: Changes,
  from: Secrets,
  to: Secrets,
  sealedCheck: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const name = secretCheckFact;
  const { value } = await client.serverFact.findUniqueOrThrow({ where: { name } });
  const writes: Write[] = [];
  for (const { model, id, column } of sealedColumns) {
    // Prisma names the delegate of a model so, and every one has these methods.
    const delegate = Reflect.get(client, `${model.charAt(0).toLowerCase()}${model.slice(1)}`) as Delegate;
    for (const row of await delegate.findMany({ select: { [id]: true, [column]: true } })) {
      const sealed = row[column];
      // Nothing is left of a secret that was erased.
      if (!(sealed instanceof Uint8Array) || sealed.length === 0) continue;
      const owner = ownerOf(model, String(row[id]));
      const data = { [column]: to.seal(from.open(sealed, owner), owner) };
      writes.push(delegate.update({ where: { [id]: row[id] }, data, select: { [id]: true } }));
    }
  }
  const check = client.serverFact.update({ where: { name, value }, data: { value: sealedCheck } });
  try {
    await changes.apply({ write: check, before: writes });
  } catch (error) {
    if (!isMissingRow(error)) throw error;
    throw new Error('A server has changed secrets meanwhile. Nothing was changed: stop all servers, and try again.', {
      cause: error,
    });
  }
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

/** How often a change is sent that stores secrets, while other servers store some too. */
const attemptsMax = 10;
/** How long a change keeps the next one waiting, in milliseconds. One that takes longer is waiting for a row that somebody holds. */
const patienceMs = 500;

/**
 * Creates the way by which changes go that may store secrets. With each that does, what the key is checked with is sealed anew, and
 * compared with what it was: so secrets are stored only where the database is still under the key that this process has, and a
 * change of the key notices each that is stored while it is under way. On SQLite no other process can have changed the key; on
 * PostgreSQL one can, where the connection that holds the right to the database was lost for a moment, or servers cannot see each
 * other behind a pooler.
 *
 * The check is the last write of its change: its row is locked for the commit alone, however long the change has waited for others,
 * and one that fails undoes the change all the same. `resealAll` locks in this order, too.
 *
 * @param checked what the key was checked with when the database was opened
 */
export function createSealing(
  client: PrismaClient,
  changes: Changes,
  key: Uint8Array,
  randomBytes: (size: number) => Uint8Array,
  checked: Uint8Array<ArrayBuffer>,
): Changes {
  const name = secretCheckFact;
  let known = checked;
  const queue = createWorkQueue({ atOnce: 1, waitingMax: 1_000 });

  const send = async <T>(change: Change<T>): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      const expected = known;
      const next = sealCheck(key, randomBytes);
      const check = client.serverFact.update({ where: { name, value: expected }, data: { value: next } });
      try {
        const result = await changes.apply({ ...change, after: [...(change.after ?? []), check] });
        known = next;
        return result;
      } catch (error) {
        if (!isMissingRow(error)) throw error;
        const { value } = await translated(client.serverFact.findUniqueOrThrow({ where: { name } }));
        if (!isRightKey(key, value)) throw changed(error);
        // It is another row that was missing.
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
      // One after the other, or they would conflict. Accounts take turns, and a change that is held up lets the others pass.
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

function changed(cause: unknown): SallyportError {
  return new SallyportError('UNAVAILABLE', 'The secret key has been changed. The operator must restart the server.', {
    cause,
  });
}
