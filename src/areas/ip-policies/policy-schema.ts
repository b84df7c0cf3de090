// IP policies and their rules in GraphQL.

import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, namedBy } from '../../graphql/kit/column-fields.ts';
import { collectionUri } from '../../graphql/kit/context.ts';
import { decidingNode } from '../../graphql/kit/deciding.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { createMutation, deleteMutation, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { forceInput, node } from '../../graphql/kit/resource.ts';
import { searchable, searchedText } from '../../graphql/kit/search-query.ts';
import { referenceFilter } from '../../graphql/lists/connection.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { type ArgBuilder, innerListArgs, innerListPrice, resolveInnerList } from '../../graphql/lists/inner-list.ts';
import { filteredListCost, searchCost } from '../../load/limits.ts';
import { conditionOfRules, rulesOfPolicy } from './rule-list-store.ts';
import { checkCidr, type RuleAction, ruleActions } from './rules.ts';
import {
  createIpPolicy,
  createIpPolicyRule,
  decidingPart,
  deleteIpPolicyRules,
  ipPolicies,
  ipPolicyRules,
  policyOfRule,
  updateIpPolicyRule,
} from './store.ts';

export const IpPolicy = builder.prismaNode('IpPolicy', {
  ...decidingNode,
  fields: (t) => ({
    rules: t.field({
      type: connectionOf('IpPolicyRule'),
      description: 'The rules of the policy, newest first. A policy without rules allows nobody.',
      args: { ...innerListArgs(t.arg), ...ruleFilters(t.arg) },
      complexity: ({ action, contains, ...args }) => {
        const price = innerListPrice(args);
        return action == null && contains == null ? price : { ...price, field: filteredListCost };
      },
      resolve: ({ id }, { action, contains, ...args }, context, info) => {
        const uri = collectionUri(context, 'IpPolicyRule');
        const list = rulesOfPolicy({ action, contains });
        const rules = { collection: ipPolicyRules, list, cursors: 'IpPolicyRule', uri } as const;
        return resolveInnerList(rules, id, args, context, info);
      },
    }),
  }),
});

export const IpPolicyRuleAction = enumOf<RuleAction>(
  'IpPolicyRuleAction',
  'What a rule does with traffic from its range.',
  {
    allow: 'Allows the traffic unless another rule denies it.',
    deny: 'Denies the traffic, even if another rule allows it.',
  },
);

/** Returns the arguments that filter a list of rules. */
function ruleFilters(arg: ArgBuilder) {
  return {
    action: arg({ type: IpPolicyRuleAction, description: 'Only rules with this action.' }),
    contains: arg({ type: 'IpAddress', description: 'Only rules whose range contains this address.' }),
  };
}

export const IpPolicyRule = builder.prismaNode('IpPolicyRule', {
  ...node,
  fields: (t) => ({
    ipPolicy: t.field(namedBy('ipPolicyId', 'IpPolicy', ipPolicies, 'The policy that the rule belongs to.')),
    cidr: t.expose('cidr', { type: 'Cidr' }),
    action: t.field(
      choiceOf('action', IpPolicyRuleAction, ruleActions, 'What the rule does with traffic from its range.'),
    ),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
  }),
});

searchable('IpPolicy');
searchable('IpPolicyRule', { ...searchedText('cidr'), rangeColumn: 'range' });

resourceQueries('IpPolicy', IpPolicy, ipPolicies, {
  one: { name: 'ipPolicy', noun: 'IP policy' },
  list: { name: 'ipPolicies', description: 'The IP policies of the account, newest first.' },
});

createMutation('createIpPolicy', IpPolicy, {
  description: 'Creates an IP policy without rules. It affects no traffic until something refers to it.',
  resolve: (input, { scope }) => createIpPolicy(scope, input),
});

updateMutation('updateIpPolicy', IpPolicy, {
  description: 'Updates the description and metadata of an IP policy.',
  resolve: (input, { scope }) => ipPolicies.updateNotes(scope, input),
});

deleteMutation('deleteIpPolicy', {
  description:
    'Deletes an IP policy with its rules. Whatever refers to the policy treats it as a policy without rules from then on.',
  input: forceInput,
  resolve: async ({ id, expectedVersion, force }, { scope, refuseLockout }) => {
    const findPolicy = async () => id;
    if (force !== true) {
      await refuseLockout(
        findPolicy,
        () => [],
        () => [],
      );
    }
    await ipPolicies.remove(scope, id, expectedVersion);
  },
});

resourceQueries('IpPolicyRule', IpPolicyRule, ipPolicyRules, {
  one: { name: 'ipPolicyRule', noun: 'IP policy rule' },
  list: {
    name: 'ipPolicyRules',
    description: 'The rules of one IP policy, or of all policies of the account, newest first.',
    filters: (arg) => ({ ipPolicyId: arg.id({ description: 'Only rules of this policy.' }), ...ruleFilters(arg) }),
    where: ({ ipPolicyId, ...filter }, { scope }) =>
      conditionOfRules(scope, referenceFilter('ipPolicyId', 'IpPolicy', ipPolicyId), filter),
    filterCost: ({ action, contains }) => (action == null && contains == null ? 0 : searchCost),
  },
});

export const cidrDescription = 'The address range, unique within the policy.';
export const actionDescription = 'What to do with traffic from the range.';
export const endDescription = 'When the rule ends, rounded down to the second, which must be in the future.';

createMutation('createIpPolicyRule', IpPolicyRule, {
  description: 'Adds a rule to an IP policy. It replaces a rule for the same range that has ended.',
  input: (t) => ({
    ipPolicyId: t.id({ required: true, description: 'The policy to add the rule to.' }),
    cidr: t.field({ type: 'Cidr', required: true, description: cidrDescription }),
    action: t.field({ type: IpPolicyRuleAction, required: true, description: actionDescription }),
    expiresAt: t.field({ type: 'DateTime', description: `${endDescription} Null, the default, means never.` }),
    ...forceInput(t),
  }),
  resolve: async (input, { scope, refuseLockout }) => {
    // An end in the past is refused below.
    const added = { id: '', action: input.action, range: checkCidr(input.cidr).range, expiresAt: null };
    const findPolicy = async () => input.ipPolicyId;
    if (input.force !== true) await refuseLockout(findPolicy, (rules) => [...rules, added]);
    return createIpPolicyRule(scope, input);
  },
});

updateMutation('updateIpPolicyRule', IpPolicyRule, {
  description: 'Updates an IP policy rule atomically: either the old rule or the new one is always in effect.',
  input: (t) => ({
    cidr: t.field({ type: 'Cidr', description: cidrDescription }),
    action: t.field({ type: IpPolicyRuleAction, description: actionDescription }),
    expiresAt: t.field({ type: 'DateTime', description: `${endDescription} Null lets it stay in force without end.` }),
    ...forceInput(t),
  }),
  resolve: async (input, { scope, refuseLockout }) => {
    const changed = decidingPart(input);
    if (input.force !== true && Object.keys(changed).length > 0) {
      const findPolicy = () => policyOfRule(scope, input.id);
      await refuseLockout(findPolicy, (rules) =>
        rules.map((rule) => (rule.id === input.id ? { ...rule, ...changed } : rule)),
      );
    }
    return updateIpPolicyRule(scope, input);
  },
});

deleteMutation('deleteIpPolicyRule', {
  description: 'Deletes an IP policy rule.',
  input: forceInput,
  resolve: async ({ id, expectedVersion, force }, { scope, refuseLockout }) => {
    const findPolicy = () => policyOfRule(scope, id);
    if (force !== true) await refuseLockout(findPolicy, (rules) => rules.filter((rule) => rule.id !== id));
    await deleteIpPolicyRules(scope, [{ id, expectedVersion }]);
  },
});
