// A field for a point in time, using the browser's native control.

import { useId } from 'react';
import fields from '../../kit/fields.module.css';
import styles from './audit-trail.module.css';

/** The most common time spans. */
const spans = [
  { title: 'Last hour', hours: 1 },
  { title: 'Last day', hours: 24 },
] as const;

/** Returns the local time some hours ago, in the format of a `datetime-local` field. */
function hoursAgo(hours: number): string {
  const at = new Date(Date.now() - hours * 3_600_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * A field for a point in time in the browser's time zone; empty for none.
 *
 * @param onSpan called with the start of a common time span when one is chosen; without it, none are offered
 */
export function DateField({
  label,
  value,
  onChange,
  onSpan,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onSpan?: (since: string) => void;
}) {
  const id = useId();
  return (
    <div className={fields.field}>
      <div className={styles.when}>
        <label className={fields.label} htmlFor={id}>
          {label}
        </label>
        {onSpan &&
          spans.map(({ title, hours }) => (
            <button key={title} type="button" onClick={() => onSpan(hoursAgo(hours))}>
              {title}
            </button>
          ))}
      </div>
      <input
        id={id}
        type="datetime-local"
        className={fields.input}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
