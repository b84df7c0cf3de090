// When what the overview shows is read again.

import { useEffect } from 'react';
import { kinds } from '../../client/kinds.ts';
import { useLive } from '../../client/live.ts';

/** The name under which the clock tells that it is time to look. */
const clock = 'Clock';

/** What the attention list and the counters are read again on: changes of any kind, refused requests, and the clock. */
export const anyChange: readonly string[] = [...Object.keys(kinds), 'Request', clock];

/** Milliseconds between looks at what no change tells of: counters, and what comes closer to its end. */
const lookMs = 20_000;

/** Has everything that depends on the clock read again every so often, while the page is shown. */
export function useClock(): void {
  const live = useLive();
  useEffect(() => {
    const timer = setInterval(() => live.changed([clock]), lookMs);
    return () => clearInterval(timer);
  }, [live]);
}
