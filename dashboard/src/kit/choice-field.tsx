// A field for an object that is found by name. Its value is the object's identifier.

import { useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './choice-field.module.css';
import fields from './fields.module.css';
import chips from './filter.module.css';
import { CloseIcon, SearchIcon } from './icons.tsx';
import type { Closable, Later } from './later.tsx';

/** Properties of a finder. */
export interface ChooserProps extends Closable {
  /** Called with the identifier of the chosen entry. */
  readonly choose: (id: string) => void;
}

/**
 * A field that shows the chosen object and opens the finder.
 *
 * @param any text while nothing is chosen
 * @param value identifier of the chosen object; empty for none
 * @param name name of the chosen object
 * @param isRequired whether a choice can only be replaced by another one
 */
export function ChoiceField({
  label,
  any,
  value,
  name,
  onChange,
  Choose,
  hint,
  error,
  isRequired = false,
  isDisabled = false,
  autoFocus = false,
  isChip = false,
}: {
  label: string;
  any: string;
  value: string;
  name: string;
  onChange: (value: string) => void;
  Choose: Later<ChooserProps>;
  hint?: string | undefined;
  error?: string | null;
  isRequired?: boolean;
  isDisabled?: boolean;
  autoFocus?: boolean;
  /** Whether it is one of the chips that narrow a list, so that its label is not shown. */
  isChip?: boolean;
}) {
  const id = useId();
  const field = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const note = error || hint;
  return (
    <div className={fields.field}>
      <span id={`${id}-label`} className={isChip ? 'hidden' : fields.label}>
        {label}
      </span>
      <div className={styles.choice}>
        <button
          ref={field}
          id={id}
          type="button"
          className={isChip ? `${chips.chip} ${value === '' ? '' : chips.set}` : fields.input}
          aria-haspopup="dialog"
          aria-labelledby={`${id}-label ${id}`}
          aria-describedby={note ? `${id}-note` : undefined}
          aria-invalid={Boolean(error)}
          disabled={isDisabled}
          // biome-ignore lint/a11y/noAutofocus: as in fields for text.
          autoFocus={autoFocus}
          onPointerEnter={Choose.load}
          onFocus={Choose.load}
          onClick={() => setOpen(true)}
        >
          {value === '' ? any : name}
        </button>
        {value === '' || isRequired || isDisabled ? (
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
      {note && (
        <span id={`${id}-note`} className={error ? fields.error : fields.hint}>
          {note}
        </span>
      )}
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
