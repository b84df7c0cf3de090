// Wraps the resolvers of mutations, and what each mutation of a document passes before it begins.

import type { GraphQLField, GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { Context } from '../kit/context.ts';

type Resolver = GraphQLFieldResolver<unknown, Context>;

/** Replaces the resolver of every mutation. Throws Error for a mutation without one. */
export function wrapMutations(
  schema: GraphQLSchema,
  wrap: (resolve: Resolver, field: GraphQLField<unknown, Context>) => Resolver,
): void {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve } = field;
    if (resolve === undefined) throw new Error(`The mutation ${field.name} has no resolver.`);
    field.resolve = wrap(resolve, field);
  }
}

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

/** Requests whose first mutation has begun. It begins as soon as the request has been identified, or has been identified again. */
const changing = new WeakSet<Context>();

/**
 * Makes each mutation of a document but the first check again whether the request may be answered: those before it may take long, such
 * as the generation of an RSA key, and the key of the request may be revoked meanwhile. One that may not is answered with the errors of
 * `Context.identifyAgain`, and changes nothing.
 */
export function identifyBeforeLaterMutations(schema: GraphQLSchema): void {
  wrapMutations(schema, (resolve) => async (source, args, context, info) => {
    if (changing.has(context)) await context.identifyAgain();
    changing.add(context);
    return resolve(source, args, context, info);
  });
}
