// Changes of the objects of an account: the batch of each also holds its events and the record of its request.

import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import type { IdempotentRequest } from '../idempotency.ts';
import type { EventsOf } from '../trail/event-writes.ts';
import type { TouchedObject } from '../trail/trail.ts';
import type { Change, Changes, Write } from './changes.ts';
import type { RowDelta } from './row-deltas.ts';
import type { TurnOf, WrittenObject } from './turns.ts';

/** A write to an object that has not been sent, with what the trail records of it. */
export interface ObjectWrite<T = unknown> {
  readonly write: Write<T>;
  /**
   * Empty if it only writes what is internal to the server, which does not increment a version; several if it deletes several
   * objects.
   */
  readonly touched: readonly TouchedObject[];
  /** The objects whose turns it must wait for; none if it writes no object. */
  readonly turns?: readonly WrittenObject[];
  readonly deltas: readonly RowDelta[];
  /** Whether it stores anything sealed under the secret key. */
  readonly seals?: boolean;
}

/** Looks at a change before it is stored. Throws to refuse it. */
export type ChangeCheck = (deltas: readonly RowDelta[]) => MaybePromise<void>;

/** What is stored together, as in `Change`. */
export interface ObjectChange<T> extends Pick<Change<T>, 'acknowledged'> {
  readonly write: ObjectWrite<T>;
  readonly before?: readonly ObjectWrite[] | undefined;
  readonly after?: readonly ObjectWrite[] | undefined;
  /** Deletions that make room for `write`: they follow their events, and come before it. */
  readonly removals?: readonly ObjectWrite[] | undefined;
  /** What the answer needs besides the object, if it cannot be read later. */
  readonly remembered?: object | undefined;
  /** Whether more changes must follow before the request is complete. */
  readonly isPart?: boolean | undefined;
  /** The person who has approved it, as the trail says; absent if it needed nobody. */
  readonly approver?: string | undefined;
}

/** Stores changes of objects, as `Changes` does, each with its events. Throws what the check of changes throws. */
export interface ObjectChanges {
  apply<T>(change: ObjectChange<T>): Promise<T>;
}

/**
 * Creates the path that changes of objects take.
 *
 * @param request the request that they are made for, if it must not be carried out again
 * @param signal as `Change.signal`, for all of them
 * @param check looks at each before it is stored; null if it must not be refused
 */
export function createObjectChanges(
  changes: Changes,
  accountId: string,
  turnOf: TurnOf,
  eventsOf: EventsOf,
  request: IdempotentRequest | null,
  signal: Change<unknown>['signal'],
  check: ChangeCheck | null,
): ObjectChanges {
  return {
    async apply({
      write,
      before = [],
      removals = [],
      after = [],
      acknowledged,
      remembered = {},
      isPart = false,
      approver,
    }) {
      const writes = [...before, ...removals, write, ...after];
      const checking = check?.(writes.flatMap(({ deltas }) => deltas));
      if (checking !== undefined) await checking;
      const touched = writes.flatMap((each) => each.touched);
      // A deletion records the objects that are deleted, any other change the result.
      const deleted = touched.filter(({ action }) => action === 'delete');
      const made = touched.filter(({ action }) => action !== 'delete');
      // One of no object, such as that of names in documents, has all that its answer needs beside it.
      const [object = Object.keys(remembered).length > 0 ? { id: accountId } : undefined] = write.touched;
      const turn = turnOf(writes.flatMap(({ turns = [] }) => turns));
      // Before anything is changed, so that a request that another server has carried out first fails here, and for no other
      // reason.
      const memory =
        request === null || object === undefined || isPart ? [] : [request.remember({ ...object, remembered })];
      return changes.apply({
        accountId,
        objectKey: turn?.key,
        write: write.write,
        before: [
          ...(turn === null ? [] : [turn.write]),
          ...memory,
          ...before.map((each) => each.write),
          ...eventsOf(deleted, approver),
          ...removals.map((each) => each.write),
        ],
        after: [...after.map((each) => each.write), ...eventsOf(made, approver)],
        seals: writes.some(({ seals }) => seals),
        kinds: kindsOf(writes),
        signal,
        acknowledged: () => {
          // A part may still be followed by a refusal, and a repetition must then be able to make the change.
          if (memory.length > 0) request?.noteChange();
          acknowledged?.();
        },
      });
    },
  };
}

/**
 * Returns the kinds of the objects that writes change; undefined if others may change with them, as parts do when their whole is
 * deleted.
 */
function kindsOf(writes: readonly ObjectWrite[]): string[] | undefined {
  const touched = writes.flatMap((each) => each.touched);
  const isKnown = writes.every((each) => each.touched.length > 0) && touched.every(({ action }) => action !== 'delete');
  return isKnown ? touched.map(({ model }) => model) : undefined;
}
