// A policy as one that a restriction may name.

import { Badge } from '../../kit/badge.tsx';
import { count } from '../../kit/words.ts';
import styles from './policies-field.module.css';

/** A policy that can be chosen. */
export interface PolicyChoice {
  readonly id: string;
  readonly description: string;
  readonly rules: { readonly totalCount: number };
}

/** How many rules a policy has. */
export function RuleCount({ policy }: { policy: PolicyChoice }) {
  const { totalCount } = policy.rules;
  if (totalCount === 0) return <Badge tone="caution">No rules</Badge>;
  return <span className={styles.count}>{count(totalCount, 'rule')}</span>;
}
