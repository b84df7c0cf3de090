// The theme, light or dark: the system's, unless the user has chosen one.

import { createStore } from '../client/store.ts';

/** A theme that can be chosen. */
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

/** Sets the theme, and remembers it in this browser. */
export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(name);
  else localStorage.setItem(name, chosen);
  theme.set(chosen);
  apply();
}
