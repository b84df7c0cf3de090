// TLS edges and their modules in GraphQL.

import { readTextList } from '../../domain/values/decode.ts';
import { loadModule, loadNamed, type Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { collectionUri } from '../../graphql/kit/context.ts';
import { hostportsDescription, hostportsInput } from '../../graphql/kit/hostports.ts';
import { notePolicies } from '../../graphql/kit/ip-policy-list.ts';
import {
  backendInput,
  enabledInput,
  type ModuleEffect,
  moduleInputDescription,
} from '../../graphql/kit/module-inputs.ts';
import { createMutation, deleteMutation, moduleMutations, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { Ref } from '../../graphql/kit/reference.ts';
import { expectedVersionInput, forceInput, type InputBuilder, Resource } from '../../graphql/kit/resource.ts';
import { searchable, searchedList } from '../../graphql/kit/search-query.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../../graphql/lists/inner-list.ts';
import { tunnelGroupBackends } from '../../storage/objects/backend-references.ts';
import './check-schema.ts';
import './evaluation-schema.ts';
import { ipPolicyIdsInput, ipRestrictionModule, TlsIpRestrictionModule } from './ip-restriction-schema.ts';
import { policyInput, policyModule, TlsPolicyModule } from './policy-schema.ts';
import {
  createTlsEdge,
  deleteTlsEdgeModule,
  edgesOfBackend,
  policiesOfEdge,
  replaceTlsEdgeBackend,
  replaceTlsEdgeIpRestriction,
  replaceTlsEdgePolicy,
  tlsEdges,
  updateTlsEdge,
} from './store.ts';

const backendModule = {
  model: 'TlsBackendModule',
  name: 'backend',
  key: 'edgeId',
  columns: ['edgeId', 'enabled', 'backendId'],
  large: [],
} as const satisfies Module<'TlsBackendModule'>;

const TlsBackendModule = builder.prismaObject('TlsBackendModule', {
  include: { edge: true },
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    backend: t.field({
      type: 'TunnelGroupBackend',
      description: 'The backend chosen for the traffic of the edge.',
      resolve: ({ backendId }, _args, context, info) => loadNamed(tunnelGroupBackends, backendId, context, info),
    }),
    backendRef: t.field({
      type: Ref,
      description: 'Reference to the backend, for keys that may not read backends.',
      resolve: ({ backendId }) => ({ id: backendId }),
    }),
    version: t.int({
      description: 'The version of the edge, which also counts changes to its modules.',
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
    backend: t.field({
      type: TlsBackendModule,
      nullable: true,
      description:
        'The backend module: where the traffic of the edge goes; null if not set. The export for HAProxy sends it to the targets of an enabled one.',
      resolve: async (edge, _args, context, info) => {
        const module = await loadModule(backendModule, edge, context, info);
        return module && { ...module, edge };
      },
    }),
    policy: t.field({
      type: TlsPolicyModule,
      nullable: true,
      description: 'The policy module: the rules for the traffic of the edge; null if not set.',
      resolve: async (edge, _args, context, info) => {
        const module = await loadModule(policyModule, edge, context, info);
        return module && { ...module, edge };
      },
    }),
    ipRestriction: t.field({
      type: TlsIpRestrictionModule,
      nullable: true,
      description: 'The IP restriction module: which addresses may connect to the edge; null if not set.',
      resolve: async (edge, _args, context, info) => {
        const module = await loadModule(ipRestrictionModule, edge, context, info);
        return module && { ...module, edge };
      },
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
      const users = { collection: tlsEdges, list: edgesOfBackend, cursors: 'TlsEdge', uri } as const;
      return resolveInnerList(users, id, args, context, info);
    },
  }),
);

searchable('TlsEdge', searchedList('hostports'));

resourceQueries('TlsEdge', TlsEdge, tlsEdges, {
  one: { name: 'tlsEdge', noun: 'TLS edge' },
  list: { name: 'tlsEdges', description: 'The TLS edges of the account, newest first.' },
});

const TlsBackendModuleInput = builder.inputType('TlsBackendModuleInput', {
  description: 'The settings of the backend module of a TLS edge.',
  fields: backendInput,
});

const TlsIpRestrictionModuleInput = builder.inputType('TlsIpRestrictionModuleInput', {
  description: 'The settings of the IP restriction module of a TLS edge.',
  fields: (t) => ({ ...enabledInput(t), ...ipPolicyIdsInput(t) }),
});

function modulesInput(t: InputBuilder, effect: ModuleEffect) {
  return {
    backend: t.field({ type: TlsBackendModuleInput, description: moduleInputDescription('backend', effect) }),
    ipRestriction: t.field({
      type: TlsIpRestrictionModuleInput,
      description: moduleInputDescription('IP restriction', effect),
    }),
  };
}

createMutation('createTlsEdge', TlsEdge, {
  description: 'Creates a TLS edge, with the modules that are given.',
  input: (t) => ({ ...hostportsInput(t, 'Defaults to none.'), ...modulesInput(t, 'Defaults to none.') }),
  resolve: async (input, context) => {
    const edge = await createTlsEdge(context.scope, input);
    notePolicies(policiesOfEdge, edge.id, input.ipRestriction?.ipPolicyIds, context);
    return edge;
  },
});

updateMutation('updateTlsEdge', TlsEdge, {
  description: 'Updates a TLS edge, and the modules that are given. Its policy module is changed by itself.',
  input: (t) => ({
    ...hostportsInput(t, 'Replaces the list.'),
    ...modulesInput(t, 'Replaces the module.'),
    ...forceInput(t),
  }),
  resolve: async (input, context) => {
    const edge = await updateTlsEdge(context.scope, input);
    notePolicies(policiesOfEdge, edge.id, input.ipRestriction?.ipPolicyIds, context);
    return edge;
  },
});

deleteMutation('deleteTlsEdge', {
  description: 'Deletes a TLS edge with its modules. Its backend remains.',
  input: forceInput,
  resolve: ({ id, expectedVersion }, { scope }) => tlsEdges.remove(scope, id, expectedVersion),
});

function edgeAddressInput(t: InputBuilder) {
  return {
    edgeId: t.id({ required: true, description: 'Identifier of the edge.' }),
    expectedVersion: expectedVersionInput(t, 'edge'),
    ...forceInput(t),
  };
}

moduleMutations(TlsEdge, {
  address: edgeAddressInput,
  replace: {
    name: 'replaceTlsEdgeBackend',
    description: 'Sets the backend module of a TLS edge, replacing any existing one.',
    input: backendInput,
    resolve: (input, { scope }) => replaceTlsEdgeBackend(scope, input),
  },
  delete: {
    name: 'deleteTlsEdgeBackend',
    description: 'Deletes the backend module of a TLS edge. Does nothing if it is not set.',
    resolve: (input, { scope }) => deleteTlsEdgeModule(scope, 'backend', input),
  },
});

moduleMutations(TlsEdge, {
  address: edgeAddressInput,
  replace: {
    name: 'replaceTlsEdgePolicy',
    description: 'Sets the policy module of a TLS edge, replacing any existing one.',
    input: (t) => ({ ...enabledInput(t), ...policyInput(t) }),
    resolve: (input, { scope }) => replaceTlsEdgePolicy(scope, input),
  },
  delete: {
    name: 'deleteTlsEdgePolicy',
    description: 'Deletes the policy module of a TLS edge. Does nothing if it is not set.',
    resolve: (input, { scope }) => deleteTlsEdgeModule(scope, 'policy', input),
  },
});

moduleMutations(TlsEdge, {
  address: edgeAddressInput,
  replace: {
    name: 'replaceTlsEdgeIpRestriction',
    description: 'Sets the IP restriction module of a TLS edge, replacing any existing one.',
    input: (t) => ({ ...enabledInput(t), ...ipPolicyIdsInput(t) }),
    resolve: async (input, context) => {
      const edge = await replaceTlsEdgeIpRestriction(context.scope, input);
      notePolicies(policiesOfEdge, edge.id, input.ipPolicyIds, context);
      return edge;
    },
  },
  delete: {
    name: 'deleteTlsEdgeIpRestriction',
    description: 'Deletes the IP restriction module of a TLS edge. Does nothing if it is not set.',
    resolve: (input, { scope }) => deleteTlsEdgeModule(scope, 'ipRestriction', input),
  },
});
