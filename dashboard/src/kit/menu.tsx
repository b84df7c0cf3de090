// Menus: of actions, or of the values of a choice. Loaded when one is first opened.

import type { RefObject } from 'react';
import { Menu as AriaMenu, MenuItem, Popover } from 'react-aria-components/Menu';
import { root } from './door.ts';
import { CheckIcon } from './icons.tsx';
import type { Closable } from './later.tsx';
import styles from './menu.module.css';

/** An entry of a menu. */
interface MenuEntry {
  readonly title: string;
  readonly onAction: () => void;
}

interface MenuProps extends Closable {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  /** The title of the entry that is chosen, in a menu of the values of a choice. */
  readonly chosen?: string | undefined;
  readonly button: RefObject<HTMLButtonElement | null>;
}

/** A menu, open for as long as it is rendered, at a button that is there before the menu's code has loaded. */
export default function OpenMenu({ label, entries, chosen, button, close }: MenuProps) {
  return (
    <Popover
      UNSTABLE_portalContainer={root}
      className={styles.popover}
      triggerRef={button}
      placement="bottom start"
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      {/* A user who opens the menu by keyboard continues in it. */}
      <AriaMenu
        aria-label={label}
        className={styles.menu}
        onClose={close}
        autoFocus="first"
        {...(chosen !== undefined && { selectionMode: 'single', selectedKeys: [chosen], disallowEmptySelection: true })}
      >
        {entries.map(({ title, onAction }) => (
          <MenuItem key={title} id={title} textValue={title} className={styles.item} onAction={onAction}>
            {title}
            {title === chosen && <CheckIcon />}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  );
}
