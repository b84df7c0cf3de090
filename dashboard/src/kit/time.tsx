// Times as people say them, with the exact one for whoever points at them.

import { useEffect, useReducer } from 'react';
import { sayAway } from './words.ts';

let exactly: Intl.DateTimeFormat | undefined;
/** Says a time to the second, as the person's browser does. */
function sayExactly(at: Date): string {
  exactly ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
  return exactly.format(at);
}

/** Units in seconds, each with the seconds from which on it is used. Below three months people count days: 89 of them are not two months. */
const units = [
  ['year', 365 * 86_400, 365 * 86_400],
  ['month', 30 * 86_400, 90 * 86_400],
  ['day', 86_400, 86_400],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
] as const;

/** Says when something is, seen from `now`; both in milliseconds since 1970. */
export function sayTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  for (const [unit, size, from] of units) {
    if (Math.abs(seconds) >= from) return sayAway(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : sayAway(seconds, 'second');
}

/** Gives the current time in milliseconds, in a component that is drawn again every so many milliseconds. */
export function useNow(everyMs = 15_000): number {
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  useEffect(() => {
    const timer = setInterval(draw, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  // Read at each drawing: seen from the last turn, what has just happened would still be to come.
  return Date.now();
}

/** A time. `value` is one of the API; null is said as `never`, or as `otherwise`. `say` is how others are said. */
export function Time({
  value,
  otherwise = 'never',
  say = sayTime,
}: {
  value: string | null | undefined;
  otherwise?: string;
  say?: (at: number, now: number) => string;
}) {
  const now = useNow();
  if (!value) return <span className="muted">{otherwise}</span>;
  const at = new Date(value);
  return (
    <time
      dateTime={value}
      // Not before somebody wants to see it: see kit/words.ts.
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = sayExactly(at);
      }}
    >
      {say(at.getTime(), now)}
    </time>
  );
}
