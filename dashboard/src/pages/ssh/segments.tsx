// One of a few, side by side, each with how many there are of it.

import { useId } from 'react';
import { sayNumber } from '../../kit/words.ts';
import styles from './segments.module.css';

/** One of a few. */
export interface Segment {
  readonly id: string;
  readonly title: string;
  /** How many there are; undefined where that is not known. */
  readonly count?: number | undefined;
  /** Whether it is bad that there are any. */
  readonly isBad?: boolean;
}

/** One of a few, side by side: the browser's own radio buttons, which need no code for their keys. */
export function Segments({
  label,
  value,
  onChange,
  segments,
}: {
  label: string;
  value: string;
  onChange: (id: string) => void;
  segments: readonly Segment[];
}) {
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend className="hidden">{label}</legend>
      {segments.map(({ id, title, count, isBad }) => (
        <label key={id} className={styles.segment}>
          <input type="radio" name={name} className="hidden" checked={value === id} onChange={() => onChange(id)} />
          {title}
          {count !== undefined && (
            <span className={styles.count} data-bad={(isBad && count > 0) || undefined}>
              {sayNumber(count)}
            </span>
          )}
        </label>
      ))}
    </fieldset>
  );
}
