// A pasted list of ranges: read as it was meant, checked before anything is added, and added in one change.

import { useMemo, useRef, useState } from 'react';
import { useAction } from '../../client/data.ts';
import { problemOf } from '../../client/problem.ts';
import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { Impacts } from '../../impact/impact.tsx';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { Answers, Notice, ProblemNotice } from '../../kit/notice.tsx';
import { count } from '../../kit/words.ts';
import { useSayAdded } from './added.ts';
import { impactsOf, useChecked, useLookAtRules } from './change.ts';
import { CreateIpPolicyRulesDocument } from './ip-policies.generated.ts';
import styles from './paste.module.css';
import { type LeftOut, mend, readPasted } from './pasted.ts';
import { allowsEverybody, changedKinds, everybodyNotice, ruleActions } from './rule-change.tsx';

/** Most rules of a policy. */
const rulesMax = 1_000;
/** Longest list that is read, in characters: a thousand rules with long descriptions. */
const charactersMax = 500_000;

/** A rule to be added, as the API takes it. */
interface NewRule {
  readonly cidr: string;
  readonly action: IpPolicyRuleAction;
  readonly description: string;
}

/** What of the list is left out, by line, with the reasons. */
function LeftOutNotice({
  parts,
  text,
  goTo,
  setText,
}: {
  parts: readonly LeftOut[];
  text: string;
  goTo: (part: LeftOut) => void;
  setText: (text: string) => void;
}) {
  const mendable = parts.filter(({ mended }) => mended !== undefined);
  return (
    <Notice
      tone="caution"
      title={`${count(parts.length, 'entry', 'entries')} left out.`}
      actions={
        mendable.length > 0 && (
          <div>
            <Button onPress={() => setText(mend(text, parts))}>
              {mendable.length === 1 ? `Mend it: ${mendable[0]?.mended}` : `Mend ${mendable.length} of them`}
            </Button>
          </div>
        )
      }
    >
      <ol className={styles.leftOut}>
        {parts.map((part) => (
          <li key={`${part.start} ${part.why}`}>
            <button type="button" onClick={() => goTo(part)}>
              Line {part.line}
            </button>
            <span>
              <code>{text.slice(part.start, Math.min(part.end, part.start + 60))}</code> {part.why}
            </span>
          </li>
        ))}
      </ol>
    </Notice>
  );
}

/** The dialog that adds a pasted list of ranges, which may have been pasted already. */
export default function Paste({
  ipPolicyId,
  pasted,
  close,
}: {
  ipPolicyId: string;
  pasted: string;
  close: () => void;
}) {
  const [text, setText] = useState(pasted);
  const [usual, setUsual] = useState<IpPolicyRuleAction>('allow');
  const form = useRef<HTMLFormElement>(null);
  const look = useLookAtRules(ipPolicyId);
  const sayAdded = useSayAdded();
  const { run, running, problem, clear } = useAction(CreateIpPolicyRulesDocument, changedKinds);
  const isLong = text.length > charactersMax;
  const read = useMemo(() => readPasted(isLong ? '' : text), [text, isLong]);
  const named = read.rules.map((rule) => ({ ...rule, action: rule.action ?? usual }));
  const isTooLong = isLong || named.length > rulesMax;
  const draftsOf = (rules: readonly NewRule[]) => rules.map(({ cidr, action }) => ({ cidr, action }));
  const checked = useChecked(ipPolicyId, { add: isTooLong ? [] : draftsOf(named), remove: [] });
  const evaluation = checked.data?.evaluateIpPolicyChange;
  const problems = new Map(
    (checked.isCurrent ? (evaluation?.problems ?? []) : []).map(({ index, message }) => [index, message]),
  );
  const refused = named.flatMap((rule, index) => {
    const why = problems.get(index);
    return why === undefined ? [] : [{ ...rule, why }];
  });
  const leftOut = [...read.leftOut, ...refused].sort((one, other) => one.start - other.start);
  const rules: readonly NewRule[] = named.flatMap(({ cidr, action, description }, index) =>
    problems.has(index) ? [] : [{ cidr, action, description }],
  );
  const impacts =
    evaluation && impactsOf(evaluation).filter((impact) => impact.newlyRefusedCount + impact.newlyAllowedCount > 0);
  const isReady = rules.length > 0 && !isTooLong && checked.isCurrent && !checked.error;
  const call = (added: readonly NewRule[]) => (
    <Call document={CreateIpPolicyRulesDocument} variables={{ input: { ipPolicyId, rules: [...added] } }} />
  );
  const guarded = useGuarded<readonly NewRule[]>({
    look: (added) => look({ add: draftsOf(added), remove: [] }),
    async send(added, force) {
      const input = { ipPolicyId, rules: [...added], ...(force && { force }) };
      const made = (await run({ input }))?.createIpPolicyRules?.ipPolicyRules;
      if (!made) return false;
      const rest = leftOut.length === 0 ? '' : ` ${count(leftOut.length, 'entry', 'entries')} left out.`;
      sayAdded(`${count(made.length, 'rule')} added.${rest}`, made);
      close();
      return true;
    },
    running,
    problem,
    clear,
    words: (added) => ({
      title: `Add ${count(added.length, 'rule')}?`,
      action: 'Add them',
      call: call(added),
      ...(allowsEverybody(added) && { text: everybodyNotice }),
    }),
    alwaysAsks: allowsEverybody,
  });
  const goTo = ({ start, end }: LeftOut) => {
    const area = form.current?.querySelector('textarea');
    area?.focus();
    area?.setSelectionRange(start, end);
  };
  return (
    <>
      <Dialog title="Paste a list of ranges" close={close} wide>
        <form
          ref={form}
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void guarded.attempt(rules);
          }}
        >
          <TextField
            label="Ranges and addresses"
            value={text}
            onChange={setText}
            lines={9}
            mono
            autoFocus
            placeholder={
              '203.0.113.0/24   # Office\n198.51.100.7, 198.51.100.8\n10.0.0.0 255.255.0.0\n192.0.2.10-192.0.2.20'
            }
            hint="As you have them: CIDR, netmasks, from–to, single addresses, CSV. What stands beside them or after # becomes the description."
            error={isTooLong ? `This is too much: a policy has at most ${rulesMax} rules.` : null}
          />
          <SelectField
            label="Action, unless a line says allow or deny"
            value={usual}
            onChange={setUsual}
            options={ruleActions}
          />
          <Answers>
            {leftOut.length > 0 && <LeftOutNotice parts={leftOut} text={text} goTo={goTo} setText={setText} />}
          </Answers>
          <ProblemNotice problem={checked.error ? problemOf(checked.error) : guarded.problem} />
          {impacts && impacts.length > 0 && <Impacts impacts={impacts} />}
          <DialogActions>
            <Button onPress={close}>Cancel</Button>
            <Button type="submit" look="primary" isDisabled={!isReady} isPending={guarded.pending !== null}>
              {rules.length === 0 ? 'Add rules' : `Add ${count(rules.length, 'rule')}`}
            </Button>
          </DialogActions>
          {rules.length > 0 && !isTooLong && call(rules)}
        </form>
      </Dialog>
      {guarded.question}
    </>
  );
}
