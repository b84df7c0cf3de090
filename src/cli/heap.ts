// A setting of V8, made by the server itself: as an option of Node, every way of starting it would have to give it.

import { setFlagsFromString } from 'node:v8';

/** How much larger than what is in use V8 lets the old part of the heap grow before it collects there, in percent. */
const growingPercent = 60;

/**
 * Has V8 collect what is old before it takes up to four times the memory of what is in use. Next to nothing of a request grows old, so this
 * is seldom; of large answers more does, so it must not be too early. Call it at the start: it takes effect with the next collection.
 */
export function growHeapSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
