// Opens the database and gives out what is bound to an account.

import { LRUCache } from 'lru-cache';
import { createNewId } from '../domain/ids.ts';
import { type AccountScope, scopeToAccount } from './account-scope.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Credentials, createCredentials } from './credentials.ts';
import { PrismaClient } from './generated/client/client.ts';
import { createSqliteAdapterFactory } from './sqlite/adapter.ts';

/** An open database. */
export interface Storage {
  readonly accounts: Accounts;
  readonly credentials: Credentials;
  /** Gives the data of one account. */
  forAccount(accountId: string): AccountScope;
  /** Writes down what is still in memory and closes the database. */
  close(): Promise<void>;
}

/** What an open database works with. */
export interface StorageOptions {
  /** Path of the SQLite file. It must exist and be migrated (see `migrate.ts`). */
  path: string;
  /** The clock; tests give a fixed one. */
  now: () => Date;
  /** The source of randomness for ids; tests give a repeatable one. */
  randomBytes: (size: number) => Uint8Array;
}

/** Milliseconds between writing down the last uses of the keys. */
const flushEveryMs = 60_000;
const scopesMax = 1_000;
const transactionMsMax = 15_000;

/**
 * Opens a migrated database.
 *
 * @throws Error when the file cannot be opened, or does not take the settings that durability depends on
 */
export async function openStorage({ path, now, randomBytes }: StorageOptions): Promise<Storage> {
  const client = new PrismaClient({
    adapter: createSqliteAdapterFactory({ path }),
    // Writes that take several statements wait for each other. Prisma's default of 2 s is too short for a burst.
    transactionOptions: { maxWait: transactionMsMax, timeout: transactionMsMax },
  });
  await client.$connect();

  const newId = createNewId(() => now().getTime(), randomBytes);
  const credentials = createCredentials(client, now);
  const scopes = new LRUCache<string, AccountScope>({ max: scopesMax });
  const flushing = setInterval(() => {
    // A last use that cannot be written now is written, later, with the next one.
    credentials.flush().catch(() => {});
  }, flushEveryMs);
  flushing.unref();

  return {
    accounts: createAccounts(client, now, newId),
    credentials,
    forAccount(accountId) {
      let scope = scopes.get(accountId);
      if (scope === undefined) {
        scope = { accountId, db: scopeToAccount(client, accountId), now, newId, randomBytes, credentials };
        scopes.set(accountId, scope);
      }
      return scope;
    },
    async close() {
      clearInterval(flushing);
      await credentials.flush();
      await client.$disconnect();
    },
  };
}
