// The traffic policy of a TLS edge in GraphQL: its stored rules, and the input that sets them.

import type { Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { versionOf } from '../../graphql/kit/module-fields.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { pacedReader } from '../../load/answer-slices.ts';
import { type EndpointAction, type EndpointRule, readRules } from './policy/endpoint-rule.ts';
import {
  actionsMax,
  configDepthMax,
  entriesMax,
  expressionsMax,
  type PolicyRules,
  policyBytesMax,
  policyValuesMax,
  rulesMax,
} from './rules.ts';

const EndpointActionType = builder.objectRef<EndpointAction>('EndpointAction').implement({
  description: 'What a rule does with matching traffic.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The type of the action, such as `log`, `deny` or `restrict-ips`.' }),
    config: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The configuration of the action as it was sent; null if not set.',
      resolve: ({ config }) => config,
    }),
  }),
});

// The usual number of rules and actions. Policies are limited by their total size.
const usualRules = { field: 32, multiplier: 20 };
const usualActions = { multiplier: 5 };

const EndpointRuleType = builder.objectRef<EndpointRule>('EndpointRule').implement({
  description: 'A rule of a traffic policy.',
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description: 'The name of the rule; null if not set.',
      resolve: ({ name }) => name,
    }),
    expressions: t.stringList({
      nullable: true,
      description:
        'CEL expressions that filter the traffic: the rule applies if all are true. If null (not set) or empty, the rule ' +
        'applies to all traffic.',
      resolve: ({ expressions }) => expressions,
    }),
    actions: t.field({
      type: [EndpointActionType],
      complexity: usualActions,
      description: 'The actions of the rule, in order.',
      resolve: ({ actions }) => actions,
    }),
  }),
});

const pacedRules = pacedReader(readRules);

/** Parses stored rules, paced because their text may be large. */
export function rulesOf(row: object, text: string | null, context: Context) {
  return text === null ? null : pacedRules(context, row, text);
}

export const policyModule = {
  model: 'TlsPolicyModule',
  name: 'policy',
  key: 'edgeId',
  columns: ['edgeId', 'enabled'],
  large: [
    { column: 'inbound', shownBy: ['inbound'] },
    { column: 'outbound', shownBy: ['outbound'] },
  ],
} as const satisfies Module<'TlsPolicyModule'>;

export const TlsPolicyModule = builder.prismaObject('TlsPolicyModule', {
  include: { edge: true },
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    inbound: t.field({
      type: [EndpointRuleType],
      complexity: usualRules,
      nullable: true,
      description: 'Rules for inbound traffic, in order; null if not set.',
      resolve: (row, _args, context) => rulesOf(row, row.inbound, context),
    }),
    outbound: t.field({
      type: [EndpointRuleType],
      complexity: usualRules,
      nullable: true,
      description: 'Rules for outbound traffic, in order; null if not set.',
      resolve: (row, _args, context) => rulesOf(row, row.outbound, context),
    }),
    version: t.int(versionOf('edge')),
  }),
});

const EndpointActionInput = builder.inputType('EndpointActionInput', {
  description: 'What a rule does with matching traffic.',
  fields: (t) => ({
    type: t.string({
      required: true,
      description:
        'The type of the action: lower-case words separated by hyphens. The configuration of `log`, `deny` and ' +
        '`restrict-ips` is validated; that of other types is stored as is.',
    }),
    config: t.field({
      type: 'JSON',
      description:
        `The configuration of the action: an object of at most ${configDepthMax} levels. \`log\` requires an object in ` +
        '`metadata`; `deny` takes no configuration; `restrict-ips` takes `enforce` (whether to close the connection) and ' +
        `the lists \`allow\` and \`deny\` (ranges in CIDR notation) and \`ip_policies\` (identifiers of IP policies), of ` +
        `at most ${entriesMax} entries each.`,
    }),
  }),
});

const EndpointRuleInput = builder.inputType('EndpointRuleInput', {
  description: 'A rule of a traffic policy.',
  fields: (t) => ({
    name: t.string({ description: 'The name of the rule.' }),
    expressions: t.stringList({
      description: `CEL expressions that must all be true for the rule to apply; at most ${expressionsMax}.`,
      extensions: { jsonSchema: { maxItems: expressionsMax } },
    }),
    actions: t.field({
      type: [EndpointActionInput],
      required: true,
      description: `The actions to take, in order; 1 to ${actionsMax}.`,
      extensions: { jsonSchema: { maxItems: actionsMax } },
    }),
  }),
});

/** Returns the input fields for the rules of a policy. */
export function policyInput(t: InputBuilder) {
  const rulesFor = (direction: 'inbound' | 'outbound') =>
    t.field({
      type: [EndpointRuleInput],
      description:
        `Rules for ${direction} traffic, in order; at most ${rulesMax}. Inbound and outbound rules together have at most ` +
        `${policyBytesMax} bytes and ${policyValuesMax} values and keys as JSON. Not set if omitted.`,
      extensions: { jsonSchema: { maxItems: rulesMax } },
    });
  return { inbound: rulesFor('inbound'), outbound: rulesFor('outbound') };
}

export const TlsPolicyDraft = builder.inputType('TlsPolicyDraft', {
  description: 'The rules of a traffic policy that is not saved yet.',
  fields: policyInput,
});

/** Reads a draft from its input. */
export function readDraft({ inbound, outbound }: typeof TlsPolicyDraft.$inferInput): PolicyRules {
  return { inbound: inbound ?? null, outbound: outbound ?? null };
}
