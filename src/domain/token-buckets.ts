// Token buckets: how often something may happen, for each key that it happens under. Pure: whoever asks says what time it is.

/** How buckets fill. */
export interface BucketOptions {
  /** Most tokens in a bucket: how often it may happen at once. A bucket that nobody has taken from is full. */
  readonly size: number;
  /** Milliseconds after which a bucket has one token more. */
  readonly everyMs: number;
  /** Most buckets that are not full and are remembered. For another key, nothing may happen until one of them is full. */
  readonly bucketsMax: number;
}

/** Buckets by their keys. */
export interface TokenBuckets {
  /** Tells whether there is a token under a key. */
  has(key: string, nowMs: number): boolean;
  /** Takes a token that there is. */
  take(key: string, nowMs: number): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Creates buckets, all of them full. */
export function createTokenBuckets({ size, everyMs, bucketsMax }: BucketOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>();
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  const tokensOf = ({ tokens, atMs }: Bucket, nowMs: number) => Math.min(size, tokens + (nowMs - atMs) / everyMs);
  /** Forgets the full ones, which are as good as those that were never there. */
  const sweep = (nowMs: number) => {
    if (nowMs - sweptAtMs < everyMs) return;
    sweptAtMs = nowMs;
    for (const [key, bucket] of buckets) if (tokensOf(bucket, nowMs) >= size) buckets.delete(key);
  };
  return {
    has(key, nowMs) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) return tokensOf(bucket, nowMs) >= 1;
      if (buckets.size >= bucketsMax) sweep(nowMs);
      return buckets.size < bucketsMax;
    },
    take(key, nowMs) {
      const bucket = buckets.get(key);
      buckets.set(key, { tokens: (bucket === undefined ? size : tokensOf(bucket, nowMs)) - 1, atMs: nowMs });
    },
  };
}
