// What every object that clients address by id has in common: its fields, its inputs, and how it is deleted.

import type { Kind } from '../domain/ids.ts';
import { descriptionBytesMax, metadataBytesMax } from '../domain/text.ts';
import type { AccountScope } from '../storage/account-scope.ts';
import type { ExpectedVersion } from '../storage/collection.ts';
import { builder } from './builder.ts';
import { uriOf } from './context.ts';
import { textUnitBytes } from './limits.ts';

/** The columns behind the common fields. */
interface ResourceRow {
  id: string;
  description: string;
  metadata: string;
  version: number;
  createdAt: Date;
}

/** The interface of all objects that clients address by id. */
export const Resource = builder.interfaceRef<ResourceRow>('Resource').implement({
  description: 'An object of this account that is addressed by its identifier.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier, the same on both surfaces.' }),
    uri: t.string({
      description: 'URL of the object on the REST surface.',
      resolve: ({ id }, _args, context) => uriOf(context, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the object was created.' }),
    description: t.exposeString('description', { description: 'What the object is, in words; empty when not set.' }),
    metadata: t.exposeString('metadata', {
      complexity: 1 + metadataBytesMax / textUnitBytes,
      description: 'Machine-readable data of your own, never interpreted; empty when not set.',
    }),
    version: t.exposeInt('version', {
      description:
        'Counts the changes of the object, from 1. Sent back as `expectedVersion`, it keeps a change from overwriting ' +
        'one that you have not seen.',
    }),
  }),
});

/** What builds the input fields of a mutation. */
export type InputBuilder = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0];

/** Gives the input fields for the notes of an object. */
export function notesInput(t: InputBuilder) {
  return {
    description: t.string({
      description: `What the object is, in words; at most ${descriptionBytesMax} bytes of UTF-8.`,
      // JSON Schema counts characters, of which each has at least one byte.
      extensions: { jsonSchema: { maxLength: descriptionBytesMax } },
    }),
    metadata: t.string({
      description: `Machine-readable data of your own, never interpreted; at most ${metadataBytesMax} bytes of UTF-8.`,
      extensions: { jsonSchema: { maxLength: metadataBytesMax } },
    }),
  };
}

/** Gives the input fields that address an object to change. */
export function addressInput(t: InputBuilder) {
  return {
    id: t.id({ required: true, description: 'Identifier of the object.' }),
    expectedVersion: t.int({
      description: 'The version that you have seen. If the object has another one by now, nothing changes.',
    }),
  };
}

/** Adds the mutation that deletes an object of a kind. */
export function deleteMutation(
  kind: Kind,
  description: string,
  remove: (scope: AccountScope, id: string, expectedVersion: ExpectedVersion) => Promise<void>,
): void {
  builder.relayMutationField(
    `delete${kind}`,
    { description: `Which object to delete.`, inputFields: addressInput },
    {
      description,
      resolve: async (_root, { input }, { scope }) => {
        await remove(scope, input.id, input.expectedVersion);
        return input;
      },
    },
    {
      description: 'What was deleted.',
      outputFields: (t) => ({ deletedId: t.exposeID('id', { description: 'Identifier of the deleted object.' }) }),
    },
  );
}
