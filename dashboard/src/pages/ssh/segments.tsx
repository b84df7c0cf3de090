// One of a few, side by side, each with how many there are of it.

import { Label, Radio, RadioGroup } from 'react-aria-components/RadioGroup';
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

/** One of a few, side by side. */
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
  return (
    <RadioGroup value={value} onChange={onChange} orientation="horizontal" className={styles.group}>
      <Label className="hidden">{label}</Label>
      {segments.map(({ id, title, count, isBad }) => (
        <Radio key={id} value={id} className={styles.segment}>
          {title}
          {count !== undefined && (
            <span className={styles.count} data-bad={(isBad && count > 0) || undefined}>
              {count.toLocaleString()}
            </span>
          )}
        </Radio>
      ))}
    </RadioGroup>
  );
}
