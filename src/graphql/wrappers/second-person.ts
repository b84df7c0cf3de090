// Changes that wait for a second person, and those that are forced: the `force` of their input (`forceInput`) lets them be stored
// whatever they break. Where the account asks for a second person, they wait if they need the force.

import { type GraphQLField, type GraphQLSchema, getNullableType, isInputObjectType } from 'graphql';
import { widest } from '../../domain/access/key-scopes.ts';
import { SallyportError } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/values/json.ts';
import { forced } from '../../storage/objects/account-scope.ts';
import { type AskSecondPerson, withSecondPerson } from '../../storage/objects/second-person.ts';
import type { Context } from '../kit/context.ts';
import { wrapMutations } from './each-mutation.ts';
import { forEveryKey, requiredBy, requirementTo } from './rights.ts';

declare module 'graphql' {
  interface GraphQLInputFieldExtensions {
    /** Whether the field lets a change be made whatever it breaks. */
    overrides?: boolean;
  }
}

/** What is refused unless it is forced. */
const overridable: ReadonlySet<string> = new Set(['LOCKOUT', 'EXPECTATION_FAILED']);

/** Has mutations act in a scope whose changes wait for a second person, or are forced. */
export function askSecondPerson(schema: GraphQLSchema): void {
  wrapMutations(schema, (resolve, field) => {
    const canForce = hasForce(field);
    return async (root, args, context, info) => {
      const { input } = args;
      const isForced = canForce && isJsonObject(input) && input.force === true;
      const { secondPerson } = context;
      // Mutations of a document run one after the other.
      const inScope = async (scope: Context['scope'], given = args): Promise<unknown> => {
        const usual = context.scope;
        context.scope = scope;
        try {
          return await resolve(root, given, context, info);
        } finally {
          context.scope = usual;
        }
      };
      if (secondPerson === null) return inScope(isForced ? forced(context.scope) : context.scope);
      const asking =
        (overrides: string | null): AskSecondPerson =>
        (touched, does) => {
          const ofKinds = touched.map(({ model }) => requirementTo('write', model) ?? forEveryKey);
          const scopes = widest([requiredBy(field, args), ...ofKinds].flatMap(({ needs }) => needs));
          // Its name comes before others, so that it is shown of an input that is too long.
          const asked = does === undefined || !isJsonObject(input) ? input : { ...input, carriesOut: does };
          return secondPerson.ask({ mutation: field.name, input: asked, scopes, touched, overrides });
        };
      const awaiting = withSecondPerson(context.scope, asking(null));
      if (!isForced) return inScope(awaiting);
      if (!(await secondPerson.isRequired())) return inScope(forced(awaiting));
      // Without force first: only a change that needs it waits.
      try {
        return await inScope(awaiting, { ...args, input: { ...input, force: false } });
      } catch (error) {
        if (!(error instanceof SallyportError) || !overridable.has(error.code)) throw error;
        const [overrides = null] = error.message.split(' Nothing was changed.');
        return inScope(forced(withSecondPerson(context.scope, asking(overrides), true)));
      }
    };
  });
}

function hasForce({ args }: GraphQLField<unknown, Context>): boolean {
  const type = getNullableType(args.find(({ name }) => name === 'input')?.type);
  return isInputObjectType(type) && type.getFields().force?.extensions.overrides === true;
}
