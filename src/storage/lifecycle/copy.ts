// Copies all rows of one database into another, of any engine: all or nothing, and verified before it is committed.

import { setImmediate as turn } from 'node:timers/promises';
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { remedies } from '../../domain/remedies.ts';
import { messageOf, sentenceOf } from '../../domain/wording.ts';
import type { Engine } from '../engine.ts';
import { readSealedCheck, secretKeyProblem } from '../keys/secret-key.ts';
import { createServerReads } from '../objects/server-scope.ts';
import { countRows, eachPage, insertRows, type Table, type TableAccess, tables } from '../sql/tables.ts';
import { noDatabase } from './health.ts';
import { appliedMigrations, migrate, pendingMigrations } from './migrate.ts';
import { createDigester, type TableDigest } from './table-digest.ts';

/** What is copied, and where to. */
export interface CopyPlan {
  readonly from: Engine;
  readonly to: Engine;
  /** The configured secret key; null to use the key file of the target. */
  readonly secretKey: Uint8Array | null;
}

export interface CopyProgress {
  readonly step: 'copied' | 'verified';
  readonly done: number;
  /** Rows of all tables. */
  readonly total: number;
}

export interface CopyWatching {
  /** Called after each page. */
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Stops the copy, which leaves the target empty. */
  readonly signal?: AbortSignal;
}

export interface CopiedDatabase {
  /** When the source was in the state that the copy has. */
  readonly asOf: Date;
  /** By table. Source and target were verified to be equal. */
  readonly tables: Readonly<Record<string, TableDigest>>;
}

/**
 * Checks that this program can copy a database, and that the target will be able to use the private keys in it.
 *
 * @throws Error that says what to do
 */
export async function checkSource({ from, to, secretKey }: CopyPlan): Promise<void> {
  if (!(await from.exists())) throw new Error(noDatabase(from));
  const pending = await pendingMigrations(from);
  if (pending.length > 0) {
    throw new Error(
      `The database ${from.name} is of an older version: it lacks ${pending.join(', ')}. Apply the migrations first, by ` +
        `"${remedies.migrate}" or a start of this version of the server.`,
    );
  }
  await from.reading((database) => checkKey({ from, to, secretKey }, database));
}

/** Checks that the target will use the key that the source is sealed under. */
async function checkKey({ from, to, secretKey }: CopyPlan, source: SqlQueryable): Promise<void> {
  const sealedCheck = await readSealedCheck(createServerReads(source, from.dialect));
  if (sealedCheck === null) {
    throw new Error(`There is nothing to copy: no server has used the database ${from.name} yet.`);
  }
  if (secretKey === null && to.keyFile === null) {
    const where = from.keyFile === null ? '' : `, which is in ${from.keyFile} unless a variable gave it`;
    throw new Error(
      `Set ${remedies.setSecretKey} to the secret key of ${from.name}${where}: it is not copied, and ${to.name} needs it.`,
    );
  }
  const problem = secretKeyProblem(to, secretKey, sealedCheck, from.name);
  if (problem !== null) throw new Error(problem);
}

/**
 * Copies all rows into a database that has none. The caller holds the target, and has checked the source. Others may write to the
 * source: the copy has its state at one moment.
 *
 * @throws Error that says how the target was left: unchanged if the copy is refused, else empty, or unknown if the connection was
 *   lost
 */
export async function copyRows(plan: CopyPlan, watching: CopyWatching = {}): Promise<CopiedDatabase> {
  const { to } = plan;
  if ((await appliedMigrations(to)).length === 0) await migrate(to);
  const pending = await pendingMigrations(to);
  if (pending.length > 0) {
    throw new Error(
      `The database ${to.name} is of another version: it lacks ${pending.join(', ')}. Name one without tables, or apply the ` +
        'migrations first.',
    );
  }
  let begun = false;
  try {
    return await to.migrations.transact('rows', async (database) => {
      const target = { database, dialect: to.dialect };
      await checkEmpty(to, target);
      begun = true;
      const { asOf, total, digests } = await fill(plan, target, watching);
      await verify(digests, total, target, watching);
      return { asOf, tables: Object.fromEntries([...digests].map(([{ name }, digest]) => [name, digest])) };
    });
  } catch (error) {
    if (!begun) throw error;
    throw new Error(`${sentenceOf(error)} ${await whatIsLeft(to)}`, { cause: error });
  }
}

async function checkEmpty({ name }: Engine, target: TableAccess): Promise<void> {
  for (const table of tables) {
    if ((await countRows(target.database, table)) > 0) {
      throw new Error(
        `The database ${name} is not empty: ${table.name} has rows. A copy never overwrites or mixes: name an empty database.`,
      );
    }
  }
}

/**
 * Returns in what state a failure has left the target. Reads the target, because the connection may have been lost during the
 * commit.
 */
async function whatIsLeft(to: Engine): Promise<string> {
  try {
    await to.reading((database) => checkEmpty(to, { database, dialect: to.dialect }));
    return `Nothing was copied: the database ${to.name} is empty.`;
  } catch (error) {
    return `Whether ${to.name} has the copy is unknown; empty it before you copy again. ${sentenceOf(error)}`;
  }
}

/** Copies the rows of all tables, and returns the digests of what was read. */
async function fill(plan: CopyPlan, target: TableAccess, watching: CopyWatching) {
  const { from } = plan;
  return from.reading(async (database) => {
    const source = { database, dialect: from.dialect };
    const asOf = new Date();
    // Checked once more, because the key may have been changed since.
    await checkKey(plan, database);
    const counts = new Map<Table, number>();
    for (const table of tables) counts.set(table, await countRows(source.database, table));
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const digests = new Map<Table, TableDigest>();
    const pace = createPace('copied', total, watching);
    for (const table of inCopyOrder()) {
      const digester = createDigester(table);
      await eachPage(source, table, async (page) => {
        await naming(table, () => insertRows(target, table, page));
        await pace(page.length);
        return digester.add(page);
      });
      const digest = digester.result();
      if (digest.rows !== counts.get(table)) {
        throw new Error(
          `${from.name} is damaged: ${table.name} counts ${counts.get(table)} rows, and ${digest.rows} can be read.`,
        );
      }
      digests.set(table, digest);
    }
    return { asOf, total, digests };
  });
}

/**
 * Returns the tables with the facts about the database first: a server that starts on the target meanwhile waits for them before it
 * stores anything, and then finds everything there.
 */
function inCopyOrder(): Table[] {
  return [...tables].sort((a, b) => Number(b.name === 'ServerFact') - Number(a.name === 'ServerFact'));
}

/** Reads the target as it will be once committed, and compares it with what was read from the source. */
async function verify(
  digests: ReadonlyMap<Table, TableDigest>,
  total: number,
  target: TableAccess,
  watching: CopyWatching,
): Promise<void> {
  const pace = createPace('verified', total, watching);
  for (const [table, expected] of digests) {
    const digester = createDigester(table);
    await eachPage(target, table, async (page) => {
      await pace(page.length);
      return digester.add(page);
    });
    const found = digester.result();
    if (found.rows !== expected.rows) {
      throw new Error(`${table.name} has ${found.rows} rows in the copy, and ${expected.rows} in the source.`);
    }
    if (found.sha256 !== expected.sha256)
      throw new Error(`${table.name} has other values in the copy than in the source.`);
  }
}

/** Creates the function to call after each page with its number of rows: it reports progress, and throws if the copy is to stop. */
function createPace(step: CopyProgress['step'], total: number, { onProgress, signal }: CopyWatching) {
  let done = 0;
  return async (rows: number) => {
    done += rows;
    onProgress?.({ step, done, total });
    // SQLite works synchronously: without this pause, no signal would arrive before the end.
    await turn();
    signal?.throwIfAborted();
  };
}

/** Does work on a table, and adds the table's name to errors. */
async function naming<T>({ name }: Table, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = messageOf(error);
    throw new Error(`${name}: ${message}`, { cause: error });
  }
}
