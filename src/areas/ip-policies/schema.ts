// IP policies and their rules in GraphQL.

import { readChoice } from '../../domain/decode.ts';
import { loadInnerList } from '../../graphql/batch.ts';
import { builder } from '../../graphql/builder.ts';
import { bounded, connectionTypes, referenceFilter, resolveList } from '../../graphql/connection.ts';
import { addressInput, deleteMutation, notesInput, Resource } from '../../graphql/resource.ts';
import { selectionOf } from '../../graphql/selection.ts';
import { type RuleAction, ruleActions } from './rules.ts';
import {
  createIpPolicy,
  createIpPolicyRule,
  ipPolicies,
  ipPolicyRules,
  removeIpPolicyRule,
  rulesOfPolicy,
  updateIpPolicyRule,
} from './store.ts';

const IpPolicy = builder.prismaNode('IpPolicy', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    rules: t.field({
      type: ['IpPolicyRule'],
      description: 'The newest rules of the policy. `ipPolicyRules` pages through all. Zero rules allow nobody.',
      args: { first: t.arg.int({ description: bounded.description, defaultValue: bounded.defaultValue }) },
      complexity: bounded.complexity,
      resolve: ({ id }, { first }, context, info) =>
        loadInnerList(ipPolicyRules, rulesOfPolicy, id, bounded.take(first), context, info),
    }),
  }),
});

const IpPolicyRuleAction = builder.enumType('IpPolicyRuleAction', {
  description: 'What a rule does with the addresses of its range.',
  values: {
    allow: { value: 'allow', description: 'Lets the addresses pass, unless another rule denies them.' },
    deny: { value: 'deny', description: 'Keeps the addresses out, whatever else allows them.' },
  } satisfies { [A in RuleAction]: { value: A; description: string } },
});

const IpPolicyRule = builder.prismaNode('IpPolicyRule', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    ipPolicy: t.relation('ipPolicy', { description: 'The policy that the rule belongs to.' }),
    cidr: t.expose('cidr', { type: 'Cidr' }),
    action: t.field({
      type: IpPolicyRuleAction,
      description: 'What the rule does with the addresses of its range.',
      resolve: ({ action }) => readChoice(ruleActions, action),
    }),
  }),
});

builder.queryFields((t) => ({
  ipPolicy: t.field({
    type: IpPolicy,
    description: 'One IP policy. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the policy.' }) },
    resolve: (_root, { id }, context, info) => ipPolicies.get(context.scope, id, selectionOf(context, info)),
  }),
  ipPolicies: t.connection(
    {
      type: IpPolicy,
      description: 'The IP policies of the account, newest first.',
      resolve: (_root, args, context, info) => resolveList('IpPolicy', ipPolicies, {}, args, context, info),
    },
    ...connectionTypes('IpPolicy'),
  ),
  ipPolicyRule: t.field({
    type: IpPolicyRule,
    description: 'One rule of an IP policy. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the rule.' }) },
    resolve: (_root, { id }, context, info) => ipPolicyRules.get(context.scope, id, selectionOf(context, info)),
  }),
  ipPolicyRules: t.connection(
    {
      type: IpPolicyRule,
      description: 'The rules of one IP policy, or of all of the account, newest first.',
      args: { ipPolicyId: t.arg.id({ description: 'Lists only the rules of this policy.' }) },
      resolve: (_root, { ipPolicyId, ...args }, context, info) =>
        resolveList(
          'IpPolicyRule',
          ipPolicyRules,
          referenceFilter('ipPolicyId', 'IpPolicy', ipPolicyId),
          args,
          context,
          info,
        ),
    },
    ...connectionTypes('IpPolicyRule'),
  ),
}));

builder.relayMutationField(
  'createIpPolicy',
  { description: 'A new IP policy.', inputFields: notesInput },
  {
    description: 'Creates an IP policy, without rules. It applies to no traffic until something refers to it.',
    resolve: (_root, { input }, { scope }) => createIpPolicy(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      ipPolicy: t.field({ type: IpPolicy, description: 'The new policy.', resolve: (row) => row }),
    }),
  },
);

builder.relayMutationField(
  'updateIpPolicy',
  {
    description: 'A change to an IP policy. What is left out keeps its value.',
    inputFields: (t) => ({ ...addressInput(t), ...notesInput(t) }),
  },
  {
    description: 'Changes an IP policy.',
    resolve: (_root, { input }, context, info) =>
      ipPolicies.updateNotes(context.scope, input, selectionOf(context, info, ['ipPolicy'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      ipPolicy: t.field({ type: IpPolicy, description: 'The policy as it is now.', resolve: (row) => row }),
    }),
  },
);

deleteMutation(
  'IpPolicy',
  'Deletes an IP policy with its rules. Whatever refers to it treats it from then on as a policy with zero rules.',
  ipPolicies.remove,
);

builder.relayMutationField(
  'createIpPolicyRule',
  {
    description: 'A new rule of an IP policy.',
    inputFields: (t) => ({
      ipPolicyId: t.id({ required: true, description: 'The policy to add the rule to.' }),
      cidr: t.field({ type: 'Cidr', required: true, description: 'The range; unique within the policy.' }),
      action: t.field({ type: IpPolicyRuleAction, required: true, description: 'What to do with its addresses.' }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Adds a rule to an IP policy.',
    resolve: (_root, { input }, { scope }) => createIpPolicyRule(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      ipPolicyRule: t.field({ type: IpPolicyRule, description: 'The new rule.', resolve: (row) => row }),
    }),
  },
);

builder.relayMutationField(
  'updateIpPolicyRule',
  {
    description: 'A change to a rule. What is left out keeps its value.',
    inputFields: (t) => ({
      ...addressInput(t),
      cidr: t.field({ type: 'Cidr', description: 'The range; unique within the policy.' }),
      action: t.field({ type: IpPolicyRuleAction, description: 'What to do with its addresses.' }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Changes a rule of an IP policy, at once: no moment between the old rule and the new one.',
    resolve: (_root, { input }, context, info) =>
      updateIpPolicyRule(context.scope, input, selectionOf(context, info, ['ipPolicyRule'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      ipPolicyRule: t.field({ type: IpPolicyRule, description: 'The rule as it is now.', resolve: (row) => row }),
    }),
  },
);

deleteMutation('IpPolicyRule', 'Deletes a rule of an IP policy.', removeIpPolicyRule);
