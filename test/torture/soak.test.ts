// The short form of `npm run torture soak`.

import { expect, inject, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { soak } from './soak.ts';

const directory = inject('programs');

test('a steady mix of reads and writes fails nowhere, and keeps memory within bounds, and on SQLite the write-ahead log', async () => {
  const report = await soak({
    programs: { directory },
    database: await testDatabase({ migrated: false }),
    seconds: 5,
    rate: 50,
    sampleSeconds: 0.25,
    seed: 10,
    progress: () => undefined,
  });
  expect(report).toEqual({ ...report, broken: [] });
});
