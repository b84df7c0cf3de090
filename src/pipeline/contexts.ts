// The context of each request: its caller, its surface and what it may use. The same for both surfaces.

import type { Request } from 'express';
import type { GateRulesFor } from '../domain/gate/decide.ts';
import { type OwnTraffic, trafficOf } from '../domain/ip/own-traffic.ts';
import type { Context, ListsAfter, RulesAfter } from '../graphql/kit/context.ts';
import { Budget } from '../load/budget.ts';
import type { RateLimits } from '../load/rate-limits.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import type { IdempotentRequest } from '../storage/idempotency.ts';
import type { Identity } from '../storage/keys/credentials.ts';
import type { AccountScope } from '../storage/objects/account-scope.ts';
import type { SecondPerson } from '../storage/objects/second-person.ts';
import type { Storage } from '../storage/storage.ts';
import { refusedRequest, surfaceOf } from './identify.ts';
import { type Caller, clientGone, expectClient, type Reply } from './request.ts';

export interface ContextOptions extends Pick<Context, 'warningsOf' | 'examineProvider'> {
  readonly storage: Storage;
  readonly rateLimits: RateLimits;
  readonly now: () => Date;
  readonly version: string;
  readonly renewalGraceDays: number;
  /** Finds the gate's rules for an edge of any account. */
  readonly gateRulesFor: GateRulesFor;
  readonly dashboardSessions: Context['dashboardSessions'];
  /** Identifies the caller of a request by its API key or session. */
  readonly identify: (request: Request, reply: Reply) => Promise<Caller>;
  /** Refuses a change to an IP policy that would lock out the client. */
  readonly refuseLockout: (
    scope: AccountScope,
    client: Pick<Caller, 'address' | 'rights'> & { readonly traffic: OwnTraffic },
    findPolicy: () => Promise<string>,
    rulesAfter: RulesAfter,
    listsAfter?: ListsAfter,
  ) => Promise<void>;
  /** Asks a second person about the calls of a caller. */
  readonly createSecondPerson: (scope: () => AccountScope, identity: Identity) => SecondPerson;
  readonly outgoing: Outgoing;
}

/**
 * Creates the context of a request.
 *
 * @param idempotency the record of the request if it carries an idempotency key
 * @param body the parameters of a GraphQL request, whose document the client wrote
 */
export type ContextOf = (reply: Reply, caller: Caller, idempotency: IdempotentRequest | null, body?: object) => Context;

/** Creates the function that creates contexts. */
export function createContexts(options: ContextOptions): ContextOf {
  const { storage, warningsOf, version, now } = options;
  const { rateLimits, renewalGraceDays, gateRulesFor, refuseLockout, dashboardSessions, identify, outgoing } = options;
  const { examineProvider, createSecondPerson } = options;
  const { engineTitle: database, health } = storage;
  const service = { version, startedAt: now(), database, problems: health.problems };
  return (reply, caller, idempotency, body) => {
    const { info, trace } = reply.locals;
    const untrustedDocument = body !== undefined;
    const origin = {
      actor: caller.actor,
      actorDescription: caller.actorDescription,
      surface: surfaceOf(reply, caller),
      requestId: info.requestId,
      clientAddress: caller.address?.toString() ?? null,
    } as const;
    const traffic = trafficOf(caller);
    const signal = () => clientGone(reply);
    const scope = storage.actingFor(caller.accountId, origin, idempotency, signal);
    return {
      requestId: info.requestId,
      baseUrl: info.baseUrl,
      trace,
      identity: caller,
      clientAddress: caller.address,
      traffic,
      dashboardSessions,
      refuseLockout(findPolicy, rulesAfter, listsAfter) {
        const { address, rights } = caller;
        return refuseLockout(scope, { address, traffic, rights }, findPolicy, rulesAfter, listsAfter);
      },
      secondPerson: createSecondPerson(() => storage.actingFor(caller.accountId, origin, null, signal), caller),
      scope,
      idempotency,
      accounts: storage.accounts,
      readActivity: (range) => storage.activity.read(caller.accountId, range, now()),
      warningsOf,
      service,
      outgoing,
      examineProvider,
      renewalGraceDays,
      noteRefusal: (code) => storage.refusals.note(refusedRequest(reply, caller, code), caller),
      async gateRulesFor(edgeId, address) {
        const rules = await gateRulesFor(edgeId, address);
        return rules?.edge.accountId === caller.accountId ? rules : null;
      },
      budget: new Budget(untrustedDocument),
      charge(units) {
        if (caller.isMember) rateLimits.charge(reply, caller.actor, units);
      },
      untrustedDocument,
      body,
      // Not a getter: V8 keeps a getter's function with the object's shape, and what it refers to is not collected soon. With a
      // getter, every context survived, with its request and response (6 KB each, measured), until a major collection.
      signal,
      expectClient: () => expectClient(reply),
      // A caller that proves itself without an API key has no key that could be revoked.
      identifyAgain: async () => (caller.isMember ? identify(reply.req, reply) : undefined),
    };
  };
}
