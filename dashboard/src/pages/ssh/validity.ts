// How long a host certificate is still good, and where that stands on the scale of the time line.

import type { Tone } from '../../kit/notice.tsx';
import { sayTime } from '../../kit/time.tsx';
import { sayAway } from '../../kit/words.ts';

/** What the time line shows of a certificate. */
export interface Validity {
  readonly validAfter: string;
  readonly validUntil: string;
  readonly replacedById: string | null;
}

/** How a certificate is doing. */
export interface Standing {
  readonly title: string;
  readonly tone: Tone;
}

export const dayMs = 86_400_000;

/**
 * Says how a certificate is doing. From the last third of its validity on a host can renew it, and in the last sixth it is late, as the
 * command line says it as well.
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
  if (left < 1 / 6) return { title: 'Late', tone: 'bad' };
  if (left < 1 / 3) return { title: 'To be renewed', tone: 'caution' };
  return { title: 'Valid', tone: 'good' };
}

/** Gives from when a certificate can be renewed by its host: in the last third of its validity. In milliseconds since 1970. */
export function renewableFrom({ validAfter, validUntil }: Validity): number {
  const until = Date.parse(validUntil);
  return until - (until - Date.parse(validAfter)) / 3;
}

/** The marks of the scale. A day counts as much as a month further on: what ends soon is what matters. */
export const marks: readonly { readonly days: number; readonly title: string }[] = [
  { days: 0, title: 'now' },
  { days: 1, title: '1 d' },
  { days: 7, title: '7 d' },
  { days: 30, title: '30 d' },
  { days: 90, title: '90 d' },
  { days: 365, title: '1 y' },
];

/** Gives where a length of time stands on the scale, from 0 to 1. What is longer than the scale stands at its end. */
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

/** Says when a certificate ends, seen from `now`, both in milliseconds since 1970: in days as long as these are what people count in. */
export function sayEnd(at: number, now: number): string {
  const days = Math.trunc((at - now) / dayMs);
  return Math.abs(days) >= 2 && Math.abs(days) < 400 ? sayAway(days, 'day') : sayTime(at, now);
}
