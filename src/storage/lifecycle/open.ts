// Opens the database of a process: the server holds it, the command line visits it.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { DecidingSettings } from '../../domain/access/expected.ts';
import { type KeyAges, usualKeyAges } from '../../domain/access/key-ages.ts';
import type { SigningAgentSetting } from '../../domain/access/signing-agents.ts';
import { remedies } from '../../domain/remedies.ts';
import { listed } from '../../domain/wording.ts';
import type { Engine, HoldPurpose, OpenOptions, RestoreReport } from '../engine.ts';
import { DatabaseInUseError } from '../engine-error.ts';
import { createRandomBytes } from '../keys/randomness.ts';
import { backupDigestsFact, findSecretKey, prepareKeyChange } from '../keys/secret-key.ts';
import { secretKeyBytes } from '../keys/secrets.ts';
import { sql } from '../sql/statement.ts';
import { openStorage, type Storage } from '../storage.ts';
import type { StorageOptions } from '../storage-options.ts';
import { checkChange } from './change-checks.ts';
import { chooseEngine } from './choose-engine.ts';
import { type CopiedDatabase, type CopyWatching, checkSource, copyRows } from './copy.ts';
import { noDatabase, whereDatabaseIs } from './health.ts';
import { inStep } from './in-step.ts';
import { appliedMigrations, migrate, pendingMigrations } from './migrate.ts';

/**
 * How long to wait for another process that has the database, in milliseconds: a command holds it no longer than its migration
 * takes.
 */
const lockWaitMs = 1_000;
const lockRetryMs = 50;

/** The part of the configuration that says where the data is. */
export interface DatabaseConfig {
  readonly databaseUrl: string;
  /** Null to use the key file of the database. */
  readonly secretKey: Uint8Array | null;
  readonly signingAgents?: readonly SigningAgentSetting[];
  readonly gateAllowSemicolon?: boolean;
  readonly renewalGraceDays?: number;
  readonly keyAges?: KeyAges;
}

/** Returns the settings that decisions depend on; their defaults where there are none. */
function decidingOf({
  gateAllowSemicolon = false,
  renewalGraceDays = 7,
  keyAges = usualKeyAges,
}: DatabaseConfig): DecidingSettings {
  return { gateAllowSemicolon, renewalGraceDays, keyAges };
}

function open(
  engine: Engine,
  secretKey: Uint8Array | null,
  options: OpenOptions &
    Pick<StorageOptions, 'areas' | 'deciding' | 'signingAgents' | 'onUpkeepFailure' | 'onBackgroundFailure'> = {},
): Promise<Storage> {
  return openStorage({
    engine,
    now: () => new Date(),
    randomBytes: createRandomBytes(),
    checkChange,
    secretKey: (sealedCheck) => findSecretKey(engine, secretKey, sealedCheck, randomBytes),
    ...options,
  });
}

/** The database of a server, and what was done to open it. */
export interface OwnedDatabase {
  readonly storage: Storage;
  /** Names of the migrations that were applied, oldest first. */
  readonly applied: readonly string[];
  /** Paths of files that other users could read until now. */
  readonly madePrivate: readonly string[];
  /** Why other servers are kept out less reliably than usual, for the log; null if they are not. */
  readonly weakness: string | null;
  /** As in `Hold`. */
  readonly lost: AbortSignal;
  /** Closes the database, releases it for other servers, and then waits for threads that still read it. */
  close(): Promise<void>;
}

/** What a server does for its database, and how it is told about it. */
type Watching = Pick<
  StorageOptions,
  'onTiming' | 'areas' | 'deciding' | 'signingAgents' | 'onUpkeepFailure' | 'onBackgroundFailure'
> &
  Partial<NonNullable<OpenOptions['owner']>>;

/**
 * Opens a database for a server: waits until it takes writes, takes it for this process, and migrates it while the process goes on
 * answering probes.
 *
 * @param watching.onTiming called for every statement that the server executes
 * @param watching.areas what areas have to do from time to time
 * @param watching.onUpkeepFailure called with the reason why upkeep could not be done
 * @param watching.onBackgroundFailure called with the reason why other work that no request waits for could not be done
 * @param watching.onTrouble called with what is wrong with the database, as `Owner` says
 * @throws Error if another process still has the database after a second, or if it cannot be migrated
 */
export async function ownDatabase(config: DatabaseConfig, watching: Watching = {}): Promise<OwnedDatabase> {
  const engine = chooseEngine(config.databaseUrl);
  const owner = { onTrouble: watching.onTrouble ?? (() => {}) };
  await inStep(engine, 'it was asked whether it takes writes', () => engine.untilWritable(owner));
  const { signingAgents = [] } = config;
  return holdAndOpen(engine, config.secretKey, 'serve', { ...watching, signingAgents, deciding: decidingOf(config) });
}

async function holdAndOpen(
  engine: Engine,
  secretKey: Uint8Array | null,
  purpose: HoldPurpose,
  { onTrouble = () => {}, ...options }: Watching = {},
): Promise<OwnedDatabase> {
  const hold = await inStep(engine, 'the right to use it was taken', () => patiently(() => engine.hold(purpose)));
  try {
    const madePrivate = engine.makeFilesPrivate();
    const applied = await inStep(engine, 'its migrations were looked up and applied', () => engine.migrateAside());
    const storage = await open(engine, secretKey, { ...options, owner: { onTrouble } });
    await inStep(engine, 'the digests of a backup were removed', () => forgetBackup(storage));
    return {
      storage,
      applied,
      madePrivate,
      weakness: hold.weakness,
      lost: hold.lost,
      async close() {
        await storage.close();
        hold.release();
        await storage.ended();
      },
    };
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** Removes the digests of a backup that was put in place as a database: they are not those of what is written from now on. */
async function forgetBackup({ server }: Storage): Promise<void> {
  const found = await server.rows(sql`SELECT 1 FROM "ServerFact" WHERE "name" = ${backupDigestsFact}`);
  if (found.length > 0) await server.change(sql`DELETE FROM "ServerFact" WHERE "name" = ${backupDigestsFact}`);
}

/**
 * Changes the secret key of a database that no server has open: to the given key if the configuration gives the key, otherwise to a
 * random one in the key file. If killed at any moment, it leaves a database that opens with either its old key or its new one.
 *
 * @param newKey the key to set as SECRET_KEY from then on; null to use the key file
 * @returns how many secrets were sealed anew
 * @throws Error if the key comes from the configuration and no new one is given, the same, or the other way round; if the right to the
 *   database is lost before the key is changed
 */
export async function changeSecretKey(config: DatabaseConfig, newKey: Uint8Array | null): Promise<number> {
  if ((config.secretKey === null) !== (newKey === null)) {
    throw new Error(
      config.secretKey === null
        ? `${remedies.setSecretKey} is not set. Leave ${remedies.setNewSecretKey} out: a key file gets a random key.`
        : `${remedies.setSecretKey} gives the secret key: set ${remedies.setNewSecretKey} to the next one, from "${remedies.makeSecretKey}".`,
    );
  }
  if (config.secretKey !== null && newKey !== null && Buffer.compare(config.secretKey, newKey) === 0) {
    throw new Error(
      `${remedies.setNewSecretKey} is the same key as ${remedies.setSecretKey}: nothing was sealed anew. Set it to another one, from "${remedies.makeSecretKey}".`,
    );
  }
  const engine = chooseEngine(config.databaseUrl);
  await refuseToCreate(engine);
  const database = await holdAndOpen(engine, config.secretKey, 'replace');
  const { storage, lost } = database;
  try {
    if (newKey !== null) return await storage.changeSecretKey(newKey, lost);
    const key = randomBytes(secretKeyBytes);
    prepareKeyChange(engine, key);
    const count = await storage.changeSecretKey(key, lost);
    // Opening the database once more puts the new key file in place.
    await (await open(engine, null)).close();
    return count;
  } finally {
    await database.close();
  }
}

/**
 * Opens a database for short work, beside a server that may be running. It neither creates nor migrates one: a command that only
 * reads must not, and a mistyped URL would otherwise leave a database, a key and a lock.
 *
 * @throws Error if there is no database, or if it is not up to date
 */
export async function visitDatabase(config: DatabaseConfig): Promise<Storage> {
  const engine = chooseEngine(config.databaseUrl);
  const pending = await refuseToCreate(engine);
  if (pending.length > 0) {
    throw new Error(
      `The database ${engine.name} is of an older version: it lacks ${listed(pending, (name) => name)}. Back it up, then start the ` +
        `server or run "${remedies.migrate}".`,
    );
  }
  const { signingAgents = [] } = config;
  return open(engine, config.secretKey, { signingAgents, deciding: decidingOf(config) });
}

/** Throws Error if a database does not exist or has no tables yet; otherwise returns its pending migrations, as `pendingMigrations`. */
async function refuseToCreate(engine: Engine): Promise<string[]> {
  const [pending, isThere] = await inStep(engine, 'its migrations were looked up', async () => [
    await pendingMigrations(engine),
    (await engine.exists()) && (await appliedMigrations(engine)).length > 0,
  ]);
  if (!isThere) throw new Error(`${noDatabase(engine)} ${whereDatabaseIs}`);
  return pending;
}

/**
 * Brings a database up to date, and returns the names of the migrations applied.
 *
 * @throws Error if something is pending and a server has the database, or if it cannot be migrated
 */
export async function applyMigrations({ databaseUrl }: DatabaseConfig): Promise<string[]> {
  const engine = chooseEngine(databaseUrl);
  return patiently(async () => {
    // Checked again each time: the process that had the database may have applied them, and may keep it.
    if ((await pendingMigrations(engine)).length === 0) return [];
    return holding(engine, 'migrate', () => migrate(engine));
  });
}

/**
 * Replaces a database that no server has open with a copy.
 *
 * @param tell called with what an operator should know about the replaced database
 * @throws Error if a server has the database, and as `Engine.restore` does
 */
export async function restoreDatabase(
  { databaseUrl, secretKey }: DatabaseConfig,
  from: string,
  tell: (message: string) => void,
): Promise<RestoreReport> {
  const engine = chooseEngine(databaseUrl);
  return holding(engine, 'replace', () => engine.restore({ from, secretKey, now: new Date(), tell }));
}

/**
 * Copies a database that servers may be using into an empty one that none has open, of any engine. The secret key is not copied.
 *
 * @throws Error if a server has the target, and as `checkSource` and `copyRows` do
 */
export async function copyDatabase(
  { secretKey }: Pick<DatabaseConfig, 'secretKey'>,
  [from, to]: readonly [Engine, Engine],
  watching: CopyWatching,
): Promise<CopiedDatabase> {
  const plan = { from, to, secretKey };
  await checkSource(plan);
  return holding(to, 'replace', (lost) => {
    const signals = watching.signal === undefined ? [lost] : [lost, watching.signal];
    return copyRows(plan, { ...watching, signal: AbortSignal.any(signals) });
  });
}

/** Does work, and retries it for a while as long as another process has the database. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseInUseError) || performance.now() >= giveUpAt) throw error;
      await pause(lockRetryMs);
    }
  }
}

async function holding<T>(engine: Engine, purpose: HoldPurpose, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
  const hold = await engine.hold(purpose);
  try {
    return await work(hold.lost);
  } finally {
    hold.release();
  }
}
