// What wraps the resolvers of the schema: the one list, in the order in which a field passes it.

import type { GraphQLSchema } from 'graphql';
import { changeOnce } from './change-once.ts';
import { countAnswers } from './counting.ts';
import { identifyBeforeLaterMutations, requireConnectedClient } from './each-mutation.ts';
import { enforceScopes } from './rights.ts';
import { askSecondPerson } from './second-person.ts';

const outermostFirst: readonly ((schema: GraphQLSchema) => void)[] = [
  // Of mutations: nobody is identified again for a client that is gone.
  requireConnectedClient,
  identifyBeforeLaterMutations,
  // Of everything that can be large: what is refused below is no part of the answer.
  countAnswers,
  enforceScopes,
  // Of mutations: an answer is repeated only to who may still ask for it.
  changeOnce,
  // Of mutations, last: who repeats a change that was made needs nobody any more.
  askSecondPerson,
];

/** Wraps the fields of a schema. Throws Error for a field that does not declare what a wrapper needs to know. */
export function wrapFields(schema: GraphQLSchema): void {
  for (const wrap of outermostFirst.toReversed()) wrap(schema);
}
