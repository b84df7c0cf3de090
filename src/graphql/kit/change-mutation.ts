// What every mutation has: one `input`, a payload named after it, and a nullable result, so that a change that fails does not discard
// the results of the others in its document.

import type { FieldMap, InputFieldMap } from '@pothos/core';
import type { InputShapeWithClientMutationId } from '@pothos/plugin-relay';
import type { GraphQLFieldExtensions, GraphQLResolveInfo } from 'graphql';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import type { InputBuilder, SchemaTypes } from './resource.ts';

export type InputOf<F extends InputFieldMap> = InputShapeWithClientMutationId<SchemaTypes, F>;

/** An estimate of what a mutation costs, and of how many objects it answers with. */
export type Cost<F extends InputFieldMap> =
  | number
  | ((input: InputOf<F>) => { readonly field: number; readonly multiplier?: number });

interface ChangeMutation<F extends InputFieldMap, R extends object> {
  readonly description: string;
  /** Whoever may make the change, and how it is answered if it was made before. */
  readonly extensions: Readonly<GraphQLFieldExtensions<unknown, Context>>;
  readonly input: (t: InputBuilder) => F;
  /** What the description of the input adds to the name of the mutation. */
  readonly inputNote?: string;
  /** The estimated cost, if the mutation does more than write; a function if it depends on the input. */
  readonly cost?: Cost<F>;
  /** Makes the change, and returns what the answer shows. */
  readonly resolve: (input: InputOf<F>, context: Context, info: GraphQLResolveInfo) => Promise<R>;
  /** The fields of the answer. */
  readonly answer: (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, R>) => FieldMap;
}

/** Adds a mutation. Register it under its full name, so that a text search finds it. */
export function changeMutation<F extends InputFieldMap, R extends object>(
  name: string,
  options: ChangeMutation<F, R>,
): void;
// The implementation is not generic: Pothos cannot follow type parameters.
export function changeMutation(
  name: string,
  { description, extensions, input, inputNote = '', cost, resolve, answer }: ChangeMutation<InputFieldMap, object>,
): void {
  builder.relayMutationField(
    name,
    { description: `Input of \`${name}\`.${inputNote}`, inputFields: input },
    {
      nullable: true,
      description,
      extensions,
      ...(typeof cost === 'number' ? { complexity: { field: cost } } : {}),
      ...(typeof cost === 'function' ? { complexity: ({ input: given }) => cost(given) } : {}),
      resolve: (_root, { input: given }, context, info) => resolve(given, context, info),
    },
    { description: `Result of \`${name}\`.`, outputFields: answer },
  );
}
