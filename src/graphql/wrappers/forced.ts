// Lets mutations that are forced store their changes whatever these break: the `force` of their input (`forceInput`).

import type { GraphQLSchema } from 'graphql';
import { isJsonObject } from '../../domain/values/json.ts';
import { forced } from '../../storage/objects/account-scope.ts';
import { wrapMutations } from './mutations.ts';

/** Has forced mutations act in a scope whose changes nothing looks at before. */
export function forceChanges(schema: GraphQLSchema): void {
  wrapMutations(schema, (resolve) => (root, args, context, info) => {
    const { input } = args;
    if (!isJsonObject(input) || input.force !== true) return resolve(root, args, context, info);
    return resolve(root, args, { ...context, scope: forced(context.scope) }, info);
  });
}
