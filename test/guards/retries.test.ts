import { expect, test } from 'vitest';
import { filesBelow, read } from '../support/source-files.ts';

test('no test is run again until it passes', () => {
  const again = /\bretry\b\W*:\W*\d|--retry\b/;
  // Proves that the pattern finds matches.
  expect(['{ retry: 2 }', 'vitest run --retry=2'].every((text) => again.test(text))).toBe(true);
  const files = [...filesBelow('test', '.ts'), 'vitest.config.ts', 'package.json', '.ci/run'];
  const own = 'test/guards/retries.test.ts';
  expect(files.filter((path) => path !== own && again.test(read(path)))).toEqual([]);
});
