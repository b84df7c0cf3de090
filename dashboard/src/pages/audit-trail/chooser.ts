// What the filters of the trail choose with.

import { isIdentifier } from '../../client/kinds.ts';
import type { Entry } from '../../kit/finder.tsx';
import type { Closable } from '../../kit/later.tsx';

/** What chooses one of many. */
export interface ChooserProps extends Closable {
  /** Told the identifier of what was chosen. */
  readonly choose: (id: string) => void;
}

/** Offers an identifier that was typed, where nothing was found that has it. */
export const byIdentifier = (text: string, found: readonly Entry[]): readonly Entry[] =>
  isIdentifier(text) && found.every(({ id }) => id !== text) ? [{ id: text, title: text }] : [];

/** Who acts without a key, by what the filter of the API calls them. */
export const keyless: readonly Entry[] = [
  { id: 'cli', title: 'The command line' },
  { id: 'system', title: 'The server itself' },
  { id: 'user', title: 'Users' },
  { id: 'identity_provider', title: 'Identity providers' },
];
