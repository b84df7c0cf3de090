// A point in time, by the browser's own field for it.

import { useId } from 'react';
import fields from '../../kit/fields.module.css';

/** A point in time in the person's own time zone; empty for none. */
export function DateField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className={fields.field}>
      <label className={fields.label} htmlFor={id}>
        {label}
      </label>
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
