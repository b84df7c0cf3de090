// Menus of what else can be done.

import type { RefObject } from 'react';
import { Menu as AriaMenu, MenuItem, Popover } from 'react-aria-components/Menu';
import { root } from './door.ts';
import styles from './menu.module.css';

/** Something that can be done. */
interface MenuEntry {
  readonly title: string;
  readonly onAction: () => void;
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
      UNSTABLE_portalContainer={root}
      className={styles.popover}
      triggerRef={button}
      placement="top start"
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      {/* Whoever opens a menu by keyboard goes on in it. */}
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
