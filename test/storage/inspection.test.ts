// The thread that looks for damage, at its end.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createInspection } from '../../src/storage/sqlite/inspection.ts';

test('a look that takes very long holds up the end for two seconds only', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-inspection-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  // To open a pipe to which nobody writes takes for ever, as a disk does that does not answer.
  const path = join(directory, 'pipe');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  const inspection = createInspection(path, () => {});
  let ended = false;
  const looking = inspection.run().catch(() => {
    ended = true;
  });
  await pause(1_000);
  const begun = performance.now();
  await inspection.close();
  expect(performance.now() - begun).toBeGreaterThan(1_900);
  expect(performance.now() - begun).toBeLessThan(6_000);
  expect(ended).toBe(false);
  closeSync(openSync(path, 'r+'));
  await looking;
  expect(ended).toBe(true);
});
