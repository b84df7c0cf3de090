// Rate limits: how much an API key may ask for in a time, over both surfaces together. Off unless the configuration says otherwise.

import { SallyportError } from '../domain/errors.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { type BucketLevel, createTokenBuckets } from '../domain/token-buckets.ts';
import type { Reply } from './request.ts';

/** Counts what keys ask for. */
export interface RateLimits {
  /**
   * Takes the first unit of a request, before anything of it is read.
   *
   * @throws TOO_MANY_REQUESTS where the key has none left, with `Retry-After` on the answer
   */
  begin(reply: Reply, apiKeyId: string): void;
  /** Takes what the request costs beyond that, once it is known. It is answered all the same: those that follow wait for it. */
  charge(reply: Reply, apiKeyId: string, units: number): void;
}

/** The headers by which answers tell the limit, and what is left of it (draft-ietf-httpapi-ratelimit-headers-10). */
export const rateLimitPolicyHeader = 'RateLimit-Policy';
export const rateLimitHeader = 'RateLimit';

const noLimits: RateLimits = { begin: () => {}, charge: () => {} };

/**
 * Keys of all accounts whose buckets are not full at once; far more than honest ones. Who makes more does not shut out others: those
 * beyond are not counted.
 */
const bucketsMax = 100_000;

/**
 * Creates the counts of this process. Without a limit they count nothing.
 *
 * @param monotonicMs a clock that nobody sets
 */
export function createRateLimits(limit: RateLimit | null, monotonicMs: () => number): RateLimits {
  if (limit === null) return noLimits;
  const { quota, seconds } = limit;
  const everyMs = (seconds * 1000) / quota;
  const buckets = createTokenBuckets({ size: quota, everyMs, bucketsMax, beyondMax: 'everything' });

  const tell = (reply: Reply, { tokens, fullInMs }: BucketLevel) => {
    // An event of a stream, which has told before what was left.
    if (reply.headersSent) return;
    reply.setHeader(rateLimitPolicyHeader, `"api-key";q=${quota};w=${seconds}`);
    reply.setHeader(rateLimitHeader, `"api-key";r=${Math.max(0, Math.floor(tokens))};t=${Math.ceil(fullInMs / 1000)}`);
  };
  const take = (reply: Reply, apiKeyId: string, units: number) => {
    const nowMs = monotonicMs();
    buckets.take(apiKeyId, nowMs, units);
    tell(reply, buckets.levelOf(apiKeyId, nowMs));
  };

  return {
    begin(reply, apiKeyId) {
      const level = buckets.levelOf(apiKeyId, monotonicMs());
      if (level.tokens >= 1) {
        take(reply, apiKeyId, 1);
        return;
      }
      tell(reply, level);
      const waitSeconds = Math.ceil((level.fullInMs - (quota - 1) * everyMs) / 1000);
      reply.setHeader('Retry-After', String(waitSeconds));
      throw new SallyportError(
        'TOO_MANY_REQUESTS',
        `The API key may send ${quota} requests in ${seconds} seconds. Send the next one in ${waitSeconds} seconds.`,
      );
    },
    charge: (reply, apiKeyId, units) => {
      if (units > 0) take(reply, apiKeyId, units);
    },
  };
}
