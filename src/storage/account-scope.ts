// The only way to the data: a database that is bound to one account. A query without an account cannot be written.

import type { NewId } from '../domain/ids.ts';
import type { Credentials } from './credentials.ts';
import { translate } from './errors.ts';
import type { Prisma, PrismaClient } from './generated/client/client.ts';
import type { AccountRows } from './plain-reads.ts';
import type { Secrets } from './secrets.ts';

/** Models whose rows are of no account. */
type ServerModelProperty = 'account' | 'serverFact';
type AccountModelProperty = Exclude<Prisma.TypeMap['meta']['modelProps'], ServerModelProperty>;

/**
 * Prisma's client, restricted to the rows of one account: the condition on `accountId` is added to every call, whatever
 * the caller wrote. It has no raw queries and no interactive transactions; several writes go in one batch.
 */
export type AccountDatabase = Pick<PrismaClient, AccountModelProperty | '$connect'> & {
  $transaction<P extends Prisma.PrismaPromise<unknown>[]>(
    batch: readonly [...P],
  ): Promise<{ [K in keyof P]: Awaited<P[K]> }>;
};

/** What a store function works with: one account's data, the clock, and randomness. */
export interface AccountScope {
  readonly accountId: string;
  readonly db: AccountDatabase;
  /** Rows read without planning. Whole ones are for `collection.ts`. */
  readonly rows: AccountRows;
  /** Stands for the open database, the same object for all accounts (see `perDatabase`). */
  readonly database: object;
  readonly now: () => Date;
  readonly newId: NewId;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly credentials: Credentials;
  readonly secrets: Secrets;
}

/**
 * Makes something that exists once for each open database, such as a cache that all accounts share. Ids tell rows of one
 * database apart; in a copy of it the same id names another row.
 */
export function perDatabase<T>(make: () => T): (scope: AccountScope) => T {
  const made = new WeakMap<object, T>();
  return ({ database }) => {
    const known = made.get(database);
    if (known !== undefined) return known;
    const fresh = make();
    made.set(database, fresh);
    return fresh;
  };
}

/** Binds a client to an account. Calls answer UNAVAILABLE where the storage cannot serve them now. */
export function scopeToAccount(client: PrismaClient, accountId: string): AccountDatabase {
  const scoped = client.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (model === 'Account' || model === 'ServerFact') throw new Error(`${model} is not data of an account.`);
          // Which member of the union of all argument types this is depends on `operation`, so that the type of what
          // `withAccount` gives back cannot be told to the compiler; it has the shape of what it was given.
          const bound = withAccount(operation, args as Arguments, accountId) as typeof args;
          try {
            return await query(bound);
          } catch (error) {
            throw translate(error);
          }
        },
      },
    },
  });
  // `$extends` gives a type of its own for what is the same client with the same delegates; this one also hides the
  // members that would go around the account.
  return scoped as unknown as AccountDatabase;
}

interface Arguments {
  where?: object;
  data?: object | object[];
  create?: object;
}

function withAccount(operation: string, args: Arguments, accountId: string): Arguments {
  const where = { ...args.where, accountId };
  switch (operation) {
    case 'create':
      return { ...args, data: { ...args.data, accountId } };
    case 'createMany':
    case 'createManyAndReturn':
      return { ...args, data: [args.data ?? []].flat().map((row) => ({ ...row, accountId })) };
    case 'upsert':
      return { ...args, where, create: { ...args.create, accountId } };
    default:
      return { ...args, where };
  }
}
