// Opens the database and gives out what is bound to an account.

import { LRUCache } from 'lru-cache';
import { createBelievedClock } from '../domain/believed-clock.ts';
import { createNewId } from '../domain/ids.ts';
import { type AccountScope, scopeToAccount } from './account-scope.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Credentials, createCredentials } from './credentials.ts';
import { isDuplicate } from './errors.ts';
import { PrismaClient } from './generated/client/client.ts';
import { createRowsOf } from './plain-reads.ts';
import { createPublished, type Published } from './published.ts';
import { resealAll } from './reseal.ts';
import { forgetExpiredRevocations } from './revocations.ts';
import { sealCheck, secretCheckFact } from './secret-key.ts';
import { createSecrets } from './secrets.ts';
import { createSqliteAdapterFactory } from './sqlite/adapter.ts';
import type { TimingObserver } from './sqlite/connection.ts';
import { createHealth } from './sqlite/health.ts';
import { createInspection } from './sqlite/inspection.ts';
import { createLogSaver } from './sqlite/lost-log.ts';
import { createSurvey, type Survey } from './survey.ts';

/** An open database. */
export interface Storage {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  readonly published: Published;
  readonly survey: Survey;
  /** Gives the data of one account. */
  forAccount(accountId: string): AccountScope;
  /**
   * Seals all secrets under another key, and gives their number. This storage goes on with the old key, so close it
   * afterwards. Throws as `resealAll`.
   */
  changeSecretKey(newKey: Uint8Array): Promise<number>;
  /**
   * Does what is due from time to time: writes down the last uses of keys, and forgets revocations of certificates that have
   * expired. A timer calls it every minute.
   */
  upkeep(): Promise<void>;
  /** Writes down what is still in memory and closes the database. */
  close(): Promise<void>;
}

/** What an open database works with. */
export interface StorageOptions {
  /** Path of the SQLite file. It must exist and be migrated (see `migrate.ts`). */
  path: string;
  /** The clock; tests give a fixed one. */
  now: () => Date;
  /** The clock that nobody sets, in milliseconds; that of the process unless given. */
  monotonicMs?: () => number;
  /** The source of randomness for ids, tokens and nonces; tests give a repeatable one. */
  randomBytes: (size: number) => Uint8Array;
  /**
   * Finds the key that secrets are sealed under. It gets what the database has to check the key with, or null when
   * nothing has been sealed yet (see `secret-key.ts`).
   */
  secretKey: (sealedCheck: Uint8Array | null) => Uint8Array;
  /** Sees every SQL statement that is executed, with its values; tests count them. */
  onStatement?: ((sql: string) => void) | undefined;
  /** Told of every statement what it was and how long it took, for the metrics. */
  onTiming?: TimingObserver | undefined;
  /** Has the database watched: for the process that owns it. */
  owner?: Owner | undefined;
}

/** The process that owns a database. */
export interface Owner {
  /** Path of the file by which it keeps others off. */
  readonly lockFile: string;
  /** Told what is wrong with the database and what to do, once for each thing; null when it is well again. */
  readonly onTrouble: (message: string | null) => void;
}

/** Milliseconds between two looks at the files, which is how long a write into a lost one may go unnoticed. */
const lookEveryMs = 1_000;
/** Milliseconds between two inspections of all pages where no probe asks for one. */
const inspectEveryMs = 60_000;
/** Milliseconds between two rounds of what is due from time to time. */
const upkeepEveryMs = 60_000;
const scopesMax = 1_000;
const transactionMsMax = 15_000;

/**
 * Opens a migrated database.
 *
 * @throws Error when the file cannot be opened, or does not take the settings that durability depends on, or when there
 *   is no secret key that fits it
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { path, now, randomBytes, secretKey, onStatement, onTiming, owner } = options;
  const health = createHealth(path, owner?.lockFile ?? null, (trouble) => {
    owner?.onTrouble(trouble?.message ?? null);
    saveLostLog();
  });
  const factory = createSqliteAdapterFactory({ path, onStatement, onTiming, health });
  const connection = await factory.connect();
  const logSaver = createLogSaver(
    path,
    () => connection.saveLog(),
    (message) => owner?.onTrouble(message),
  );
  const saveLostLog = () => (health.trouble?.lostLog ? logSaver.save() : logSaver.notLost());
  const look = () => {
    health.look();
    saveLostLog();
  };
  const client = new PrismaClient({
    // The client disposes of the connection.
    adapter: { ...factory, connect: async () => connection },
    // Writes that take several statements wait for each other. Prisma's default of 2 s is too short for a burst.
    // Its other forms put the arguments of the failed call into the message, and messages go into the log.
    errorFormat: 'minimal',
    transactionOptions: { maxWait: transactionMsMax, timeout: transactionMsMax },
  });
  const open = async () => {
    await client.$connect();
    return { key: await agreeOnKey(client, secretKey, randomBytes), rowsOf: createRowsOf(connection) };
  };
  const { key, rowsOf } = await open().catch(async (error: unknown) => {
    await client.$disconnect();
    await connection.dispose();
    throw error;
  });

  health.opened();
  const inspection = createInspection(path, health.found);
  const watching = owner && [
    setInterval(look, lookEveryMs).unref(),
    setInterval(() => void inspection.run().catch(() => {}), inspectEveryMs).unref(),
  ];
  const newId = createNewId(() => now().getTime(), randomBytes);
  const credentials = createCredentials(client, now);
  const secrets = createSecrets(key, randomBytes);
  const scopes = new LRUCache<string, AccountScope>({ max: scopesMax });
  const database = {};
  const clock = createBelievedClock(() => now().getTime(), options.monotonicMs ?? (() => performance.now()));
  let believedRounds = 0;
  const upkeep = async () => {
    const believed = clock.read();
    await credentials.flush();
    // Once an hour: it looks through all revocations.
    if (believed !== null && believedRounds++ % 60 === 0) await forgetExpiredRevocations(client, believed);
  };
  const upkeeping = setInterval(() => {
    // What cannot be done now is done later: a last use of a key with its next one, the rest with the next round.
    upkeep().catch(() => {});
  }, upkeepEveryMs);
  upkeeping.unref();

  return {
    accounts: createAccounts(client, now, newId),
    credentials,
    published: createPublished(client, connection),
    survey: createSurvey(client, health, inspection),
    forAccount(accountId) {
      let scope = scopes.get(accountId);
      if (scope === undefined) {
        scope = {
          accountId,
          db: scopeToAccount(client, accountId),
          rows: rowsOf(accountId),
          database,
          now,
          newId,
          randomBytes,
          credentials,
          secrets,
        };
        scopes.set(accountId, scope);
      }
      return scope;
    },
    changeSecretKey: (newKey) =>
      resealAll(client, secrets, createSecrets(newKey, randomBytes), sealCheck(newKey, randomBytes)),
    upkeep,
    async close() {
      for (const timer of [upkeeping, ...(watching ?? [])]) clearInterval(timer);
      // The last to close the database moves the log into it, which the inspection cannot.
      await inspection.close();
      // Last uses of keys are worth no more than a try: a full disk must not turn an orderly stop into a failure.
      await credentials.flush().catch(() => {});
      await client.$disconnect();
    },
  };
}

/** Finds the key, and on first use leaves behind what a later start can check it with. */
async function agreeOnKey(
  client: PrismaClient,
  secretKey: StorageOptions['secretKey'],
  randomBytes: StorageOptions['randomBytes'],
): Promise<Uint8Array> {
  const fact = await client.serverFact.findUnique({ where: { name: secretCheckFact } });
  const key = secretKey(fact?.value ?? null);
  if (fact !== null) return key;
  try {
    await client.serverFact.create({ data: { name: secretCheckFact, value: sealCheck(key, randomBytes) } });
    return key;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    // Another process opened the new database at the same moment and was first: its key is the right one.
    return agreeOnKey(client, secretKey, randomBytes);
  }
}
