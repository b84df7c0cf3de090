// The remaining validity of a host certificate, and its position on the scale of the timeline.

import type { Tone } from '../../kit/notice.tsx';
import { dayMs, sayTime } from '../../kit/time.tsx';
import { sayAway } from '../../kit/words.ts';

/** The fields of a certificate that the timeline uses. */
export interface Validity {
  readonly validAfter: string;
  readonly validUntil: string;
  readonly replacedById: string | null;
}

/** The status of a certificate. */
export interface Standing {
  readonly title: string;
  readonly tone: Tone;
}

/**
 * Returns the status of a certificate. A host can renew it in the last third of its validity. In the last sixth, and at most 30
 * days before the end, it is late, by the same rule as in the command line.
 *
 * @param now milliseconds since 1970
 */
export function standingOf({ validAfter, validUntil, replacedById }: Validity, now: number): Standing {
  const from = Date.parse(validAfter);
  const until = Date.parse(validUntil);
  const left = (until - now) / (until - from);
  if (until <= now) return { title: 'Ended', tone: replacedById === null ? 'bad' : 'neutral' };
  if (replacedById !== null) return { title: 'Replaced', tone: 'neutral' };
  if (from > now) return { title: 'Not valid yet', tone: 'accent' };
  if (left < 1 / 6 && until - now <= 30 * dayMs) return { title: 'Late', tone: 'bad' };
  if (left < 1 / 3) return { title: 'To be renewed', tone: 'caution' };
  return { title: 'Valid', tone: 'good' };
}

/** Returns when the last third of a certificate's validity starts, in which its host can renew it; in milliseconds since 1970. */
export function renewableFrom({ validAfter, validUntil }: Validity): number {
  const until = Date.parse(validUntil);
  return until - (until - Date.parse(validAfter)) / 3;
}

/** The marks of the scale, evenly spaced: one day at the start gets as much room as months at the end, as it matters more. */
export const marks: readonly { readonly days: number; readonly title: string }[] = [
  { days: 0, title: 'now' },
  { days: 1, title: '1 d' },
  { days: 7, title: '7 d' },
  { days: 30, title: '30 d' },
  { days: 90, title: '90 d' },
  { days: 365, title: '1 y' },
];

/** Returns the position of a duration on the scale, from 0 to 1. Anything longer than the scale is at its end. */
export function onScale(ms: number): number {
  const days = ms / dayMs;
  if (days <= 0) return 0;
  const last = marks.length - 1;
  for (let at = 0; at < last; at += 1) {
    const from = marks[at]?.days ?? 0;
    const to = marks[at + 1]?.days ?? 0;
    if (days < to) return (at + (days - from) / (to - from)) / last;
  }
  return 1;
}

/** Formats an expiry relative to `now`, both in milliseconds since 1970: in days from 2 to 399 days, otherwise like `sayTime`. */
export function sayEnd(at: number, now: number): string {
  const days = Math.trunc((at - now) / dayMs);
  return Math.abs(days) >= 2 && Math.abs(days) < 400 ? sayAway(days, 'day') : sayTime(at, now);
}
