// Adding, replacing and deleting many rules of an IP policy together, in GraphQL.

import { SallyportError } from '../../domain/errors.ts';
import type { StoredRule } from '../../domain/ip/rule-end.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { changeMutation } from '../../graphql/kit/change-mutation.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { afterOthersOfAccount } from '../../graphql/kit/many-changes.ts';
import { checkTogether, deleteManyMutation } from '../../graphql/kit/mutations.ts';
import { forceInput, notesInput } from '../../graphql/kit/resource.ts';
import { answersAgain } from '../../graphql/wrappers/change-once.ts';
import { needsTo } from '../../graphql/wrappers/rights.ts';
import { changedObjectCost } from '../../load/limits.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Row } from '../../storage/objects/collection.ts';
import {
  actionDescription,
  cidrDescription,
  endDescription,
  IpPolicyRule,
  IpPolicyRuleAction,
} from './policy-schema.ts';
import { replaceIpPolicyRules } from './replace-store.ts';
import { checkCidr, rulesMax } from './rules.ts';
import {
  createIpPolicyRules,
  deleteIpPolicyRules,
  endOf,
  ipPolicyRules,
  type NewRule,
  policyOfRules,
} from './store.ts';

const NewRuleInput = builder.inputType('NewIpPolicyRuleInput', {
  description: 'A rule to be added together with others.',
  fields: (t) => ({
    cidr: t.field({ type: 'Cidr', required: true, description: cidrDescription }),
    action: t.field({ type: IpPolicyRuleAction, required: true, description: actionDescription }),
    expiresAt: t.field({ type: 'DateTime', description: `${endDescription} Null, the default, means never.` }),
    ...notesInput(t),
  }),
});

/** Repeats the answer to a change of many rules. */
const rulesAgain = answersAgain(async ({ remembered }, { scope }) => {
  // The stores have remembered them.
  const { ids } = remembered as { readonly ids: readonly string[] };
  const rules = await ipPolicyRules.getMany(scope, ids);
  if (!rules.includes(null)) return rules;
  const message =
    'The rules were stored before, and some have been deleted since, so that the answer cannot be repeated.';
  throw new SallyportError('IDEMPOTENCY_ANSWER_LOST', message);
});

/** Rules of a list, as mutations take them. */
interface GivenRules {
  readonly ipPolicyId: string;
  readonly rules: readonly NewRule[];
  readonly force?: boolean | null | undefined;
}

/**
 * Makes a change to the rules of a policy by a list of them, unless it would lock out the client.
 *
 * @param rulesAfter returns the rules of the policy after the change, given those before and those of the list
 * @throws INVALID_INPUT with the field of the first rule that is wrong, LOCKOUT unless forced, and as `change`
 */
function changingRules(
  context: Context,
  { ipPolicyId, rules, force }: GivenRules,
  rulesAfter: (before: readonly StoredRule[], given: readonly StoredRule[]) => readonly StoredRule[],
  change: (scope: AccountScope, ipPolicyId: string, rules: readonly NewRule[]) => Promise<Row<'IpPolicyRule'>[]>,
): Promise<Row<'IpPolicyRule'>[]> {
  return afterOthersOfAccount(context, async () => {
    if (force !== true) {
      const given = rules.map(({ cidr, action, expiresAt }, index) => ({
        id: '',
        action,
        range: checkCidr(cidr, `rules[${index}].cidr`).range,
        // Not in the future where a rule that has ended stays as it is: it lets nobody in.
        expiresAt: endOf(expiresAt ?? null, `rules[${index}].expiresAt`),
      }));
      await context.refuseLockout(
        async () => ipPolicyId,
        (before) => rulesAfter(before, given),
      );
    }
    return change(context.scope, ipPolicyId, rules);
  });
}

changeMutation('createIpPolicyRules', {
  description:
    'Adds rules to an IP policy: all of them, or none. They replace rules for the same ranges that have ended. The trail has an event for each. `evaluateIpPolicyChange` tells beforehand what ' +
    'is wrong with which, and whom they keep out or let in.',
  extensions: { ...needsTo('write', 'IpPolicyRule'), ...rulesAgain },
  input: (t) => ({
    ipPolicyId: t.id({ required: true, description: 'The policy to add the rules to.' }),
    rules: t.field({
      type: [NewRuleInput],
      required: true,
      description: `The rules; 1 to ${rulesMax}, each with another range.`,
      extensions: { jsonSchema: { minItems: 1, maxItems: rulesMax } },
    }),
    ...forceInput(t),
  }),
  cost: ({ rules }) => ({ field: rules.length * changedObjectCost, multiplier: rules.length }),
  resolve: async (input, context) => {
    checkTogether('rules', input.rules, rulesMax);
    return changingRules(context, input, (before, given) => [...before, ...given], createIpPolicyRules);
  },
  answer: (t) => ({
    ipPolicyRules: t.field({
      type: [IpPolicyRule],
      // The mutation counts as many as it adds.
      complexity: { multiplier: 1 },
      description: 'The new rules, in the order of the input.',
      resolve: (rules) => rules,
    }),
  }),
});

changeMutation('replaceIpPolicyRules', {
  description:
    'Makes the rules of an IP policy those of a list: all of them, or none. A rule for a range that the policy has keeps its id, is changed ' +
    'where it differs, and is left alone where it does not; rules for other ranges are deleted. The trail has an event for each change.',
  extensions: { ...needsTo('write', 'IpPolicyRule'), ...rulesAgain },
  input: (t) => ({
    ipPolicyId: t.id({ required: true, description: 'The policy.' }),
    rules: t.field({
      type: [NewRuleInput],
      required: true,
      description: `All rules that it is to have; at most ${rulesMax}, each with another range.`,
      extensions: { jsonSchema: { maxItems: rulesMax } },
    }),
    ...forceInput(t),
  }),
  // Also of an empty list, which deletes as many as there may be.
  cost: ({ rules }) => ({ field: rulesMax * changedObjectCost, multiplier: Math.max(rules.length, 1) }),
  resolve: async (input, context) => {
    if (input.rules.length > 0) checkTogether('rules', input.rules, rulesMax);
    return changingRules(context, input, (_before, given) => given, replaceIpPolicyRules);
  },
  answer: (t) => ({
    ipPolicyRules: t.field({
      type: [IpPolicyRule],
      // The mutation counts as many as it is given.
      complexity: { multiplier: 1 },
      description: 'The rules of the policy, in the order of the input.',
      resolve: (rules) => rules,
    }),
  }),
});

deleteManyMutation('deleteIpPolicyRules', {
  description: 'Deletes rules of one IP policy.',
  input: forceInput,
  resolve: async ({ objects, force }, { scope, refuseLockout }, remembered) => {
    const ids = new Set(objects.map(({ id }) => id));
    if (force !== true) {
      await refuseLockout(
        () => policyOfRules(scope, objects),
        (rules) => rules.filter(({ id }) => !ids.has(id)),
      );
    }
    await deleteIpPolicyRules(scope, objects, { remembered });
  },
});
