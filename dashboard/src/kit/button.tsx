// Buttons, and links that look like them.
// They are the browser's own: what a component library adds to them is more than what most pages are made of, and each page has dozens.

import type { ReactNode } from 'react';
import styles from './button.module.css';
import { Link } from './link.tsx';

/** What a button is for: `primary` is the one thing that a page or form is about; `icon` shows only an icon, and needs a `label`. */
export type ButtonLook = 'usual' | 'primary' | 'danger' | 'plain' | 'icon';

/** What every button takes. */
interface ButtonProps {
  readonly look?: ButtonLook;
  /** Its name, where it shows only an icon, or is one of many that show the same words. */
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  readonly onPress?: () => void;
  readonly onFocus?: () => void;
  readonly onPointerEnter?: () => void;
  readonly isDisabled?: boolean;
  /** Whether it is at work. It can be focused, and does nothing. */
  readonly isPending?: boolean;
  /** Whether there is nothing for it to do. It can be focused all the same: whoever has just pressed it is still there. */
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
      // biome-ignore lint/a11y/noAutofocus: where whoever opened what it stands in goes on.
      autoFocus={autoFocus}
      aria-label={label}
    >
      {children}
    </button>
  );
}

/** A link to a page of the dashboard, in the form of a button. */
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
