// How much a client may ask for in a time: a token bucket, kept as the one moment when it is full again (the generic cell rate
// algorithm of ATM, ITU-T I.371). Pure.

/** A bucket that holds `quota` units, and fills up in `seconds` from nothing. */
export interface RateLimit {
  readonly quota: number;
  readonly seconds: number;
}

/** What is in a bucket. */
export interface BucketLevel {
  /** Units that can be taken; less than nothing where more was taken than there was. */
  readonly units: number;
  /** Milliseconds until it is full. */
  readonly fullInMs: number;
}

/**
 * Reads a limit such as `600/60`, 600 units in 60 seconds.
 *
 * @returns null for a text of another form, for nothing, and for more than a million units or a day
 */
export function readRateLimit(text: string): RateLimit | null {
  const [, quota, seconds] = (/^(\d{1,7})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (quota === undefined || seconds === undefined) return null;
  return quota >= 1 && quota <= 1_000_000 && seconds >= 1 && seconds <= 86_400 ? { quota, seconds } : null;
}

/** Milliseconds in which one unit comes into the bucket. */
export function unitMs({ quota, seconds }: RateLimit): number {
  return (seconds * 1000) / quota;
}

/** Tells what is in a bucket that is full at a moment; `fullAtMs` may have passed. */
export function levelOf(limit: RateLimit, fullAtMs: number, nowMs: number): BucketLevel {
  const fullInMs = Math.max(0, fullAtMs - nowMs);
  return { units: limit.quota - fullInMs / unitMs(limit), fullInMs };
}

/**
 * Takes units out of a bucket, also where it has fewer: then nothing can be taken until as many have come in again. No more is
 * owed than a whole bucket.
 *
 * @returns the moment when it is full again
 */
export function takeUnits(limit: RateLimit, fullAtMs: number, nowMs: number, units: number): number {
  const longest = nowMs + 2 * limit.seconds * 1000;
  return Math.min(longest, Math.max(fullAtMs, nowMs) + units * unitMs(limit));
}
