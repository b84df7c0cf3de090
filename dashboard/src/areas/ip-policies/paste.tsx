// A pasted list of ranges: checked line by line before any rule is created, then added one rule at a time.

import { useCallback, useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { useLive } from '../../client/live.ts';
import { type Problem, problemOf } from '../../client/problem.ts';
import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { useGuarded } from '../../impact/guarded.tsx';
import { Impacts } from '../../impact/impact.tsx';
import { Button } from '../../kit/button.tsx';
import { CallSeries } from '../../kit/call.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { Notice, ProblemNotice } from '../../kit/notice.tsx';
import { count } from '../../kit/words.ts';
import { type Added, useSayAdded } from './added.ts';
import { useChecked, useLookAtRules } from './change.ts';
import { CreateIpPolicyRuleDocument } from './ip-policies.generated.ts';
import styles from './paste.module.css';
import { type PastedLine, readPasted, withoutLines } from './pasted.ts';
import { endsAll, patiently } from './patiently.ts';
import { AddCall, changedKinds, ruleActions } from './rule-change.tsx';

/** Maximum number of lines to check and add: as many as a policy may have rules. */
const linesMax = 1_000;

/** The input for a rule. */
type RuleInput = Parameters<typeof AddCall>[0]['input'];

const inputOf = (ipPolicyId: string, { cidr, comment }: PastedLine, action: IpPolicyRuleAction): RuleInput => ({
  ipPolicyId,
  cidr,
  action,
  description: comment,
});

/** Progress of adding rules. */
interface Progress {
  readonly total: number;
  readonly added: number;
  /** Lines that could not be added, and why. */
  readonly failed: readonly { readonly pasted: PastedLine; readonly problem: Problem }[];
  readonly isOver: boolean;
}

/** Adds rules one at a time, until it is stopped or the dialog is closed. When the dialog closes, shows a toast with "Undo". */
function useAdding(ipPolicyId: string) {
  const client = useClient();
  const live = useLive();
  const sayAdded = useSayAdded();
  const [progress, setProgress] = useState<Progress | null>(null);
  const isStopped = useRef(false);
  const isClosed = useRef(false);
  const isRunning = useRef(false);
  // The rules of all lists added in this dialog.
  const added = useRef<Added[]>([]);
  const sayAll = useCallback(
    (further = '.') => {
      if (added.current.length > 0) sayAdded(`${count(added.current.length, 'rule')} added${further}`, added.current);
    },
    [sayAdded],
  );
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
      if (!isRunning.current) sayAll();
    };
  }, [sayAll]);
  return {
    progress,
    stop() {
      isStopped.current = true;
    },
    /** Adds the lines as rules. Returns the lines that were not added. */
    async run(lines: readonly PastedLine[], action: IpPolicyRuleAction, force: boolean): Promise<PastedLine[]> {
      isStopped.current = false;
      isRunning.current = true;
      let state: Progress = { total: lines.length, added: 0, failed: [], isOver: false };
      const left: PastedLine[] = [];
      setProgress(state);
      for (const pasted of lines) {
        if (isStopped.current || isClosed.current) {
          left.push(pasted);
          continue;
        }
        const input = { ...inputOf(ipPolicyId, pasted, action), ...(force && { force }) };
        const { data, problem } = await patiently(
          () => client.mutation(CreateIpPolicyRuleDocument, { input }).toPromise(),
          () => isClosed.current,
        );
        if (data?.createIpPolicyRule) {
          added.current.push(data.createIpPolicyRule.ipPolicyRule);
          state = { ...state, added: state.added + 1 };
        } else {
          left.push(pasted);
          if (problem !== null) state = { ...state, failed: [...state.failed, { pasted, problem }] };
          if (problem !== null && endsAll(problem)) isStopped.current = true;
        }
        setProgress(state);
      }
      setProgress({ ...state, isOver: true });
      isRunning.current = false;
      live.changed(changedKinds);
      if (isClosed.current) sayAll(left.length > 0 ? '; closing the list stopped the rest.' : '.');
      return left;
    },
  };
}

/** Shows the progress, and the result in the end. */
function Course({ progress }: { progress: Progress }) {
  const { total, added, failed, isOver } = progress;
  const left = total - added - failed.length;
  if (!isOver) {
    return (
      <div className={styles.course}>
        <progress value={added + failed.length} max={total} aria-label="Rules added" />
        <span>
          {added + failed.length} of {total}
        </span>
      </div>
    );
  }
  return (
    <Notice
      tone={failed.length > 0 ? 'bad' : left > 0 ? 'caution' : 'good'}
      title={`${count(added, 'rule')} added${left > 0 ? `, ${left} left` : ''}${failed.length > 0 ? `, ${failed.length} failed` : ''}.`}
    >
      {failed.length > 0 && (
        <ul className={styles.failed}>
          {failed.map(({ pasted, problem }) => (
            <li key={pasted.line}>
              <code>{pasted.cidr}</code> {problem.message} <span className="muted">{problem.code}</span>
            </li>
          ))}
        </ul>
      )}
      {left + failed.length > 0 && ' What was not added is still in the list.'}
    </Notice>
  );
}

/** The API call or calls that add a list. */
function PasteCall({ inputs }: { inputs: readonly RuleInput[] }) {
  const [first, second] = inputs;
  if (first === undefined) return null;
  if (second === undefined) return <AddCall input={first} />;
  return (
    <CallSeries
      rest={{ method: 'POST', path: '/ip_policy_rules' }}
      bodies={inputs.map(({ ipPolicyId, ...rule }) => ({ ip_policy_id: ipPolicyId, ...rule }))}
      document={CreateIpPolicyRuleDocument}
      variables={inputs.map((input) => ({ input }))}
    />
  );
}

/** The dialog that adds a pasted list of ranges. */
export function Paste({ ipPolicyId, close }: { ipPolicyId: string; close: () => void }) {
  const [text, setText] = useState('');
  const [action, setAction] = useState<IpPolicyRuleAction>('allow');
  const [isRunning, setRunning] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const adding = useAdding(ipPolicyId);
  const look = useLookAtRules(ipPolicyId);
  const lines = readPasted(text);
  const isTooLong = lines.length > linesMax;
  // Not while the rules are being added: those already added would be reported as duplicates.
  const change = { add: isTooLong || isRunning ? [] : lines.map(({ cidr }) => ({ cidr, action })), remove: [] };
  const checked = useChecked(ipPolicyId, change);
  const evaluation = checked.data?.evaluateIpPolicyChange;
  const problems = (checked.isCurrent && !isRunning ? (evaluation?.problems ?? []) : []).flatMap(
    ({ index, message }) => {
      const pasted = lines[index];
      return pasted === undefined ? [] : [{ ...pasted, message }];
    },
  );
  const impacts = evaluation?.restrictions?.filter((impact) => impact.newlyRefusedCount + impact.newlyAllowedCount > 0);
  const isReady = lines.length > 0 && !isTooLong && checked.isCurrent && !checked.error && problems.length === 0;
  const inputs = lines.map((each) => inputOf(ipPolicyId, each, action));
  const guarded = useGuarded<readonly PastedLine[]>({
    look: () => look(change),
    async send(asked, force) {
      setRunning(true);
      const left = await adding.run(asked, action, force);
      setRunning(false);
      if (left.length === 0) close();
      setText(left.map(({ cidr, comment }) => (comment === '' ? cidr : `${cidr} # ${comment}`)).join('\n'));
      return true;
    },
    running: isRunning,
    problem: null,
    clear: () => undefined,
    words: () => ({
      title: `Add ${count(lines.length, 'rule')}?`,
      action: 'Add them',
      call: <PasteCall inputs={inputs} />,
    }),
  });
  const goTo = (line: number) => {
    const area = form.current?.querySelector('textarea');
    if (!area) return;
    const before = text.split('\n').slice(0, line - 1);
    const start = before.reduce((sum, each) => sum + each.length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + (text.split('\n')[line - 1]?.length ?? 0));
  };
  return (
    <>
      <Dialog title="Paste a list of ranges" close={close} wide>
        <form
          ref={form}
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void guarded.attempt(lines);
          }}
        >
          <TextField
            label="Ranges and addresses"
            value={text}
            onChange={setText}
            isDisabled={isRunning}
            lines={9}
            mono
            autoFocus
            placeholder={'203.0.113.0/24   # Office\n198.51.100.7      # VPN'}
            hint="One to a line. What stands after # becomes the description of the rule."
            error={isTooLong ? `${lines.length} lines are too many: a policy has at most ${linesMax} rules.` : null}
          />
          <SelectField label="Action of all of them" value={action} onChange={setAction} options={ruleActions} />
          {problems.length > 0 && (
            <Notice
              tone="bad"
              title={`${count(problems.length, 'line')} cannot be added.`}
              actions={
                <div>
                  <Button onPress={() => setText(withoutLines(text, new Set(problems.map(({ line }) => line))))}>
                    {problems.length === 1 ? 'Leave it out' : 'Leave them out'}
                  </Button>
                </div>
              }
            >
              <ol className={styles.problems}>
                {problems.map(({ line, message }) => (
                  <li key={line}>
                    <button type="button" onClick={() => goTo(line)}>
                      Line {line}
                    </button>
                    <span>{message}</span>
                  </li>
                ))}
              </ol>
            </Notice>
          )}
          {checked.error && <ProblemNotice problem={problemOf(checked.error)} />}
          {adding.progress && <Course progress={adding.progress} />}
          {!isRunning && impacts && impacts.length > 0 && <Impacts impacts={impacts} />}
          <DialogActions>
            {isRunning ? (
              <Button onPress={adding.stop}>Stop</Button>
            ) : (
              <Button onPress={close}>{adding.progress ? 'Close' : 'Cancel'}</Button>
            )}
            <Button type="submit" look="primary" isDisabled={!isReady} isPending={guarded.pending !== null}>
              {lines.length === 0 ? 'Add rules' : `Add ${count(lines.length, 'rule')}`}
            </Button>
          </DialogActions>
          {lines.length > 0 && !isTooLong && <PasteCall inputs={inputs} />}
        </form>
      </Dialog>
      {guarded.question}
    </>
  );
}
