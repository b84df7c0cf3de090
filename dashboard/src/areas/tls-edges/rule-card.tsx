// One rule of a traffic policy.

import { Badge } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { ChevronIcon, CloseIcon } from '../../kit/icons.tsx';
import { later } from '../../kit/later.tsx';
import { Loading } from '../../kit/notice.tsx';
import styles from './policy.module.css';
import type { RuleFieldsProps } from './rule-fields.tsx';
import { summaryOf } from './rules.ts';

/** Loaded with the first rule that is opened. */
const RuleFields = later(
  () => import('./rule-fields.tsx'),
  () => <Loading />,
);

interface RuleCardProps extends RuleFieldsProps {
  readonly count: number;
  /** Whether this rule refuses the tried connection. */
  readonly decides: boolean;
  /** Whether all of it is shown, instead of a line. A rule with problems is shown anyway. */
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** A card with a rule. */
export function RuleCard(props: RuleCardProps) {
  const { rule, index, count, problems, isNew, isDisabled, decides, onChange, onToggle, onMove, onRemove } = props;
  const isOpen = props.isOpen || problems.length > 0;
  const title = `Rule ${index + 1}`;
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
        <RuleFields
          rule={rule}
          index={index}
          problems={problems}
          isNew={isNew}
          onChange={onChange}
          isDisabled={isDisabled}
        />
      )}
    </li>
  );
}
