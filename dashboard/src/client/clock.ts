// When data is read again that changes without an event: counters, and ends that come closer.

import { useEffect } from 'react';
import { kinds } from './kinds.ts';
import { useLive } from './live.ts';

/** Milliseconds over which changes are gathered. */
const gatherMs = 5_000;

/**
 * Reports a pseudo-kind as changed every `lookMs` milliseconds, and `gatherMs` after a change of anything: for data that costs the
 * server too much work to be read on every change.
 */
export function useClock(clock: string, lookMs: number): void {
  const live = useLive();
  useEffect(() => {
    const look = () => live.changed([clock]);
    const timer = setInterval(look, lookMs);
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const stop = live.on([...Object.keys(kinds), 'Request'], () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        look();
      }, gatherMs);
    });
    return () => {
      stop();
      clearInterval(timer);
      clearTimeout(gathering);
    };
  }, [live, clock, lookMs]);
}
