// What few need, behind the words that say when.

import type { ReactNode } from 'react';
import styles from './fold.module.css';

/** What opens when somebody presses its title. */
export function Fold({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={styles.fold}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
