// Runs the page about the key ceremony as its reader does: every command on it, in order, with a token of SoftHSM.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { keyDirectory, missingOpenssh } from '../support/openssh.ts';
import { read } from '../support/source-files.ts';
import { softHsm } from '../support/ssh-agent.ts';
import { endOf, programFile, readyServer, run } from './support.ts';

const blocks = [...read('docs/key-ceremony.md').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
const title = softHsm === null ? 'key ceremony: SKIPPED, no SoftHSM' : 'the key ceremony makes an authority in a token';

test.skipIf(softHsm === null || missingOpenssh !== null)(title, async () => {
  const database = await testDatabase();
  await readyServer(database);
  const CEREMONY = keyDirectory();
  mkdirSync(join(CEREMONY, 'bin'));
  const program = `#!/bin/sh\nexec ${process.execPath} ${programFile('dist/cli.js')} "$@"\n`;
  writeFileSync(join(CEREMONY, 'bin/sallyport'), program, { mode: 0o755 });
  const askpass = join(CEREMONY, 'askpass');
  writeFileSync(askpass, '#!/bin/sh\nprintf %s "$PIN"\n', { mode: 0o700 });
  const end = `trap 'pkill -f "[s]sh-agent -a ${CEREMONY}"; rm -rf ${CEREMONY}' EXIT`;
  const { code, out, errors } = await endOf(
    run('bash', ['-euo', 'pipefail', '-c', `${end}; PATH=${CEREMONY}/bin:$PATH; ${blocks.join('\n')}`], {
      ...database.environment,
      CEREMONY,
      MODULE: softHsm ?? '',
      PIN: '1234',
      SO_PIN: '5678',
      SSH_ASKPASS: askpass,
      SSH_ASKPASS_REQUIRE: 'force',
    }),
  );
  const said = out
    .replace(/SHA256:[\w+/]{43}/g, 'SHA256:...')
    .trim()
    .split('\n');
  expect({ code, errors, said }).toEqual({
    code: 0,
    errors: '',
    said: [
      'ecdsa-sha2-nistp256',
      'hsm  SHA256:...  ecdsa  hosts',
      'ecdsa-sha2-nistp256',
      'hsm  It offers no keys: it is empty or locked.',
    ],
  });
});
