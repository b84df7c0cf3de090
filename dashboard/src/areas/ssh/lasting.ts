// Common lifetimes of certificates and tokens.

import { dayMs } from '../../kit/time.tsx';

/** A choice: an expiry in `days` days; null for a point in time that the user enters. */
export interface Lasting {
  readonly value: string;
  readonly title: string;
  readonly days: number | null;
}

export const certificateLasting: readonly Lasting[] = [
  { value: '30', title: '30 days', days: 30 },
  { value: '90', title: '90 days', days: 90 },
  { value: '365', title: 'One year', days: 365 },
  { value: '730', title: 'Two years', days: 730 },
  { value: 'until', title: 'Until …', days: null },
];

export const tokenLasting: readonly Lasting[] = [
  { value: 'hour', title: 'One hour', days: 1 / 24 },
  { value: 'day', title: '24 hours', days: 1 },
  { value: 'week', title: '7 days', days: 7 },
  { value: 'month', title: '30 days', days: 30 },
  { value: 'until', title: 'Until …', days: null },
];

/**
 * Returns the chosen expiry as an API timestamp; null while none is entered.
 *
 * @param entered value of a `datetime-local` field, in the browser's time zone
 */
export function endOf(choices: readonly Lasting[], value: string, entered: string): string | null {
  const days = choices.find((choice) => choice.value === value)?.days;
  if (days) return new Date(Date.now() + days * dayMs).toISOString();
  const at = new Date(entered);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
