// The page of promises names only tests and commands that exist.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { read, root } from '../support/source-files.ts';

const page = read('docs/reliability.md');
const rows = page.split('\n').filter((line) => /^\| R\d+ \|/.test(line));
/** The gate's promises, which list how each was broken instead of figures. */
const rowsOfGate = page.split('\n').filter((line) => /^\| G\d+ \|/.test(line));

/** Returns the tests that a row names: the file in backquotes, followed by its tests in quotes. */
function testsOf(row: string): [file: string, name: string][] {
  return [...row.matchAll(/`(test\/[\w./-]+\.test\.ts)`((?:,? "[^"]+")+)/g)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']): [string, string] => [file, name]),
  );
}

test('there is one row for each promise, in order', () => {
  const namesOf = (some: readonly string[]) => some.map((row) => row.split('|')[1]?.trim());
  expect(namesOf(rows)).toEqual(Array.from({ length: 29 }, (_, n) => `R${n + 1}`));
  expect(namesOf(rowsOfGate)).toEqual(Array.from({ length: 28 }, (_, n) => `G${n + 1}`));
});

test('every promise names a test that exists', () => {
  const all = [...rows, ...rowsOfGate];
  const without = all.filter((row) => testsOf(row).length === 0);
  expect(without).toEqual([]);
  const missing = all
    .flatMap(testsOf)
    // Quoted as in a call, to match the whole name and not a part of a longer one.
    .filter(
      ([file, name]) => !existsSync(join(root, file)) || !new RegExp(`['"\`]${escaped(name)}['"\`]`).test(read(file)),
    );
  expect(missing).toEqual([]);
});

test('every figure is a measured one, with where it stands, or said not to be measured', () => {
  const figures = rows.map((row) => row.split('|')[4]?.trim() ?? '');
  expect(figures.filter((figure) => !/^Not measured\.|^See \[|^\[performance\.md\]/.test(figure))).toEqual([]);
});

test('the commands exist', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const named = [...`${page}${read('SECURITY.md')}`.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  const files = [...page.matchAll(/npx vitest run (test\/[\w./-]+)/g)].map(([, file = '']) => file);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const runs = [...`${page}${read('SECURITY.md')}`.matchAll(/npm run torture -- (\w+)/g)].map(([, name = '']) => name);
  const usage = read('test/torture/run.ts');
  expect(runs.length).toBeGreaterThan(3);
  expect(runs.filter((name) => !usage.includes(`\n  ${name}: () =>`))).toEqual([]);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
