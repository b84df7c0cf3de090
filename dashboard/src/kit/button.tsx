// Buttons, and links that look like them.

import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Link as AriaLink } from 'react-aria-components/Link';
import styles from './button.module.css';

/** What a button is for: `primary` is the one thing that a page or form is about. */
export type ButtonLook = 'usual' | 'primary' | 'danger' | 'plain';

/** What every button takes. */
interface ButtonProps extends AriaButtonProps {
  readonly look?: ButtonLook;
  /** The name of a button that shows only an icon. */
  readonly label?: string;
  /** Whether there is nothing for it to do. It can be focused all the same: whoever has just pressed it is still there. */
  readonly isIdle?: boolean;
  readonly children: ReactNode;
}

/** A button. While `isPending`, it can be focused and does nothing. */
export function Button({ look = 'usual', label, children, isPending = false, isIdle = false, ...props }: ButtonProps) {
  const classes = [styles.button, styles[look], label === undefined ? '' : styles.icon].join(' ');
  // React Aria's own `isPending` announces the button by its id, for seconds, also when it is gone by then; here what was done is said.
  const held =
    (isPending || isIdle) && ({ 'aria-disabled': true, 'aria-busy': isPending, type: 'button', onPress() {} } as const);
  return (
    <AriaButton {...props} {...held} {...(label !== undefined && { 'aria-label': label })} className={classes}>
      {children}
    </AriaButton>
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
    <AriaLink href={href} className={`${styles.button} ${styles[look]}`}>
      {children}
    </AriaLink>
  );
}
