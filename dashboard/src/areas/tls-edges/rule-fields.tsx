// The fields of one rule of a traffic policy.

import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/fields.tsx';
import { PlusIcon } from '../../kit/icons.tsx';
import { ActionFields } from './action-fields.tsx';
import { ExpressionsField } from './expressions.tsx';
import styles from './policy.module.css';
import { newAction, type PolicyProblem, type RuleDraft } from './rules.ts';

/** A rule, and what changes it. */
export interface RuleFieldsProps {
  readonly rule: RuleDraft;
  /** The position of the rule, from 0. */
  readonly index: number;
  readonly problems: readonly PolicyProblem[];
  /** Whether it was just added: its first field has the focus. */
  readonly isNew: boolean;
  readonly onChange: (rule: RuleDraft) => void;
  readonly isDisabled: boolean;
}

/** The fields of a rule. */
export default function RuleFields({ rule, index, problems, isNew, onChange, isDisabled }: RuleFieldsProps) {
  const others = problems.filter(({ expression, action, field }) => {
    return expression === null && action === null && !field?.includes('.expressions');
  });
  const setAction = (at: number, action: RuleDraft['actions'][number]) =>
    onChange({ ...rule, actions: rule.actions.map((each, index) => (index === at ? action : each)) });
  return (
    <div className={styles.cardBody}>
      <TextField
        label="Name"
        value={rule.name}
        onChange={(name) => onChange({ ...rule, name })}
        placeholder="What it is for"
        autoFocus={isNew}
        isDisabled={isDisabled}
      />
      <ExpressionsField
        value={rule.expressions}
        onChange={(expressions) => onChange({ ...rule, expressions })}
        problems={problems.filter(({ expression, field }) => expression !== null || field?.includes('.expressions'))}
        isDisabled={isDisabled}
      />
      {rule.actions.map((action, at) => (
        <ActionFields
          // biome-ignore lint/suspicious/noArrayIndexKey: an action is identified by its position.
          key={at}
          at={`action ${at + 1} of rule ${index + 1}`}
          action={action}
          error={sayOf(problems.filter((each) => each.action === at))}
          onChange={(changed) => setAction(at, changed)}
          onRemove={
            rule.actions.length > 1
              ? () => onChange({ ...rule, actions: rule.actions.filter((_, index) => index !== at) })
              : null
          }
          isDisabled={isDisabled}
        />
      ))}
      {others.length > 0 && <p className={styles.error}>{sayOf(others)}</p>}
      {!isDisabled && (
        <div>
          <Button look="plain" onPress={() => onChange({ ...rule, actions: [...rule.actions, newAction('log')] })}>
            <PlusIcon />
            Then another action
          </Button>
        </div>
      )}
    </div>
  );
}

/** Returns the messages of problems, each with the field of the rule or action; null if there are none. */
const sayOf = (problems: readonly PolicyProblem[]) =>
  problems.length === 0
    ? null
    : problems
        .map(({ field, message }) => `${field?.replace(/^\w+\[\d+\]\.(actions\[\d+\]\.)?/, '') ?? 'It'} ${message}`)
        .join(' ');
