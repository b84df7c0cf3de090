// Restores IP policies and their rules to an earlier state.

import * as z from 'zod';
import { invalid, SallyportError } from '../../domain/errors.ts';
import { type ActedList, emptyList } from '../../domain/ip/range-list.ts';
import { hasEnded } from '../../domain/ip/rule-end.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { notesForCreate } from '../../domain/values/text.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import {
  type DeletedObject,
  notesState,
  type Restorers,
  type Restoring,
  restorer,
} from '../../storage/objects/restoring.ts';
import { checkCidr, ruleActions, rulesMax } from './rules.ts';
import { sourceKinds } from './source-rules.ts';
import {
  createIpPolicySource,
  draftSourceChange,
  notReadYet,
  prepareRestoredSources,
  updateIpPolicySource,
} from './source-store.ts';
import { createIpPolicyRule, ipPolicies, ipPolicyRules, policyOfRule, updateIpPolicyRule } from './store.ts';

const ruleState = notesState.extend({
  ipPolicyId: z.string(),
  cidr: z.string(),
  action: z.enum(ruleActions),
  // Absent from what was recorded before rules could end.
  expiresAt: z.string().nullable().default(null),
});

const sourceState = notesState.extend({
  ipPolicyId: z.string(),
  kind: z.enum(sourceKinds),
  address: z.string(),
  jsonPath: z.string(),
  action: z.enum(ruleActions),
  intervalSeconds: z.number(),
});

export const restorers: Restorers = {
  IpPolicy: restorer(notesState, {
    update: ({ scope }, { id, state }, expectedVersion) =>
      ipPolicies.updateNotes(scope, { ...state, id, expectedVersion }),
    recreate: recreatePolicy,
  }),
  IpPolicyRule: restorer(ruleState, {
    async update({ scope, lockout }, { id, state }, expectedVersion) {
      const { range } = checkCidr(state.cidr);
      const expiresAt = endInFuture(state, scope.now());
      await lockout?.refuseByPolicy(
        () => policyOfRule(scope, id),
        (rules) => rules.map((rule) => (rule.id === id ? { ...rule, range, action: state.action, expiresAt } : rule)),
      );
      return updateIpPolicyRule(scope, { ...state, id, expectedVersion });
    },
    async recreate({ scope, lockout }, { object, state }) {
      const expiresAt = endInFuture(state, scope.now());
      const added = { id: object.id, action: state.action, range: checkCidr(state.cidr).range, expiresAt };
      await lockout?.refuseByPolicy(
        async () => state.ipPolicyId,
        (rules) => [...rules, added],
      );
      return createIpPolicyRule(scope, state, object);
    },
  }),
  IpPolicySource: restorer(sourceState, {
    async update({ scope, lockout }, { id, state }, expectedVersion) {
      const { source, draft, readsAnew } = await draftSourceChange(scope, { ...state, id });
      const list = (acted: ActedList) => ({
        ...acted,
        action: state.action,
        ...(readsAnew ? { list: emptyList } : {}),
      });
      await lockout?.refuseByPolicy(
        async () => source.ipPolicyId,
        (rules) => rules,
        (lists) => lists.map((acted) => (acted.sourceId === id ? list(acted) : acted)),
      );
      return updateIpPolicySource(scope, { ...state, id, expectedVersion }, draft, readsAnew ? notReadYet : null);
    },
    recreate: ({ scope }, { object, state }) => createIpPolicySource(scope, state, notReadYet, object),
  }),
};

/** Reads when a rule ends; null if it does not. Throws NOT_RESTORABLE if it has ended: it would come back and not count. */
function endInFuture(state: z.infer<typeof ruleState>, now: Date): Date | null {
  const expiresAt = readEnd(state);
  if (expiresAt === null || !hasEnded({ expiresAt }, now)) return expiresAt;
  throw new SallyportError(
    'NOT_RESTORABLE',
    `The rule ended at ${formatTimestamp(expiresAt)}, so it would not count. Create it anew, with another end or none.`,
  );
}

function readEnd({ expiresAt }: z.infer<typeof ruleState>): Date | null {
  return expiresAt === null ? null : new Date(expiresAt);
}

/**
 * Recreates a deleted policy with the rules and sources it had. Rules that have ended do not count, and are deleted as others; sources
 * are read in the next round.
 */
async function recreatePolicy(
  { scope, lockout, writes }: Restoring,
  { object, state, parts }: DeletedObject<z.infer<typeof notesState>>,
): Promise<{ version: number }> {
  const isSource = ({ object }: DeletedObject<unknown>) => isIdOf('IpPolicySource', object.id);
  const sources = parts.filter(isSource).map((part) => ({ object: part.object, state: sourceState.parse(part.state) }));
  const rules = parts
    .filter((part) => !isSource(part))
    .map((part) => {
      const state = ruleState.parse(part.state);
      const deciding = { ...checkCidr(state.cidr), action: state.action, expiresAt: readEnd(state) };
      return { object: part.object, columns: { ...deciding, ...notesForCreate(state), ipPolicyId: object.id } };
    });
  if (rules.length > rulesMax) throw invalid('rules', `must be at most ${rulesMax}; the policy had ${rules.length}.`);
  await writes(rules.length + sources.length);
  const deciding = rules.map(({ object: { id }, columns: { action, range, expiresAt } }) => {
    return { id, action, range, expiresAt };
  });
  await lockout?.refuseByPolicy(
    async () => object.id,
    () => deciding,
  );
  // The new `restoredVersion` keeps values cached for the earlier rules from being taken for current ones.
  const counts = { ruleCount: rules.length, sourceCount: sources.length };
  const columns = { ...notesForCreate(state), ...counts, restoredVersion: object.version };
  const following = [
    ...ipPolicyRules.prepareCreateAll(scope, rules),
    ...(await prepareRestoredSources(scope, object.id, sources)),
  ];
  return ipPolicies.create(scope, columns, { object, following });
}
