// Parses configured rate limits. Pure.

/** A limit of `quota` requests in `seconds` seconds. */
export interface RateLimit {
  readonly quota: number;
  readonly seconds: number;
}

/**
 * Parses a limit such as `600/60`: 600 requests in 60 seconds.
 *
 * @returns null for text of another form, for a zero, and for more than a million requests or a day
 */
export function readRateLimit(text: string): RateLimit | null {
  const [, quota, seconds] = (/^(\d{1,7})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (quota === undefined || seconds === undefined) return null;
  return quota >= 1 && quota <= 1_000_000 && seconds >= 1 && seconds <= 86_400 ? { quota, seconds } : null;
}
