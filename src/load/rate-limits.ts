// Rate limits: how much an API key may request in a period, over both surfaces together, and how much a network without a key may.
// Off unless configured.

import type { RateLimit } from '../domain/concurrency/rate-limit.ts';
import { type BucketLevel, createTokenBuckets } from '../domain/concurrency/token-buckets.ts';
import { SallyportError } from '../domain/errors.ts';
import { isIdOf } from '../domain/values/ids.ts';
import type { Reply } from '../pipeline/request.ts';

/** Counts the requests of keys or networks. */
export interface RateLimits {
  /**
   * Charges the first unit of a request, before its body is read.
   *
   * @param asker the id of the key, or the name of the network
   * @throws TOO_MANY_REQUESTS if the asker has no unit left, with `Retry-After` on the answer
   */
  begin(reply: Reply, asker: string): void;
  /**
   * Charges what the request costs beyond the first unit, once that is known. The request is answered anyway: those that follow
   * wait for it.
   */
  charge(reply: Reply, asker: string, units: number): void;
}

/** The headers that report the limit and what is left of it (draft-ietf-httpapi-ratelimit-headers-10). */
export const rateLimitPolicyHeader = 'RateLimit-Policy';
export const rateLimitHeader = 'RateLimit';

const noLimits: RateLimits = { begin: () => {}, charge: () => {} };

/** Whose requests are counted: the limit's name in headers, and the words for the client in messages. */
const askers = { 'api-key': 'The API key', network: 'The network of the client' } as const;

/**
 * Most keys or networks, over all accounts, whose buckets are not full at once; far more than honest clients need. Creating more
 * does not shut out others: those beyond are not counted.
 */
const bucketsMax = 100_000;

/**
 * Creates the counters of this process. Without a limit, nothing is counted.
 *
 * @param monotonicMs a monotonic clock, in milliseconds
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
    // An event of a stream: its headers were sent before, with what was left then.
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
        `${isIdOf('Person', asker) ? 'You' : askers[policy]} may send ${quota} requests in ${seconds} seconds. Send the next one in ${waitSeconds} seconds.`,
      );
    },
    charge: (reply, asker, units) => {
      if (units > 0) take(reply, asker, units);
    },
  };
}
