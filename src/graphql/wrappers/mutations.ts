// Wraps the resolvers of mutations.

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
