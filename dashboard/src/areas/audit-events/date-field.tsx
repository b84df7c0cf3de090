// A field for a point in time, using the browser's native control.

import { useId } from 'react';
import fields from '../../kit/fields.module.css';
import { zoneAt } from '../../kit/time.tsx';
import styles from './audit-trail.module.css';
import { addressOf, localOf } from './instants.ts';

/** The most common spans, as they stand in the address. */
const spans = [
  { title: 'Last hour', since: '1h' },
  { title: 'Last day', since: '1d' },
] as const;

/**
 * A field for a point in time in the browser's time zone, which it names.
 *
 * @param value an instant; null for none
 * @param onChange called with the instant as it stands in an address; empty for none
 * @param onSpan called with the start of a common span when one is chosen; without it, none are offered
 */
export function DateField({
  label,
  value,
  onChange,
  onSpan,
}: {
  label: string;
  value: string | null;
  onChange: (value: string) => void;
  onSpan?: (since: string) => void;
}) {
  const id = useId();
  return (
    <div className={fields.field}>
      <div className={styles.when}>
        <label className={fields.label} htmlFor={id}>
          {label} <span className="muted">{zoneAt(value === null ? new Date() : new Date(value))}</span>
        </label>
        {onSpan &&
          spans.map(({ title, since }) => (
            <button key={title} type="button" onClick={() => onSpan(since)}>
              {title}
            </button>
          ))}
      </div>
      <input
        id={id}
        type="datetime-local"
        className={fields.input}
        value={localOf(value)}
        onChange={(event) => onChange(addressOf(event.target.value))}
      />
    </div>
  );
}
