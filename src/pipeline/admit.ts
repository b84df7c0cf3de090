// Identifies the caller of a new request, and checks whether there is room for it.

import type { Request } from 'express';
import type { RateLimits } from '../load/rate-limits.ts';
import type { RequestsUnderway } from '../load/requests-underway.ts';
import type { EventStreams } from '../surfaces/event-streams.ts';
import type { Caller, Reply } from './request.ts';

/** Dependencies of `createAdmit`. */
export interface AdmitOptions {
  /** Identifies the caller of a request. Throws the error that refuses the request. */
  readonly identify: (request: Request, reply: Reply) => Promise<Caller>;
  readonly rateLimits: RateLimits;
  readonly underway: RequestsUnderway;
}

/**
 * Creates the function that admits a new request. It throws TOO_MANY_REQUESTS if the key or the account requests more than it may.
 */
export function createAdmit({ identify, rateLimits, underway }: AdmitOptions) {
  return async (request: Request, reply: Reply): Promise<Caller> => {
    const caller = await identify(request, reply);
    rateLimits.begin(reply, caller.actor);
    underway.begin(reply, caller.accountId);
    return caller;
  };
}

/** Returns streams that count as streams once they have begun, and no longer as requests in flight. */
export function countedApart(streams: EventStreams, underway: RequestsUnderway): EventStreams {
  return {
    ...streams,
    serve: (reply, stream) =>
      streams.serve(reply, {
        ...stream,
        async begin() {
          const following = await stream.begin();
          underway.end(reply);
          return following;
        },
      }),
  };
}
