// An IP policy that can be chosen.

import { Badge } from '../kit/badge.tsx';
import { count } from '../kit/words.ts';
import styles from './policies.module.css';

/** A policy that can be chosen. */
export interface PolicyChoice {
  readonly id: string;
  readonly description: string;
  readonly rules: { readonly totalCount: number };
}

/** The number of rules of a policy. */
export function RuleCount({ policy }: { policy: PolicyChoice }) {
  const { totalCount } = policy.rules;
  if (totalCount === 0) return <Badge tone="caution">No rules</Badge>;
  return <span className={styles.count}>{count(totalCount, 'rule')}</span>;
}
