// Contexts for tests of admission, such as tests of answers that keep others waiting, made without a request.

import type { Context } from '../../src/graphql/kit/context.ts';
import { Budget } from '../../src/load/budget.ts';

/** Creates a context with everything that admission needs. */
export function contextOf(accountId: string, identifyAgain: Context['identifyAgain'] = async () => {}): Context {
  const { signal } = new AbortController();
  // The rest of a context is for resolvers.
  return {
    identity: { accountId },
    budget: new Budget(true),
    signal: () => signal,
    charge() {},
    expectClient() {},
    identifyAgain,
  } as unknown as Context;
}

/** The estimate of a query, without its cost. */
export const estimate = { depth: 1, roots: 1, fields: 1, queued: 0, introspection: 0, isRead: true };
