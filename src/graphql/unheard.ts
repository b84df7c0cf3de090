// Changes that nobody would hear of.

import type { GraphQLSchema } from 'graphql';
import type { Context } from './context.ts';

/**
 * Makes each change of a document begin only while its client is there and can still get the answer: one document may ask
 * for hundreds, one after the other, and nothing that they did is told once the answer is too large. Those that read do not
 * ask, because to be told costs something in every request.
 */
export function beginNoUnheardChange(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = (root, args, context: Context, info) => {
      context.expectClient();
      if (context.budget.excess !== null) throw context.budget.excess;
      return resolve(root, args, context, info);
    };
  }
}
