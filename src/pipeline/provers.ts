// Requests without an API key that prove themselves: whom they speak for, and how many there may be. What they claim is not yet
// proof. Until the resolver has checked it, they have no rights and do not count toward the account's limits: anybody who knows the
// id of a certificate could use those up.

import type { Request } from 'express';
import type { RateLimit } from '../domain/concurrency/rate-limit.ts';
import { SallyportError } from '../domain/errors.ts';
import { createRateLimits } from '../load/rate-limits.ts';
import { createRequestsUnderway } from '../load/requests-underway.ts';
import { clientAddress, clientNetwork } from './client-address.ts';
import { guarded, type IdentifyOptions } from './identify.ts';
import type { Caller, Reply } from './request.ts';

/** What a request without an API key speaks for. */
export interface Subject {
  readonly id: string;
  readonly accountId: string;
  readonly description: string;
}

/** Dependencies of `createProvers`. */
export interface ProversOptions extends Pick<IdentifyOptions, 'refusals' | 'objectionsTo' | 'proxies'> {
  /** Finds what a request speaks for, by its id or its token. Throws NOT_FOUND, UNAUTHENTICATED. */
  readonly findSubject: (name: string) => Promise<Subject>;
  /** How much each network may request; null for no limit. */
  readonly rateLimit: RateLimit | null;
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs: () => number;
}

/** Admits requests that prove themselves. */
export interface Provers {
  /** Counts a new request, before its body is read. Throws TOO_MANY_REQUESTS. */
  admit(request: Request, reply: Reply): void;
  /**
   * Returns the owner under which large bodies wait for their turn: each network has its own turns, apart from those of accounts.
   */
  turnsOf(request: Request): string;
  /**
   * Identifies the caller by the subject that the request names, and enforces the account's IP restrictions.
   *
   * @param fields the fields that may name the subject, for the message if none does
   * @throws UNAUTHENTICATED, NOT_FOUND, IP_RESTRICTED
   */
  identify(request: Request, reply: Reply, name: unknown, fields: readonly string[]): Promise<Caller>;
}

/** Creates the `Provers` of this process. */
export function createProvers(options: ProversOptions): Provers {
  const { findSubject, proxies } = options;
  const rateLimits = createRateLimits(options.rateLimit, options.monotonicMs, 'network');
  const underway = createRequestsUnderway('network of the client');
  return {
    admit(request, reply) {
      const network = clientNetwork(request, proxies);
      rateLimits.begin(reply, network);
      underway.begin(reply, network);
    },
    turnsOf: (request) => `network ${clientNetwork(request, proxies)}`,
    async identify(request, reply, name, fields) {
      if (typeof name !== 'string') {
        throw new SallyportError(
          'UNAUTHENTICATED',
          `Send ${fields.map((field) => `\`${field}\``).join(' or ')} as text, or an API key as "Authorization: Bearer <API key>".`,
        );
      }
      const { id, accountId, description } = await findSubject(name);
      const caller = {
        actor: id,
        hasKey: false,
        actorDescription: description,
        accountId,
        scopes: [],
        rights: new Set<never>(),
        expiresAt: null,
        address: clientAddress(request, proxies),
      };
      return guarded(reply, caller, options);
    },
  };
}
