// Holds servers to a share of a processor each, so that they, their database and the load do not take time from each other if there
// are fewer cores than programs.

import { Worker } from 'node:worker_threads';

/** Milliseconds of a period, in which each server has its slice. */
const periodMs = 40;

/**
 * Runs in its own thread, because the one that sends the load is busy. It is text, which a thread takes without a TypeScript
 * loader.
 */
const script = `
const { workerData: { pids, periodMs, share } } = require('node:worker_threads');
const clock = new Int32Array(new SharedArrayBuffer(4));
const waitUntil = (ms) => Atomics.wait(clock, 0, 0, Math.max(0, ms - performance.now()));
for (const pid of pids) process.kill(pid, 'SIGSTOP');
for (let begun = performance.now(); ; begun = Math.max(begun + periodMs, performance.now())) {
  pids.forEach((pid, place) => {
    const start = begun + (place * periodMs) / pids.length;
    waitUntil(start);
    process.kill(pid, 'SIGCONT');
    waitUntil(start + share * periodMs);
    process.kill(pid, 'SIGSTOP');
  });
}`;

/**
 * Lets each server run for its share of the time and stand still for the rest, one after the other.
 *
 * @param share of one processor; all servers together at most 1
 * @returns a function that lets them go
 */
export function holdToShare(servers: readonly { readonly pid: number }[], share: number): () => Promise<void> {
  const pids = servers.map(({ pid }) => pid);
  const thread = new Worker(script, { eval: true, workerData: { pids, periodMs, share } });
  return async () => {
    await thread.terminate();
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}
