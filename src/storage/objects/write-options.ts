// What the writes of a collection are given. Part of `collection.ts`.

import type { Notes } from '../../domain/values/text.ts';
import type { ResourceModel, Row } from './columns.ts';
import type { ObjectWrite as Write } from './object-changes.ts';
import type { ExpectedVersion } from './version-conflict.ts';

export type NotesChange = Notes & { id: string; expectedVersion?: ExpectedVersion };

/** An object that a change addresses, with the version that the change is based on. */
export interface Addressed {
  readonly id: string;
  readonly expectedVersion?: ExpectedVersion;
}

/** An object that is about to be created. */
export interface NewObject {
  readonly id: string;
  readonly createdAt: Date;
  /**
   * For an object that is restored after its deletion: versions continue from here. `versionWithModules` if it is created with
   * modules. Otherwise it starts with the first version.
   */
  readonly version?: number;
}

/** The version of an object that is created with modules, as if they were set afterwards: at its first version, it has none. */
export const versionWithModules = 2;

/** The deletion of an object in the batch of another change, not sent yet. It fails with an error that `isMissingRow` recognizes. */
export interface Removal {
  /** Comes before the event of the deletion, and keeps the object until then. */
  readonly lock: Write;
  readonly removal: Write;
}

export interface WriteOptions {
  /**
   * Writes that are stored atomically with this one, and before it. A change of a part writes its whole here: a change of the whole
   * also locks the whole first, so the two cannot deadlock.
   */
  readonly alongside?: readonly Write[] | undefined;
  /** Writes that are stored atomically with this one, and after it: those of its parts. */
  readonly following?: readonly Write[] | undefined;
  /** The deletions of objects that are in the way of this write, such as one with the same unique value. */
  readonly replacing?: readonly Removal[] | undefined;
  /** What the answer to a creation shows only once. A repeated request is answered with it again. */
  readonly remembered?: object | undefined;
  /** Called once everything is stored. */
  readonly acknowledged?: (() => void) | undefined;
}

export interface RemoveAllOptions<M extends ResourceModel> {
  /** Returns the writes that are stored atomically with the removal of a batch of rows, and before it. */
  readonly alongside?: (rows: readonly Row<M>[]) => readonly Write[];
  /** Whether further changes follow before the request is complete. */
  readonly isPart?: boolean;
}

/** Returns the writes that come before another: those alongside it, and the deletion of objects that it replaces. */
export function makingRoom(replacing: readonly Removal[] = [], alongside: readonly Write[] = []) {
  return {
    before: [...alongside, ...replacing.map(({ lock }) => lock)],
    removals: replacing.map(({ removal }) => removal),
  };
}
