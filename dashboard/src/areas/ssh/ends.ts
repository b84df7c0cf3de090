// The filter by expiry of certificates.

import { dayMs } from '../../kit/time.tsx';
import type { EndsFragment } from './authorities.generated.ts';

/** The choices, with their values in the page address. */
export const ends = [
  { id: '', title: 'All' },
  { id: 'ended', title: 'Ended' },
  { id: '24h', title: 'Within 24 h', days: 1 },
  { id: '7d', title: '7 days', days: 7 },
  { id: '30d', title: '30 days', days: 30 },
] as const;

/** Returns the number of certificates in a choice, summed from counts for consecutive ranges of days. */
export function countWithin(counts: EndsFragment | null | undefined, id: string): number | undefined {
  if (!counts) return undefined;
  const of = (...ranges: readonly string[]) =>
    counts.ranges.filter(({ daysLeft }) => ranges.includes(daysLeft)).reduce((sum, { count }) => sum + count, 0);
  if (id === 'ended') return of('ended');
  if (id === '24h') return of('0-1');
  if (id === '7d') return of('0-1', '1-7');
  if (id === '30d') return of('0-1', '1-7', '7-30');
  return counts.total;
}

/** Returns the bounds on `validUntil` for a choice; `now` in milliseconds since 1970. */
export function boundsOf(id: string, now: number): { validUntilAfter?: string; validUntilBefore?: string } {
  const at = (ms: number) => new Date(ms).toISOString();
  if (id === 'ended') return { validUntilBefore: at(now) };
  const chosen = ends.find((each) => each.id === id);
  if (chosen === undefined || !('days' in chosen)) return {};
  return { validUntilAfter: at(now), validUntilBefore: at(now + chosen.days * dayMs) };
}
