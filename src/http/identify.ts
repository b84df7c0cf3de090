// Whom a request acts for: the first that is found out about it. Whoever may not come in is noted for the trail.

import type { Request } from 'express';
import type { Soon } from '../domain/at-once.ts';
import type { Address } from '../domain/cidr.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Credentials } from '../storage/credentials.ts';
import type { Refusals, RefusedRequest } from '../storage/refusals.ts';
import { clientAddress } from './client-address.ts';
import { authenticate, type Caller, noteExpiry, type Reply } from './request.ts';
import { guard, type Objections } from './restrictions.ts';

/** What requests are identified with. */
export interface IdentifyOptions {
  readonly credentials: Pick<Credentials, 'identify'>;
  readonly refusals: Refusals;
  /** Tells which IP restrictions of an account object to an address. */
  readonly objectionsTo: (accountId: string, address: Address | null) => Soon<Objections>;
  readonly now: () => Date;
  /** How many proxies stand in front. */
  readonly proxies: number;
}

/**
 * Creates what finds whom a request acts for, and turns away what the account's IP restrictions refuse. Throws UNAUTHENTICATED,
 * IP_RESTRICTED, and UNAVAILABLE where neither can be told.
 */
export function createIdentify({ credentials, refusals, objectionsTo, now, proxies }: IdentifyOptions) {
  return async (request: Request, reply: Reply): Promise<Caller> => {
    const address = clientAddress(request, proxies);
    const identity = await authenticate(request, async (tokenHash) => {
      const found = await credentials.identify(tokenHash);
      if (found === null) refusals.noteToken(refusedRequest(reply, address, 'UNAUTHENTICATED'), tokenHash);
      return found;
    });
    reply.locals.trace.accountId = identity.accountId;
    noteExpiry(reply, identity, now());
    return guarded(reply, { ...identity, address }, { objectionsTo, refusals });
  };
}

/** Turns away whom the IP restrictions of his account refuse, for the trail as well. Throws IP_RESTRICTED. */
export async function guarded(
  reply: Reply,
  caller: Caller,
  { objectionsTo, refusals }: Pick<IdentifyOptions, 'objectionsTo' | 'refusals'>,
): Promise<Caller> {
  const { accountId, address } = caller;
  const objections = await objectionsTo(accountId, address);
  if (objections.refusedBy.length > 0) refusals.note(refusedRequest(reply, address, 'IP_RESTRICTED'), caller);
  guard(reply, address, objections);
  return caller;
}

/** Tells what is refused, and why. Never what was sent. */
export function refusedRequest(reply: Reply, address: Address | null, code: ErrorCode): RefusedRequest {
  const { info, trace } = reply.locals;
  return {
    requestId: info.requestId,
    surface: trace.surface === 'graphql' ? 'graphql' : 'rest',
    clientAddress: address?.toString() ?? null,
    asked: trace.route,
    code,
  };
}
