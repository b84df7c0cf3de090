// Settings of V8, made by the server itself: as options of Node, every way of starting it would have to give them.

import { setFlagsFromString } from 'node:v8';

/** How much larger than what is in use V8 lets the old part of the heap grow before it collects there, in percent. */
const growingPercent = 60;

/**
 * Has V8 collect what is old before it takes up to four times the memory of what is in use. Next to nothing of a request grows old, so this
 * is seldom; of large answers more does, so it must not be too early. Call it when the start is over, in which nearly all that is made
 * stays in use, so that a collection finds nothing: it takes effect with the next one.
 */
export function growHeapSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}

/**
 * Has V8 make everything new among what is young. Otherwise it makes among what is old what has outlived some collections where it is made,
 * such as the lists in which the rows of a page are read while others are answered: from there on, all that they name grows old with them.
 * Of a page of 100 objects from PostgreSQL, 37 KB grew old, and 1 KB does now (`--trace-gc-nvp`, once the code is optimized).
 * Call it at the start, before any code has been optimized.
 */
export function keepNewYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
