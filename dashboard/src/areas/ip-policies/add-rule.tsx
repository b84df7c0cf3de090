// The form that adds a single rule.

import { useEffect, useState } from 'react';
import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { Impacts } from '../../impact/impact.tsx';
import { rangeOf } from '../../impact/range.ts';
import { Button } from '../../kit/button.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { type Lasting, until } from '../../kit/lasting.ts';
import { LastingField } from '../../kit/lasting-field.tsx';
import { Answers } from '../../kit/notice.tsx';
import { holdEntered } from '../../kit/unsaved.ts';
import { impactsOf, type RuleDraft, useChecked } from './change.ts';
import { AddCall, ruleActions } from './rule-change.tsx';
import styles from './rules.module.css';

const endless: Lasting = { value: 'endless', title: 'Never', days: null };
const lasting: readonly Lasting[] = [
  endless,
  { value: 'day', title: 'In a day', days: 1 },
  { value: 'week', title: 'In a week', days: 7 },
  until,
];

/** What a range may begin with, so that a rule can be written or pasted in one go: `deny 192.0.2.66`. */
const actionForm = /^\s*(allow|deny)\s+/i;

/** The form above the table of rules that adds a rule. */
export function AddRule({
  ipPolicyId,
  add,
  isPending,
  isNext,
}: {
  ipPolicyId: string;
  add: (draft: RuleDraft, description: string) => void;
  isPending: boolean;
  /** Whether a rule was added just before. Takes the focus then, because users often add several. */
  isNext: boolean;
}) {
  const [range, setRange] = useState('');
  const [action, setAction] = useState<IpPolicyRuleAction>('allow');
  const [expiresAt, setExpiresAt] = useState<string | null | undefined>(null);
  const [description, setDescription] = useState('');
  const isEntered = range !== '' || description !== '';
  useEffect(() => (isEntered ? holdEntered() : undefined), [isEntered]);
  const enterRange = (text: string) => {
    const word = actionForm.exec(text)?.[1]?.toLowerCase();
    const named = ruleActions.find(({ value }) => value === word);
    if (named !== undefined) setAction(named.value);
    setRange(named === undefined ? text : text.replace(actionForm, '').replace(/;\s*$/, ''));
  };
  const cidr = rangeOf(range);
  const draft = { cidr, action, ...(expiresAt != null && { expiresAt }) };
  const checked = useChecked(ipPolicyId, { add: cidr === '' ? [] : [draft], remove: [] });
  const evaluation = checked.data?.evaluateIpPolicyChange;
  const problem = checked.asked.add[0]?.cidr === cidr ? evaluation?.problems[0] : undefined;
  const wrong = problem?.field === 'expiresAt' ? undefined : problem?.message;
  const wrongEnd = problem?.field === 'expiresAt' ? problem.message : null;
  const all = evaluation && impactsOf(evaluation);
  const impacts = all?.filter((impact) => impact.newlyRefusedCount + impact.newlyAllowedCount > 0);
  return (
    <form
      className={styles.add}
      aria-label="Add a rule"
      onSubmit={(event) => {
        event.preventDefault();
        add(draft, description);
      }}
    >
      <div className={styles.line}>
        <TextField
          label="Range or address"
          value={range}
          onChange={enterRange}
          placeholder="203.0.113.0/24, or deny 192.0.2.66"
          error={wrong}
          autoFocus={isNext}
          mono
        />
        <SelectField label="Action" value={action} onChange={setAction} options={ruleActions} />
        <LastingField label="Ends" choices={lasting} usual={endless.value} error={wrongEnd} onChange={setExpiresAt} />
        <TextField label="Description" value={description} onChange={setDescription} placeholder="Optional" />
        <Button
          type="submit"
          isDisabled={cidr === '' || problem !== undefined || expiresAt === undefined}
          isPending={isPending}
        >
          Add rule
        </Button>
      </div>
      <Answers>
        {cidr !== '' && problem === undefined && (
          <div className={styles.effect}>
            {cidr !== range.trim() && (
              <p className="muted">
                Added as <code>{cidr}</code>
              </p>
            )}
            {impacts && impacts.length > 0 && <Impacts impacts={impacts} />}
            {impacts && impacts.length === 0 && evaluation?.restrictions && (
              <p className="muted">
                {all?.length === 0 ? 'Nothing refers to this policy yet.' : 'Nobody is let in or kept out by this.'}
              </p>
            )}
            <AddCall input={{ ipPolicyId, ...draft, description }} />
          </div>
        )}
      </Answers>
    </form>
  );
}
