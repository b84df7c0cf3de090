// Whom a new request acts for, and whether there is room for it.

import type { Request } from 'express';
import type { EventStreams } from './event-streams.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Caller, Reply } from './request.ts';
import type { RequestsUnderway } from './requests-underway.ts';

/** What new requests are admitted with. */
export interface AdmitOptions {
  /** Finds whom a request acts for. Throws what it is refused with. */
  readonly identify: (request: Request, reply: Reply) => Promise<Caller>;
  readonly rateLimits: RateLimits;
  readonly underway: RequestsUnderway;
}

/** Creates what admits a new request: its key and its account must not ask for more than they may. Throws TOO_MANY_REQUESTS. */
export function createAdmit({ identify, rateLimits, underway }: AdmitOptions) {
  return async (request: Request, reply: Reply): Promise<Caller> => {
    const caller = await identify(request, reply);
    rateLimits.begin(reply, caller.actor);
    underway.begin(reply, caller.accountId);
    return caller;
  };
}

/** Gives streams that count among the streams once they have begun, and no more among the requests. */
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
