// The menu of the person: how the dashboard looks, the other surfaces, and the way out.

import { Button as AriaButton } from 'react-aria-components/Button';
import { serverUrl } from '../client/place.ts';
import { signOut } from '../client/session.ts';
import { useStore } from '../client/store.ts';
import { Menu } from '../kit/menu.tsx';
import { AccountName } from './account-name.tsx';
import styles from './shell.module.css';
import { chooseTheme, theme } from './theme.ts';

/** Who one is, with the way out. */
export default function AccountMenu() {
  const chosen = useStore(theme);
  return (
    <Menu
      label="Account"
      entries={[
        { title: `Look: ${chosen === 'light' ? 'light ✓' : 'light'}`, onAction: () => chooseTheme('light') },
        { title: `Look: ${chosen === 'dark' ? 'dark ✓' : 'dark'}`, onAction: () => chooseTheme('dark') },
        {
          title: `Look: ${chosen === 'system' ? 'as the system ✓' : 'as the system'}`,
          onAction: () => chooseTheme('system'),
        },
        { title: 'GraphiQL', onAction: () => window.open(`${serverUrl}/graphql`, '_blank', 'noopener') },
        { title: 'REST reference', onAction: () => window.open(`${serverUrl}/docs`, '_blank', 'noopener') },
        { title: 'Sign out', onAction: () => void signOut() },
      ]}
    >
      <AriaButton className={styles.account}>
        <AccountName />
      </AriaButton>
    </Menu>
  );
}
