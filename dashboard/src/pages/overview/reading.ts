// When what the overview shows is read again.

import { useEffect } from 'react';
import { kinds } from '../../client/kinds.ts';
import { useLive } from '../../client/live.ts';

/** The name under which the clock tells that it is time to look. */
const clock = 'Clock';

/** What the attention list and the counters are read again on. They cost the server something: it is not on each of many changes. */
export const ticks: readonly string[] = [clock];

/** Milliseconds between looks at what no change tells of: counters, and what comes closer to its end. */
const lookMs = 20_000;

/** Milliseconds in which changes are gathered. */
const gatherMs = 5_000;

/** Has everything that depends on the clock read again every so often, and some seconds after changes. */
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
