// @ts-check
// Generates Prisma's clients from the models, one for each engine, because a client is bound to its engine. Plain JavaScript,
// because every build runs it.

import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
// Prisma looks for its generators on the PATH.
const PATH = `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`;

for (const PRISMA_PROVIDER of ['sqlite', 'postgresql']) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/prisma/build/index.js'), 'generate'],
    { cwd: root, env: { ...process.env, PATH, PRISMA_PROVIDER } },
  );
  if (status === 0) continue;
  process.stderr.write(`prisma generate for ${PRISMA_PROVIDER} ended with ${status}:\n${stdout}${stderr}`);
  process.exit(1);
}
