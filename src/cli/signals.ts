// SIGTERM and SIGINT: the first signal asks the process to stop in order, the second one ends it at once.

import { constants } from 'node:os';

/** The signals that ask a process to stop. */
export interface EndSignals {
  /** The first signal received, or null. */
  readonly asked: NodeJS.Signals | null;
  /** Sets the handler of the first signal, replacing the previous one. Without a handler, the process exits with 0. */
  whenAsked(end: (signal: NodeJS.Signals) => void): void;
  /** Leaves later signals to the system, which ends the process at once, whatever it is doing. */
  release(): void;
}

/**
 * Catches the signals from now on. For the first process of a container, the kernel ignores signals without a handler, so
 * nothing may be left to their default actions.
 *
 * @param secondEnds whether a second signal ends the process. Not in a worker: it may get one signal twice, directly and from the
 *   primary process.
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
    // This ends the process, except for the first process of a container. Unlike an exit, the signal waits for no thread.
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
