// Token buckets: limit how often something may happen, separately for each key. A bucket is stored as the time when it is full
// again (the generic cell rate algorithm of ATM, ITU-T I.371). Pure: the caller passes the time.

export interface BucketOptions {
  /** Most tokens in a bucket, which is the size of a burst. A bucket starts full. */
  readonly size: number;
  /** Milliseconds after which a bucket gains one token. */
  readonly everyMs: number;
  /** Most buckets that are kept. Only buckets that are not full need to be. */
  readonly bucketsMax: number;
  /** Whether nothing or everything is allowed for further keys while there are that many buckets. */
  readonly beyondMax: 'nothing' | 'everything';
}

export interface BucketLevel {
  /** Available tokens; negative if more were taken than there were. */
  readonly tokens: number;
  /** Milliseconds until the bucket is full. */
  readonly fullInMs: number;
}

export interface TokenBuckets {
  has(key: string, nowMs: number): boolean;
  levelOf(key: string, nowMs: number): BucketLevel;
  /**
   * Takes tokens, even if there are too few: the level then becomes negative, by at most the size of a bucket, and nothing is
   * allowed until it has recovered.
   */
  take(key: string, nowMs: number, tokens?: number): void;
}

/** Creates buckets, all of them full. */
export function createTokenBuckets({ size, everyMs, bucketsMax, beyondMax }: BucketOptions): TokenBuckets {
  const fullAtMs = new Map<string, number>();
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  /** Forgets full buckets, which are equivalent to buckets that never existed. */
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
