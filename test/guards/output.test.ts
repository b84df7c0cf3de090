// The one writer of the programs (src/cli/output.ts): whatever goes around it could command a terminal, and would end the process
// with a stack when the output fails.

import { expect, test } from 'vitest';
import { filesBelow, read } from '../support/source-files.ts';

test('only the writer, and the log, write to standard output and standard error', () => {
  const writing = /\bprocess\.std(out|err)\b|\bconsole\.|writeSync\([12]\b|\bdest: 2\b/;
  const isWriting = (line: string) => !/^\s*(\/\/|\/?\*)/.test(line) && writing.test(line);
  const found = filesBelow('src', '.ts').flatMap((path) =>
    read(path)
      .split('\n')
      .filter(isWriting)
      .map(() => path),
  );
  expect(found).toEqual([
    'src/cli/output.ts',
    'src/cli/output.ts',
    // A process of its own, whose output is a pipe to us.
    'src/storage/keys/key-generation.ts',
    'src/telemetry/log.ts',
  ]);
});
