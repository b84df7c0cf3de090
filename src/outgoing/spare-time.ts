// Lets work of its own go on only in the time that requests leave: how much that is, the event loop shows.

import { performance as loop } from 'node:perf_hooks';

/** Milliseconds between two releases of work, and how many of them pass until the rate is set anew. */
const tickMs = 10;
const ticksOfRate = 5;
/** The share of its time that the event loop may be busy: one that requests keep waiting is busy all the time. */
const busyShare = 0.92;
/** How far the rate follows a share that is below that, and one that is above it. */
const gain = { below: 1, above: 10 };
/** Pieces of work a second: at least, so that a server that is always busy falls behind and does not stop; at first; and at most. */
export interface Rates {
  readonly least: number;
  readonly first: number;
  readonly most: number;
}
/** Of pieces that take a millisecond or more, and of those that take a twentieth of that. */
export const largePieces: Rates = { least: 8, first: 100, most: 2_000 };
export const smallPieces: Rates = { least: 150, first: 1_000, most: 5_000 };
/** Pieces that may begin at once after a pause: what is rare is not held up at all. */
const burst = 64;

/** Gives turns to work that can wait. */
export interface SpareTime {
  /** Resolves when there is time for a piece of work, in the order of the calls. */
  turn(): Promise<void>;
}

/** Returns the share of the time since the last call in which the event loop of the process was busy. */
function ownShare(): () => number {
  let before = loop.eventLoopUtilization();
  return () => {
    const now = loop.eventLoopUtilization();
    const { utilization } = loop.eventLoopUtilization(now, before);
    before = now;
    return utilization;
  };
}

/**
 * Creates the turns of a process. Twenty times a second, the rate follows the time that the event loop has left: it may double
 * while there is much, and falls to a fifth where there is none, whatever takes it. So work that can wait takes what requests
 * leave of a process, up to nine tenths, and a few hundredths of one that they keep busy.
 *
 * @param rates how many pieces a second, by how much each of them takes
 * @param signal gives all turns at once when it fires, to work that sees then that it is not wanted any more
 * @param readShare returns the share of the time since its last call in which the event loop was busy
 */
export function createSpareTime(rates: Rates, signal: AbortSignal, readShare: () => number = ownShare()): SpareTime {
  const waiting = new Set<() => void>();
  let rate = rates.first;
  let left: number = burst;
  let ticks = 0;
  let isWanted = false;
  let timer: NodeJS.Timeout | undefined;
  let leftAtMs = performance.now();
  const release = () => {
    const nowMs = performance.now();
    left = Math.min(burst, left + ((nowMs - leftAtMs) * rate) / 1000);
    leftAtMs = nowMs;
    for (const go of waiting) {
      if (left < 1) return;
      left -= 1;
      waiting.delete(go);
      go();
    }
  };
  const tick = () => {
    ticks += 1;
    if (ticks % ticksOfRate === 0) {
      const over = readShare() - busyShare;
      const followed = rate * (1 - over * (over > 0 ? gain.above : gain.below));
      rate = Math.min(rates.most, Math.max(rates.least, followed));
      // What was saved up before is not spent on top of a load.
      if (over > 0) left = Math.min(left, 1);
      if (!isWanted && waiting.size === 0) stop();
      isWanted = false;
    }
    release();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const giveAll = () => {
    stop();
    for (const go of waiting) go();
    waiting.clear();
  };
  signal.addEventListener('abort', giveAll, { once: true });
  return {
    turn() {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        waiting.add(resolve);
        release();
        // Also while every turn comes at once: a rate from a time without a load would hold when there is one.
        isWanted = true;
        if (timer !== undefined) return;
        readShare();
        ticks = 0;
        timer = setInterval(tick, tickMs).unref();
      });
    },
  };
}
