// Counts what work leaves to others.

import { createHook } from 'node:async_hooks';

/**
 * Counts the turns of the event loop that some work asks for itself. Turns are not counted as they pass, as those that
 * pass while a database is waited for say nothing about the work.
 */
export async function turnsOf<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'Immediate') turns += 1;
    },
  }).enable();
  try {
    return { result: await work(), turns };
  } finally {
    hook.disable();
  }
}
