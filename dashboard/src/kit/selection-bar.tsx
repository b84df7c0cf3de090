// What is said of the rows that are chosen. Loaded when one is.

import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Export } from './export.tsx';
import styles from './selection.module.css';
import { type Chosen, chosenMax } from './selection.tsx';
import { count, sayNumber } from './words.ts';

/** Says how many rows are chosen, with what can be done to them. Below the rows, so that none moves under the pointer. */
export default function SelectionBar({
  label,
  chosen,
  clear,
  actions,
}: Chosen<object> & { readonly label: string; readonly actions: ReactNode }) {
  return (
    <section className={styles.bar} aria-label={`Chosen ${label}`}>
      <span role="status">
        {count(chosen.length, 'row')} chosen
        {chosen.length === chosenMax && `, ${sayNumber(chosenMax)} at once at most`}
      </span>
      <div className="row">
        {actions}
        <Export label={`chosen ${label}`} of={chosen} />
        <Button look="plain" onPress={clear}>
          Choose none
        </Button>
      </div>
    </section>
  );
}
