// Common lifetimes, for fields that ask for an end.

import { dayMs } from './time.tsx';

/** A choice: an end in `days` days; null for one that the user enters (`until`), or for none. */
export interface Lasting {
  readonly value: string;
  readonly title: string;
  readonly days: number | null;
}

/** The choice of an end that the user enters. */
export const until: Lasting = { value: 'until', title: 'Until …', days: null };

/**
 * Returns the chosen end as an API timestamp; null if there is none, and undefined while it is still to be entered.
 *
 * @param entered value of a `datetime-local` field, in the browser's time zone
 */
export function endOf(choices: readonly Lasting[], value: string, entered: string): string | null | undefined {
  if (value === until.value) {
    const at = new Date(entered);
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  }
  const days = choices.find((choice) => choice.value === value)?.days;
  return days ? new Date(Date.now() + days * dayMs).toISOString() : null;
}
