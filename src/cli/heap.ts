// V8 settings that the server makes itself: as Node options, every way of starting it would have to pass them.

import { setFlagsFromString } from 'node:v8';

/** How far V8 lets the old generation grow beyond the memory in use before it collects there, in percent. */
const growingPercent = 60;

/**
 * Makes V8 collect the old generation before it grows to as much as four times the memory in use. Hardly any object of a request is
 * promoted, so collections are rare; large answers promote more, so the limit must not be too low. Call this when the start is
 * over: nearly everything allocated in it stays in use, so a collection finds nothing. It takes effect with the next collection.
 */
export function growHeapSlowly(): void {
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}

/**
 * Makes V8 allocate all new objects in the young generation. Otherwise it pretenures allocation sites whose objects have survived
 * some collections, such as the lists into which the rows of a page are read while others are answered: everything that they refer
 * to is then promoted with them. For a page of 100 objects from PostgreSQL, 37 KB were promoted, and 1 KB is now (`--trace-gc-nvp`,
 * once the code is optimized). Call this at the start, before any code has been optimized.
 */
export function keepNewYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
