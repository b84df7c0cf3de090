// A setting of V8 that the programs make themselves: as an option of Node, every way of starting them would have to pass it.

import { setFlagsFromString } from 'node:v8';

/** How much of a function runs before V8 optimizes it, in bytes of code. V8 itself takes 1,800,000 (Node 20). */
const webAssemblyBudget = 36_000_000;

/**
 * Has V8 optimize WebAssembly, in which Prisma plans queries and migrations, later, so that only a server under load does: in a process
 * that sends a few queries, it takes more processor time than it saves. Call it before the first query.
 */
export function optimizeWebAssemblyLater(): void {
  setFlagsFromString(`--wasm-tiering-budget=${webAssemblyBudget}`);
}
