// Numbers and durations in words: in English, like the rest of the dashboard, and without `Intl`. The first use of `Intl` takes
// 50 to 80 ms on a processor slowed down four times, which is a tenth of the time until the overview can be used.

/** Formats an integer: `12,345`. */
export const sayNumber = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** Formats a count: `2 rules`, `1 rule`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${sayNumber(number)} ${number === 1 ? one : many}`;

/** Formats a distance in time in whole units: `in 2 days`, or `3 hours ago` for a negative number. */
export function sayAway(number: number, unit: string): string {
  if (unit === 'day' && Math.abs(number) === 1) return number < 0 ? 'yesterday' : 'tomorrow';
  return number < 0 ? `${count(-number, unit)} ago` : `in ${count(number, unit)}`;
}

/**
 * Says who has changed something, as the beginning of a sentence: oneself in another browser, and a key of one's own, by these names.
 *
 * @param by what the trail calls who it was; undefined if unknown
 * @param own what the trail calls who reads this, if that is a person
 */
export function sayChanger(by: string | undefined, own: string | undefined): string {
  if (by === undefined) return 'Somebody else has';
  const [who = by] = by.split(', approved by ');
  if (who === own) return 'You yourself have, elsewhere,';
  const isOwnKey = own !== undefined && who.endsWith(`, of ${own}`);
  return isOwnKey ? `Your API key “${who.slice(0, -`, of ${own}`.length)}” has` : `${by} has`;
}
