// A choice of one of a few options, side by side, each with a count.

import { useId } from 'react';
import { sayNumber } from '../../kit/words.ts';
import styles from './segments.module.css';

/** An option. */
export interface Segment {
  readonly id: string;
  readonly title: string;
  /** The count; undefined if it is not known. */
  readonly count?: number | undefined;
  /** Whether a count above 0 is bad, and is highlighted. */
  readonly isBad?: boolean;
}

/** A segmented control made of native radio buttons, which need no code for keyboard control. */
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
          <span className={styles.count} data-bad={(isBad && count !== undefined && count > 0) || undefined}>
            {count !== undefined && sayNumber(count)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
