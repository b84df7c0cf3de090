// Tunnel-group backends in GraphQL.

import { builder } from '../../graphql/kit/builder.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { Ref } from '../../graphql/kit/reference.ts';
import { Resource } from '../../graphql/kit/resource.ts';
import { searchable } from '../../graphql/kit/search-query.ts';
import { pacedReader } from '../../load/answer-slices.ts';
import { labelBytesMax, labelsMax, readLabels } from './rules.ts';
import {
  createTunnelGroupBackend,
  deleteTunnelGroupBackend,
  tunnelGroupBackends,
  updateTunnelGroupBackend,
} from './store.ts';

const labelsOf = pacedReader(readLabels);

const TunnelGroupBackend = builder.prismaNode('TunnelGroupBackend', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    labels: t.field({
      type: 'JSON',
      description: 'The labels that a tunnel needs to join the backend: a map of strings to strings.',
      resolve: (row, _args, context) => labelsOf(context, row, row.labels),
    }),
    tunnels: t.field({
      type: [Ref],
      complexity: { multiplier: 0 },
      description: 'The tunnels that have all of the labels. Always empty: this service does not manage tunnels.',
      resolve: () => [],
    }),
  }),
});

searchable('TunnelGroupBackend', {
  name: 'labels',
  column: 'labels',
  json: 'texts',
  read: (stored) => Object.entries(readLabels(stored)).flat().map(String),
});

resourceQueries('TunnelGroupBackend', TunnelGroupBackend, tunnelGroupBackends, {
  one: { name: 'tunnelGroupBackend', noun: 'tunnel-group backend' },
  list: { name: 'tunnelGroupBackends', description: 'The tunnel-group backends of the account, newest first.' },
});

const labelsDescription =
  `The labels that a tunnel needs: a map of strings to strings with at most ${labelsMax} entries. ` +
  `Keys and values have at most ${labelBytesMax} bytes of UTF-8 each and do not contain "=".`;

createMutation('createTunnelGroupBackend', TunnelGroupBackend, {
  description: 'Creates a tunnel-group backend. Only stored: no part of Sallyport sends traffic to a backend yet.',
  input: (t) => ({ labels: t.field({ type: 'JSON', description: `${labelsDescription} Defaults to none.` }) }),
  resolve: (input, { scope }) => createTunnelGroupBackend(scope, input),
});

updateMutation('updateTunnelGroupBackend', TunnelGroupBackend, {
  description: 'Updates a tunnel-group backend.',
  input: (t) => ({ labels: t.field({ type: 'JSON', description: `${labelsDescription} Replaces all labels.` }) }),
  resolve: (input, { scope }) => updateTunnelGroupBackend(scope, input),
});

deleteMutation('deleteTunnelGroupBackend', {
  description: 'Deletes a tunnel-group backend. IN_USE while the backend module of an edge refers to it.',
  resolve: ({ id, expectedVersion }, { scope, identity }) =>
    deleteTunnelGroupBackend(scope, id, expectedVersion, identity.rights),
});
