// The short form of `npm run torture kill`.

import { expect, inject, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { kill } from './kill.ts';

test('kill -9 under writers over both surfaces loses no acknowledged write and leaves nothing by half', async () => {
  const report = await kill({
    programs: { directory: inject('programs') },
    database: await testDatabase({ migrated: false }),
    rounds: 3,
    writers: 8,
    millisecondsMax: 500,
    // The machine may be busy with other tests.
    readyMsMax: 30_000,
    seed: 10,
    progress: () => undefined,
  });
  expect(report).toEqual({ ...report, broken: [] });
});
