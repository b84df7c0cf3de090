// The short form of `npm run torture hostile`: small attacks, with limits that allow for a machine that is busy with other tests.

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { attackNames } from './attacks.ts';
import { hostile } from './hostile.ts';
import type { Report } from './report.ts';
import { shortSizes } from './sizes.ts';

const directory = inject('programs');

const incidents = ['keys-abandoned', 'signings-of-another-account'];

let database: TestDatabase;
let report: Report;
beforeAll(async () => {
  database = await makeDatabase({ migrated: false });
  report = await hostile({
    programs: { directory },
    database,
    attacks: attackNames,
    incidents,
    sizes: shortSizes,
    cpuMsMax: 150,
    repeats: 3,
    togetherSeconds: 0,
    connections: 1,
    timeoutMs: 20_000,
    progress: () => undefined,
  });
}, 400_000);
afterAll(() => database.remove());

describe('a hostile request of one key stays within bounds', () => {
  test.each(attackNames)('%s', (name) => {
    const ofThis = report.broken.filter((sentence) => sentence.startsWith(`${name}: `));
    expect({ [name]: report.figures[name], broken: ofThis }).toEqual({ [name]: expect.any(String), broken: [] });
  });
});

test('nothing else breaks: no process ends, no work goes on for a client that has left, no other account waits', () => {
  const others = report.broken.filter((sentence) => !attackNames.some((name) => sentence.startsWith(`${name}: `)));
  expect(others).toEqual([]);
});
