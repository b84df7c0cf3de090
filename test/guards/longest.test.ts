// The list that orders the test files names only files that exist.

import { expect, test } from 'vitest';
import { longest } from '../support/longest.ts';
import { filesBelow } from '../support/source-files.ts';

test('every test file that is to start first is one', () => {
  const files = filesBelow('test', '.test.ts');
  expect(longest.filter((path) => !files.includes(path))).toEqual([]);
});
