// Signing in to and out of the dashboard: an API key is exchanged for a session, whose cookie no script can read. The browser does
// not keep the key itself.

import express, { type Request, type Router } from 'express';
import { createTokenBuckets } from '../../domain/concurrency/token-buckets.ts';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { remedies } from '../../domain/remedies.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import type { RateLimits } from '../../load/rate-limits.ts';
import { clientAddress, clientNetwork } from '../../pipeline/client-address.ts';
import {
  clearSessionCookie,
  type DashboardSessions,
  demandHeader,
  sessionTokensOf,
  setSessionCookie,
} from '../../pipeline/dashboard-sessions.ts';
import { type Callers, surfaceOf } from '../../pipeline/identify.ts';
import type { Receive } from '../../pipeline/receive.ts';
import type { Caller, Reply } from '../../pipeline/request.ts';
import type { FoundSession, Identity } from '../../storage/keys/credentials.ts';
import type { Origin } from '../../storage/trail/origin.ts';
import { answerOtherMethod } from '../../wire/methods.ts';
import { sendJson, sendNothing } from '../../wire/send.ts';
import type { SignInOffer } from './people-sign-in.ts';

export interface SignInOptions {
  readonly sessions: DashboardSessions;
  readonly callers: Pick<Callers, 'signingIn' | 'inSession'>;
  /** Finds out how people sign in to an account. */
  readonly offerOf: (accountId: string) => Promise<Pick<SignInOffer, 'keys'>>;
  readonly receive: Pick<Receive, 'withoutKey'>;
  /** Number of proxies in front of the server. */
  readonly proxies: number;
  readonly rateLimits: RateLimits;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

const path = '/dashboard/session';
/** Wrong keys that a network may send: twenty at once, then one every three seconds. */
const failuresOfNetwork = { size: 20, everyMs: 3_000, bucketsMax: 100_000, beyondMax: 'everything' } as const;

/** Creates the router for the session of a browser. Its handlers throw coded errors. */
export function createSignInRouter(options: SignInOptions): Router {
  const { sessions, callers, receive, rateLimits, proxies, monotonicMs } = options;
  const router = express.Router({ caseSensitive: true, strict: true });
  const failures = createTokenBuckets(failuresOfNetwork);

  const originOf = (request: Request, reply: Reply, { actor, actorDescription }: Identity): Origin => ({
    actor,
    actorDescription,
    surface: surfaceOf(reply, {}),
    requestId: reply.locals.info.requestId,
    clientAddress: clientAddress(request, proxies)?.toString() ?? null,
  });
  const find = async (request: Request): Promise<FoundSession | null> => {
    const tokens = sessionTokensOf(request);
    return tokens.length === 0 ? null : sessions.find(tokens);
  };
  const tellOf = ({ endsAt }: { readonly endsAt: Date }) => ({
    expires_at: formatTimestamp(endsAt),
    idle_seconds: sessions.idleSeconds,
  });
  /** Ends the session of a request, if it has one. */
  const endOwn = async (request: Request, reply: Reply) => {
    const found = await find(request);
    if (found !== null) await sessions.end(found, originOf(request, reply, found.identity));
  };
  /**
   * Identifies the key that was sent. After many wrong keys from a network, another wrong one is answered with when to try again,
   * but a right one works as always: nobody can lock out others in the same network.
   */
  const identify = async (request: Request, reply: Reply, token: string): Promise<Caller> => {
    try {
      return await callers.signingIn(request, reply, token);
    } catch (error) {
      if (!(error instanceof SallyportError) || error.code !== 'UNAUTHENTICATED') throw error;
      const network = clientNetwork(request, proxies);
      if (failures.has(network, monotonicMs())) {
        failures.take(network, monotonicMs());
        throw error;
      }
      const seconds = failuresOfNetwork.everyMs / 1000;
      reply.setHeader('Retry-After', String(seconds));
      throw new SallyportError(
        'TOO_MANY_REQUESTS',
        `Too many wrong API keys came from your network. Try again in ${seconds} seconds.`,
      );
    }
  };

  const route = router.route(path);
  const begin = (reply: Reply, method: 'GET' | 'POST' | 'DELETE') => {
    reply.locals.trace.route = `${method} ${path}`;
    reply.setHeader('Cache-Control', 'no-store');
  };
  route.get(async (request: Request, reply: Reply) => {
    begin(reply, 'GET');
    const found = await find(request);
    if (found === null) {
      sendJson(reply, 200, { signed_in: false });
      return;
    }
    await callers.inSession(request, reply, found.identity);
    sendJson(reply, 200, { signed_in: true, ...tellOf(found) });
  });
  route.post(async (request: Request, reply: Reply) => {
    begin(reply, 'POST');
    const { caller: identity } = await receive.withoutKey(request, reply, {
      check: demandHeader,
      identify: (body) => identify(request, reply, readToken(body)),
    });
    rateLimits.begin(reply, identity.actor);
    const { keys } = await options.offerOf(identity.accountId);
    if (!keys) throw keysRefused(identity.accountId);
    // A browser has one session: nobody could end the previous one any more.
    await endOwn(request, reply);
    const begun = await sessions.begin(identity, originOf(request, reply, identity), request.get('user-agent') ?? '');
    setSessionCookie(request, reply, begun.token);
    sendJson(reply, 201, tellOf(begun));
  });
  route.delete(async (request: Request, reply: Reply) => {
    begin(reply, 'DELETE');
    demandHeader(request);
    await endOwn(request, reply);
    clearSessionCookie(request, reply);
    sendNothing(reply, 204);
  });
  route.all((request: Request, reply: Reply) => answerOtherMethod(['GET', 'POST', 'DELETE'], request, reply));
  return router;
}

/** Creates the error for a key that is good, where people sign in. */
function keysRefused(accountId: string): SallyportError {
  const command = remedies.suspendSignIn(accountId);
  return new SallyportError(
    'FORBIDDEN',
    `API keys do not sign in to the dashboard of this account: sign in at its provider. Who runs the server can change that: ${command}`,
    { command },
  );
}

/** Reads the API key. Throws INVALID_INPUT, UNKNOWN_FIELD. */
function readToken(body: object | undefined): string {
  const { token, ...others }: { readonly token?: unknown } = body ?? {};
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new SallyportError('UNKNOWN_FIELD', 'is not a field of a session. Accepted: token.', { field: unknown });
  }
  if (typeof token !== 'string') throw invalid('token', 'must be an API key, as text.');
  return token;
}
