// Menus of what else can be done.

import type { ReactNode, RefObject } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components/Menu';
import styles from './menu.module.css';

/** Something that can be done, or a page to go to. */
export interface MenuEntry {
  readonly title: string;
  readonly onAction?: () => void;
  readonly href?: string;
  readonly isDanger?: boolean;
}

function Entries({ label, entries, close }: { label: string; entries: readonly MenuEntry[]; close?: () => void }) {
  return (
    <AriaMenu
      aria-label={label}
      className={styles.menu}
      {...(close && { onClose: close })}
      // Whoever opens a menu by keyboard goes on in it.
      autoFocus={close ? 'first' : false}
    >
      {entries.map(({ title, onAction, href, isDanger }) => (
        <MenuItem
          key={title}
          className={styles.item}
          data-danger={isDanger || undefined}
          {...(onAction && { onAction })}
          {...(href !== undefined && { href })}
        >
          {title}
        </MenuItem>
      ))}
    </AriaMenu>
  );
}

/** A menu. `children` is the button that opens it. */
export function Menu({
  label,
  entries,
  children,
}: {
  label: string;
  entries: readonly MenuEntry[];
  children: ReactNode;
}) {
  return (
    <MenuTrigger>
      {children}
      <Popover className={styles.popover}>
        <Entries label={label} entries={entries} />
      </Popover>
    </MenuTrigger>
  );
}

/** A menu that is open as long as it is drawn, below a button that is there before the menu is loaded. */
export function OpenMenu({
  label,
  entries,
  button,
  close,
}: {
  label: string;
  entries: readonly MenuEntry[];
  button: RefObject<HTMLButtonElement | null>;
  close: () => void;
}) {
  return (
    <Popover
      className={styles.popover}
      triggerRef={button}
      placement="top start"
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      <Entries label={label} entries={entries} close={close} />
    </Popover>
  );
}
