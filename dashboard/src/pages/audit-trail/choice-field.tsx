// A filter whose value is found by name, and kept in the page address as an identifier.

import { useId, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import fields from '../../kit/fields.module.css';
import { CloseIcon, SearchIcon } from '../../kit/icons.tsx';
import type { Later } from '../../kit/later.tsx';
import styles from './audit-trail.module.css';
import type { ChooserProps } from './chooser.ts';

/**
 * A field that shows the chosen object and opens the finder.
 *
 * @param any text while nothing is chosen
 * @param value identifier of the chosen object; empty for none
 * @param name name of the chosen object
 */
export function ChoiceField({
  label,
  any,
  value,
  name,
  onChange,
  Choose,
  autoFocus = false,
}: {
  label: string;
  any: string;
  value: string;
  name: string;
  onChange: (value: string) => void;
  Choose: Later<ChooserProps>;
  autoFocus?: boolean;
}) {
  const id = useId();
  const field = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={fields.field}>
      <span id={`${id}-label`} className={fields.label}>
        {label}
      </span>
      <div className={styles.choice}>
        <button
          ref={field}
          id={id}
          type="button"
          className={fields.input}
          aria-haspopup="dialog"
          aria-labelledby={`${id}-label ${id}`}
          // biome-ignore lint/a11y/noAutofocus: as in fields for text.
          autoFocus={autoFocus}
          onPointerEnter={Choose.load}
          onFocus={Choose.load}
          onClick={() => setOpen(true)}
        >
          {value === '' ? any : name}
        </button>
        {value === '' ? (
          <SearchIcon />
        ) : (
          <Button
            look="icon"
            label={`${label}: ${any}`}
            onPress={() => {
              // The pressed button disappears, so the field takes the focus.
              field.current?.focus();
              onChange('');
            }}
          >
            <CloseIcon />
          </Button>
        )}
      </div>
      {isOpen && (
        <Choose
          choose={(chosen) => {
            onChange(chosen);
            setOpen(false);
          }}
          close={() => setOpen(false)}
        />
      )}
    </div>
  );
}
