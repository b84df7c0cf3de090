// A point in time, by the browser's own field for it.

import { useId } from 'react';
import fields from '../../kit/fields.module.css';
import styles from './audit-trail.module.css';

/** What is asked for most, in hours. */
const spans = [
  { title: 'Last hour', hours: 1 },
  { title: 'Last day', hours: 24 },
] as const;

/** Says in the form of the field what time it was some hours ago, where the person is. */
function hoursAgo(hours: number): string {
  const at = new Date(Date.now() - hours * 3_600_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/**
 * A point in time in the person's own time zone; empty for none.
 *
 * @param onSpan told the time some hours ago when somebody asks for what has been since; without it, that is not offered
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
