// Whom a request acts for, which is the first thing to find out. Callers that are refused are noted for the trail.

import type { Request } from 'express';
import type { Soon } from '../domain/at-once.ts';
import type { Address } from '../domain/cidr.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { type OwnTraffic, trafficOf } from '../domain/own-traffic.ts';
import type { Credentials, Identity } from '../storage/credentials.ts';
import type { ChangeSurface } from '../storage/origin.ts';
import type { Refusals, RefusedRequest } from '../storage/refusals.ts';
import { clientAddress } from './client-address.ts';
import { authenticate, type Caller, noteExpiry, type Reply, readApiKey } from './request.ts';
import { guard, type Objections } from './restrictions.ts';

/** What requests are identified with. */
export interface IdentifyOptions {
  readonly credentials: Pick<Credentials, 'identify'>;
  readonly refusals: Refusals;
  /** Tells which IP restrictions of an account object to an address, of those that judge some traffic. */
  readonly objectionsTo: (accountId: string, traffic: OwnTraffic, address: Address | null) => Soon<Objections>;
  readonly now: () => Date;
  /** How many proxies stand in front. */
  readonly proxies: number;
}

/**
 * Creates what finds whom a request acts for by its API key, and turns away what the account's IP restrictions refuse. Throws
 * UNAUTHENTICATED, IP_RESTRICTED, and UNAVAILABLE where neither can be told.
 */
export function createIdentify(options: IdentifyOptions) {
  const { now, proxies } = options;
  return async (request: Request, reply: Reply): Promise<Caller> => {
    const address = clientAddress(request, proxies);
    const identity = await identifyToken(reply, address, readApiKey(request), options);
    noteExpiry(reply, identity, now());
    return guarded(reply, { address, ...identity }, options);
  };
}

/**
 * Gives what asks anew whether a request may be answered, once its body is there: a client may take a minute for it. Most bodies come with
 * the head, and then nothing has happened since `identify` was called first, which comes after this: no turn of the event loop, and nothing
 * that the client has sent. Neither tells that alone. A body may come before a turn is counted, and one that has come may wait, or take its
 * time to be inflated.
 */
export function identifyAgainLater({ socket }: Request, identify: () => Promise<unknown>): () => Promise<unknown> {
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

/** Finds whose an API key is. One that is not accepted any more is noted for the trail. Throws UNAUTHENTICATED. */
export function identifyToken(
  reply: Reply,
  address: Address | null,
  token: string,
  { credentials, refusals }: Pick<IdentifyOptions, 'credentials' | 'refusals'>,
): Promise<Identity> {
  return authenticate(token, async (tokenHash) => {
    const found = await credentials.identify(tokenHash);
    if (found === null) refusals.noteToken(refusedRequest(reply, { address }, 'UNAUTHENTICATED'), tokenHash);
    return found;
  });
}

/**
 * Turns away a caller whom the account's IP restrictions refuse, and notes it for the trail. Throws IP_RESTRICTED.
 *
 * @param traffic what kind of request it is, where the caller does not tell
 */
export async function guarded(
  reply: Reply,
  caller: Caller,
  { objectionsTo, refusals }: Pick<IdentifyOptions, 'objectionsTo' | 'refusals'>,
  traffic: OwnTraffic = trafficOf(caller),
): Promise<Caller> {
  const { accountId, address } = caller;
  reply.locals.trace.accountId = accountId;
  const objections = await objectionsTo(accountId, traffic, address);
  if (objections.refusedBy.length > 0) refusals.note(refusedRequest(reply, caller, 'IP_RESTRICTED'), caller);
  guard(reply, address, objections);
  return caller;
}

/** Tells what is refused, and why. Never what was sent. */
export function refusedRequest(
  reply: Reply,
  caller: Pick<Caller, 'address' | 'dashboardSessionId'>,
  code: ErrorCode,
): RefusedRequest {
  const { info, trace } = reply.locals;
  return {
    requestId: info.requestId,
    surface: surfaceOf(reply, caller),
    clientAddress: caller.address?.toString() ?? null,
    asked: trace.route,
    code,
  };
}

/** Names what a request came through, as the trail does. */
export function surfaceOf(
  { locals: { trace } }: Reply,
  { dashboardSessionId }: Pick<Identity, 'dashboardSessionId'>,
): ChangeSurface {
  if (trace.surface === 'dashboard' || dashboardSessionId !== undefined) return 'dashboard';
  return trace.surface === 'graphql' ? 'graphql' : 'rest';
}
