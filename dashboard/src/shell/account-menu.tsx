// The account menu: theme, links to GraphiQL and the REST reference, and signing out.

import type { RefObject } from 'react';
import { serverUrl } from '../client/server.ts';
import { signOut } from '../client/session.ts';
import { useStore } from '../client/use-store.ts';
import OpenMenu from '../kit/menu.tsx';
import { say } from '../kit/toast.tsx';
import { chooseTheme, theme } from './theme.ts';

/** The open menu, above the button that opened it. */
export default function AccountMenu({
  button,
  close,
}: {
  button: RefObject<HTMLButtonElement | null>;
  close: () => void;
}) {
  const chosen = useStore(theme);
  return (
    <OpenMenu
      label="Account"
      button={button}
      close={close}
      entries={[
        { title: `Look: ${chosen === 'light' ? 'light ✓' : 'light'}`, onAction: () => chooseTheme('light') },
        { title: `Look: ${chosen === 'dark' ? 'dark ✓' : 'dark'}`, onAction: () => chooseTheme('dark') },
        {
          title: `Look: ${chosen === 'system' ? 'as the system ✓' : 'as the system'}`,
          onAction: () => chooseTheme('system'),
        },
        { title: 'GraphiQL', onAction: () => window.open(`${serverUrl}/graphql`, '_blank', 'noopener') },
        { title: 'REST reference', onAction: () => window.open(`${serverUrl}/docs`, '_blank', 'noopener') },
        {
          title: 'Sign out',
          onAction: () =>
            void signOut().then((problem) => problem !== null && say(`You are still signed in. ${problem}`)),
        },
      ]}
    />
  );
}
