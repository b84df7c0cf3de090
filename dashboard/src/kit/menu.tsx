// Menus of what else can be done.

import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components/Menu';
import styles from './menu.module.css';

/** Something that can be done, or a page to go to. */
export interface MenuEntry {
  readonly title: string;
  readonly onAction?: () => void;
  readonly href?: string;
  readonly isDanger?: boolean;
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
        <AriaMenu aria-label={label} className={styles.menu}>
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
      </Popover>
    </MenuTrigger>
  );
}
