// Changes: the one place where what is to be written becomes a batch, and what follows a change is run. Whatever has to be
// stored with every change joins its batch here.

import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createWorkQueue, type WorkQueue } from '../domain/work-queue.ts';
import type { AccountScope } from './account-scope.ts';
import type { Dialect } from './engine.ts';
import { isConflict, translated } from './errors.ts';
import type { Prisma, PrismaClient } from './generated/client/client.ts';
import type { RowChange } from './plain-writes.ts';
import type { RowChanger } from './row-changer.ts';
import { type Sql, statementOf } from './statement.ts';

/** A write that has not been sent. It goes to the database with its change, or never. */
export type Write<T = unknown> = Prisma.PrismaPromise<T> | PlainWrite<T>;

/** A write by a statement of our own. */
export interface PlainWrite<T = unknown> {
  readonly row: RowChange;
  /** The same write by Prisma's client, for batches in which another write needs Prisma. */
  readonly planned: () => Prisma.PrismaPromise<T>;
}

/** Makes writes of statements that change one row each, and give it back. */
export type RowWriter = (statement: Sql) => PlainWrite;

/** Creates what makes such writes, in the dialect of an engine. */
export function createRowWriter(client: PrismaClient, dialect: Dialect): RowWriter {
  return (statement) => ({
    row: { statement: statementOf(dialect, statement), read: (values) => values },
    planned: () => client.$queryRaw(statement),
  });
}

/** Gives a write by a statement of our own where there is one, and otherwise Prisma's. */
export function plainly<T>(row: RowChange | null, planned: () => Prisma.PrismaPromise<T>): Write<T> {
  return row === null ? planned() : { row, planned };
}

/** What is stored together: all of it or nothing. */
export interface Change<T> {
  /** The account that makes it; undefined for what the server does by itself. */
  readonly accountId?: string | undefined;
  /** The key of the object whose turn it waits for, unique among all accounts; undefined if it need not wait. */
  readonly objectKey?: string | undefined;
  /** The write whose result is the result of the change. */
  readonly write: Write<T>;
  /** Writes that come first: a bound that must be met before anything else can fail. */
  readonly before?: readonly Write[] | undefined;
  readonly after?: readonly Write[] | undefined;
  /** Whether it stores anything that is sealed under the secret key. */
  readonly seals?: boolean | undefined;
  /** The kinds of objects that it changes, where it changes nothing else. */
  readonly kinds?: readonly string[] | undefined;
  /** Its deadline by `performance.now`, if it has waited for something before; `waitingMsMax` from now unless given. */
  readonly untilMs?: number | undefined;
  /**
   * Gives what fires when nobody waits for it any more: it is dropped while it waits for a turn, and not sent again once the database has
   * undone it. What has been sent goes on.
   */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Runs once the change is stored. */
  readonly acknowledged?: (() => void) | undefined;
}

/** Stores changes. */
export interface Changes {
  /**
   * Stores a change. A single write is one statement; several are one batch, sent by Prisma if one of them needs Prisma. Nothing else
   * is awaited in between, so no transaction is ever held open.
   *
   * A change that fails because of a conflict, a deadlock or a lock that is held for too long is sent again a few times; other accounts
   * have their turns in between. Changes of this program should not cause that, as each locks a whole before its parts. One deadline
   * covers everything that a change waits for: after `waitingMsMax` it is not sent again.
   *
   * @throws UNAVAILABLE where the storage cannot serve it now, the reason of the signal, and the error of the write that failed
   */
  apply<T>(change: Change<T>): Promise<T>;
}

/** All changes of a process. */
export interface AllChanges extends Changes {
  /**
   * Resolves when no change is under way, or all that were have passed their deadlines. To be awaited before Prisma's client disconnects,
   * which undoes the batches that it has under way.
   */
  settled(): Promise<void>;
}

/** How often a change is sent, and the longest pause before the second time, in milliseconds; later ones are longer. */
const attemptsMax = 5;
const retryMs = 20;
/** How long a change may wait and be sent again, in milliseconds: as long as all attempts take if each waits for a lock. */
export const waitingMsMax = 6_000;

/** How long a change waits, and for whom. */
type Patience = Pick<Change<unknown>, 'signal'> & { readonly untilMs: number };

/** Creates the way to a database by which all of its changes go: a client, and the client's own connection. */
export function createChanges(client: PrismaClient, connection: RowChanger): AllChanges {
  let underWay = 0;
  /** Told when none is under way any more. */
  const waiting: (() => void)[] = [];
  const { sharing } = connection;
  const ofAccounts = sharing && createWorkQueue(sharing);
  // One runs, and one is ready to follow it. The others wait here, in order and without a connection.
  const ofObjects = sharing && createWorkQueue({ ...sharing, atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner: 2 });
  const inTurn = <T>(
    queue: WorkQueue | null,
    owner: string | undefined,
    { untilMs, signal }: Patience,
    work: () => Promise<T>,
  ) =>
    queue === null || owner === undefined
      ? work()
      : queue.run(owner, work, signal, { waitingMsMax: untilMs - performance.now() });

  const send = async (batch: readonly Write[], isFirst: boolean): Promise<unknown[]> => {
    const rows = batch.flatMap((write) => (isPlain(write) ? write.row : []));
    if (rows.length === batch.length) {
      const changed = await connection.changeRows(rows.map(({ statement }) => statement));
      return rows.map(({ read }, place) => read(changed[place] ?? []));
    }
    const [first, ...others] = batch.map((write) => (isPlain(write) ? write.planned() : write));
    if (first === undefined) return [];
    // Prisma sends a single write once, and a batch as often as it is asked to.
    return others.length === 0 && isFirst ? [await first] : client.$transaction([first, ...others]);
  };

  /** Sends a batch, and again after a conflict. In between, others have its connection. */
  const persist = async (
    accountId: string | undefined,
    patience: Patience,
    batch: readonly Write[],
  ): Promise<unknown[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await translated(inTurn(ofAccounts, accountId, patience, () => send(batch, attempt === 1)));
      } catch (error) {
        if (!isConflict(error) || attempt === attemptsMax || performance.now() >= patience.untilMs) throw error;
        await pause(Math.random() * attempt * retryMs);
        patience.signal?.().throwIfAborted();
      }
    }
  };

  return {
    async apply<T>(change: Change<T>) {
      const { accountId, objectKey, write, before = [], after = [], signal, acknowledged } = change;
      const patience = { untilMs: change.untilMs ?? performance.now() + waitingMsMax, signal };
      const batch = [...before, write, ...after];
      underWay += 1;
      try {
        const results = await inTurn(ofObjects, objectKey, patience, () => persist(accountId, patience, batch));
        acknowledged?.();
        // The results come in the order of the batch.
        return results[before.length] as T;
      } finally {
        underWay -= 1;
        if (underWay === 0) for (const goOn of waiting.splice(0)) goOn();
      }
    },
    async settled() {
      if (underWay === 0) return;
      const none = new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      await Promise.race([none, pause(waitingMsMax, undefined, { ref: false })]);
    },
  };
}

/**
 * Counts the changes of accounts, so that caches of an account's data know when they may be stale. Changes by other processes are not
 * counted: a cache also has to look for itself from time to time.
 */
export interface ChangeCounts {
  /**
   * Gives a number that differs after every change of an account that this process has stored, or may have stored.
   *
   * @param kinds leaves out changes that are known to touch only objects of other kinds
   */
  of(accountId: string, kinds?: readonly string[]): number;
  /** Gives the means to store changes of an account. They are counted before anybody hears that they are stored. */
  counting(accountId: string, changes: Changes): Changes;
}

/** How many accounts are counted at once. One that was dropped gets a new number, as if it had changed. */
const countedAccountsMax = 10_000;

/**
 * Creates the counts of a process.
 *
 * @param changed told of each account that is counted up, when its change may be stored
 */
export function createChangeCounts(changed: (accountId: string) => void): ChangeCounts {
  // With `max`, the cache would allocate room for all of them at once.
  const counted = new LRUCache<string, Counted>({ maxSize: countedAccountsMax, sizeCalculation: () => 1 });
  let highest = 0;
  const countOf = (accountId: string) => {
    const known = counted.get(accountId);
    if (known !== undefined) return known;
    highest += 1;
    const count: Counted = { latest: highest, ofAnyKind: highest, byKind: new Map() };
    counted.set(accountId, count);
    return count;
  };
  const countUp = (accountId: string, kinds: readonly string[] | undefined) => {
    const count = countOf(accountId);
    highest += 1;
    count.latest = highest;
    if (kinds === undefined) count.ofAnyKind = highest;
    else for (const kind of kinds) count.byKind.set(kind, highest);
  };
  return {
    of(accountId, kinds) {
      const { latest, ofAnyKind, byKind } = countOf(accountId);
      if (kinds === undefined) return latest;
      return kinds.reduce((most, kind) => Math.max(most, byKind.get(kind) ?? 0), ofAnyKind);
    },
    counting: (accountId, changes) => ({
      async apply(change) {
        try {
          return await changes.apply(change);
        } finally {
          // Failed or not: it may have been stored although no answer came.
          countUp(accountId, change.kinds);
          changed(accountId);
        }
      },
    }),
  };
}

/** The numbers of the latest changes of an account. */
interface Counted {
  latest: number;
  /** That of the latest change whose kinds are unknown. */
  ofAnyKind: number;
  readonly byKind: Map<string, number>;
}

/** Where a scope keeps its writer. Only the storage uses it: areas write through collections. */
export const writer: unique symbol = Symbol('writer');

/** Gives the means to write data of an account. A guard keeps it inside of the storage. */
export function writerOf(scope: AccountScope): AccountScope[typeof writer] {
  return scope[writer];
}

function isPlain<T>(write: Write<T>): write is PlainWrite<T> {
  return 'planned' in write;
}
