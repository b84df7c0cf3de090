// Answers that are admitted without a request, such as those that keep others waiting.

import { Budget } from '../../src/graphql/budget.ts';
import type { Context } from '../../src/graphql/context.ts';

/** Makes a context with all that admission asks of one. */
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

/** What is estimated of a query, but for its cost. */
export const estimate = { depth: 1, roots: 1, fields: 1, introspection: 0, isRead: true };
