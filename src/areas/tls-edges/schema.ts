// TLS edges and their modules in GraphQL.

import { readTextList } from '../../domain/values/decode.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { collectionUri } from '../../graphql/kit/context.ts';
import { hostportsDescription, hostportsInput } from '../../graphql/kit/hostports.ts';
import { createMutation, deleteMutation, moduleMutations, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { Ref } from '../../graphql/kit/reference.ts';
import { expectedVersionInput, type InputBuilder, Resource } from '../../graphql/kit/resource.ts';
import { searchable, searchedList } from '../../graphql/kit/search-query.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../../graphql/lists/inner-list.ts';
import './check-schema.ts';
import './evaluation-schema.ts';
import { policyInput } from './policy-schema.ts';
import {
  createTlsEdge,
  deleteTlsEdgeModule,
  edgesOfBackend,
  replaceTlsEdgeBackend,
  replaceTlsEdgePolicy,
  tlsEdges,
  updateTlsEdge,
} from './store.ts';

builder.prismaObject('TlsBackendModule', {
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    backend: t.relation('backend', { description: 'The backend chosen for the traffic of the edge.' }),
    backendRef: t.field({
      type: Ref,
      description: 'Reference to the backend, for keys that may not read backends.',
      select: { backendId: true },
      resolve: ({ backendId }) => ({ id: backendId }),
    }),
    version: t.int({
      description: 'The version of the edge, which also counts changes to its modules.',
      select: { edge: { select: { version: true } } },
      resolve: ({ edge }) => edge.version,
    }),
  }),
});

const TlsEdge = builder.prismaNode('TlsEdge', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    hostports: t.stringList({
      description: hostportsDescription,
      resolve: ({ hostports }) => readTextList(hostports),
    }),
    backend: t.relation('backend', {
      nullable: true,
      description:
        'The backend module: where the traffic of the edge is to go; null if not set. Only stored: no part of Sallyport sends traffic to a backend yet.',
    }),
    policy: t.relation('policy', {
      nullable: true,
      description: 'The policy module: the rules for the traffic of the edge; null if not set.',
    }),
  }),
});

builder.prismaObjectField('TunnelGroupBackend', 'tlsEdges', (t) =>
  t.field({
    type: connectionOf('TlsEdge'),
    description: 'The TLS edges whose backend module names the backend, newest first.',
    args: innerListArgs(t.arg),
    complexity: innerListPrice,
    resolve: ({ id }, args, context, info) => {
      const uri = collectionUri(context, 'TlsEdge');
      const users = { collection: tlsEdges, list: edgesOfBackend, places: 'TlsEdge', uri } as const;
      return resolveInnerList(users, id, args, context, info);
    },
  }),
);

searchable('TlsEdge', searchedList('hostports'));

resourceQueries('TlsEdge', TlsEdge, tlsEdges, {
  one: { name: 'tlsEdge', noun: 'TLS edge' },
  list: { name: 'tlsEdges', description: 'The TLS edges of the account, newest first.' },
});

createMutation('createTlsEdge', TlsEdge, {
  description: 'Creates a TLS edge without modules.',
  input: (t) => hostportsInput(t, 'Defaults to none.'),
  resolve: (input, { scope }, selected) => createTlsEdge(scope, input, selected()),
});

updateMutation('updateTlsEdge', TlsEdge, {
  description: 'Updates a TLS edge. Its modules are changed separately.',
  input: (t) => hostportsInput(t, 'Replaces the list.'),
  resolve: (input, { scope }, selected) => updateTlsEdge(scope, input, selected()),
});

deleteMutation('deleteTlsEdge', {
  description: 'Deletes a TLS edge with its modules. Its backend remains.',
  resolve: ({ id, expectedVersion }, { scope }) => tlsEdges.remove(scope, id, expectedVersion),
});

function edgeAddressInput(t: InputBuilder) {
  return {
    edgeId: t.id({ required: true, description: 'Identifier of the edge.' }),
    expectedVersion: expectedVersionInput(t, 'edge'),
  };
}

function enabledInput(t: InputBuilder) {
  return { enabled: t.boolean({ description: 'Whether the module is applied to traffic; defaults to true.' }) };
}

moduleMutations(TlsEdge, {
  address: edgeAddressInput,
  replace: {
    name: 'replaceTlsEdgeBackend',
    description: 'Sets the backend module of a TLS edge, replacing any existing one.',
    input: (t) => ({
      ...enabledInput(t),
      backendId: t.id({
        required: true,
        description:
          'The tunnel-group backend that the traffic is to go to. Only stored: no part of Sallyport sends traffic there yet.',
      }),
    }),
    resolve: (input, { scope }, selected) => replaceTlsEdgeBackend(scope, input, selected()),
  },
  delete: {
    name: 'deleteTlsEdgeBackend',
    description: 'Deletes the backend module of a TLS edge. Does nothing if it is not set.',
    resolve: (input, { scope }, selected) => deleteTlsEdgeModule(scope, 'backend', input, selected()),
  },
});

moduleMutations(TlsEdge, {
  address: edgeAddressInput,
  replace: {
    name: 'replaceTlsEdgePolicy',
    description: 'Sets the policy module of a TLS edge, replacing any existing one.',
    input: (t) => ({ ...enabledInput(t), ...policyInput(t) }),
    resolve: (input, { scope }, selected) => replaceTlsEdgePolicy(scope, input, selected()),
  },
  delete: {
    name: 'deleteTlsEdgePolicy',
    description: 'Deletes the policy module of a TLS edge. Does nothing if it is not set.',
    resolve: (input, { scope }, selected) => deleteTlsEdgeModule(scope, 'policy', input, selected()),
  },
});
