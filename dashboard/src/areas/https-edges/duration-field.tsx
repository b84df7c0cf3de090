// A duration in readable units. The API uses seconds, and 0 for no limit.

import { useState } from 'react';
import { SelectField, TextField } from '../../kit/fields.tsx';
import { sayNumber } from '../../kit/words.ts';
import styles from './https-edges.module.css';

const units = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const;
type Unit = (typeof units)[number][0];

const sizeOf = (unit: Unit) => units.find(([name]) => name === unit)?.[1] ?? 1;

/** Returns the largest unit that divides a number of seconds, with the count. */
function inUnits(seconds: number): { count: number; unit: Unit } {
  const [unit, size] = units.find(([, each]) => seconds >= each && seconds % each === 0) ?? (['seconds', 1] as const);
  return { count: seconds / size, unit };
}

/** Formats a number of seconds, such as `8 hours`. */
function sayDuration(seconds: number): string {
  const { count, unit } = inUnits(seconds);
  return `${sayNumber(count)} ${count === 1 ? unit.slice(0, -1) : unit}`;
}

/** The most common durations, in seconds. */
const usual = [900, 1_800, 3_600, 14_400, 28_800, 43_200, 86_400, 604_800, 2_592_000];

/** A field for a duration in seconds; 0 for no limit. */
export function DurationField({
  label,
  value,
  onChange,
  hint,
  error,
  isDisabled = false,
}: {
  label: string;
  value: number;
  onChange: (seconds: number) => void;
  hint: string;
  error: string | null;
  isDisabled?: boolean;
}) {
  const [isOwn, setOwn] = useState(false);
  const [unit, setUnit] = useState<Unit>(() => inUnits(value).unit);
  const isUsual = value === 0 || usual.includes(value);
  // Somebody else may have changed the value to one that the chosen unit does not divide.
  const shown: Unit = value % sizeOf(unit) === 0 ? unit : inUnits(value).unit;
  return (
    <div className={styles.duration}>
      <SelectField
        label={label}
        value={isOwn || !isUsual ? 'own' : String(value)}
        onChange={(chosen) => {
          setOwn(chosen === 'own');
          if (chosen !== 'own') onChange(Number(chosen));
          else setUnit(inUnits(value || 3_600).unit);
        }}
        options={[
          { value: '0', title: 'No limit' },
          ...usual.map((seconds) => ({ value: String(seconds), title: sayDuration(seconds) })),
          { value: 'own', title: isUsual ? 'Another…' : sayDuration(value) },
        ]}
        hint={hint}
        error={error}
        isDisabled={isDisabled}
      />
      {(isOwn || !isUsual) && !isDisabled && (
        <div className={styles.own}>
          <TextField
            label="Length"
            type="number"
            value={value === 0 ? '' : String(value / sizeOf(shown))}
            onChange={(text) => onChange(Math.max(0, Math.round(Number(text))) * sizeOf(shown))}
          />
          <SelectField
            label="Unit"
            value={shown}
            onChange={(chosen) => {
              onChange((value / sizeOf(shown)) * sizeOf(chosen));
              setUnit(chosen);
            }}
            options={units.map(([name]) => ({ value: name, title: name }))}
          />
        </div>
      )}
    </div>
  );
}
