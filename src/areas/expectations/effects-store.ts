// What a change of everything at once would break of what is expected.

import type { FindEffects } from '../../storage/objects/effects.ts';
import { askAbout, readExpectations } from './asking-store.ts';
import { refusal } from './check-store.ts';

/** Asks about all expectations as the account would be. Those that fail already may go on to fail, but not those that are new. */
export const findEffects: FindEffects = async ({ before, after }) => {
  const failing = (await askAbout(after, await readExpectations(after))).filter(
    ({ isMet, answer }) => !isMet && answer.isTooMuch !== true,
  );
  if (failing.length === 0) return { access: [], refusals: [] };
  const ids = new Set(failing.map(({ expectation }) => expectation.id));
  const standing = (await readExpectations(before)).filter(({ id }) => ids.has(id));
  const failed = new Set(
    (await askAbout(before, standing)).flatMap((asked) => (asked.isMet ? [] : asked.expectation.id)),
  );
  const broken = failing.filter(({ expectation }) => !failed.has(expectation.id));
  return { access: [], refusals: broken.length === 0 ? [] : [refusal(broken)] };
};
