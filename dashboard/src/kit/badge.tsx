import type { ReactNode } from 'react';
import styles from './badge.module.css';
import type { Tone } from './notice.tsx';

/** A word or two about a state. Its colour never carries meaning alone. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone] ?? ''}`}>{children}</span>;
}
