// The mutations of a document after its first one. Those before them may take long, such as the generation of an RSA key, and the key
// of the request may be revoked meanwhile.

import type { GraphQLSchema } from 'graphql';
import type { Context } from '../kit/context.ts';
import { wrapMutations } from './mutations.ts';

/** Requests whose first mutation has begun. It begins as soon as the request has been identified, or has been identified again. */
const changing = new WeakSet<Context>();

/**
 * Makes each mutation of a document but the first check again whether the request may be answered. One that may not is answered with
 * the errors of `Context.identifyAgain`, and changes nothing.
 */
export function identifyBeforeLaterMutations(schema: GraphQLSchema): void {
  wrapMutations(schema, (resolve) => async (source, args, context, info) => {
    if (changing.has(context)) await context.identifyAgain();
    changing.add(context);
    return resolve(source, args, context, info);
  });
}
