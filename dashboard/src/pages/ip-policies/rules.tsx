// The rules of a policy, as a table that is changed in place.

import { useEffect, useState } from 'react';
import { useAction, usePages } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { CloseIcon } from '../../kit/icons.tsx';
import { List, timeColumns } from '../../kit/list.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import { useDone } from '../../trail/undo.ts';
import { useGuarded } from '../ip-restrictions/guarded.tsx';
import { Impacts } from '../ip-restrictions/impact.tsx';
import { count } from '../ip-restrictions/words.ts';
import { type RuleDraft, type RulesChange, useChecked, useLookAtRules } from './change.ts';
import {
  CreateIpPolicyRuleDocument,
  DeleteIpPolicyRuleDocument,
  PolicyRulesDocument,
  type PolicyRulesQuery,
  UpdateIpPolicyRuleDocument,
} from './ip-policies.generated.ts';
import { Paste } from './paste.tsx';
import { rangeOf } from './pasted.ts';
import styles from './rules.module.css';

type Rule = NonNullable<PolicyRulesQuery['ipPolicyRules']>['nodes'][number];

const changedKinds = ['IpPolicyRule', 'IpPolicy'];

/** What rules do. */
export const ruleActions: readonly { readonly value: IpPolicyRuleAction; readonly title: string }[] = [
  { value: 'allow', title: 'Allow' },
  { value: 'deny', title: 'Deny' },
];

const ActionBadge = ({ action }: { action: IpPolicyRuleAction }) =>
  action === 'allow' ? <Badge tone="good">Allow</Badge> : <Badge tone="bad">Deny</Badge>;

/** The description of a rule, which is text until somebody writes there. */
function RuleDescription({ rule, canWrite }: { rule: Rule; canWrite: boolean }) {
  // With the version that it was written over.
  const [mine, setMine] = useState<{ readonly text: string; readonly version: number } | null>(null);
  const { run, running, problem, clear } = useAction(UpdateIpPolicyRuleDocument, changedKinds);
  const done = useDone();
  const { id, cidr, description } = rule;
  // What was saved is shown until it has been read again.
  useEffect(() => {
    setMine((entered) => (entered?.text === description ? null : entered));
  }, [description]);
  if (!canWrite) return <span>{description}</span>;
  const save = async () => {
    if (mine === null || mine.text === description || running) return;
    const { text, version } = mine;
    const input = { id, description: text, expectedVersion: version };
    const written = (await run({ input }))?.updateIpPolicyRule?.ipPolicyRule;
    if (!written) return;
    setMine((entered) => entered && { ...entered, version: written.version });
    done(`Description of ${cidr} saved.`, written);
  };
  return (
    <>
      <input
        className={styles.inline}
        aria-label={`Description of ${cidr}`}
        aria-invalid={problem !== null}
        placeholder="Add a description"
        value={mine?.text ?? description}
        onChange={(event) => {
          const { value } = event.target;
          setMine((entered) => ({ text: value, version: entered?.version ?? rule.version }));
        }}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save();
          if (event.key !== 'Escape') return;
          setMine(null);
          clear();
        }}
      />
      {problem && (
        <span className={styles.error} role="alert">
          {problem.message} {problem.code}
        </span>
      )}
    </>
  );
}

/** A change of one rule. */
type RuleChange =
  | { readonly kind: 'add'; readonly draft: RuleDraft; readonly description: string }
  | { readonly kind: 'action'; readonly rule: Rule; readonly action: IpPolicyRuleAction }
  | { readonly kind: 'delete'; readonly rule: Rule };

const titleOf = (action: IpPolicyRuleAction) => (action === 'allow' ? 'Allow' : 'Deny');

/** Gives what a change adds and removes. */
function rulesChangeOf(change: RuleChange): RulesChange {
  if (change.kind === 'add') return { add: [change.draft], remove: [] };
  const { rule } = change;
  if (change.kind === 'delete') return { add: [], remove: [rule.id] };
  return { add: [{ cidr: rule.cidr, action: change.action }], remove: [rule.id] };
}

function wordsOf(change: RuleChange): { title: string; action: string } {
  if (change.kind === 'add')
    return { title: `${titleOf(change.draft.action)} ${change.draft.cidr}?`, action: 'Add rule' };
  const { cidr } = change.rule;
  if (change.kind === 'delete') return { title: `Delete the rule for ${cidr}?`, action: 'Delete rule' };
  return { title: `${titleOf(change.action)} ${cidr}?`, action: `Change to “${titleOf(change.action)}”` };
}

/** The line above the table in which a rule is entered. */
function AddRule({
  ipPolicyId,
  add,
  isPending,
  isNext,
}: {
  ipPolicyId: string;
  add: (draft: RuleDraft, description: string) => void;
  isPending: boolean;
  /** Whether one was added just before: people add several. */
  isNext: boolean;
}) {
  const [range, setRange] = useState('');
  const [action, setAction] = useState<IpPolicyRuleAction>('allow');
  const [description, setDescription] = useState('');
  const cidr = rangeOf(range);
  const draft = { cidr, action };
  const checked = useChecked(ipPolicyId, { add: cidr === '' ? [] : [draft], remove: [] });
  const evaluation = checked.data?.evaluateIpPolicyChange;
  const wrong = checked.asked.add[0]?.cidr === cidr ? evaluation?.problems[0]?.message : undefined;
  const impacts = evaluation?.restrictions?.filter((impact) => impact.newlyRefusedCount + impact.newlyAllowedCount > 0);
  const variables = { input: { ipPolicyId, cidr, action, description } };
  return (
    <form
      className={styles.add}
      aria-label="Add a rule"
      onSubmit={(event) => {
        event.preventDefault();
        if (cidr !== '' && wrong === undefined && !isPending) add(draft, description);
      }}
    >
      <div className={styles.line}>
        <TextField
          label="Range or address"
          value={range}
          onChange={setRange}
          placeholder="203.0.113.0/24"
          error={wrong}
          autoFocus={isNext}
          mono
        />
        <SelectField label="Action" value={action} onChange={setAction} options={ruleActions} />
        <TextField label="Description" value={description} onChange={setDescription} placeholder="Optional" />
        <Button type="submit" isDisabled={cidr === '' || wrong !== undefined} isPending={isPending}>
          Add rule
        </Button>
      </div>
      {cidr !== '' && wrong === undefined && (
        <div className={styles.effect} aria-live="polite">
          {cidr !== range.trim() && (
            <p className="muted">
              Added as <code>{cidr}</code>
            </p>
          )}
          {impacts && impacts.length > 0 && <Impacts impacts={impacts} />}
          {impacts && impacts.length === 0 && evaluation?.restrictions && (
            <p className="muted">
              {evaluation.restrictions.length === 0
                ? 'No restriction refers to this policy: nobody is affected yet.'
                : 'Nobody is let in or kept out by this.'}
            </p>
          )}
          <Call
            rest={{
              method: 'POST',
              path: '/ip_policy_rules',
              body: { ip_policy_id: ipPolicyId, cidr, action, description },
            }}
            document={CreateIpPolicyRuleDocument}
            variables={variables}
          />
        </div>
      )}
    </form>
  );
}

/** The rules of a policy. */
export function Rules({ ipPolicyId }: { ipPolicyId: string }) {
  const canWrite = useCan('ip-policies:write');
  const question = useQuestion(listOrders, 'action');
  const only = ruleActions.find(({ value }) => value === question.filters.action)?.value ?? null;
  const pages = usePages(
    PolicyRulesDocument,
    { ...question.variables, ipPolicyId, action: only },
    (data) => data.ipPolicyRules,
    ['IpPolicyRule'],
  );
  const [panel, setPanel] = useAddressParameter('open');
  const creation = useAction(CreateIpPolicyRuleDocument, changedKinds);
  const update = useAction(UpdateIpPolicyRuleDocument, changedKinds);
  const deletion = useAction(DeleteIpPolicyRuleDocument, changedKinds);
  const [added, setAdded] = useState(0);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const lookAtRules = useLookAtRules(ipPolicyId);
  const done = useDone();
  const { nodes } = pages;
  // A deleted rule is gone at once, and no longer hidden when it has been read that it is: it may be put back.
  useEffect(() => {
    setHidden((ids) => (ids.length === 0 ? ids : ids.filter((id) => nodes?.some((rule) => rule.id === id))));
  }, [nodes]);
  const guarded = useGuarded<RuleChange>({
    look: (change) => lookAtRules(rulesChangeOf(change)),
    async send(change, force) {
      const forced = force ? { force } : {};
      if (change.kind === 'add') {
        const { draft, description } = change;
        const made = await creation.run({ input: { ipPolicyId, ...draft, description, ...forced } });
        if (made === null) return false;
        setAdded((times) => times + 1);
        done(`Rule for ${draft.cidr} added.`);
        return true;
      }
      const { id, cidr, version } = change.rule;
      if (change.kind === 'action') {
        const { action } = change;
        const made = await update.run({ input: { id, action, expectedVersion: version, ...forced } });
        const written = made?.updateIpPolicyRule?.ipPolicyRule;
        if (written) done(`${cidr} changed to ${action}.`, written);
        return made !== null;
      }
      setHidden((ids) => [...ids, id]);
      const made = await deletion.run({ input: { id, expectedVersion: version, ...forced } });
      if (made) done(`Rule for ${cidr} deleted.`, { id, version: null });
      else setHidden((ids) => ids.filter((other) => other !== id));
      return made !== null;
    },
    running: creation.running || update.running || deletion.running,
    problem: creation.problem ?? update.problem ?? deletion.problem,
    clear() {
      creation.clear();
      update.clear();
      deletion.clear();
    },
    words: wordsOf,
  });
  const { pending } = guarded;
  const actionOf = (rule: Rule) =>
    pending?.kind === 'action' && pending.rule.id === rule.id ? pending.action : rule.action;
  const paste = canWrite && <Button onPress={() => setPanel('paste')}>Paste a list</Button>;
  const total = pages.totalCount;
  return (
    <Panel
      title={total === undefined ? 'Rules' : count(total, 'rule')}
      description="An address is allowed if a rule allows it and none denies it."
      actions={paste}
      flush
    >
      {canWrite && (
        <AddRule
          key={added}
          isNext={added > 0}
          ipPolicyId={ipPolicyId}
          isPending={pending?.kind === 'add'}
          add={(draft, description) => void guarded.attempt({ kind: 'add', draft, description })}
        />
      )}
      {guarded.problem && (
        <div className={styles.problem}>
          <ProblemNotice problem={guarded.problem} />
        </div>
      )}
      <List
        label="Rules"
        question={question}
        searched="address, range or description"
        filters={
          <SelectField
            label="Action"
            value={only ?? ''}
            onChange={(value) => question.set('action', value)}
            options={[{ value: '', title: 'All actions' }, ...ruleActions]}
          />
        }
        make={paste}
        pages={hidden.length === 0 ? pages : { ...pages, nodes: nodes?.filter(({ id }) => !hidden.includes(id)) }}
        columns={[
          {
            title: 'Range',
            cell: (rule) => (
              <div>
                <code>{rule.cidr}</code>
                <div className={styles.narrow}>
                  <RuleDescription rule={rule} canWrite={canWrite} />
                </div>
              </div>
            ),
          },
          {
            title: 'Action',
            cell: (rule) =>
              canWrite ? (
                <select
                  className={`${styles.inline} ${styles[actionOf(rule)]}`}
                  aria-label={`Action for ${rule.cidr}`}
                  value={actionOf(rule)}
                  onChange={(event) => {
                    const action = ruleActions.find(({ value }) => value === event.target.value)?.value;
                    if (action !== undefined) void guarded.attempt({ kind: 'action', rule, action });
                  }}
                >
                  {ruleActions.map(({ value, title }) => (
                    <option key={value} value={value}>
                      {title}
                    </option>
                  ))}
                </select>
              ) : (
                <ActionBadge action={rule.action} />
              ),
          },
          {
            title: 'Description',
            wide: true,
            cell: (rule) => <RuleDescription rule={rule} canWrite={canWrite} />,
          },
          ...timeColumns,
          ...(canWrite
            ? [
                {
                  title: 'Delete',
                  isTitleHidden: true,
                  align: 'end' as const,
                  cell: (rule: Rule) => (
                    <Button
                      look="plain"
                      label={`Delete ${rule.cidr}`}
                      onPress={() => void guarded.attempt({ kind: 'delete', rule })}
                    >
                      <CloseIcon />
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
        empty={{
          title: 'No rules yet',
          text: 'A policy without rules allows nobody. Add the ranges that you come from above, or paste a list of them.',
        }}
      />
      {guarded.question}
      {panel === 'paste' && canWrite && <Paste ipPolicyId={ipPolicyId} close={() => setPanel('')} />}
    </Panel>
  );
}
