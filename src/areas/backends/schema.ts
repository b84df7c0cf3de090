// Tunnel-group backends in GraphQL.

import { builder } from '../../graphql/builder.ts';
import { connectionTypes, resolveList } from '../../graphql/connection.ts';
import { Ref } from '../../graphql/reference.ts';
import { addressInput, deleteMutation, notesInput, Resource } from '../../graphql/resource.ts';
import { selectionOf } from '../../graphql/selection.ts';
import { labelBytesMax, labelsMax } from './rules.ts';
import {
  createTunnelGroupBackend,
  deleteTunnelGroupBackend,
  tunnelGroupBackends,
  updateTunnelGroupBackend,
} from './store.ts';

const TunnelGroupBackend = builder.prismaNode('TunnelGroupBackend', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    labels: t.field({
      type: 'JSON',
      description: 'The labels that a tunnel must have to belong to the backend: a map of text to text.',
      select: { labels: true },
      resolve: ({ labels }): unknown => JSON.parse(labels),
    }),
    tunnels: t.field({
      type: [Ref],
      complexity: { multiplier: 0 },
      description: 'The tunnels that have the labels. Always empty here: this service manages no tunnels.',
      resolve: () => [],
    }),
  }),
});

const labelsDescription =
  `The labels that a tunnel must have: a map of text to text, at most ${labelsMax}; ` +
  `keys and values without "=", at most ${labelBytesMax} bytes of UTF-8 each`;

builder.queryFields((t) => ({
  tunnelGroupBackend: t.field({
    type: TunnelGroupBackend,
    description: 'One tunnel-group backend. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the backend.' }) },
    resolve: (_root, { id }, context, info) => tunnelGroupBackends.get(context.scope, id, selectionOf(context, info)),
  }),
  tunnelGroupBackends: t.connection(
    {
      type: TunnelGroupBackend,
      description: 'The tunnel-group backends of the account, newest first.',
      resolve: (_root, args, context, info) =>
        resolveList('TunnelGroupBackend', tunnelGroupBackends, {}, args, context, info),
    },
    ...connectionTypes('TunnelGroupBackend'),
  ),
}));

builder.relayMutationField(
  'createTunnelGroupBackend',
  {
    description: 'A new tunnel-group backend.',
    inputFields: (t) => ({
      labels: t.field({ type: 'JSON', description: `${labelsDescription}. None when left out.` }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Creates a tunnel-group backend.',
    resolve: (_root, { input }, { scope }) => createTunnelGroupBackend(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      tunnelGroupBackend: t.field({
        type: TunnelGroupBackend,
        description: 'The new backend.',
        resolve: (row) => row,
      }),
    }),
  },
);

builder.relayMutationField(
  'updateTunnelGroupBackend',
  {
    description: 'A change to a tunnel-group backend. What is left out keeps its value.',
    inputFields: (t) => ({
      ...addressInput(t),
      labels: t.field({ type: 'JSON', description: `${labelsDescription}. They replace all labels.` }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Changes a tunnel-group backend.',
    resolve: (_root, { input }, context, info) =>
      updateTunnelGroupBackend(context.scope, input, selectionOf(context, info, ['tunnelGroupBackend'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      tunnelGroupBackend: t.field({
        type: TunnelGroupBackend,
        description: 'The backend as it is now.',
        resolve: (row) => row,
      }),
    }),
  },
);

deleteMutation(
  'TunnelGroupBackend',
  'Deletes a tunnel-group backend. IN_USE while the backend module of an edge names it.',
  deleteTunnelGroupBackend,
);
