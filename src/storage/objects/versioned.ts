// A cache of values built from versioned rows, valid as long as the version in the database is the same. It needs no invalidation:
// the caller has just read the version, so the cache is correct with any number of processes.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Steps } from '../../domain/concurrency/steps.ts';
import type { WorkQueue } from '../../domain/concurrency/work-queue.ts';

/** A row's id and current version. */
export interface VersionedId {
  readonly id: string;
  readonly version: number;
}

/** Returns whether two lists contain the same rows in the same versions, with a step for each row. */
export function* haveSameVersions(some: readonly VersionedId[], others: readonly VersionedId[]): Steps<boolean> {
  if (some.length !== others.length) return false;
  const versions = new Map<string, number>();
  for (const { id, version } of others) yield versions.set(id, version);
  for (const { id, version } of some) {
    if (versions.get(id) !== version) return false;
    yield;
  }
  return true;
}

/** A value built from a row. It is at least as new as the version. */
export interface Made<T> {
  readonly version: number;
  readonly value: T;
}

/** Builds and caches values. */
export interface Versioned<T> {
  /** Returns the cached value of a row's version; undefined if there is none. */
  kept(row: VersionedId): Made<T> | undefined;
  /**
   * Builds the value of a row's version, in the queue, and caches it. Concurrent callers for the same version share one build.
   *
   * @param account the account whose turn in the queue is used
   */
  make(account: string, row: VersionedId, make: () => Promise<T>): Promise<Made<T>>;
}

export interface VersionedOptions<T extends object> {
  /** Size of the cache over all accounts, in units of `sizeOf`. The least recently used value is evicted first. */
  readonly sizeMax: number;
  /** Returns the size of a value, at least 1. */
  readonly sizeOf: (value: T) => number;
  readonly queue: WorkQueue;
}

/** Creates a cache of values built from one kind of row. */
export function createVersioned<T extends object>({ sizeMax, sizeOf, queue }: VersionedOptions<T>): Versioned<T> {
  const made = new LRUCache<string, Made<T>>({ maxSize: sizeMax, sizeCalculation: ({ value }) => sizeOf(value) });
  const beingMade = new Map<string, Promise<Made<T>>>();

  const makeAndKeep = async ({ id, version }: VersionedId, make: () => Promise<T>) => {
    const fresh = { version, value: await make() };
    // Another caller may have read a later version in the meantime, and built that.
    if ((made.peek(id)?.version ?? version) <= version) made.set(id, fresh);
    // Leaves the rest of the program an event loop turn before the next build.
    await nextTurn();
    return fresh;
  };

  return {
    kept({ id, version }) {
      const known = made.get(id);
      return known?.version === version ? known : undefined;
    },

    make(account, row, make) {
      const key = `${row.id} ${row.version}`;
      const shared = beingMade.get(key);
      if (shared !== undefined) return shared;
      const making = queue.run(account, () => makeAndKeep(row, make)).finally(() => beingMade.delete(key));
      beingMade.set(key, making);
      return making;
    },
  };
}
