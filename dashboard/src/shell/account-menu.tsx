// The account menu: theme, links to GraphiQL and the REST reference, and signing out.

import type { RefObject } from 'react';
import { useStore } from '../client/use-store.ts';
import OpenMenu from '../kit/menu.tsx';
import { ownDeeds } from './own-deeds.ts';
import { theme } from './theme.ts';

/** The open menu, above the button that opened it. */
export default function AccountMenu({
  button,
  close,
}: {
  button: RefObject<HTMLButtonElement | null>;
  close: () => void;
}) {
  const entries = ownDeeds(useStore(theme)).map(({ title, isChosen, onAction }) => ({
    title: isChosen ? `${title} ✓` : title,
    onAction,
  }));
  return <OpenMenu label="Account" button={button} close={close} entries={entries} />;
}
