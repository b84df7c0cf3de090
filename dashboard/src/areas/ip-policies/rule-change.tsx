// Changes to a single rule: what each adds and removes, its confirmation dialog, and the API call.

import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { isEverything } from '../../impact/everything.ts';
import type { Question } from '../../impact/guarded.tsx';
import { Call } from '../../kit/call.tsx';
import { Notice } from '../../kit/notice.tsx';
import type { RuleDraft, RulesChange } from './change.ts';
import {
  CreateIpPolicyRuleDocument,
  DeleteIpPolicyRuleDocument,
  type PolicyRulesQuery,
  UpdateIpPolicyRuleDocument,
} from './ip-policies.generated.ts';

export type Rule = NonNullable<PolicyRulesQuery['ipPolicyRules']>['nodes'][number];

/** Kinds of objects that are read again after rules have changed. */
export const changedKinds = ['IpPolicyRule', 'IpPolicy'];

/** The actions of rules, as options. */
export const ruleActions: readonly { readonly value: IpPolicyRuleAction; readonly title: string }[] = [
  { value: 'allow', title: 'Allow' },
  { value: 'deny', title: 'Deny' },
];

/** Returns what an action is called. */
export const titleOf = (action: IpPolicyRuleAction) => (action === 'allow' ? 'Allow' : 'Deny');

/** A change to a single rule that is evaluated before it is made. */
export type RuleChange =
  | { readonly kind: 'add'; readonly ipPolicyId: string; readonly draft: RuleDraft; readonly description: string }
  | { readonly kind: 'action'; readonly rule: Rule; readonly action: IpPolicyRuleAction }
  | { readonly kind: 'delete'; readonly rule: Rule };

/** Returns the rules that a change adds and removes. */
export function rulesChangeOf(change: RuleChange): RulesChange {
  if (change.kind === 'add') return { add: [change.draft], remove: [] };
  const { rule } = change;
  if (change.kind === 'delete') return { add: [], remove: [rule.id] };
  const { cidr, expiresAt } = rule;
  return { add: [{ cidr, action: change.action, expiresAt }], remove: [rule.id] };
}

/** Returns whether rules allow every address, which is asked about: it is what a policy is there to prevent. */
export const allowsEverybody = (rules: readonly RuleDraft[]): boolean =>
  rules.some(({ cidr, action }) => action === 'allow' && isEverything(cidr));

/** What the question says if rules allow every address. */
export const everybodyNotice = (
  <Notice tone="bad" title="This allows everybody.">
    <code>0.0.0.0/0</code> and <code>::/0</code> stand for all addresses there are. Only what another rule denies is
    kept out.
  </Notice>
);

/** Returns the content of the confirmation dialog for a change. */
export const questionOf = (change: RuleChange): Question =>
  allowsEverybody(rulesChangeOf(change).add) ? { ...wordsFor(change), text: everybodyNotice } : wordsFor(change);

function wordsFor(change: RuleChange): Question {
  if (change.kind === 'add') {
    const { ipPolicyId, draft, description } = change;
    const call = <AddCall input={{ ipPolicyId, ...draft, description }} />;
    return { title: `${titleOf(draft.action)} ${draft.cidr}?`, action: 'Add rule', call };
  }
  const { rule } = change;
  if (change.kind === 'delete') {
    return { title: `Delete the rule for ${rule.cidr}?`, action: 'Delete rule', call: <DeleteCall rule={rule} /> };
  }
  const { action } = change;
  return {
    title: `${titleOf(action)} ${rule.cidr}?`,
    action: `Change to “${titleOf(action)}”`,
    call: <UpdateCall rule={rule} version={rule.version} changes={{ action }} />,
  };
}

/** The call that adds a rule. */
export function AddCall({ input }: { input: RuleDraft & { ipPolicyId: string; description: string } }) {
  const { ipPolicyId, expiresAt, ...rule } = input;
  const body = { ip_policy_id: ipPolicyId, ...rule, ...(expiresAt && { expires_at: expiresAt }) };
  return (
    <Call
      rest={{ method: 'POST', path: '/ip_policy_rules', body }}
      document={CreateIpPolicyRuleDocument}
      variables={{ input }}
    />
  );
}

function UpdateCall({
  rule: { id, cidr },
  version,
  changes,
}: {
  rule: Rule;
  version: number;
  changes: { action: IpPolicyRuleAction } | { description: string };
}) {
  return (
    <Call
      title={`The call that changes ${cidr}`}
      rest={{ method: 'PATCH', path: `/ip_policy_rules/${id}`, body: changes, ifMatch: version }}
      document={UpdateIpPolicyRuleDocument}
      variables={{ input: { id, expectedVersion: version, ...changes } }}
    />
  );
}

function DeleteCall({ rule: { id, cidr, version } }: { rule: Rule }) {
  return (
    <Call
      title={`The call that deletes ${cidr}`}
      rest={{ method: 'DELETE', path: `/ip_policy_rules/${id}`, ifMatch: version }}
      document={DeleteIpPolicyRuleDocument}
      variables={{ input: { id, expectedVersion: version } }}
    />
  );
}

/**
 * The API calls that the row of a rule can make.
 *
 * @param entered the description entered in the row, with the version that it replaces
 */
export function RuleCalls({ rule, entered }: { rule: Rule; entered: Pick<Rule, 'description' | 'version'> }) {
  const { description } = entered;
  const action = rule.action === 'allow' ? 'deny' : 'allow';
  return (
    <>
      {description === rule.description ? (
        <UpdateCall rule={rule} version={rule.version} changes={{ action }} />
      ) : (
        <UpdateCall rule={rule} version={entered.version} changes={{ description }} />
      )}
      <DeleteCall rule={rule} />
    </>
  );
}
