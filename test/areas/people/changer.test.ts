// Whom a form names whose object was changed meanwhile.

import { expect, test } from 'vitest';
import { sayChanger } from '../../../dashboard/src/kit/words.ts';

test.each([
  [undefined, 'Amy', 'Somebody else has'],
  ['Bob', 'Amy', 'Bob has'],
  ['Bob, approved by Amy', 'Amy', 'Bob, approved by Amy has'],
  ['deploy, of Bob', 'Amy', 'deploy, of Bob has'],
  ['Amy', 'Amy', 'You yourself have, elsewhere,'],
  ['Amy, approved by Bob', 'Amy', 'You yourself have, elsewhere,'],
  ['deploy, of Amy', 'Amy', 'Your API key “deploy” has'],
  ['First key', undefined, 'First key has'],
])('%j is named to %j as %j', (by, own, expected) => {
  expect(sayChanger(by, own)).toBe(expected);
});
