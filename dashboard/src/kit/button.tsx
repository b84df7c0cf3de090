// Buttons, and links that look like them. They are native elements: a component library's buttons would weigh more than most pages,
// and each page has dozens of them.

import type { ReactNode } from 'react';
import styles from './button.module.css';
import { Link } from './link.tsx';

/** Look of a button: `primary` for the main action of a page or form; `icon` for an icon without text, which needs a `label`. */
export type ButtonLook = 'usual' | 'primary' | 'danger' | 'plain' | 'icon';

interface ButtonProps {
  readonly look?: ButtonLook;
  /** Accessible name, for a button that shows only an icon or shares its text with others. */
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  readonly onPress?: () => void;
  readonly onFocus?: () => void;
  readonly onPointerEnter?: () => void;
  readonly isDisabled?: boolean;
  /** Whether its action is in progress. The button can be focused but does nothing. */
  readonly isPending?: boolean;
  /** Whether there is nothing to do. The button keeps the focus of a user who has just pressed it, but does nothing. */
  readonly isIdle?: boolean;
  readonly autoFocus?: boolean;
  readonly children: ReactNode;
}

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
  autoFocus = false,
  children,
}: ButtonProps) {
  const isHeld = isPending || isIdle;
  return (
    <button
      className={`${styles.button} ${styles[look]}`}
      type={isHeld ? 'button' : type}
      onClick={isHeld ? undefined : onPress}
      onFocus={onFocus}
      onPointerEnter={onPointerEnter}
      disabled={isDisabled}
      {...(isHeld && { 'aria-disabled': true, 'aria-busy': isPending })}
      // biome-ignore lint/a11y/noAutofocus: the user continues here after opening the part that contains it.
      autoFocus={autoFocus}
      aria-label={label}
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
