// The rules of a policy, as a table that is edited in place.

import { useEffect, useState } from 'react';
import { useAction } from '../../client/data.ts';
import { usePages } from '../../client/pages.ts';
import { useCan } from '../../client/rights.ts';
import type { IpPolicyRuleAction } from '../../client/types.generated.ts';
import { type Guarded, useGuarded } from '../../impact/guarded.tsx';
import { useAddressParameter } from '../../kit/address.ts';
import { Badge, BadgeChoice } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { laterDialog } from '../../kit/dialog.tsx';
import { End } from '../../kit/end.tsx';
import { Filter } from '../../kit/filter.tsx';
import { CloseIcon } from '../../kit/icons.tsx';
import { later } from '../../kit/later.tsx';
import { List, timeColumn } from '../../kit/list.tsx';
import { ProblemNotice } from '../../kit/notice.tsx';
import { Panel } from '../../kit/page.tsx';
import { listOrders, useQuestion } from '../../kit/question.ts';
import type { Chosen } from '../../kit/selection.tsx';
import { dayMs } from '../../kit/time.tsx';
import { count } from '../../kit/words.ts';
import { Overtaken } from '../../trail/overtaken.tsx';
import { useDone } from '../../trail/undo.ts';
import { AddRule } from './add-rule.tsx';
import { useSayAdded } from './added.ts';
import { useLookAtRules } from './change.ts';
import {
  CreateIpPolicyRuleDocument,
  DeleteIpPolicyRuleDocument,
  PolicyRulesDocument,
  UpdateIpPolicyRuleDocument,
} from './ip-policies.generated.ts';
import { usePastedList } from './pasted-list.ts';
import {
  allowsEverybody,
  changedKinds,
  questionOf,
  type Rule,
  RuleCalls,
  type RuleChange,
  ruleActions,
  rulesChangeOf,
  titleOf,
} from './rule-change.tsx';
import { RuleDescription } from './rule-description.tsx';
import styles from './rules.module.css';

const toneOf = (action: IpPolicyRuleAction) => (action === 'allow' ? 'good' : 'bad');

/** Loaded on demand: it reads addresses as numbers, which few visits need. */
const Paste = laterDialog(() => import('./paste.tsx'));

const DeleteChosen = later(() => import('./delete-chosen.tsx'));

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
  const [pasted, setPasted] = useState('');
  usePastedList(canWrite && panel !== 'paste', (list) => {
    setPasted(list);
    setPanel('paste');
  });
  const closePaste = () => {
    setPasted('');
    setPanel('');
  };
  const creation = useAction(CreateIpPolicyRuleDocument, changedKinds);
  const update = useAction(UpdateIpPolicyRuleDocument, changedKinds);
  const deletion = useAction(DeleteIpPolicyRuleDocument, changedKinds);
  const [added, setAdded] = useState(0);
  // The rule whose row had the focus last, with the description entered there. Its API calls are shown.
  const [entered, setEntered] = useState<Pick<Rule, 'id' | 'description' | 'version'> | null>(null);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const lookAtRules = useLookAtRules(ipPolicyId);
  const done = useDone();
  const sayAdded = useSayAdded();
  const { nodes } = pages;
  // A deleted rule is hidden at once, until the list no longer contains it: it must be shown again if it is restored.
  useEffect(() => {
    setHidden((ids) => (ids.length === 0 ? ids : ids.filter((id) => nodes?.some((rule) => rule.id === id))));
  }, [nodes]);
  const [tried, setTried] = useState<RuleChange | null>(null);
  /** Shows what others have changed in the rule meanwhile; null if nothing. */
  const overtakenOf = (change: RuleChange | null) => {
    if (change === null || change.kind === 'add') return null;
    const { id, version } = change.rule;
    const now = nodes?.find((rule) => rule.id === id);
    if (now === undefined || now.version <= version) return null;
    const goOn = () => void guarded.attempt({ ...change, rule: now });
    return <Overtaken objectId={id} kind="IpPolicyRule" version={version} goOn={goOn} />;
  };
  const guarded: Guarded<RuleChange> = useGuarded<RuleChange>({
    look: (change) => lookAtRules(rulesChangeOf(change)),
    async send(change, force) {
      setTried(change);
      const forced = force ? { force } : {};
      if (change.kind === 'add') {
        const { draft, description } = change;
        const made = await creation.run({ input: { ipPolicyId, ...draft, description, ...forced } });
        const rule = made?.createIpPolicyRule?.ipPolicyRule;
        if (!rule) return false;
        setAdded((times) => times + 1);
        sayAdded(`Rule for ${draft.cidr} added.`, [rule]);
        return true;
      }
      const { id, cidr, version } = change.rule;
      if (change.kind === 'action') {
        const { action } = change;
        const made = await update.run({ input: { id, action, expectedVersion: version, ...forced } });
        const written = made?.updateIpPolicyRule?.ipPolicyRule;
        if (written) done(`${cidr} changed to ${action}.`, written);
        else pages.reload();
        return made !== null;
      }
      setHidden((ids) => [...ids, id]);
      const made = await deletion.run({ input: { id, expectedVersion: version, ...forced } });
      if (made) done(`Rule for ${cidr} deleted.`, { id, version: null });
      else {
        setHidden((ids) => ids.filter((other) => other !== id));
        pages.reload();
      }
      return made !== null;
    },
    running: creation.running || update.running || deletion.running,
    problem: creation.problem ?? update.problem ?? deletion.problem,
    clear() {
      creation.clear();
      update.clear();
      deletion.clear();
    },
    words: (change) => ({ ...questionOf(change), overtaken: overtakenOf(change) }),
    alwaysAsks: (change) => allowsEverybody(rulesChangeOf(change).add),
  });
  const { pending } = guarded;
  const actionOf = (rule: Rule) =>
    pending?.kind === 'action' && pending.rule.id === rule.id ? pending.action : rule.action;
  const enter = ({ id }: Rule, description: string, version: number) => setEntered({ id, description, version });
  const descriptionOf = (rule: Rule) => (
    <RuleDescription rule={rule} canWrite={canWrite} onEnter={(text, version) => enter(rule, text, version)} />
  );
  const shown = nodes?.filter(({ id }) => !hidden.includes(id));
  // Always some rule, so that the calls do not appear only on focus and move the element that is being pressed.
  const inHand = shown?.find(({ id }) => id === entered?.id) ?? shown?.[0];
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
          add={(draft, description) => void guarded.attempt({ kind: 'add', ipPolicyId, draft, description })}
        />
      )}
      {canWrite && inHand && (
        <div className={styles.calls}>
          <RuleCalls rule={inHand} entered={entered?.id === inHand.id ? entered : inHand} />
        </div>
      )}
      {guarded.problem && (
        <div className={styles.problem}>
          {(guarded.problem.code === 'VERSION_CONFLICT' && overtakenOf(tried)) || (
            <ProblemNotice problem={guarded.problem} />
          )}
        </div>
      )}
      <List
        label="Rules"
        question={question}
        searched="address, range or description"
        filters={
          <Filter
            label="Action"
            value={only ?? ''}
            onChange={(value) => question.set('action', value)}
            options={[{ value: '', title: 'All actions' }, ...ruleActions]}
          />
        }
        make={paste}
        pages={hidden.length === 0 ? pages : { ...pages, nodes: shown }}
        {...(canWrite && {
          bulk: {
            nameOf: ({ cidr, action }: Rule) => `${action} ${cidr}`,
            actions: (rows: Chosen<Rule>) => <DeleteChosen {...rows} ipPolicyId={ipPolicyId} />,
          },
        })}
        columns={[
          {
            title: 'Range',
            cell: (rule) => (
              <div>
                <code>{rule.cidr}</code>
                <div className={styles.narrow}>
                  {descriptionOf(rule)}
                  {rule.expiresAt !== null && <End at={rule.expiresAt} soonMs={dayMs} />}
                </div>
              </div>
            ),
          },
          {
            title: 'Action',
            cell: (rule) =>
              canWrite ? (
                <BadgeChoice
                  tone={toneOf(actionOf(rule))}
                  label={`Action for ${rule.cidr}`}
                  value={actionOf(rule)}
                  onFocus={() => enter(rule, rule.description, rule.version)}
                  onChange={(action) => void guarded.attempt({ kind: 'action', rule, action })}
                  options={ruleActions}
                />
              ) : (
                <Badge tone={toneOf(rule.action)}>{titleOf(rule.action)}</Badge>
              ),
          },
          {
            title: 'Description',
            wide: true,
            cell: descriptionOf,
          },
          { title: 'Ends', wide: true, cell: ({ expiresAt }) => <End at={expiresAt} soonMs={dayMs} /> },
          timeColumn(question),
          ...(canWrite
            ? [
                {
                  title: 'Delete',
                  isTitleHidden: true,
                  // On a phone, ranges need the room, and rules that are chosen can be deleted.
                  wide: true,
                  align: 'end' as const,
                  cell: (rule: Rule) => (
                    <Button
                      look="icon"
                      label={`Delete ${rule.cidr}`}
                      onFocus={() => enter(rule, rule.description, rule.version)}
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
      {panel === 'paste' && canWrite && <Paste ipPolicyId={ipPolicyId} pasted={pasted} close={closePaste} />}
    </Panel>
  );
}
