// Identifies the caller of a request, which is the first thing to do. Refused callers are noted for the audit trail.

import type { Request } from 'express';
import type { MaybePromise } from '../domain/concurrency/at-once.ts';
import type { ErrorCode } from '../domain/error-catalogue.ts';
import { SallyportError } from '../domain/errors.ts';
import type { Objections } from '../domain/gate/decide.ts';
import type { Address } from '../domain/ip/cidr.ts';
import { type OwnTraffic, trafficOf } from '../domain/ip/own-traffic.ts';
import type { Credentials, Identity } from '../storage/keys/credentials.ts';
import type { ChangeSurface } from '../storage/trail/origin.ts';
import type { Refusals, RefusedRequest } from '../storage/trail/refusals.ts';
import { clientAddress } from './client-address.ts';
import { type DashboardSessions, demandHeader, isInForeground, sessionEnded, tokensOf } from './dashboard-sessions.ts';
import { authenticate, type Caller, noteExpiry, type Reply, readApiKey } from './request.ts';
import { refuseBy } from './restrictions.ts';

export interface CallerOptions {
  readonly credentials: Pick<Credentials, 'identify' | 'watch'>;
  readonly sessions: Pick<DashboardSessions, 'find' | 'noteUse' | 'watch'>;
  readonly refusals: Refusals;
  /** Finds what a request speaks for, by its id or its token. Throws NOT_FOUND, UNAUTHENTICATED. */
  readonly findSubject: (name: string) => Promise<Subject>;
  /** Finds the IP restrictions of an account that object to an address, among those that judge this kind of traffic. */
  readonly objectionsTo: (accountId: string, traffic: OwnTraffic, address: Address | null) => MaybePromise<Objections>;
  readonly now: () => Date;
  /** Number of proxies in front of the server. */
  readonly proxies: number;
}

/** What a request without an API key speaks for. */
export interface Subject {
  readonly id: string;
  readonly accountId: string;
  readonly description: string;
}

/**
 * Who may ask: each way to identify the caller of a request, with the IP restrictions of the account enforced. All throw
 * UNAUTHENTICATED, IP_RESTRICTED, and UNAVAILABLE if they cannot tell.
 */
export interface Callers {
  /** By the API key in the `Authorization` header. */
  byKey(request: Request, reply: Reply): Promise<Caller>;
  /** By the API key or, without one, by the session of the dashboard. */
  byKeyOrSession(request: Request, reply: Reply): Promise<Caller>;
  /** By an API key that signs in to the dashboard. */
  signingIn(request: Request, reply: Reply, token: string): Promise<Caller>;
  /** A person for whom a provider has vouched, before it is known what the person may do here. */
  personArriving(request: Request, reply: Reply, accountId: string, person: string): Promise<Caller>;
  /** By the session of the dashboard, found already. */
  inSession(request: Request, reply: Reply, identity: Identity): Promise<Caller>;
  /**
   * By the subject that a request without a key names. What it claims is not yet proof: until the resolver has checked it, the caller
   * has no rights and does not count toward the limits of the account.
   *
   * @param fields the fields that may name the subject, for the message if none does
   * @throws NOT_FOUND
   */
  bySubject(request: Request, reply: Reply, name: unknown, fields: readonly string[]): Promise<Caller>;
  /** Calls `ended` once, with the reason, when the key or session of a caller ends. Returns a function that ends the watch. */
  watch(caller: Caller, ended: (message: string) => void): () => void;
  /** Notes activity of the person who uses a session: streams, and what they cause, do not keep it alive. */
  noteUse(request: Request, caller: Caller): void;
}

/** Creates the `Callers` of this process. */
export function createCallers(options: CallerOptions): Callers {
  const { credentials, sessions, refusals, findSubject, now, proxies } = options;
  const identifyToken = (request: Request, reply: Reply, token: string): Promise<Identity> =>
    authenticate(token, async (tokenHash) => {
      const found = await credentials.identify(tokenHash);
      if (found !== null) return found;
      // A key that is no longer accepted is noted for the audit trail.
      const address = clientAddress(request, proxies);
      refusals.noteToken(refusedRequest(reply, { address }, 'UNAUTHENTICATED'), tokenHash);
      return null;
    });
  const guard = (request: Request, reply: Reply, identity: Identity, traffic?: OwnTraffic) =>
    guarded(reply, callerOf(identity, clientAddress(request, proxies)), options, traffic);
  const byKey = async (request: Request, reply: Reply) => {
    const identity = await identifyToken(request, reply, readApiKey(request));
    noteExpiry(reply, identity, now());
    return guard(request, reply, identity);
  };
  return {
    byKey,
    async byKeyOrSession(request, reply) {
      const tokens = request.headers.authorization === undefined ? tokensOf(request) : [];
      if (tokens.length === 0) return byKey(request, reply);
      demandHeader(request);
      const found = await sessions.find(tokens);
      if (found === null) throw sessionEnded();
      noteExpiry(reply, found.identity, now());
      return guard(request, reply, found.identity);
    },
    signingIn: async (request, reply, token) =>
      guard(request, reply, await identifyToken(request, reply, token), 'dashboard'),
    personArriving: (request, reply, accountId, person) =>
      guard(
        request,
        reply,
        {
          actor: 'user',
          isMember: true,
          actorDescription: person,
          accountId,
          scopes: [],
          rights: new Set<never>(),
          expiresAt: null,
        },
        'dashboard',
      ),
    inSession: guard,
    async bySubject(request, reply, name, fields) {
      if (typeof name !== 'string') {
        const named = fields.map((field) => `\`${field}\``).join(' or ');
        throw new SallyportError(
          'UNAUTHENTICATED',
          `Send ${named} as text, or an API key as "Authorization: Bearer <API key>".`,
        );
      }
      const { id, accountId, description } = await findSubject(name);
      return guard(request, reply, {
        actor: id,
        isMember: false,
        actorDescription: description,
        accountId,
        scopes: [],
        rights: new Set<never>(),
        expiresAt: null,
      });
    },
    watch: ({ actor, dashboardSessionId }, ended) =>
      dashboardSessionId === undefined
        ? credentials.watch(actor, () => ended('The API key has expired or has been revoked.'))
        : sessions.watch(dashboardSessionId, actor, () => ended(sessionEnded().message)),
    noteUse(request, { dashboardSessionId }) {
      if (dashboardSessionId !== undefined && isInForeground(request)) sessions.noteUse(dashboardSessionId);
    },
  };
}

/** Written out, because a spread of `identity` would take a tenth of the time of a GET (measured with Node 20). */
function callerOf(identity: Identity, address: Caller['address']): Caller {
  const { actor, isMember, actorDescription, accountId, scopes, rights, expiresAt } = identity;
  const { pass, personId, dashboardSessionId } = identity;
  return {
    actor,
    isMember,
    actorDescription,
    accountId,
    scopes,
    rights,
    expiresAt,
    pass,
    personId,
    dashboardSessionId,
    address,
  };
}

/**
 * Refuses a caller to whom the account's IP restrictions object, and notes the refusal for the audit trail; otherwise returns the
 * caller. Throws IP_RESTRICTED.
 *
 * @param traffic the kind of request, if the caller does not tell
 */
async function guarded(
  reply: Reply,
  caller: Caller,
  { objectionsTo, refusals }: Pick<CallerOptions, 'objectionsTo' | 'refusals'>,
  traffic: OwnTraffic = trafficOf(caller),
): Promise<Caller> {
  const { accountId, address } = caller;
  reply.locals.trace.accountId = accountId;
  const objections = await objectionsTo(accountId, traffic, address);
  if (objections.refusedBy.length > 0) refusals.note(refusedRequest(reply, caller, 'IP_RESTRICTED'), caller);
  refuseBy(reply, caller, traffic, objections);
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
