// Changes that nobody waits for any more.

import type { GraphQLSchema } from 'graphql';
import type { Context } from './context.ts';

/**
 * Makes each change of a document begin only while its client is there: one document may ask for hundreds, one after the
 * other. Those that read do not ask, because to be told costs something in every request.
 */
export function beginNoChangeForTheDeparted(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) continue;
    field.resolve = (root, args, context: Context, info) => {
      context.signal.throwIfAborted();
      return resolve(root, args, context, info);
    };
  }
}
