// The fields and inputs shared by all objects that clients address by id.

import { descriptionBytesMax, metadataBytesMax } from '../../domain/values/text.ts';
import { historyCost, textUnitBytes } from '../../load/limits.ts';
import { historyOfObject, readsOf } from '../../storage/objects/collections.ts';
import { connectionOf } from '../lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../lists/inner-list.ts';
import { builder, typeOfRow } from './builder.ts';
import { collectionUri, uriOf } from './context.ts';
import { ofColumns } from './fields.ts';

/** The columns behind the common fields. */
interface ResourceRow {
  id: string;
  description: string;
  metadata: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The interface of all objects that clients address by id. */
export const Resource = builder.interfaceRef<ResourceRow>('Resource').implement({
  description: 'An object of this account that has an identifier.',
  resolveType: typeOfRow,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the object, the same in GraphQL and REST.' }),
    uri: t.string({
      description: 'URL of the object in the REST API.',
      ...ofColumns('id'),
      resolve: ({ id }, _args, context) => uriOf(context, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the object was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the object, or a part that it shows, was last changed; the time of creation if it never was.',
    }),
    description: t.exposeString('description', {
      description: 'Human-readable description of the object; empty if not set.',
    }),
    metadata: t.exposeString('metadata', {
      complexity: 1 + metadataBytesMax / textUnitBytes,
      description: 'Your own machine-readable data, which the service never interprets; empty if not set.',
    }),
    version: t.exposeInt('version', {
      description:
        'Starts at 1 and goes up by one with every change. Send it back as `expectedVersion` to avoid overwriting a change ' +
        'that you have not seen.',
    }),
    history: t.field({
      type: connectionOf('AuditEvent'),
      description: 'The changes of the object, newest first.',
      args: innerListArgs(t.arg),
      complexity: (args) => ({ ...innerListPrice(args), field: historyCost }),
      resolve: ({ id }, args, context, info) => {
        const uri = collectionUri(context, 'AuditEvent');
        const history = { collection: readsOf('AuditEvent'), list: historyOfObject, cursors: 'numbers', uri } as const;
        return resolveInnerList(history, id, args, context, info);
      },
    }),
  }),
});

/** What the type of every kind of object has besides its fields: `builder.prismaNode('IpPolicy', { ...node, fields })`. */
export const node = {
  id: { field: 'id' as const },
  nullable: true as const,
  interfaces: [Resource] as [typeof Resource],
};

/** The types of the schema, as Pothos completes them. */
export type SchemaTypes = typeof builder.$inferSchemaTypes;

export type InputBuilder = Parameters<NonNullable<Parameters<typeof builder.inputType>[1]['fields']>>[0];

/** Creates the input fields for the notes of an object. */
export function notesInput(t: InputBuilder) {
  return {
    description: t.string({
      description: `Human-readable description of the object; at most ${descriptionBytesMax} bytes of UTF-8.`,
      // JSON Schema counts characters, and each character has at least one byte.
      extensions: { jsonSchema: { maxLength: descriptionBytesMax }, configured: { default: '' } },
    }),
    metadata: t.string({
      description: `Your own machine-readable data, which the service never interprets; at most ${metadataBytesMax} bytes of UTF-8.`,
      extensions: { jsonSchema: { maxLength: metadataBytesMax }, configured: { default: '' } },
    }),
  };
}

/** Creates the input fields that address the object to change. */
export function addressInput(t: InputBuilder) {
  return {
    id: t.id({ required: true, description: 'Identifier of the object.' }),
    expectedVersion: expectedVersionInput(t, 'object'),
  };
}

/** Creates the input field that forces a change whatever it breaks (`wrappers/second-person.ts`). */
export function forceInput(t: InputBuilder) {
  return {
    force: t.boolean({
      description:
        'Whether to make the change even if the client would be locked out by it, or an expectation broken. Without it, such a change ' +
        'fails with LOCKOUT or EXPECTATION_FAILED. Defaults to false.',
      extensions: { overrides: true },
    }),
  };
}

/** Creates the input field that ties a change to a version. `noun` names the thing that has the version. */
export function expectedVersionInput(t: InputBuilder, noun: string) {
  return t.int({
    description:
      `The version of the ${noun} that the change is based on. If the ${noun} has changed since, the change fails with ` +
      'VERSION_CONFLICT.',
  });
}
