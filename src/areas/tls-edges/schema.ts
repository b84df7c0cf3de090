// TLS edges and their modules in GraphQL.

import { readTextList } from '../../domain/decode.ts';
import { hostportsMax } from '../../domain/hostport.ts';
import { loadInnerList } from '../../graphql/batch.ts';
import { pacedReader } from '../../graphql/budget.ts';
import { builder } from '../../graphql/builder.ts';
import { bounded, connectionTypes, resolveList } from '../../graphql/connection.ts';
import type { Context } from '../../graphql/context.ts';
import { addressInput, deleteMutation, type InputBuilder, notesInput, Resource } from '../../graphql/resource.ts';
import { selectionOf } from '../../graphql/selection.ts';
import {
  actionsMax,
  configDepthMax,
  type EndpointAction,
  type EndpointRule,
  entriesMax,
  expressionsMax,
  policyBytesMax,
  readRules,
  rulesMax,
} from './rules.ts';
import {
  createTlsEdge,
  deleteTlsEdgeModule,
  edgesOfBackend,
  replaceTlsEdgeBackend,
  replaceTlsEdgePolicy,
  tlsEdges,
  updateTlsEdge,
} from './store.ts';

const EndpointActionType = builder.objectRef<EndpointAction>('EndpointAction').implement({
  description: 'What a rule does with the traffic that it applies to.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'Type of the action, such as `log`, `deny` or `restrict-ips`.' }),
    config: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Configuration of the action, as it was sent; null when it has none.',
      resolve: ({ config }) => config,
    }),
  }),
});

// A policy is bounded by its bytes (`policyBytesMax`), whatever they are used for; this is what policies usually hold.
const usualRules = { field: 32, multiplier: 20 };
const usualActions = { multiplier: 5 };

const EndpointRuleType = builder.objectRef<EndpointRule>('EndpointRule').implement({
  description: 'A rule of a traffic policy.',
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description: 'Name of the rule; null when not set.',
      resolve: ({ name }) => name,
    }),
    expressions: t.stringList({
      nullable: true,
      description:
        'CEL expressions that filter the traffic: the rule applies where all are true. Null when not set, and then, as ' +
        'with an empty list, the rule applies to all traffic.',
      resolve: ({ expressions }) => expressions,
    }),
    actions: t.field({
      type: [EndpointActionType],
      complexity: usualActions,
      description: 'What the rule does, in order.',
      resolve: ({ actions }) => actions,
    }),
  }),
});

const pacedRules = pacedReader(readRules);

/** Reads rules, which may be a large text. */
function rulesOf(row: object, text: string | null, context: Context) {
  return text === null ? null : pacedRules(context, row, text);
}

const moduleVersion = 'Version of the edge, which counts the changes of its modules too.';

builder.prismaObject('TlsBackendModule', {
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    backend: t.relation('backend', { description: 'The backend that serves the traffic of the edge.' }),
    version: t.int({
      description: moduleVersion,
      select: { edge: { select: { version: true } } },
      resolve: ({ edge }) => edge.version,
    }),
  }),
});

builder.prismaObject('TlsPolicyModule', {
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    inbound: t.field({
      type: [EndpointRuleType],
      complexity: usualRules,
      nullable: true,
      description: 'Rules for what comes in, in order; null when not set.',
      select: { inbound: true },
      resolve: (row, _args, context) => rulesOf(row, row.inbound, context),
    }),
    outbound: t.field({
      type: [EndpointRuleType],
      complexity: usualRules,
      nullable: true,
      description: 'Rules for what goes out, in order; null when not set.',
      select: { outbound: true },
      resolve: (row, _args, context) => rulesOf(row, row.outbound, context),
    }),
    version: t.int({
      description: moduleVersion,
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
      description: 'The hosts and ports that the edge answers on, as `host:port`, in the order given.',
      select: { hostports: true },
      resolve: ({ hostports }) => readTextList(hostports),
    }),
    backend: t.relation('backend', {
      nullable: true,
      description: 'The backend module: who serves the traffic of the edge; null when not set.',
    }),
    policy: t.relation('policy', {
      nullable: true,
      description: 'The policy module: the rules for the traffic of the edge; null when not set.',
    }),
  }),
});

builder.prismaObjectField('TunnelGroupBackend', 'tlsEdges', (t) =>
  t.field({
    type: [TlsEdge],
    description: 'The newest TLS edges whose traffic the backend serves.',
    args: { first: t.arg.int({ description: bounded.description, defaultValue: bounded.defaultValue }) },
    complexity: bounded.complexity,
    resolve: ({ id }, { first }, context, info) =>
      loadInnerList(tlsEdges, edgesOfBackend, id, bounded.take(first), context, info),
  }),
);

builder.queryFields((t) => ({
  tlsEdge: t.field({
    type: TlsEdge,
    description: 'One TLS edge. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the edge.' }) },
    resolve: (_root, { id }, context, info) => tlsEdges.get(context.scope, id, selectionOf(context, info)),
  }),
  tlsEdges: t.connection(
    {
      type: TlsEdge,
      description: 'The TLS edges of the account, newest first.',
      resolve: (_root, args, context, info) => resolveList('TlsEdge', tlsEdges, {}, args, context, info),
    },
    ...connectionTypes('TlsEdge'),
  ),
}));

const hostportsDescription =
  'The hosts and ports to answer on, as `host:port`, with the host in lower case or `*.` before it for any one label; ' +
  `at most ${hostportsMax}`;

builder.relayMutationField(
  'createTlsEdge',
  {
    description: 'A new TLS edge.',
    inputFields: (t) => ({
      hostports: t.stringList({
        description: `${hostportsDescription}. None when left out.`,
        extensions: { jsonSchema: { maxItems: hostportsMax } },
      }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Creates a TLS edge, without modules.',
    resolve: (_root, { input }, { scope }) => createTlsEdge(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      tlsEdge: t.field({ type: TlsEdge, description: 'The new edge.', resolve: (row) => row }),
    }),
  },
);

builder.relayMutationField(
  'updateTlsEdge',
  {
    description: 'A change to a TLS edge. What is left out keeps its value. Modules have mutations of their own.',
    inputFields: (t) => ({
      ...addressInput(t),
      hostports: t.stringList({
        description: `${hostportsDescription}. They replace the list.`,
        extensions: { jsonSchema: { maxItems: hostportsMax } },
      }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Changes a TLS edge.',
    resolve: (_root, { input }, context, info) =>
      updateTlsEdge(context.scope, input, selectionOf(context, info, ['tlsEdge'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      tlsEdge: t.field({ type: TlsEdge, description: 'The edge as it is now.', resolve: (row) => row }),
    }),
  },
);

deleteMutation('TlsEdge', 'Deletes a TLS edge with its modules. Its backend stays.', tlsEdges.remove);

function moduleAddressInput(t: InputBuilder) {
  return {
    edgeId: t.id({ required: true, description: 'Identifier of the edge.' }),
    expectedVersion: t.int({
      description: 'The version of the edge that you have seen. If it has another one by now, nothing changes.',
    }),
  };
}

const enabledDescription = 'Whether the module is applied to traffic; true when left out.';

builder.relayMutationField(
  'replaceTlsEdgeBackend',
  {
    description: 'The backend module that an edge is to have.',
    inputFields: (t) => ({
      ...moduleAddressInput(t),
      enabled: t.boolean({ description: enabledDescription }),
      backendId: t.id({ required: true, description: 'The tunnel-group backend that is to serve the traffic.' }),
    }),
  },
  {
    description: 'Sets the backend module of a TLS edge, in place of the one that it has.',
    resolve: (_root, { input }, context, info) =>
      replaceTlsEdgeBackend(context.scope, input, selectionOf(context, info, ['tlsEdge'])),
  },
  {
    description: 'What was replaced.',
    outputFields: (t) => ({
      tlsEdge: t.field({ type: TlsEdge, description: 'The edge with its new module.', resolve: (row) => row }),
    }),
  },
);

const EndpointActionInput = builder.inputType('EndpointActionInput', {
  description: 'What a rule is to do with the traffic that it applies to.',
  fields: (t) => ({
    type: t.string({
      required: true,
      description:
        'Type of the action: lower-case words with dashes between them. `log`, `deny` and `restrict-ips` are checked; ' +
        'other types are kept as they are.',
    }),
    config: t.field({
      type: 'JSON',
      description:
        `Configuration of the action: an object of at most ${configDepthMax} levels. \`log\` needs an object in ` +
        '`metadata`; `deny` takes none; `restrict-ips` takes `enforce` (whether to close the connection), and lists of ' +
        `at most ${entriesMax} entries in \`allow\` and \`deny\` (ranges in CIDR notation) and \`ip_policies\` (IP ` +
        'policies of this account).',
    }),
  }),
});

const EndpointRuleInput = builder.inputType('EndpointRuleInput', {
  description: 'A rule that a traffic policy is to have.',
  fields: (t) => ({
    name: t.string({ description: 'Name of the rule.' }),
    expressions: t.stringList({
      description: `CEL expressions that must all be true for the rule to apply; at most ${expressionsMax}.`,
      extensions: { jsonSchema: { maxItems: expressionsMax } },
    }),
    actions: t.field({
      type: [EndpointActionInput],
      required: true,
      description: `What to do, in order; 1 to ${actionsMax}.`,
      extensions: { jsonSchema: { maxItems: actionsMax } },
    }),
  }),
});

const rulesDescription =
  `in order; at most ${rulesMax}, and ${policyBytesMax} bytes of JSON in both directions together. ` +
  'Not set when left out.';

builder.relayMutationField(
  'replaceTlsEdgePolicy',
  {
    description: 'The policy module that an edge is to have.',
    inputFields: (t) => ({
      ...moduleAddressInput(t),
      enabled: t.boolean({ description: enabledDescription }),
      inbound: t.field({
        type: [EndpointRuleInput],
        description: `Rules for what comes in, ${rulesDescription}`,
        extensions: { jsonSchema: { maxItems: rulesMax } },
      }),
      outbound: t.field({
        type: [EndpointRuleInput],
        description: `Rules for what goes out, ${rulesDescription}`,
        extensions: { jsonSchema: { maxItems: rulesMax } },
      }),
    }),
  },
  {
    description: 'Sets the policy module of a TLS edge, in place of the one that it has.',
    resolve: (_root, { input }, context, info) =>
      replaceTlsEdgePolicy(context.scope, input, selectionOf(context, info, ['tlsEdge'])),
  },
  {
    description: 'What was replaced.',
    outputFields: (t) => ({
      tlsEdge: t.field({ type: TlsEdge, description: 'The edge with its new module.', resolve: (row) => row }),
    }),
  },
);

for (const module of ['Backend', 'Policy'] as const) {
  const name = module === 'Backend' ? 'backend' : 'policy';
  builder.relayMutationField(
    `deleteTlsEdge${module}`,
    { description: `Which edge to take the ${name} module from.`, inputFields: moduleAddressInput },
    {
      description: `Deletes the ${name} module of a TLS edge. An edge without one stays as it is.`,
      resolve: (_root, { input }, context, info) =>
        deleteTlsEdgeModule(context.scope, name, input, selectionOf(context, info, ['tlsEdge'])),
    },
    {
      description: 'What was changed.',
      outputFields: (t) => ({
        tlsEdge: t.field({ type: TlsEdge, description: 'The edge without the module.', resolve: (row) => row }),
      }),
    },
  );
}
