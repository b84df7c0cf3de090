// Numbers and lengths of time in words. They are English, as all of the dashboard is, and not made by `Intl`: what a browser does before it
// has said its first number takes 50 to 80 ms on a processor slowed down four times, which is a tenth of all until the overview can be used.

/** Says a whole number: `12,345`. */
export const sayNumber = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** Counts in words: `2 rules`, `1 rule`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${sayNumber(number)} ${number === 1 ? one : many}`;

/** Says how far away something is, in whole units: `in 2 days`; `3 hours ago` for what is negative. */
export function sayAway(number: number, unit: string): string {
  if (unit === 'day' && Math.abs(number) === 1) return number < 0 ? 'yesterday' : 'tomorrow';
  return number < 0 ? `${count(-number, unit)} ago` : `in ${count(number, unit)}`;
}
