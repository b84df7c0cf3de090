// The engine seam (src/storage/engine.ts): only the folder of a database engine knows that engine's details.

import { expect, test } from 'vitest';
import { filesBelow, read } from '../support/source-files.ts';

const files = filesBelow('src', '.ts');
const outside = files.filter((path) => !/^src\/storage\/(sqlite|postgres)\//.test(path));

/** Returns the lines that match a pattern, as `file: line`. */
function linesWith(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    read(path)
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
}

test('the driver, the statements and the error codes of SQLite stay in its folder', () => {
  const ofSqlite =
    /better-sqlite3|PRAGMA|sqlite_master|sqlite_schema|SQLITE_|pragma_|\.pragma\(|json_each|\bGLOB\b|-wal\b/;
  expect(linesWith(outside, ofSqlite)).toEqual([]);
  // Proves that the pattern finds matches.
  expect(linesWith(files, ofSqlite).length).toBeGreaterThan(20);
});

test('the driver, the tables and the functions of PostgreSQL stay in its folder', () => {
  const ofPostgres = /from 'pg'|\bpg_\w+|current_database|current_setting|\bLISTEN\b|\bNOTIFY\b|ISOLATION LEVEL/;
  expect(linesWith(outside, ofPostgres)).toEqual([]);
  expect(linesWith(files, ofPostgres).length).toBeGreaterThan(10);
});

test('only the choice of the engine reaches into the folder of one', () => {
  const into = /from '[./]*(storage\/)?(sqlite|postgres)\//;
  expect(linesWith(outside, into)).toEqual([
    "src/storage/lifecycle/choose-engine.ts: import { createPostgresEngine } from '../postgres/engine.ts';",
    "src/storage/lifecycle/choose-engine.ts: import { readUrl } from '../postgres/url.ts';",
    "src/storage/lifecycle/choose-engine.ts: import { createSqliteEngine } from '../sqlite/engine.ts';",
    "src/storage/lifecycle/choose-engine.ts: import { memoryEngine } from '../sqlite/memory.ts';",
  ]);
});

test('nothing asks which engine it is', () => {
  expect(
    linesWith(outside, /\b(provider|name)\s*[!=]==?\s*'(sqlite|postgres(ql)?)'|case '(sqlite|postgres(ql)?)'/i),
  ).toEqual([]);
});

test('every file is short enough to be read in one go', () => {
  const long = files.filter((path) => !/generated/.test(path) && read(path).split('\n').length > 300);
  expect(long).toEqual([]);
});
