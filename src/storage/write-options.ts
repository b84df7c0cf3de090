// What goes with the writes of a collection. Part of `collection.ts`.

import type { ResourceModel, Row } from './columns.ts';
import type { ObjectWrite as Write } from './object-changes.ts';
import type { Selection } from './object-reads.ts';

/** What goes with a write. */
export interface WriteOptions {
  /** What to give back beside the columns. */
  readonly selection?: Selection | undefined;
  /**
   * Writes that are stored with this one or not at all, and before it. A change of a part changes its whole here: whoever
   * changes the whole locks it first as well, so that neither ever waits for the other while being waited for.
   */
  readonly alongside?: readonly Write[] | undefined;
  /** Writes that are stored with a creation or removal or not at all, and after it. */
  readonly following?: readonly Write[] | undefined;
  /** What the answer to a creation shows only once: a request that is repeated is answered with it again. */
  readonly remembered?: object | undefined;
  /** Runs once all is stored. */
  readonly acknowledged?: (() => void) | undefined;
}

/** What goes with the removal of many objects. */
export interface RemoveAllOptions<M extends ResourceModel> {
  /** Gives the writes that are stored with the removal of some of them or not at all, and before it. */
  readonly alongside?: (rows: readonly Row<M>[]) => readonly Write[];
  /** Whether more is to follow before all is done that was asked for. */
  readonly isPart?: boolean;
}
