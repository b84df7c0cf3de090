// What is made of rows that have a version, and kept for as long as the version in the database is the same. Nobody has to
// tell of a change: whoever asks has read the version, so that it is right with any number of processes.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { WorkQueue } from '../domain/work-queue.ts';

/** A row, and the version that it has. */
export interface VersionedId {
  readonly id: string;
  readonly version: number;
}

/** Tells whether some rows and others are the same in the same versions. */
export function haveSameVersions(some: readonly VersionedId[], others: readonly VersionedId[]): boolean {
  const versions = new Map(others.map(({ id, version }) => [id, version]));
  return some.length === versions.size && some.every(({ id, version }) => versions.get(id) === version);
}

/** Something that was made of a row. It is at least as new as the version. */
export interface Made<T> {
  readonly version: number;
  readonly value: T;
}

/** Makes and keeps values. */
export interface Versioned<T> {
  /** Gives what is kept of a version of a row; undefined when nothing is. */
  kept(row: VersionedId): Made<T> | undefined;
  /**
   * Makes the value of a version of a row, in the queue, and keeps it. All who ask for it at the same time share one making.
   *
   * @param account whose turn it takes
   */
  make(account: string, row: VersionedId, make: () => Promise<T>): Promise<Made<T>>;
}

/** What is kept, and where it is made. */
export interface VersionedOptions<T extends object> {
  /** How much is kept, over all accounts, in terms of `sizeOf`: what was used longest ago goes first. */
  readonly sizeMax: number;
  /** How large a value is, at least 1. */
  readonly sizeOf: (value: T) => number;
  readonly queue: WorkQueue;
}

/** Creates a store of values that are made of one kind of row. */
export function createVersioned<T extends object>({ sizeMax, sizeOf, queue }: VersionedOptions<T>): Versioned<T> {
  const made = new LRUCache<string, Made<T>>({ maxSize: sizeMax, sizeCalculation: ({ value }) => sizeOf(value) });
  const beingMade = new Map<string, Promise<Made<T>>>();

  const makeAndKeep = async ({ id, version }: VersionedId, make: () => Promise<T>) => {
    const fresh = { version, value: await make() };
    // Somebody may have read a later version meanwhile, and made that.
    if ((made.peek(id)?.version ?? version) <= version) made.set(id, fresh);
    // Everybody else gets a turn of the event loop before the next is made.
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
