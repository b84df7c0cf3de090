// Requests that come without an API key and prove themselves: whom they speak for, and how many there may be. What they say of
// themselves is no proof yet. Until the resolver has looked at that, they may nothing, and they count in no bound of the account:
// anybody who knows the id of a certificate could use it up.

import type { Request } from 'express';
import { SallyportError } from '../domain/errors.ts';
import type { RateLimit } from '../domain/rate-limit.ts';
import { clientAddress, clientNetwork } from './client-address.ts';
import { guarded, type IdentifyOptions } from './identify.ts';
import { createRateLimits } from './rate-limits.ts';
import type { Caller, Reply } from './request.ts';
import { createRequestsUnderway } from './requests-underway.ts';

/** What a request without an API key speaks for. */
export interface Subject {
  readonly id: string;
  readonly accountId: string;
  readonly description: string;
}

/** What such requests are admitted with. */
export interface ProversOptions extends Pick<IdentifyOptions, 'refusals' | 'objectionsTo' | 'proxies'> {
  /** Finds what a request speaks for by its id, or by its token. Throws NOT_FOUND, UNAUTHENTICATED. */
  readonly findSubject: (name: string) => Promise<Subject>;
  /** How much each network may ask for; null for as much as it likes. */
  readonly rateLimit: RateLimit | null;
  /** A clock that nobody sets. */
  readonly monotonicMs: () => number;
}

/** Admits requests that prove themselves. */
export interface Provers {
  /** Counts a new request, before anything of it is read. Throws TOO_MANY_REQUESTS. */
  admit(request: Request, reply: Reply): void;
  /** Names the owner of the turns in which large bodies are read: each network has turns of its own, apart from those of accounts. */
  turnsOf(request: Request): string;
  /**
   * Finds whom a request acts for, by what it says that it speaks for, and turns away what the account's IP restrictions refuse.
   *
   * @param fields the fields that may say so, for the message where none does
   * @throws UNAUTHENTICATED, NOT_FOUND, IP_RESTRICTED
   */
  identify(request: Request, reply: Reply, name: unknown, fields: readonly string[]): Promise<Caller>;
}

/** Creates what admits them. */
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
