// Buttons, and links that look like them. They are native elements: a component library's buttons would weigh more than most pages,
// and each page has dozens of them.

import type { MouseEvent, ReactNode } from 'react';
import styles from './button.module.css';
import { Link } from './link.tsx';

/** Look of a button: `primary` for the main action of a page or form; `icon` for an icon without text, which needs a `label`. */
export type ButtonLook = 'usual' | 'primary' | 'danger' | 'plain' | 'icon';

interface CommonProps {
  readonly look?: ButtonLook;
  /** Accessible name, for a button that shows only an icon or shares its text with others. */
  readonly label?: string;
  readonly onPress?: () => void;
  readonly onFocus?: () => void;
  readonly onPointerEnter?: () => void;
  readonly isDisabled?: boolean;
  /** Whether there is nothing to do. The button keeps the focus of a user who has just pressed it, but does nothing. */
  readonly isIdle?: boolean;
  /** Whether a button that switches something on and off has switched it on. */
  readonly isPressed?: boolean;
  readonly autoFocus?: boolean;
  readonly children: ReactNode;
}

/**
 * `isPending` says whether the action of the button is in progress. Meanwhile the button can be focused but does nothing, and Enter in a
 * field of its form does nothing either. A submit button must say it, so that no form can be sent twice.
 */
type ButtonProps = CommonProps &
  (
    | { readonly type?: 'button'; readonly isPending?: boolean }
    | { readonly type: 'submit'; readonly isPending: boolean }
  );

/** Keeps a press from submitting the form. Browsers press the submit button for Enter in a field, so this stops both. */
const hold = (event: MouseEvent) => event.preventDefault();

/** A button. */
export function Button({
  look = 'usual',
  label,
  type = 'button',
  onPress,
  onFocus,
  onPointerEnter,
  isDisabled = false,
  isPending = false,
  isIdle = false,
  isPressed,
  autoFocus = false,
  children,
}: ButtonProps) {
  const isHeld = isPending || isIdle;
  return (
    <button
      className={`${styles.button} ${styles[look]}`}
      type={type}
      onClick={isHeld ? hold : onPress}
      onFocus={onFocus}
      onPointerEnter={onPointerEnter}
      disabled={isDisabled}
      {...(isHeld && { 'aria-disabled': true, 'aria-busy': isPending })}
      // biome-ignore lint/a11y/noAutofocus: the user continues here after opening the part that contains it.
      autoFocus={autoFocus}
      aria-label={label}
      aria-pressed={isPressed}
    >
      {children}
    </button>
  );
}

/** A link to a page of the dashboard that looks like a button. */
export function ButtonLink({
  look = 'usual',
  href,
  children,
}: {
  look?: ButtonLook;
  href: string;
  children: ReactNode;
}) {
  return (
    <Link href={href} className={`${styles.button} ${styles[look]}`}>
      {children}
    </Link>
  );
}
