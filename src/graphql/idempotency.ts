// Changes that are made once for each request, however often that is repeated. A field of the mutation says how it answers when its
// change was made before; nothing else knows whether a request is the first.

import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { MadeChange } from '../storage/idempotency.ts';
import type { Context } from './context.ts';

/** Gives what the resolver of a mutation gave, of the change that it made then. */
type Again = (made: MadeChange, context: Context, info: GraphQLResolveInfo) => unknown;

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    again?: Again;
  }
}

/** Declares how a mutation answers when its change was made before: `extensions: { ...needs('ssh:write'), ...answersAgain(...) }`. */
export function answersAgain(again: Again) {
  return { again };
}

/**
 * Has every mutation make its change only if no request with the same key has made it.
 *
 * @throws Error for a mutation that does not say how it answers again, so that the server does not start
 */
export function changeOnce(schema: GraphQLSchema): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, extensions } = field;
    const { again } = extensions;
    if (resolve === undefined || again === undefined) {
      throw new Error(`${field.name} does not declare how it answers again: see graphql/idempotency.ts.`);
    }
    field.resolve = (root, args, context: Context, info) => {
      const { idempotency } = context;
      if (idempotency === null) return resolve(root, args, context, info);
      const made = idempotency.begin(String(info.path.key));
      if (made !== null) return again(made, context, info);
      return Promise.resolve(resolve(root, args, context, info)).catch(async (error: unknown) => {
        throw await idempotency.whyFailed(error);
      });
    };
  }
}
