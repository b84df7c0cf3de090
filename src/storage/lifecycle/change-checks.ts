// What is looked at in every change before it is stored, loaded with the first change.

import { loadParts } from '../../areas/parts.ts';
import type { CheckChange } from '../objects/deciders.ts';

let loaded: CheckChange | undefined;

/** Looks at a change by the check of the area that has one. Throws what it throws. */
export const checkChange: CheckChange = (account, deltas, signal) => {
  return loaded === undefined ? loadAndCheck(account, deltas, signal) : loaded(account, deltas, signal);
};

async function loadAndCheck(...change: Parameters<CheckChange>): Promise<void> {
  const [only, ...others] = await loadParts('changeCheck');
  if (only === undefined || others.length > 0) throw new Error('One area has to check changes.');
  loaded = only.checkChange;
  await loaded(...change);
}
