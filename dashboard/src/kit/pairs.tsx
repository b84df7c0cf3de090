// Pairs of names and values, such as labels, one per row.

import { useRef } from 'react';
import { Button } from './button.tsx';
import { TextField } from './fields.tsx';
import { CloseIcon, PlusIcon } from './icons.tsx';
import styles from './pairs.module.css';

/** A name with its value, as entered. */
export interface Pair {
  readonly key: string;
  readonly value: string;
}

/** Returns the pairs of an object with text values. */
export const pairsOf = (object: Readonly<Record<string, string>>): Pair[] =>
  Object.entries(object).map(([key, value]) => ({ key, value }));

/** Returns the object made of pairs, without empty rows. */
export const objectOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(isEntered).map(({ key, value }) => [key.trim(), value]));

const isEntered = ({ key, value }: Pair) => key.trim() !== '' || value !== '';

/** Returns the error in pairs, or null. Checked before they are sent, because the object made of them hides it. */
export function pairsError(pairs: readonly Pair[]): string | null {
  const names = pairs.filter(isEntered).map(({ key }) => key.trim());
  if (names.includes('')) return 'A row has a value and no name.';
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `“${twice}” is there twice.`;
}

/** A field with rows of pairs. The focus moves to an added row, and to the next row when one is removed. */
export function PairsField({
  label,
  one,
  value,
  onChange,
  hint,
  error,
  isDisabled = false,
}: {
  label: string;
  /** Name of one pair, such as `label`. */
  one: string;
  value: readonly Pair[];
  onChange: (value: readonly Pair[]) => void;
  hint?: string;
  error?: string | null;
  isDisabled?: boolean;
}) {
  const list = useRef<HTMLFieldSetElement>(null);
  const focusRow = (index: number) =>
    requestAnimationFrame(() => {
      const row = list.current?.querySelectorAll('li').item(index);
      (row?.querySelector('input') ?? list.current?.querySelector<HTMLElement>(':scope > button'))?.focus();
    });
  const change = (at: number, pair: Partial<Pair>) =>
    onChange(value.map((each, index) => (index === at ? { ...each, ...pair } : each)));
  const add = () => {
    onChange([...value, { key: '', value: '' }]);
    focusRow(value.length);
  };
  return (
    <fieldset ref={list} className={styles.pairs}>
      <legend>{label}</legend>
      {hint !== undefined && <p className="muted">{hint}</p>}
      {value.length > 0 && (
        <ul>
          {value.map((pair, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position.
            <li key={index}>
              <TextField
                label={`Name of ${one} ${index + 1}`}
                placeholder="name"
                mono
                value={pair.key}
                onChange={(key) => change(index, { key })}
                isDisabled={isDisabled}
              />
              <TextField
                label={`Value of ${one} ${index + 1}`}
                placeholder="value"
                mono
                value={pair.value}
                onChange={(text) => change(index, { value: text })}
                isDisabled={isDisabled}
              />
              {!isDisabled && (
                <Button
                  look="icon"
                  label={`Remove ${one} ${index + 1}`}
                  onPress={() => {
                    onChange(value.filter((_, at) => at !== index));
                    focusRow(Math.min(index, value.length - 2));
                  }}
                >
                  <CloseIcon />
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {value.length === 0 && isDisabled && <p className="muted">None.</p>}
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
      {!isDisabled && (
        <Button onPress={add}>
          <PlusIcon />
          Add {one}
        </Button>
      )}
    </fieldset>
  );
}
