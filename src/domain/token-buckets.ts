// Token buckets: how often something may happen, for each key that it happens under. A bucket is kept as the one moment when it is
// full again (the generic cell rate algorithm of ATM, ITU-T I.371). Pure: whoever asks says what time it is.

/** How buckets fill. */
export interface BucketOptions {
  /** Most tokens in a bucket: how often it may happen at once. A bucket that nobody has taken from is full. */
  readonly size: number;
  /** Milliseconds after which a bucket has one token more. */
  readonly everyMs: number;
  /** Most buckets that are not full and are remembered. */
  readonly bucketsMax: number;
  /** Whether something may happen under other keys as long as there are so many. */
  readonly beyondMax: 'nothing' | 'everything';
}

/** What is in a bucket. */
export interface BucketLevel {
  /** Tokens that can be taken; less than nothing where more were taken than there were. */
  readonly tokens: number;
  /** Milliseconds until it is full. */
  readonly fullInMs: number;
}

/** Buckets by their keys. */
export interface TokenBuckets {
  /** Tells whether there is a token under a key. */
  has(key: string, nowMs: number): boolean;
  /** Tells what is under a key. */
  levelOf(key: string, nowMs: number): BucketLevel;
  /**
   * Takes tokens, also where there are fewer: then nothing can be taken until as many have come in again. No more is owed than a
   * whole bucket.
   */
  take(key: string, nowMs: number, tokens?: number): void;
}

/** Creates buckets, all of them full. */
export function createTokenBuckets({ size, everyMs, bucketsMax, beyondMax }: BucketOptions): TokenBuckets {
  const fullAtMs = new Map<string, number>();
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  /** Forgets the full ones, which are as good as those that were never there. */
  const sweep = (nowMs: number) => {
    if (nowMs - sweptAtMs < everyMs) return;
    sweptAtMs = nowMs;
    for (const [key, moment] of fullAtMs) if (moment <= nowMs) fullAtMs.delete(key);
  };
  const levelOf = (key: string, nowMs: number): BucketLevel => {
    const known = fullAtMs.get(key);
    if (known === undefined && fullAtMs.size >= bucketsMax) {
      sweep(nowMs);
      if (fullAtMs.size >= bucketsMax && beyondMax === 'nothing') return { tokens: 0, fullInMs: size * everyMs };
    }
    const fullInMs = Math.max(0, (known ?? nowMs) - nowMs);
    return { tokens: size - fullInMs / everyMs, fullInMs };
  };
  return {
    levelOf,
    has: (key, nowMs) => levelOf(key, nowMs).tokens >= 1,
    take(key, nowMs, tokens = 1) {
      if (!fullAtMs.has(key) && fullAtMs.size >= bucketsMax) return;
      const longest = nowMs + 2 * size * everyMs;
      fullAtMs.set(key, Math.min(longest, Math.max(fullAtMs.get(key) ?? nowMs, nowMs) + tokens * everyMs));
    },
  };
}
