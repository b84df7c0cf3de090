// Tunnel-group backends in GraphQL.

import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, textsOf } from '../../graphql/kit/column-fields.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { Ref } from '../../graphql/kit/reference.ts';
import { type InputBuilder, node } from '../../graphql/kit/resource.ts';
import { searchable } from '../../graphql/kit/search-query.ts';
import { pacedReader } from '../../load/answer-slices.ts';
import { labelBytesMax, labelsMax, readLabels, type TargetTls, targetsMax, targetTls } from './rules.ts';
import {
  createTunnelGroupBackend,
  deleteTunnelGroupBackend,
  tunnelGroupBackends,
  updateTunnelGroupBackend,
} from './store.ts';

const labelsOf = pacedReader(readLabels);

const TargetTlsType = enumOf<TargetTls>('TargetTls', 'What the targets of a backend expect.', {
  passthrough: 'TLS, as the client began it: for TLS edges, which do not decrypt.',
  none: 'No TLS. No TLS edge can use such targets, because nothing decrypts its traffic before.',
});

const TunnelGroupBackend = builder.prismaNode('TunnelGroupBackend', {
  ...node,
  fields: (t) => ({
    labels: t.field({
      type: 'JSON',
      description: 'The labels that a tunnel needs to join the backend: a map of strings to strings.',
      resolve: (row, _args, context) => labelsOf(context, row, row.labels),
    }),
    targets: t.stringList(
      textsOf(
        'targets',
        'Where proxies send the traffic of the backend: the `host:port` of each server, in the order given.',
      ),
    ),
    tls: t.field(choiceOf('tls', TargetTlsType, targetTls, 'What the targets expect.')),
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

function targetsInput(t: InputBuilder, effect: 'Defaults to none.' | 'Replaces the list.') {
  return {
    targets: t.stringList({
      description:
        'Where proxies send the traffic: the `host:port` of each server, whose host is a name or an IP address. At most ' +
        `${targetsMax}; their order is kept. ${effect}`,
      extensions: { jsonSchema: { maxItems: targetsMax }, configured: { default: [] } },
    }),
  };
}

createMutation('createTunnelGroupBackend', TunnelGroupBackend, {
  description: 'Creates a tunnel-group backend.',
  input: (t) => ({
    labels: t.field({
      type: 'JSON',
      description: `${labelsDescription} Defaults to none.`,
      extensions: { configured: { default: {} } },
    }),
    ...targetsInput(t, 'Defaults to none.'),
    tls: t.field({
      type: TargetTlsType,
      description: 'What the targets expect. Defaults to `passthrough`.',
      extensions: { configured: { default: 'passthrough' } },
    }),
  }),
  resolve: (input, { scope }) => createTunnelGroupBackend(scope, input),
});

updateMutation('updateTunnelGroupBackend', TunnelGroupBackend, {
  description: 'Updates a tunnel-group backend.',
  input: (t) => ({
    labels: t.field({ type: 'JSON', description: `${labelsDescription} Replaces all labels.` }),
    ...targetsInput(t, 'Replaces the list.'),
    tls: t.field({ type: TargetTlsType, description: 'What the targets expect.' }),
  }),
  resolve: (input, { scope }) => updateTunnelGroupBackend(scope, input),
});

deleteMutation('deleteTunnelGroupBackend', {
  description: 'Deletes a tunnel-group backend. IN_USE while the backend module of an edge or a route refers to it.',
  resolve: ({ id, expectedVersion }, { scope, identity }) =>
    deleteTunnelGroupBackend(scope, id, expectedVersion, identity.rights),
});
