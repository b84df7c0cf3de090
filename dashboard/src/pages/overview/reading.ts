// When the overview reads its data again.

import { useEffect } from 'react';
import { kinds } from '../../client/kinds.ts';
import { useLive } from '../../client/live.ts';

/** Pseudo-kind that the clock reports as changed when it is time to read again. */
const clock = 'Clock';

/** Kinds for reading the attention list and activity again. They cost the server work, so they are not read on every change. */
export const ticks: readonly string[] = [clock];

/** Polling interval in milliseconds, for what changes without an event: counters, and expiries that come closer. */
const lookMs = 20_000;

/** Milliseconds over which changes are gathered. */
const gatherMs = 5_000;

/** Has everything that depends on the clock read again every `lookMs`, and `gatherMs` after a change. */
export function useClock(): void {
  const live = useLive();
  useEffect(() => {
    const timer = setInterval(() => live.changed([clock]), lookMs);
    let gathering: ReturnType<typeof setTimeout> | undefined;
    const stop = live.on([...Object.keys(kinds), 'Request'], () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        live.changed([clock]);
      }, gatherMs);
    });
    return () => {
      stop();
      clearInterval(timer);
      clearTimeout(gathering);
    };
  }, [live]);
}
