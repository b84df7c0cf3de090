// The only way to the data: a database that is bound to one account. A query without an account cannot be written.

import type { NewId } from '../domain/ids.ts';
import type { writer } from './changes.ts';
import type { Credentials } from './credentials.ts';
import { translate } from './errors.ts';
import type { FollowRequest } from './feed.ts';
import type { Following } from './follower.ts';
import type { Prisma, PrismaClient } from './generated/client/client.ts';
import type { KeyMaking } from './key-generation.ts';
import type { ObjectChanges } from './object-changes.ts';
import type { AccountRows } from './plain-reads.ts';
import type { RowChanges } from './plain-writes.ts';
import { relationsOf } from './relations.ts';
import type { Secrets } from './secrets.ts';

/** Models whose rows are of no account. */
type ServerModelProperty = 'account' | 'serverFact';
type AccountModelProperty = Exclude<Prisma.TypeMap['meta']['modelProps'], ServerModelProperty>;

/**
 * Prisma's client, restricted to the rows of one account: the condition on `accountId` is added to every call, and the
 * account to every row that is made, whatever the caller wrote. It has no raw queries and no transactions. What it does not
 * check is whose row a column refers to: ask before you write such a column.
 */
export type AccountDatabase = Pick<PrismaClient, AccountModelProperty | '$connect'>;

type Reading = `find${string}` | 'count' | 'aggregate' | 'groupBy';

/** The same, but only to read. Writes go through the collections. */
export type AccountReads = Pick<PrismaClient, '$connect'> & {
  readonly [P in AccountModelProperty]: Pick<PrismaClient[P], Extract<keyof PrismaClient[P], Reading>>;
};

/** What a scope writes with: for `storage/collection.ts`. */
export interface AccountWriter extends ObjectChanges {
  readonly db: AccountDatabase;
  readonly rowChanges: RowChanges;
}

/** An open database, the same object for all accounts. */
export interface DatabaseHandle {
  /** Drops everything in memory that was derived from secrets. */
  readonly forgetSecrets: Set<() => void>;
}

/** What a store function works with: one account's data, the clock, and randomness. */
export interface AccountScope extends AccountView {
  readonly [writer]: AccountWriter;
}

/** The same, only to read: whoever changes something has to say where the change comes from. */
export interface AccountView extends KeyMaking {
  readonly accountId: string;
  readonly db: AccountReads;
  /** Rows read without planning. Whole ones are for `collection.ts`. */
  readonly rows: AccountRows;
  /** Gives a number that differs after every change of the account by this process (see `ChangeCounts`). */
  readonly changeCount: (kinds?: readonly string[]) => number;
  /** Tells databases apart (see `perDatabase`). */
  readonly database: DatabaseHandle;
  readonly now: () => Date;
  readonly newId: NewId;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly credentials: Credentials;
  readonly secrets: Secrets;
  /** Follows the events of the account, as `Feed.follow`. */
  readonly follow: (request: FollowRequest) => Promise<Following>;
}

/**
 * Makes something that exists once for each open database, such as a cache that all accounts share. Ids tell rows of one
 * database apart; in a copy of it the same id names another row.
 *
 * @param forgetSecrets drops the secrets in it: when the secret key changes, and when the database closes
 */
export function perDatabase<T>(make: () => T, forgetSecrets?: (made: T) => void): (scope: AccountView) => T {
  const made = new WeakMap<DatabaseHandle, T>();
  return ({ database }) => {
    const known = made.get(database);
    if (known !== undefined) return known;
    const fresh = make();
    made.set(database, fresh);
    if (forgetSecrets !== undefined) database.forgetSecrets.add(() => forgetSecrets(fresh));
    return fresh;
  };
}

/**
 * Binds a client to an account. Calls answer UNAVAILABLE where the storage cannot serve them now.
 *
 * @param mayWrite false to have every call refused that is not a read
 */
export function scopeToAccount(client: PrismaClient, accountId: string, mayWrite: boolean): AccountDatabase {
  const scoped = client.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (model === 'Account' || model === 'ServerFact') throw new Error(`${model} is not data of an account.`);
          if (!mayWrite && !isReading(operation)) throw new Error(`${operation}: areas write through collections.`);
          // Which member of the union of all argument types this is depends on `operation`, so that the type of what
          // `withAccount` gives back cannot be told to the compiler; it has the shape of what it was given.
          const bound = withAccount(model, operation, args as Arguments, accountId) as typeof args;
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

/** Tells whether an operation of Prisma's only reads, as the type `Reading` says. */
function isReading(operation: string): boolean {
  return operation.startsWith('find') || ['count', 'aggregate', 'groupBy'].includes(operation);
}

interface Arguments {
  where?: object;
  data?: object | object[];
  create?: object;
  update?: object;
}

function withAccount(model: string, operation: string, args: Arguments, accountId: string): Arguments {
  const where = { ...args.where, accountId };
  switch (operation) {
    case 'create':
      return { ...args, data: newRow(model, args.data ?? {}, accountId) };
    case 'createMany':
    case 'createManyAndReturn':
      return { ...args, data: [args.data ?? []].flat().map((row) => newRow(model, row, accountId)) };
    case 'upsert':
      return {
        ...args,
        where,
        create: newRow(model, args.create ?? {}, accountId),
        update: nestedRows(model, args.update ?? {}, accountId),
      };
    case 'update':
      return { ...args, where, data: nestedRows(model, args.data ?? {}, accountId) };
    default:
      return { ...args, where };
  }
}

/** Gives a row to the account, with the rows that are made with it. */
function newRow(model: string, row: object, accountId: string): object {
  return { ...nestedRows(model, row, accountId), accountId };
}

/** Gives the rows to the account that are made by the nested writes in the columns of a row. */
function nestedRows(model: string, columns: object, accountId: string): object {
  const bound: Record<string, unknown> = { ...columns };
  for (const [name, relation] of relationsOf.get(model) ?? []) {
    const write = bound[name];
    if (isObject(write)) bound[name] = nestedWrite(relation.model, write, accountId);
  }
  return bound;
}

function nestedWrite(model: string, write: Record<string, unknown>, accountId: string): Record<string, unknown> {
  const bound = { ...write };
  for (const [act, value] of Object.entries(write)) {
    if (act === 'create') bound[act] = eachOf(value, (row) => newRow(model, row, accountId));
    if (act === 'update') bound[act] = eachOf(value, (columns) => nestedRows(model, columns, accountId));
    if (act === 'upsert') bound[act] = eachOf(value, (both) => nestedWrite(model, both, accountId));
    // Connecting could take in rows of other accounts; the other operations are not needed.
    if (['connect', 'connectOrCreate', 'set', 'createMany'].includes(act)) {
      throw new Error(`A nested ${act} is not bound to an account.`);
    }
  }
  return bound;
}

function eachOf(value: unknown, bind: (value: Record<string, unknown>) => object): unknown {
  if (Array.isArray(value)) return value.map((item) => eachOf(item, bind));
  return isObject(value) ? bind(value) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
