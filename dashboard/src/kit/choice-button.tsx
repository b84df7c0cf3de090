// A button that shows a choice of one value and opens a menu of the others: for filters, and for values within a table.

import { type ReactNode, useRef, useState } from 'react';
import { laterAbove } from './later.tsx';

const OpenMenu = laterAbove(() => import('./menu.tsx'));

/** Properties of a choice of one value. */
export interface ChoiceProps<T extends string> {
  /** What is chosen. */
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly options: readonly { readonly value: T; readonly title: string }[];
}

/**
 * A button with a menu of values.
 *
 * @param name accessible name of the button, if its text is not enough
 */
export function ChoiceButton<T extends string>({
  label,
  value,
  onChange,
  options,
  name,
  className,
  onFocus,
  children,
}: ChoiceProps<T> & {
  readonly name?: string;
  readonly className: string | undefined;
  readonly onFocus?: () => void;
  readonly children: ReactNode;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPointerEnter={OpenMenu.load}
        onFocus={() => {
          OpenMenu.load();
          onFocus?.();
        }}
        onClick={() => setOpen(true)}
      >
        {children}
      </button>
      {isOpen && (
        <OpenMenu
          label={label}
          button={button}
          close={() => setOpen(false)}
          chosen={options.find((option) => option.value === value)?.title}
          entries={options.map((option) => ({ title: option.title, onAction: () => onChange(option.value) }))}
        />
      )}
    </>
  );
}
