// What every request passes on its way to a surface, in this order, and each step may refuse it:
//
//   begin      its id, the URL that it was sent to, and what is known about it for the log       (begin.ts)
//   identify   the account that it acts for, by a key, a session of the dashboard, or a proof    (identify.ts)
//   restrict   the IP restrictions of the account                                                (restrictions.ts)
//   admit      the rate limit of the key, and the requests that the account has under way        (load/)
//   check      what the surface demands of every request, such as the version of the API
//   body       read in the account's turn if it is large                                         (body.ts)
//   identify   and restrict again, if the body took its time: the key may have been revoked meanwhile
//
// The surface then makes the answer. With an idempotency key it makes it once (answer-once.ts). Failures are answered by
// answer-error.ts, and what happened is summed up by wire/trace.ts.
//
// A request without a key names whom it speaks for, in its body or path, or the key that it wants to sign in with. It counts for its
// network, so that nobody can use up the limits of an account whose ids he knows; who signs in then counts as the key.

import type { Request } from 'express';
import type { RateLimit } from '../domain/concurrency/rate-limit.ts';
import { createRateLimits, type RateLimits } from '../load/rate-limits.ts';
import { createRequestsUnderway, type RequestsUnderway } from '../load/requests-underway.ts';
import { readJsonBody } from './body.ts';
import { clientNetwork } from './client-address.ts';
import type { Caller, Reply } from './request.ts';

/** What a surface adds to the steps of a request that comes with a key or a session. */
export interface KeySteps {
  /** Identifies and restricts the caller. Throws coded errors. */
  readonly identify: (request: Request, reply: Reply) => Promise<Caller>;
  /** Checks what the surface demands of every request. Throws coded errors. */
  readonly check: (request: Request) => void;
  readonly hasBody: boolean;
}

/** What a surface adds to the steps of a request that comes without either. */
export interface KeylessSteps extends Pick<KeySteps, 'check'> {
  /** Identifies and restricts the caller by what was sent. Throws coded errors. */
  readonly identify: (body: object | undefined) => Promise<Caller>;
}

/** A request that may be answered. */
export interface Received {
  readonly caller: Caller;
  /** The JSON object that was sent, if any. */
  readonly body: object | undefined;
}

/** Takes requests through the steps. */
export interface Receive {
  /** Throws what the steps throw, TOO_MANY_REQUESTS, and as `readJsonBody`. */
  withKey(request: Request, reply: Reply, steps: KeySteps): Promise<Received>;
  /** Counts a request for its network that comes without a key and brings no body. Throws TOO_MANY_REQUESTS. */
  ofNetwork(request: Request, reply: Reply): void;
  /** Throws as `withKey`. */
  withoutKey(request: Request, reply: Reply, steps: KeylessSteps): Promise<Received>;
}

export interface ReceiveOptions {
  readonly rateLimits: RateLimits;
  readonly underway: RequestsUnderway;
  /** How much each network may request without a key; null for no limit. */
  readonly rateLimit: RateLimit | null;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
  /** Number of proxies in front of the server. */
  readonly proxies: number;
}

/** Creates the steps of this process. */
export function createReceive({ rateLimits, underway, rateLimit, monotonicMs, proxies }: ReceiveOptions): Receive {
  const ofNetworks = {
    rateLimits: createRateLimits(rateLimit, monotonicMs, 'network'),
    underway: createRequestsUnderway('network of the client'),
  };
  const countNetwork = (request: Request, reply: Reply): string => {
    const network = clientNetwork(request, proxies);
    ofNetworks.rateLimits.begin(reply, network);
    ofNetworks.underway.begin(reply, network);
    return network;
  };
  return {
    ofNetwork: countNetwork,
    async withKey(request, reply, { identify, check, hasBody }) {
      const identifyAgain = hasBody ? identifyAgainLater(request, () => identify(request, reply)) : null;
      const caller = await identify(request, reply);
      rateLimits.begin(reply, caller.actor);
      underway.begin(reply, caller.accountId);
      check(request);
      if (identifyAgain === null) return { caller, body: undefined };
      const body = await readJsonBody(request, reply, caller.accountId);
      await identifyAgain();
      return { caller, body };
    },
    async withoutKey(request, reply, { identify, check }) {
      const network = countNetwork(request, reply);
      check(request);
      // Each network has its own turns for large bodies, apart from those of accounts.
      const body = await readJsonBody(request, reply, `network ${network}`);
      return { caller: await identify(body), body };
    },
  };
}

/**
 * Returns a function that identifies the caller again once the body has arrived: a client may take a minute to send it. Call this
 * before `identify` is first called. Most bodies arrive with the head, and then nothing has happened since that first call: no
 * event loop turn has passed, and the client has sent nothing. Neither condition suffices alone. A body may arrive before a turn is
 * counted, and one that has arrived may wait, or take time to inflate.
 */
function identifyAgainLater({ socket }: Request, identify: () => Promise<unknown>): () => Promise<unknown> {
  const { bytesRead } = socket;
  let isLaterTurn = false;
  const turn = setImmediate(() => {
    isLaterTurn = true;
  });
  return async () => {
    clearImmediate(turn);
    if (isLaterTurn || socket.bytesRead !== bytesRead) await identify();
  };
}
