// Counts how often work yields to other work.

import { createHook } from 'node:async_hooks';

/**
 * Counts the event loop turns that some work requests itself. Turns are not counted as they pass, because those that pass while a
 * database is awaited say nothing about the work.
 *
 * @param isCounted returns whether what runs now belongs to the work; by default, all that this process does
 */
export async function turnsOf<T>(
  work: () => Promise<T>,
  isCounted: () => boolean = () => true,
): Promise<{ turns: number; result: T }> {
  let turns = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'Immediate' && isCounted()) turns += 1;
    },
  }).enable();
  try {
    return { result: await work(), turns };
  } finally {
    hook.disable();
  }
}
