// Identifies the caller of a request, which is the first thing to do. Refused callers are noted for the audit trail.

import type { Request } from 'express';
import type { Soon } from '../domain/concurrency/at-once.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Objections } from '../domain/gate/decide.ts';
import type { Address } from '../domain/ip/cidr.ts';
import { type OwnTraffic, trafficOf } from '../domain/ip/own-traffic.ts';
import type { Credentials, Identity } from '../storage/keys/credentials.ts';
import type { ChangeSurface } from '../storage/trail/origin.ts';
import type { Refusals, RefusedRequest } from '../storage/trail/refusals.ts';
import { clientAddress } from './client-address.ts';
import { authenticate, type Caller, noteExpiry, type Reply, readApiKey } from './request.ts';
import { guard } from './restrictions.ts';

/** Dependencies of `createIdentify`. */
export interface IdentifyOptions {
  readonly credentials: Pick<Credentials, 'identify'>;
  readonly refusals: Refusals;
  /** Finds the IP restrictions of an account that object to an address, among those that judge this kind of traffic. */
  readonly objectionsTo: (accountId: string, traffic: OwnTraffic, address: Address | null) => Soon<Objections>;
  readonly now: () => Date;
  /** Number of proxies in front of the server. */
  readonly proxies: number;
}

/**
 * Creates the function that identifies the caller of a request by its API key and enforces the account's IP restrictions. It throws
 * UNAUTHENTICATED, IP_RESTRICTED, and UNAVAILABLE if it cannot tell.
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
 * Returns a function that identifies the caller again once the body has arrived: a client may take a minute to send it. Call this
 * before `identify` is first called. Most bodies arrive with the head, and then nothing has happened since that first call: no
 * event loop turn has passed, and the client has sent nothing. Neither condition suffices alone. A body may arrive before a turn is
 * counted, and one that has arrived may wait, or take time to inflate.
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

/**
 * Finds the identity that an API key belongs to. A key that is no longer accepted is noted for the audit trail. Throws
 * UNAUTHENTICATED.
 */
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
 * Refuses a caller to whom the account's IP restrictions object, and notes the refusal for the audit trail; otherwise returns the
 * caller. Throws IP_RESTRICTED.
 *
 * @param traffic the kind of request, if the caller does not tell
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
  guard(reply, caller, objections);
  return caller;
}

/** Describes what is refused, and why, but never what was sent. */
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

/** Returns the surface that a request came through, as the audit trail names it. */
export function surfaceOf(
  { locals: { trace } }: Reply,
  { dashboardSessionId }: Pick<Identity, 'dashboardSessionId'>,
): ChangeSurface {
  if (trace.surface === 'dashboard' || dashboardSessionId !== undefined) return 'dashboard';
  return trace.surface === 'graphql' ? 'graphql' : 'rest';
}
