// The traffic policy of an edge: its rules as cards or as JSON, their problems, and what they would do.

import { useRef, useState } from 'react';
import { useAction, useData } from '../../client/data.ts';
import { useCan } from '../../client/rights.ts';
import { Button } from '../../kit/button.tsx';
import { Call } from '../../kit/call.tsx';
import { useDraft } from '../../kit/draft.ts';
import { Switch } from '../../kit/fields.tsx';
import { EditForm } from '../../kit/form.tsx';
import { PlusIcon } from '../../kit/icons.tsx';
import { later } from '../../kit/later.tsx';
import { moved } from '../../kit/moved.ts';
import { Answers, Loading, ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { useSettled } from '../../kit/settled.ts';
import { Tabs } from '../../kit/tabs.tsx';
import { sayActor } from '../../trail/changes.tsx';
import { useDeletion } from '../../trail/deletion.tsx';
import { useSaved } from '../../trail/undo.ts';
import { Examples } from './examples.tsx';
import styles from './policy.module.css';
import { RuleCard } from './rule-card.tsx';
import {
  type Direction,
  directions,
  isReadable,
  newRule,
  type PolicyDraft,
  type PolicyProblem,
  policyDraft,
  type RuleDraft,
  sentPolicy,
} from './rules.ts';
import {
  CheckTlsPolicyDocument,
  DeleteTlsEdgePolicyDocument,
  ReplaceTlsEdgePolicyDocument,
  type TlsEdgePartsFragment,
} from './tls-edges.generated.ts';
import type { Decided } from './try.tsx';

/** Loaded once there is a rule to try. */
const TryConnection = later(() => import('./try.tsx'));

const PolicyJson = later(
  () => import('./json.tsx'),
  () => <Loading />,
);

const titles = {
  inbound: { title: 'Inbound', hint: 'From the client. Asked first.' },
  outbound: { title: 'Outbound', hint: 'To the client.' },
} as const;

/** Milliseconds between the last keystroke and the check. */
const checkMs = 350;

function Rules({
  direction,
  rules,
  problems,
  decided,
  canWrite,
  onChange,
}: {
  direction: Direction;
  rules: readonly RuleDraft[];
  problems: readonly PolicyProblem[];
  decided: Decided | null;
  canWrite: boolean;
  onChange: (rules: readonly RuleDraft[]) => void;
}) {
  const section = useRef<HTMLElement>(null);
  const [said, say] = useState('');
  // The keys of the rules that are shown whole.
  const [opened, setOpened] = useState<readonly string[]>([]);
  const [added, setAdded] = useState<string | null>(null);
  const { title, hint } = titles[direction];
  const focus = (key: string, selector: string) =>
    requestAnimationFrame(() => {
      const card = section.current?.querySelector(`[data-rule="${key}"]`);
      card?.querySelector<HTMLElement>(selector)?.focus();
    });
  const move = (index: number, by: -1 | 1) => {
    const rule = rules[index];
    const to = index + by;
    if (rule === undefined || to < 0 || to >= rules.length) return;
    onChange(moved(rules, index, by));
    say(`Moved to place ${to + 1} of ${rules.length}.`);
    // Focuses the same button again, or the opposite one if the rule cannot move further.
    const way = to === 0 ? 'down' : to === rules.length - 1 ? 'up' : by < 0 ? 'up' : 'down';
    focus(rule.key, `button[aria-label$=" ${way}"]`);
  };
  return (
    <section ref={section} className={styles.direction} aria-label={`${title} rules`}>
      <div className={styles.directionHead}>
        <h3>{title}</h3>
        <span className="muted">{hint}</span>
      </div>
      {rules.length === 0 && <p className="muted">No rules: everything passes.</p>}
      <ol className={styles.cards}>
        {rules.map((rule, index) => (
          <RuleCard
            key={rule.key}
            rule={rule}
            index={index}
            count={rules.length}
            problems={problems.filter((each) => each.rule === index)}
            isDisabled={!canWrite}
            decides={decided?.direction === direction && decided.position === index}
            isOpen={opened.includes(rule.key)}
            isNew={rule.key === added}
            onToggle={() =>
              setOpened(opened.includes(rule.key) ? opened.filter((key) => key !== rule.key) : [...opened, rule.key])
            }
            onChange={(changed) => onChange(rules.map((each, at) => (at === index ? changed : each)))}
            onMove={(by) => move(index, by)}
            onRemove={() => {
              onChange(rules.filter((_, at) => at !== index));
              section.current?.querySelector<HTMLElement>(':scope > div > button')?.focus();
            }}
          />
        ))}
      </ol>
      {problems
        .filter((each) => each.rule === null)
        .map(({ message }) => (
          <p key={message} className={styles.error}>
            {message}
          </p>
        ))}
      {canWrite && (
        <div>
          <Button
            onPress={() => {
              const rule = newRule();
              onChange([...rules, rule]);
              setOpened([...opened, rule.key]);
              setAdded(rule.key);
            }}
          >
            <PlusIcon />
            Add {direction} rule
          </Button>
        </div>
      )}
      <span className="hidden" role="status">
        {said}
      </span>
    </section>
  );
}

/** Returns the problems of a policy: while it is being edited, those of the draft, if the key may read IP policies. */
function useProblems(
  policy: PolicyDraft,
  isDirty: boolean,
  ofStored: readonly PolicyProblem[],
): readonly PolicyProblem[] {
  const canCheck = useCan('ip-policies:read');
  const settled = useSettled(sentPolicy(policy), checkMs);
  const { data } = useData(CheckTlsPolicyDocument, { policy: settled }, ['IpPolicy'], !canCheck || !isDirty);
  return isDirty ? (data?.checkTlsPolicy ?? []) : ofStored;
}

/** The panel with the traffic policy of an edge, and the panel that tries a connection. */
export function Policy({ edge }: { edge: TlsEdgePartsFragment }) {
  const canWrite = useCan('tls-edges:write');
  const canTry = useCan('ip-policies:read');
  const replacing = useAction(ReplaceTlsEdgePolicyDocument, ['TlsEdge']);
  const draft = useDraft(policyDraft(edge.policy), edge.version, replacing.running);
  const removal = useDeletion({
    of: edge,
    kind: 'TlsEdge',
    document: DeleteTlsEdgePolicyDocument,
    input: (expectedVersion) => ({ edgeId: edge.id, expectedVersion }),
    path: `/edges/tls/${edge.id}/policy`,
    deed: 'removes',
    said: 'Policy removed from the edge.',
    asks: !useCan('audit-events:read'),
    undoes: (answer) => answer.deleteTlsEdgePolicy?.tlsEdge,
    question: { title: 'Remove the policy of this edge?', action: 'Remove policy' },
    text: 'Every connection to this edge passes from then on.',
  });
  const saved = useSaved(draft);
  const [decided, setDecided] = useState<Decided | null>(null);
  const problems = useProblems(draft.values, draft.isDirty, edge.policy?.warnings ?? []);
  const errors = problems.filter(({ severity }) => severity === 'error');
  const readable = isReadable(draft.values);
  const policy = sentPolicy(draft.values);
  const body = { enabled: draft.values.enabled, ...policy };
  const input = { edgeId: edge.id, expectedVersion: draft.version, ...body };
  return (
    <>
      <Panel
        title="Traffic policy"
        description="Rules are asked from the top. The first that denies ends it; what no rule denies passes."
        actions={
          canWrite &&
          edge.policy !== null && (
            <Button look="plain" isPending={removal.running} onPress={removal.start}>
              Remove
            </Button>
          )
        }
      >
        <EditForm
          draft={draft}
          titles={{ enabled: 'On', inbound: 'Inbound', outbound: 'Outbound' }}
          by={edge.updatedBy ? sayActor(edge.updatedBy) : undefined}
          running={replacing.running}
          problem={replacing.problem}
          canWrite={canWrite}
          call={
            <>
              <Call
                rest={{ method: 'PUT', path: `/edges/tls/${edge.id}/policy`, body, ifMatch: draft.version }}
                document={ReplaceTlsEdgePolicyDocument}
                variables={{ input }}
              />
              {edge.policy !== null && removal.call}
            </>
          }
          save={async () => {
            if (!readable) return;
            saved('Traffic policy saved.', (await replacing.run({ input }))?.replaceTlsEdgePolicy?.tlsEdge);
          }}
        >
          {removal.overtaken}
          <ProblemNotice problem={removal.problem} />
          <Switch
            label="The policy is on"
            hint="Off keeps the rules, and lets everything pass."
            value={draft.values.enabled}
            onChange={(enabled) => draft.set({ enabled })}
            isDisabled={!canWrite}
          />
          <Tabs
            label="How the rules are shown"
            name="policy"
            shared
            parts={[
              {
                id: 'rules',
                title: 'Rules',
                children: (
                  <div className="stack">
                    {directions.map((direction) => (
                      <Rules
                        key={direction}
                        direction={direction}
                        rules={draft.values[direction]}
                        problems={problems.filter((each) => each.direction === direction)}
                        decided={decided}
                        canWrite={canWrite}
                        onChange={(rules) => draft.set({ [direction]: rules })}
                      />
                    ))}
                    <Examples />
                  </div>
                ),
              },
              {
                id: 'json',
                title: 'JSON',
                children: (
                  <PolicyJson
                    policy={draft.values}
                    problems={problems}
                    onChange={(values) => draft.set(values)}
                    isDisabled={!canWrite}
                  />
                ),
              },
            ]}
          />
          <Answers>
            {errors.length > 0 && (
              <p className={styles.error}>
                {errors.length === 1 ? 'One thing keeps' : `${errors.length} things keep`} this policy from being saved.
              </p>
            )}
          </Answers>
        </EditForm>
        {removal.dialog}
      </Panel>
      {canTry && directions.some((direction) => draft.values[direction].length > 0) && (
        <TryConnection
          edgeId={edge.id}
          isDraft={draft.isDirty}
          policy={draft.isDirty ? policy : null}
          isBroken={draft.isDirty && (errors.length > 0 || !readable)}
          decided={setDecided}
        />
      )}
    </>
  );
}
