// The only access to the data: a database bound to one account. A query without an account cannot be written.

import type { DecidingSettings } from '../../domain/access/expected.ts';
import type { SigningAgentSetting } from '../../domain/access/signing-agents.ts';
import type { NewId } from '../../domain/values/ids.ts';
import { translate } from '../errors.ts';
import type { Prisma, PrismaClient } from '../generated/client/client.ts';
import type { Credentials } from '../keys/credentials.ts';
import type { KeyMaking } from '../keys/key-generation.ts';
import type { Secrets } from '../keys/secrets.ts';
import type { Draft } from '../sql/drafted.ts';
import type { TrailEnd } from '../trail/event-reads.ts';
import type { FollowRequest } from '../trail/feed.ts';
import type { Following } from '../trail/follower.ts';
import type { Origin } from '../trail/origin.ts';
import type { TouchedObject } from '../trail/trail.ts';
import { type RowWriter, writer } from './changes.ts';
import type { ObjectChanges } from './object-changes.ts';
import type { AccountRows } from './plain-reads.ts';
import type { RowChanges } from './plain-writes.ts';

/** Models whose rows belong to no account. */
type ServerModelProperty = 'account' | 'serverFact';
type AccountModelProperty = Exclude<Prisma.TypeMap['meta']['modelProps'], ServerModelProperty>;

type Reading = `find${string}` | 'count' | 'aggregate' | 'groupBy';

/**
 * Prisma's client, restricted to reading the rows of one account: every call gets the condition on `accountId`. Writes go through
 * the collections.
 */
export type AccountReads = Pick<PrismaClient, '$connect'> & {
  readonly [P in AccountModelProperty]: Pick<PrismaClient[P], Extract<keyof PrismaClient[P], Reading>>;
};

/** Creates the handle of a database, with what tells everybody who has put a function into its sets. */
export function createDatabaseHandle(changed: (accountId: string) => void) {
  const database: DatabaseHandle = { forgetSecrets: new Set(), changed: new Set([changed]) };
  return {
    database,
    forgetSecrets() {
      for (const forget of database.forgetSecrets) forget();
    },
    changed(accountId: string) {
      for (const tell of database.changed) tell(accountId);
    },
  };
}

/** How a scope writes. For `storage/objects/collection.ts`. */
export interface AccountWriter extends ObjectChanges {
  readonly rowChanges: RowChanges;
  /** Stores changes that nothing looks at before. */
  readonly forced: ObjectChanges;
  /** Told of a change that is going to be made in parts (`second-person.ts`). */
  readonly announce: (touched: readonly TouchedObject[]) => Promise<void>;
  /** Told what the change does that is going to be made (`second-person.ts`). */
  readonly say: (does: object) => void;
  readonly rowWriter: RowWriter;
}

/** An open database. All accounts share the same object. */
export interface DatabaseHandle {
  /** Drops everything in memory that was derived from secrets. */
  readonly forgetSecrets: Set<() => void>;
  /** Told of each account that this process has changed something in. */
  readonly changed: Set<(accountId: string) => void>;
}

/** What a store function works with: one account's data, the clock, and randomness. */
export interface AccountScope extends AccountView {
  readonly [writer]: AccountWriter;
}

/** Returns a scope whose changes are stored whatever they break. */
export function forced(scope: AccountScope): AccountScope {
  const own = scope[writer];
  return { ...scope, [writer]: { ...own, apply: own.forced.apply } };
}

/** A draft of an account: a copy in memory of what it has configured. */
export interface AccountDraft extends Draft {
  /** The data of the account in the draft, for changing. */
  actingFor(origin: Origin): AccountScope;
}

/** A read-only scope. A caller that changes something needs an `AccountScope`, for which it states where the change comes from. */
export interface AccountView extends KeyMaking {
  readonly accountId: string;
  readonly db: AccountReads;
  /** Reads rows without Prisma's query planning. Reading whole rows is for `collection.ts`. */
  readonly rows: AccountRows;
  /** Returns a number that differs after every change that this process makes to the account (see `ChangeCounts`). */
  readonly changeCount: (kinds?: readonly string[]) => number;
  /** Identifies the database (see `perDatabase`). */
  readonly database: DatabaseHandle;
  readonly now: () => Date;
  readonly newId: NewId;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Returns the agents that may sign for authorities of the account. */
  readonly signingAgents: () => Promise<readonly SigningAgentSetting[]>;
  readonly credentials: Credentials;
  readonly secrets: Secrets;
  /** The settings of the server that decisions depend on. */
  readonly deciding: DecidingSettings;
  /** Follows the events of the account, as `Feed.follow` does. */
  readonly follow: (request: FollowRequest) => Promise<Following>;
  /** Returns the end of the account's trail as of now. */
  readonly trailEnd: () => Promise<TrailEnd>;
  /** Opens a draft of the account, with its objects of the given kinds, until the signal fires. Throws as `openDraft`. */
  readonly draft: (kinds: readonly string[], signal: AbortSignal) => Promise<AccountDraft>;
}

/**
 * Creates something that exists once per open database, such as a cache shared by all accounts. Ids identify rows only within one
 * database: in a copy of it, the same id names another row.
 *
 * @param forgetSecrets drops the secrets it holds; called when the secret key changes and when the database closes
 */
export function perDatabase<T>(
  make: () => T,
  forgetSecrets?: (made: T) => void,
): (scope: Pick<AccountView, 'database'>) => T {
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

/** Binds a client to an account. Calls that read throw UNAVAILABLE if the storage cannot serve them now; all others are refused. */
export function scopeToAccount(client: PrismaClient, accountId: string): AccountReads {
  const scoped = client.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (model === 'Account' || model === 'ServerFact') throw new Error(`${model} is not data of an account.`);
          if (!isReading(operation)) throw new Error(`${operation}: areas write through collections.`);
          // `operation` decides which member of the union of all argument types this is; those of reading have a `where`.
          const bound = { ...args, where: { ...(args as { where?: object }).where, accountId } } as typeof args;
          try {
            return await query(bound);
          } catch (error) {
            throw translate(error);
          }
        },
      },
    },
  });
  // `$extends` returns its own type for the same client with the same delegates. `AccountReads` also hides the members that would
  // bypass the account.
  return scoped as unknown as AccountReads;
}

/** Returns whether a Prisma operation only reads, by the same rule as the type `Reading`. */
function isReading(operation: string): boolean {
  return operation.startsWith('find') || ['count', 'aggregate', 'groupBy'].includes(operation);
}
