// What messages recommend to run or to set is a remedy of `src/domain/remedies.ts`, each of which a test runs.

import { expect, test } from 'vitest';
import { leafCommands } from '../../docs/cli-page.ts';
import { variableNames } from '../../src/config.ts';
import { filesBelow, read } from '../support/source-files.ts';

const groups = [...new Set([...leafCommands()].map(([path]) => path.split(' ')[1]))];
const ourCommands = new RegExp(`\\bsallyport (${groups.join('|')})\\b`);
const otherCommands = /\b(chmod \d|openssl rand|npm run cli)\b/;
const settings = new RegExp(`\\b([Ss]et|[Ll]et|[Cc]heck|[Aa]dd|to) (a )?(${variableNames.join('|')})\\b`);

/** Places that recommend nothing: they show, define or describe. */
const described = [
  // An example of what a command prints.
  /^src\/areas\/ssh\/authorities\/succession-commands\.ts: .*sshca_01m7\.\.\./,
  // The help of a command, whose example the tests of the command line run.
  /^src\/cli\/(program|database)\.ts: .*(\$ sallyport|Stop the server first)/,
  // What is hashed, not shown.
  /^src\/storage\/keys\/secrets\.ts: .*\.update\('sallyport key id'\)/,
  // In a clone, before it is built.
  /^src\/cli\/first-start\.ts: .*in a clone: npm run cli/,
];

test('no message recommends anything else', () => {
  const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line);
  const found = [
    ...filesBelow('src', '.ts'),
    ...filesBelow('dashboard/src', '.ts'),
    ...filesBelow('dashboard/src', '.tsx'),
  ]
    .filter((path) => !/(domain\/remedies|client\/commands)\.ts$/.test(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => !isComment(line) && [ourCommands, otherCommands, settings].some((form) => form.test(line)))
        .map((line) => `${path}: ${line.trim()}`),
    );
  expect(found.filter((line) => !described.some((form) => form.test(line)))).toEqual([]);
});
