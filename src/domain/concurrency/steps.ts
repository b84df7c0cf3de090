// Long work in small steps, so that it never holds up other work for longer than one step and a slice take. Pure except for the
// event loop.

import { createWorkQueue, type Departure } from './work-queue.ts';

/** Work that yields between its steps, so that it can pause there. No step takes longer than a few milliseconds. */
export type Steps<T> = Generator<unknown, T, void>;

/** How long steps follow one another before other work gets its turn, in milliseconds. */
const sliceMs = 3;
/** Most slices of an owner that may wait, one for each of its requests. */
const waitingMax = 1_000;
/** One slice of the process at a time, because each takes the event loop, with as much time after it for everything else. */
const queue = createWorkQueue({ atOnce: 1, rests: true, waitingMax });

/**
 * Does work slice by slice, each in the turn of its owner.
 *
 * @param owner the id of the account
 * @param departure drops the rest of the work if it fires
 * @throws UNAVAILABLE if too many slices of the owner are waiting; the reason of the signal; and what the steps throw
 */
export async function inTurns<T>(owner: string, steps: Steps<T>, departure?: Departure): Promise<T> {
  for (;;) {
    const slice = await queue.run(owner, () => doSlice(steps), departure);
    if (slice.done === true) return slice.value;
  }
}

function doSlice<T>(steps: Steps<T>): IteratorResult<unknown, T> {
  const begunMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true || performance.now() - begunMs >= sliceMs) return step;
  }
}

/** Does all steps at once: for work that is known to be short, or has its own turn. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
