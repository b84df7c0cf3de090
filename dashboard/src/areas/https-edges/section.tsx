// A section of a long form: its title and explanation on one side, its fields on the other.

import type { ReactNode } from 'react';
import styles from './https-edges.module.css';

/** A section of a form. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  title: string;
  description: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.about}>
        <h3>{title}</h3>
        <p className={styles.why}>{description}</p>
        {actions}
      </div>
      <div className="stack">{children}</div>
    </section>
  );
}
