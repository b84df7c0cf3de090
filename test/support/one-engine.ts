// Tests that would learn nothing from a second engine.

import { inject } from 'vitest';

/**
 * Defines tests on SQLite alone: tests of requests that are refused before the database is asked for more than the owner of the
 * key, and tests of what happens to the database's answer.
 */
export function onOneEngine(tests: () => void): void {
  if (inject('engine') === 'sqlite') tests();
}
