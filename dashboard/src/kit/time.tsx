// Relative times, with the exact time as a tooltip.

import { useEffect, useReducer } from 'react';
import { sayAway } from './words.ts';

/** Milliseconds of a day. */
export const dayMs = 86_400_000;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (number: number) => String(number).padStart(2, '0');

/** Formats a moment to the second, in the reader's zone, which it names: `27 Nov 2026, 14:05:09 UTC+1`. */
export const sayExactly = (at: Date): string => sayWhen(at, `:${two(at.getSeconds())}`);

/** Formats a moment to the minute: `27 Nov 2026, 14:05 UTC+1`. */
export const sayMoment = (at: Date): string => sayWhen(at, '');

function sayWhen(at: Date, seconds: string): string {
  const day = `${at.getDate()} ${months[at.getMonth()]} ${at.getFullYear()}`;
  return `${day}, ${two(at.getHours())}:${two(at.getMinutes())}${seconds} ${zoneAt(at)}`;
}

/** Returns the reader's zone at a moment, such as `UTC+1`. */
export function zoneAt(at: Date): string {
  const offset = -at.getTimezoneOffset();
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `UTC${offset === 0 ? '' : `${offset < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${two(minutes)}`}`}`;
}

/** Units: length, and distance from which the unit is used, in seconds. Months start at 90 days: 89 days are not "2 months". */
const units = [
  ['year', 365 * 86_400, 365 * 86_400],
  ['month', 30 * 86_400, 90 * 86_400],
  ['day', 86_400, 86_400],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
] as const;

/** Formats a time relative to `now`; both in milliseconds since 1970. */
export function sayTime(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  for (const [unit, size, from] of units) {
    if (Math.abs(seconds) >= from) return sayAway(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : sayAway(seconds, 'second');
}

/** Returns the current time in milliseconds, and renders the component again every `everyMs` milliseconds. */
export function useNow(everyMs = 15_000): number {
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  useEffect(() => {
    const timer = setInterval(draw, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  // Read at each render: relative to the last tick, an event that has just happened would lie in the future.
  return Date.now();
}

/** A relative time. `value` is an API timestamp; `otherwise` is shown if there is none. `say` formats the others. */
export function Time({
  value,
  otherwise = 'never',
  say: sayRelatively = sayTime,
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
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = sayExactly(at);
      }}
    >
      {sayRelatively(at.getTime(), now)}
    </time>
  );
}
