// Makes each change of a request once, however often the request is repeated. Every mutation field declares how it answers if its
// change was made before; no other code knows whether a request is a repetition.

import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { MadeChange } from '../../storage/idempotency.ts';
import type { Context } from '../kit/context.ts';
import { wrapMutations } from './each-mutation.ts';

/** Returns what the resolver of a mutation returned, given the change that it made then. */
type Again = (made: MadeChange, context: Context, info: GraphQLResolveInfo) => unknown;

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    again?: Again;
  }
}

/** Declares how a mutation answers if its change was made before: `extensions: { ...needs('ssh:write'), ...answersAgain(...) }`. */
export function answersAgain(again: Again) {
  return { again };
}

/**
 * Makes every mutation skip its change if an earlier request with the same idempotency key has made it.
 *
 * @throws Error for a mutation that does not declare `answersAgain`, so that the server does not start
 */
export function changeOnce(schema: GraphQLSchema): void {
  wrapMutations(schema, (resolve, { name, extensions: { again } }) => {
    if (again === undefined) {
      throw new Error(`${name} does not declare how it answers again: see graphql/wrappers/change-once.ts.`);
    }
    return (root, args, context, info) => {
      const { idempotency } = context;
      if (idempotency === null) return resolve(root, args, context, info);
      const made = idempotency.begin(String(info.path.key));
      if (made !== null) return again(made, context, info);
      return Promise.resolve(resolve(root, args, context, info)).catch(async (error: unknown) => {
        throw await idempotency.whyFailed(error);
      });
    };
  });
}
