// A field for an expiry: a few common lifetimes, or a point in time.

import { useEffect, useState } from 'react';
import { SelectField, TextField } from './fields.tsx';
import { endOf, type Lasting, until } from './lasting.ts';
import { zoneAt } from './time.tsx';

/** A field for an expiry. `onChange` is called with the expiry: null for none, and undefined while it is still to be entered. */
export function LastingField({
  label,
  choices,
  usual,
  hint,
  error,
  onChange,
}: {
  label: string;
  choices: readonly Lasting[];
  /** The preselected choice. */
  usual: string;
  hint?: string;
  error: string | null;
  onChange: (end: string | null | undefined) => void;
}) {
  const [value, setValue] = useState(usual);
  const [entered, setEntered] = useState('');
  useEffect(() => onChange(endOf(choices, value, entered)), [choices, value, entered, onChange]);
  return (
    <>
      <SelectField
        label={label}
        value={value}
        onChange={setValue}
        options={choices}
        hint={hint}
        error={value === until.value ? null : error}
      />
      {value === until.value && (
        <TextField
          label="Until"
          type="datetime-local"
          value={entered}
          onChange={setEntered}
          hint={`In ${zoneAt(new Date())}, the zone of this browser.`}
          error={error}
          isRequired
        />
      )}
    </>
  );
}
