// Menus of further actions.

import type { RefObject } from 'react';
import { Menu as AriaMenu, MenuItem, Popover } from 'react-aria-components/Menu';
import { root } from './door.ts';
import styles from './menu.module.css';

/** An action in a menu. */
interface MenuEntry {
  readonly title: string;
  readonly onAction: () => void;
}

/** A menu, open for as long as it is rendered, at a button that is there before the menu's code has loaded. */
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
      UNSTABLE_portalContainer={root}
      className={styles.popover}
      triggerRef={button}
      placement="top start"
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      {/* A user who opens the menu by keyboard continues in it. */}
      <AriaMenu aria-label={label} className={styles.menu} onClose={close} autoFocus="first">
        {entries.map(({ title, onAction }) => (
          <MenuItem key={title} className={styles.item} onAction={onAction}>
            {title}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  );
}
