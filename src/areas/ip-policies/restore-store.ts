// Restores IP policies and their rules to an earlier state.

import * as z from 'zod';
import { invalid } from '../../domain/errors.ts';
import { notesForCreate } from '../../domain/values/text.ts';
import {
  type DeletedObject,
  notesState,
  type Restorers,
  type Restoring,
  restorer,
} from '../../storage/objects/restoring.ts';
import { checkCidr, ruleActions, rulesMax } from './rules.ts';
import { createIpPolicyRule, ipPolicies, ipPolicyRules, policyOfRule, updateIpPolicyRule } from './store.ts';

const ruleState = notesState.extend({ ipPolicyId: z.string(), cidr: z.string(), action: z.enum(ruleActions) });

export const restorers: Restorers = {
  IpPolicy: restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      ipPolicies.updateNotes(scope, { ...state, id, expectedVersion }),
    recreate: recreatePolicy,
  }),
  IpPolicyRule: restorer(ruleState, {
    async update({ scope, lockout }, { id, state }, expectedVersion) {
      const { range } = checkCidr(state.cidr);
      await lockout?.refuseByPolicy(
        () => policyOfRule(scope, id),
        (rules) => rules.map((rule) => (rule.id === id ? { ...rule, range, action: state.action } : rule)),
      );
      return updateIpPolicyRule(scope, { ...state, id, expectedVersion });
    },
    async recreate({ scope, lockout }, { object, state }) {
      const added = { id: object.id, action: state.action, range: checkCidr(state.cidr).range };
      await lockout?.refuseByPolicy(
        async () => state.ipPolicyId,
        (rules) => [...rules, added],
      );
      return createIpPolicyRule(scope, state, object);
    },
  }),
};

/** Recreates a deleted policy with the rules it had. */
async function recreatePolicy(
  { scope, lockout }: Restoring,
  { object, state, parts }: DeletedObject<z.infer<typeof notesState>>,
): Promise<{ version: number }> {
  const rules = parts.map((part) => {
    const { cidr, action, ...notes } = ruleState.parse(part.state);
    return {
      object: part.object,
      columns: { ...checkCidr(cidr), action, ...notesForCreate(notes), ipPolicyId: object.id },
    };
  });
  if (rules.length > rulesMax) throw invalid('rules', `must be at most ${rulesMax}; the policy had ${rules.length}.`);
  const deciding = rules.map(({ object: { id }, columns: { action, range } }) => ({ id, action, range }));
  await lockout?.refuseByPolicy(
    async () => object.id,
    () => deciding,
  );
  // The new `restoredVersion` keeps values cached for the earlier rules from being taken for current ones.
  const columns = { ...notesForCreate(state), ruleCount: rules.length, restoredVersion: object.version };
  const following = rules.map((rule) => ipPolicyRules.prepareCreate(scope, rule.object, rule.columns));
  return ipPolicies.create(scope, columns, { object, following });
}
