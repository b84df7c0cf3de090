// Tests the command for the long runs, which no other test starts.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../support/source-files.ts';

test('npm run torture names its runs and their sizes', () => {
  const said = execFileSync(process.execPath, ['--import', 'tsx', 'test/torture/run.ts', '--help'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const run of ['kill', 'soak', 'fuzz', 'hostile']) expect(said).toMatch(new RegExp(`^  ${run} +\\S`, 'm'));
});
