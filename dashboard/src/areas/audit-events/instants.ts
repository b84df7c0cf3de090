// Points in time in a page's address. They mean the same to whoever opens the link, in any zone: an instant in UTC, or a span that
// ends now.

/** Spans that end now, by their form in the address, with their lengths in hours. */
const hours = { h: 1, d: 24 } as const;

/** Reads a span such as `1h` or `7d`. Returns its milliseconds; null if it is none. */
function spanOf(text: string): number | null {
  const found = /^([1-9]\d{0,3})([hd])$/.exec(text);
  // The pattern allows only the units of `hours`.
  return found === null ? null : Number(found[1]) * hours[found[2] as keyof typeof hours] * 3_600_000;
}

/**
 * Reads a point in time from an address: `1h` is an hour before `now`.
 *
 * @param now milliseconds since 1970
 * @returns an API timestamp; null if it is missing or malformed
 */
export function instantOf(text: string, now: number): string | null {
  const span = spanOf(text);
  const at = new Date(span === null ? text : now - span);
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}

/** Returns an instant in the format of a `datetime-local` field, in the browser's time zone; empty for none. */
export function localOf(instant: string | null): string {
  if (instant === null) return '';
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the value of a `datetime-local` field as it stands in an address, such as `2026-11-27T14:05Z`; empty for none. */
export function addressOf(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? '' : `${at.toISOString().slice(0, 16)}Z`;
}
