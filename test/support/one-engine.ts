// Tests that have nothing to learn from a second engine.

import { inject } from 'vitest';

/**
 * Has tests on one engine alone: those of what is refused before the database is asked for more than whose key it is, or of what
 * becomes of its answer.
 */
export function onOneEngine(tests: () => void): void {
  if (inject('engine') === 'sqlite') tests();
}
