// Rate limits: how much an API key may ask for in a time, over both surfaces together. Off unless the configuration says otherwise.

import { LRUCache } from 'lru-cache';
import { SallyportError } from '../domain/errors.ts';
import { levelOf, type RateLimit, takeUnits, unitMs } from '../domain/rate-limit.ts';
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

/** The headers by which every answer tells the limit, and what is left of it (draft-ietf-httpapi-ratelimit-headers-10). */
export const rateLimitPolicyHeader = 'RateLimit-Policy';
export const rateLimitHeader = 'RateLimit';

const noLimits: RateLimits = { begin: () => {}, charge: () => {} };

/** Keys whose buckets are kept. One that is forgotten has a full bucket, as nearly all have that have not asked for long. */
const bucketsMax = 100_000;

/** Creates the counts of this process. Without a limit they count nothing. */
export function createRateLimits(limit: RateLimit | null, now: () => Date): RateLimits {
  if (limit === null) return noLimits;
  const fullAtMs = new LRUCache<string, number>({ max: bucketsMax });
  const policy = `"api-key";q=${limit.quota};w=${limit.seconds}`;

  const tell = (reply: Reply, { units, fullInMs }: ReturnType<typeof levelOf>) => {
    reply.setHeader(rateLimitPolicyHeader, policy);
    reply.setHeader(rateLimitHeader, `"api-key";r=${Math.max(0, Math.floor(units))};t=${Math.ceil(fullInMs / 1000)}`);
  };
  const take = (reply: Reply, apiKeyId: string, units: number) => {
    const nowMs = now().getTime();
    const taken = takeUnits(limit, fullAtMs.get(apiKeyId) ?? 0, nowMs, units);
    fullAtMs.set(apiKeyId, taken);
    tell(reply, levelOf(limit, taken, nowMs));
  };

  return {
    begin(reply, apiKeyId) {
      const nowMs = now().getTime();
      const level = levelOf(limit, fullAtMs.get(apiKeyId) ?? 0, nowMs);
      if (level.units >= 1) {
        take(reply, apiKeyId, 1);
        return;
      }
      tell(reply, level);
      const seconds = Math.ceil((level.fullInMs - (limit.quota - 1) * unitMs(limit)) / 1000);
      reply.setHeader('Retry-After', String(seconds));
      throw new SallyportError(
        'TOO_MANY_REQUESTS',
        `The API key may send ${limit.quota} requests in ${limit.seconds} seconds. Send the next one in ${seconds} seconds.`,
      );
    },
    charge: (reply, apiKeyId, units) => {
      if (units > 0) take(reply, apiKeyId, units);
    },
  };
}
