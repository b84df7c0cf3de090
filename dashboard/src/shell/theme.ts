// Light or dark: as the system is set, unless the person has chosen here.

import { createStore } from '../client/store.ts';

/** What can be chosen. */
export type Theme = 'system' | 'light' | 'dark';

const name = 'sallyport-theme';

function remembered(): Theme {
  const chosen = localStorage.getItem(name);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

export const theme = createStore<Theme>(remembered());

function apply(): void {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
apply();

/** Chooses, for this browser. */
export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(name);
  else localStorage.setItem(name, chosen);
  theme.set(chosen);
  apply();
}
