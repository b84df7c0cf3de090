// What a user can do anywhere in the dashboard: choose a look, open the references, sign out.

import { serverUrl } from '../client/server.ts';
import { signOut } from '../client/session.ts';
import { say } from '../kit/toast.tsx';
import { chooseTheme, type Theme } from './theme.ts';

/** Something that is done at once. */
export interface OwnDeed {
  readonly title: string;
  readonly onAction: () => void;
  /** Whether it is what holds already, so that doing it changes nothing. */
  readonly isChosen?: boolean;
}

const looks: readonly { readonly theme: Theme; readonly title: string }[] = [
  { theme: 'light', title: 'Look: light' },
  { theme: 'dark', title: 'Look: dark' },
  { theme: 'system', title: 'Look: as the system' },
];

/** Opens a page of the server in a new tab. */
const open = (path: string) => void window.open(`${serverUrl}${path}`, '_blank', 'noopener');

/** Says which version of the server answers, and the commit that it was built from. */
async function tellVersion(): Promise<void> {
  const answer = await fetch(`${serverUrl}/healthz`).catch(() => null);
  if (answer?.ok !== true) {
    say('The server does not answer.');
    return;
  }
  const { version, commit }: { version: string; commit: string | null } = await answer.json();
  say(`Sallyport ${version}, ${commit === null ? 'built from an unknown commit' : `commit ${commit}`}.`);
}

async function endSession(): Promise<void> {
  const problem = await signOut();
  if (problem !== null) say(`You are still signed in. ${problem}`);
}

/** Returns what can be done while a theme is chosen. */
export const ownDeeds = (chosen: Theme): readonly OwnDeed[] => [
  ...looks.map(({ theme, title }) => ({ title, isChosen: theme === chosen, onAction: () => chooseTheme(theme) })),
  { title: 'GraphiQL', onAction: () => open('/graphql') },
  { title: 'REST reference', onAction: () => open('/docs') },
  { title: 'Version', onAction: () => void tellVersion() },
  { title: 'Sign out', onAction: () => void endSession() },
];
