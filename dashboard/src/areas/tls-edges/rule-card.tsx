// One rule of a traffic policy.

import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/fields.tsx';
import { ChevronIcon, CloseIcon, PlusIcon } from '../../kit/icons.tsx';
import { ActionFields } from './action-fields.tsx';
import { ExpressionsField } from './expressions.tsx';
import styles from './policy.module.css';
import { newAction, type PolicyProblem, type RuleDraft, summaryOf } from './rules.ts';

interface RuleCardProps {
  readonly rule: RuleDraft;
  /** The position of the rule, from 0. */
  readonly index: number;
  readonly count: number;
  readonly problems: readonly PolicyProblem[];
  readonly isDisabled: boolean;
  /** Whether this rule refuses the tried connection. */
  readonly decides: boolean;
  /** Whether all of it is shown, instead of a line. A rule with problems is shown anyway. */
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onChange: (rule: RuleDraft) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** A card with a rule. */
export function RuleCard(props: RuleCardProps) {
  const { rule, index, count, problems, isDisabled, decides, onChange, onToggle, onMove, onRemove } = props;
  const isOpen = props.isOpen || problems.length > 0;
  const title = `Rule ${index + 1}`;
  const others = problems.filter(({ expression, action, field }) => {
    return expression === null && action === null && !field?.includes('.expressions');
  });
  const setAction = (at: number, action: RuleDraft['actions'][number]) =>
    onChange({ ...rule, actions: rule.actions.map((each, index) => (index === at ? action : each)) });
  return (
    <li
      className={styles.card}
      data-rule={rule.key}
      onKeyDown={(event) => {
        if (isDisabled || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        onMove(event.key === 'ArrowUp' ? -1 : 1);
      }}
    >
      <div className={styles.cardHead}>
        <h4>
          <button type="button" className={styles.toggle} aria-expanded={isOpen} onClick={onToggle}>
            <ChevronIcon />
            {rule.name === '' ? title : `${title}: ${rule.name}`}
          </button>
        </h4>
        <p className={styles.summary}>{summaryOf(rule)}</p>
        {decides && <Badge tone="bad">refuses the connection you tried</Badge>}
        {!isDisabled && (
          <div className={styles.cardTools}>
            <span className={styles.up}>
              <Button look="icon" label={`Move ${title} up`} isDisabled={index === 0} onPress={() => onMove(-1)}>
                <ChevronIcon />
              </Button>
            </span>
            <Button look="icon" label={`Move ${title} down`} isDisabled={index === count - 1} onPress={() => onMove(1)}>
              <ChevronIcon />
            </Button>
            <Button look="icon" label={`Remove ${title}`} onPress={onRemove}>
              <CloseIcon />
            </Button>
          </div>
        )}
      </div>
      {isOpen && (
        <div className={styles.cardBody}>
          <TextField
            label="Name"
            value={rule.name}
            onChange={(name) => onChange({ ...rule, name })}
            placeholder="What it is for"
            isDisabled={isDisabled}
          />
          <ExpressionsField
            value={rule.expressions}
            onChange={(expressions) => onChange({ ...rule, expressions })}
            problems={problems.filter(
              ({ expression, field }) => expression !== null || field?.includes('.expressions'),
            )}
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
      )}
    </li>
  );
}

/** Returns the messages of problems, each with the field of the rule or action; null if there are none. */
const sayOf = (problems: readonly PolicyProblem[]) =>
  problems.length === 0
    ? null
    : problems
        .map(({ field, message }) => `${field?.replace(/^\w+\[\d+\]\.(actions\[\d+\]\.)?/, '') ?? 'It'} ${message}`)
        .join(' ');
