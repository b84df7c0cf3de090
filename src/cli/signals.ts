// SIGTERM and SIGINT: the first one asks the process to end in order, the second one ends it at once.

import { constants } from 'node:os';

/** The signals that ask a process to end. */
export interface EndSignals {
  /** The first one that came, or null. */
  readonly asked: NodeJS.Signals | null;
  /** Says what to do when the first one comes, in place of what was said before. Until then, the process ends with 0. */
  whenAsked(end: (signal: NodeJS.Signals) => void): void;
  /** Leaves later signals to the system, which ends the process at once whatever it does. */
  release(): void;
}

/**
 * Catches the signals, from now on. The kernel ignores those that the first process of a container has not asked for, so
 * nothing may be left to what a signal does by itself.
 *
 * @param secondEnds whether a second signal ends the process. Of several processes, all may get what was meant for the first.
 */
export function catchEndSignals(secondEnds = true): EndSignals {
  let asked: NodeJS.Signals | null = null;
  let end: (signal: NodeJS.Signals) => void = () => process.exit(0);
  const release = () => void process.off('SIGTERM', take).off('SIGINT', take);
  const take = (signal: NodeJS.Signals) => {
    if (asked === null) {
      asked = signal;
      end(signal);
      return;
    }
    if (!secondEnds) return;
    release();
    // This is the end, but for the first process of a container: the signal itself waits for no thread, as an exit does.
    process.kill(process.pid, signal);
    process.exit(128 + constants.signals[signal]);
  };
  process.on('SIGTERM', take).on('SIGINT', take);
  return {
    get asked() {
      return asked;
    },
    whenAsked(next) {
      end = next;
    },
    release,
  };
}
