// A V8 setting that the programs make themselves: as a Node option, every way of starting them would have to pass it.

import { setFlagsFromString } from 'node:v8';

/** How much of a function runs before V8 optimizes it, in bytes of code. V8's default is 1,800,000 (Node 20). */
const webAssemblyBudget = 36_000_000;

/**
 * Makes V8 optimize WebAssembly later, so that only a server under load does. Prisma plans queries and migrations in WebAssembly:
 * in a process that sends few queries, optimizing it takes more processor time than it saves. Call this before the first query.
 */
export function optimizeWebAssemblyLater(): void {
  setFlagsFromString(`--wasm-tiering-budget=${webAssemblyBudget}`);
}
