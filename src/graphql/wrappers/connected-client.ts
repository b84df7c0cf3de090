// Prevents changes whose result no client would receive.

import type { GraphQLSchema } from 'graphql';
import { wrapMutations } from './mutations.ts';

/**
 * Lets each mutation of a document begin only while its client is connected and can still get the answer. One document may ask for
 * hundreds of mutations in sequence, and their results are lost once the answer is too large. Queries are not checked, because the
 * check would add a cost to every request.
 */
export function requireConnectedClient(schema: GraphQLSchema): void {
  wrapMutations(schema, (resolve) => (root, args, context, info) => {
    context.expectClient();
    if (context.budget.excess !== null) throw context.budget.excess;
    return resolve(root, args, context, info);
  });
}
