// TLS edges and their modules in GraphQL.

import type { Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { textsOf } from '../../graphql/kit/column-fields.ts';
import { decidingNode } from '../../graphql/kit/deciding.ts';
import { hostportsDescription, hostportsInput } from '../../graphql/kit/hostports.ts';
import { notePolicies } from '../../graphql/kit/ip-policy-list.ts';
import { backendOf, backendRef, moduleField, versionOf } from '../../graphql/kit/module-fields.ts';
import {
  backendInput,
  enabledInput,
  type ModuleEffect,
  moduleInputDescription,
} from '../../graphql/kit/module-inputs.ts';
import { createMutation, deleteMutation, moduleMutations, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { expectedVersionInput, forceInput, type InputBuilder } from '../../graphql/kit/resource.ts';
import { searchable, searchedList } from '../../graphql/kit/search-query.ts';
import { addReferringList } from '../../graphql/lists/referring-list.ts';
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
    backend: t.field(backendOf('edge')),
    backendRef: t.field(backendRef),
    version: t.int(versionOf('edge')),
  }),
});

const TlsEdge = builder.prismaNode('TlsEdge', {
  ...decidingNode,
  fields: (t) => ({
    hostports: t.stringList(textsOf('hostports', hostportsDescription)),
    backend: t.field(
      moduleField(
        TlsBackendModule,
        backendModule,
        'edge',
        'The backend module: where the traffic of the edge goes; null if not set. The export for HAProxy sends it to the targets of an enabled one.',
      ),
    ),
    policy: t.field(
      moduleField(
        TlsPolicyModule,
        policyModule,
        'edge',
        'The policy module: the rules for the traffic of the edge; null if not set.',
      ),
    ),
    ipRestriction: t.field(
      moduleField(
        TlsIpRestrictionModule,
        ipRestrictionModule,
        'edge',
        'The IP restriction module: which addresses may connect to the edge; null if not set.',
      ),
    ),
  }),
});

addReferringList('TunnelGroupBackend', 'tlsEdges', {
  kind: 'TlsEdge',
  collection: tlsEdges,
  list: edgesOfBackend,
  description: 'The TLS edges whose backend module names the backend, newest first.',
  inRest: 'TlsEdge',
});

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
