// Options of the writes of a collection. Part of `collection.ts`.

import type { ResourceModel, Row } from './columns.ts';
import type { ObjectWrite as Write } from './object-changes.ts';

/** The deletion of an object in the batch of another change, not sent yet. It fails with an error that `isMissingRow` recognizes. */
export interface Removal {
  /** Comes before the event of the deletion, and keeps the object until then. */
  readonly lock: Write;
  readonly removal: Write;
}

/** Options of a write. */
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

/** Options of the removal of many objects. */
export interface RemoveAllOptions<M extends ResourceModel> {
  /** Returns the writes that are stored atomically with the removal of a batch of rows, and before it. */
  readonly alongside?: (rows: readonly Row<M>[]) => readonly Write[];
  /** Whether further changes follow before the request is complete. */
  readonly isPart?: boolean;
}
