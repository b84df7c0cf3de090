// Shared parts of the finders for the filters of the trail.

import { isIdentifier } from '../../client/kinds.ts';
import type { Entry } from '../../kit/finder.tsx';

/** Returns an entry for a typed identifier, unless the results already contain it. */
export const byIdentifier = (text: string, found: readonly Entry[]): readonly Entry[] =>
  isIdentifier(text) && found.every(({ id }) => id !== text) ? [{ id: text, title: text }] : [];

/** Actors without a key. Their ids are the values of the API's filter. */
export const keyless: readonly Entry[] = [
  { id: 'cli', title: 'The command line' },
  { id: 'system', title: 'The server itself' },
  { id: 'user', title: 'Users' },
  { id: 'identity_provider', title: 'Identity providers' },
];
