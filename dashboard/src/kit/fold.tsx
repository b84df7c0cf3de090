// Collapsible content that few users need.

import type { ReactNode } from 'react';
import styles from './fold.module.css';

/** Content that expands when its title is pressed. */
export function Fold({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className={styles.fold}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}
