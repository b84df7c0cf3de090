// Changes: the one file where writes become a batch and where the follow-up of a change runs. Whatever must be stored with every
// change joins its batch here.

import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { createWorkQueue, type WorkQueue } from '../../domain/concurrency/work-queue.ts';
import { isConflict, translated } from '../errors.ts';
import type { Dialect } from '../sql/dialect.ts';
import { type Sql, statementOf } from '../sql/statement.ts';
import type { RowChanger, Write } from './row-changer.ts';

export type { Write } from './row-changer.ts';

/** Turns statements into writes. Each statement changes a row, or several, and returns them. */
export type RowWriter = (statement: Sql) => Write<readonly unknown[]>;

/** Creates a `RowWriter` for the dialect of an engine. */
export function createRowWriter(dialect: Dialect): RowWriter {
  return (statement) => ({ statement: statementOf(dialect, statement), read: (values) => values });
}

/** What is stored together: all of it or nothing. */
export interface Change<T> {
  /** The account that makes the change; undefined for changes that the server makes on its own. */
  readonly accountId?: string | undefined;
  /** The key of the object whose turn the change waits for, unique among all accounts; undefined if it need not wait. */
  readonly objectKey?: string | undefined;
  readonly write: Write<T>;
  /** Writes that come first, such as a bound that must be met before anything else can fail. */
  readonly before?: readonly Write[] | undefined;
  readonly after?: readonly Write[] | undefined;
  /** Whether it stores anything sealed under the secret key. */
  readonly seals?: boolean | undefined;
  /** The kinds of objects that it changes, if it changes nothing else. */
  readonly kinds?: readonly string[] | undefined;
  /** The deadline by `performance.now`, if the change has already waited for something; by default `waitingMsMax` from now. */
  readonly untilMs?: number | undefined;
  /**
   * Returns the signal that fires when nobody is waiting for the change any more: a change that waits for its turn is dropped, and
   * one that the database has undone is not sent again. A change that has been sent goes on.
   */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Runs once the change is stored. */
  readonly acknowledged?: (() => void) | undefined;
}

export interface Changes {
  /**
   * Stores a change. A single write is one statement; several are one batch. Nothing else is awaited in between, so no transaction
   * is ever held open.
   *
   * A change that fails because of a conflict, a deadlock or a lock that is held for too long is sent again a few times; other
   * accounts get their turns in between. Changes of this program should not cause that, because each locks a whole before its
   * parts. One deadline covers everything that a change waits for: after `waitingMsMax` it is not sent again.
   *
   * @throws UNAVAILABLE if the storage cannot serve it now, the reason of the signal, or the error of the write that failed
   */
  apply<T>(change: Change<T>): Promise<T>;
}

export interface AllChanges extends Changes {
  /**
   * Resolves when no change is in flight, or when all that were in flight have passed their deadlines. Await it before the database
   * is closed.
   */
  settled(): Promise<void>;
}

/**
 * How often a change is sent at most, and the longest pause before the second attempt, in milliseconds; the limit grows with each
 * attempt.
 */
const attemptsMax = 5;
const retryMs = 20;
/** How long a change may wait and be sent again, in milliseconds: the time that all attempts take if each waits for a lock. */
export const waitingMsMax = 6_000;

/** How long a change waits, and the signal that ends the wait. */
type Patience = Pick<Change<unknown>, 'signal'> & { readonly untilMs: number };

/** Creates the path that all changes of a database take. */
export function createChanges(connection: RowChanger): AllChanges {
  let underWay = 0;
  /** Called when no change is in flight any more. */
  const waiting: (() => void)[] = [];
  const { sharing } = connection;
  const ofAccounts = sharing && createWorkQueue(sharing);
  // Per object, one change runs and one is ready to follow it. The others wait here, in order and without a connection.
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

  const send = async (batch: readonly Write[]): Promise<unknown[]> => {
    const changed = await connection.changeRows(batch.map(({ statement }) => statement));
    return batch.map(({ read }, index) => read(changed[index] ?? []));
  };

  /** Sends a batch, and sends it again after a conflict. In between, others have its connection. */
  const persist = async (
    accountId: string | undefined,
    patience: Patience,
    batch: readonly Write[],
  ): Promise<unknown[]> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await translated(inTurn(ofAccounts, accountId, patience, () => send(batch)));
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
        // The results are in the order of the batch.
        return results[before.length] as T;
      } finally {
        underWay -= 1;
        if (underWay === 0) for (const resume of waiting.splice(0)) resume();
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
 * Counts the changes of accounts, so that caches of an account's data know when they may be stale. Changes by other processes are
 * not counted: a cache must also check by itself from time to time.
 */
export interface ChangeCounts {
  /**
   * Returns a number that differs after every change to the account that this process has stored or may have stored.
   *
   * @param kinds ignores changes that are known to touch only objects of other kinds
   */
  of(accountId: string, kinds?: readonly string[]): number;
  /** Wraps `changes` so that each change of the account is counted before the caller learns that it is stored. */
  counting(accountId: string, changes: Changes): Changes;
}

/** How many accounts are counted at once. An evicted account gets a new number, as if it had changed. */
const countedAccountsMax = 10_000;

/**
 * Creates the counts of a process.
 *
 * @param changed called with each account that is counted up, when its change may have been stored
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
          // Even after a failure: the change may have been stored although no answer came.
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
  ofAnyKind: number;
  readonly byKind: Map<string, number>;
}

/** Where a scope keeps its writer. Only the storage uses it: areas write through collections. */
export const writer: unique symbol = Symbol('writer');

/** Returns the writer of a scope. A guard test keeps it inside the storage. */
export function writerOf<W>(scope: { readonly [writer]: W }): W {
  return scope[writer];
}
