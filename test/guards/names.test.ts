// Messages name objects by what people call them (`called` in src/domain/wording.ts), and by their ids only where the id is what is
// asked for, or where there is no name.

import { expect, test } from 'vitest';
import { filesBelow, read } from '../support/source-files.ts';

/** An id in a sentence: after a word, or at the beginning before one. */
const idInSentence = /[a-z] \$\{(\w+\.)*(id|\w+Id)\}|`\$\{(\w+\.)*(id|\w+Id)\} [a-z]/;

/** Where an id is right. */
const explained = [
  // Commands take ids.
  /^(src\/domain\/remedies|dashboard\/src\/client\/commands)\.ts: /,
  // The answer to a command that was given the id, and what has just been made and can only be taken back by it.
  /-commands\.ts: .*(The enrollment token \$\{made\.id\}|\$\{id\} is deleted)/,
  /^src\/areas\/api-keys\/commands\.ts: /,
  // Events have no other name.
  /^src\/areas\/audit-events\/chain\/verifying\.ts: .*The event \$\{id\} was/,
  // What is hashed, counted or labelled, and a broken invariant: nobody reads it but programs and the log.
  /hashOf\(|asked: `(gate |sign-in)|^src\/storage\/trail\/refusals\.ts: |No collection holds|aria-labelledby=/,
  // Configurations and files that hold the id as well; and an identity provider has no other name.
  /^src\/areas\/ssh\/public\.ts: .*# SSH certificate authorities of|HAProxy, the TLS edge|of the HTTPS edge|\$\{entityId\}/,
  // Files for other programs, in which nobody's text may stand.
  /^src\/domain\/enforcement\/|the traffic policy of \$\{edgeId\}; the export/,
];

test('no message names an object by its id where it has a name', () => {
  const files = [
    ...filesBelow('src', '.ts'),
    ...filesBelow('dashboard/src', '.ts'),
    ...filesBelow('dashboard/src', '.tsx'),
  ];
  const found = files.flatMap((path) =>
    read(path)
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line) && idInSentence.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(found.filter((line) => !explained.some((form) => form.test(line)))).toEqual([]);
});
