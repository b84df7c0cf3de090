// Rate limits: how much an API key may ask for in a time, over both surfaces together, and how much a network without one. Off unless
// the configuration says otherwise.

import { SallyportError } from '../domain/errors.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { type BucketLevel, createTokenBuckets } from '../domain/token-buckets.ts';
import type { Reply } from './request.ts';

/** Counts what keys, or networks, ask for. */
export interface RateLimits {
  /**
   * Takes the first unit of a request, before anything of it is read.
   *
   * @param asker the id of the key, or the name of the network
   * @throws TOO_MANY_REQUESTS where it has none left, with `Retry-After` on the answer
   */
  begin(reply: Reply, asker: string): void;
  /** Takes what the request costs beyond that, once it is known. It is answered all the same: those that follow wait for it. */
  charge(reply: Reply, asker: string, units: number): void;
}

/** The headers by which answers tell the limit, and what is left of it (draft-ietf-httpapi-ratelimit-headers-10). */
export const rateLimitPolicyHeader = 'RateLimit-Policy';
export const rateLimitHeader = 'RateLimit';

const noLimits: RateLimits = { begin: () => {}, charge: () => {} };

/** Whose requests are counted: the name of the limit in headers, and what messages call the client. */
const askers = { 'api-key': 'The API key', network: 'The network of the client' } as const;

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
export function createRateLimits(
  limit: RateLimit | null,
  monotonicMs: () => number,
  policy: keyof typeof askers = 'api-key',
): RateLimits {
  if (limit === null) return noLimits;
  const { quota, seconds } = limit;
  const everyMs = (seconds * 1000) / quota;
  const buckets = createTokenBuckets({ size: quota, everyMs, bucketsMax, beyondMax: 'everything' });

  const tell = (reply: Reply, { tokens, fullInMs }: BucketLevel) => {
    // An event of a stream, which has told before what was left.
    if (reply.headersSent) return;
    reply.setHeader(rateLimitPolicyHeader, `"${policy}";q=${quota};w=${seconds}`);
    reply.setHeader(
      rateLimitHeader,
      `"${policy}";r=${Math.max(0, Math.floor(tokens))};t=${Math.ceil(fullInMs / 1000)}`,
    );
  };
  const take = (reply: Reply, asker: string, units: number) => {
    const nowMs = monotonicMs();
    buckets.take(asker, nowMs, units);
    tell(reply, buckets.levelOf(asker, nowMs));
  };

  return {
    begin(reply, asker) {
      const level = buckets.levelOf(asker, monotonicMs());
      if (level.tokens >= 1) {
        take(reply, asker, 1);
        return;
      }
      tell(reply, level);
      const waitSeconds = Math.ceil((level.fullInMs - (quota - 1) * everyMs) / 1000);
      reply.setHeader('Retry-After', String(waitSeconds));
      throw new SallyportError(
        'TOO_MANY_REQUESTS',
        `${askers[policy]} may send ${quota} requests in ${seconds} seconds. Send the next one in ${waitSeconds} seconds.`,
      );
    },
    charge: (reply, asker, units) => {
      if (units > 0) take(reply, asker, units);
    },
  };
}
