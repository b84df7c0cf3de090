// The thread that looks for damage, at the end of its process.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startCommand, temporaryDirectory } from '../storage/fixtures/temporary.ts';
import { programFile } from './support.ts';

/** Closes an inspection in the middle of its work, and prints after how many milliseconds it went on. */
const closing = `
  const [, , module, path] = process.argv;
  const { createInspection } = await import(module);
  const inspection = createInspection(path, () => {});
  inspection.run().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const begun = performance.now();
  await inspection.close();
  console.log(performance.now() - begun);`;

test('a look that takes very long holds up a stop for two seconds only', async () => {
  // To open a pipe to which nobody writes takes for ever, as a read from a disk does that does not answer.
  const directory = temporaryDirectory();
  const path = join(directory, 'pipe');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  const module = programFile('dist/storage/sqlite/inspection.js');
  writeFileSync(join(directory, 'closing.mjs'), closing);
  const program = startCommand(process.execPath, join(directory, 'closing.mjs'), module, path);
  const ms = Number(await program.line());
  expect(ms).toBeGreaterThan(1_900);
  expect(ms).toBeLessThan(6_000);
  // The thread still works: only its end lets the process end, and it has nothing more to lose.
  expect(program.process.exitCode).toBe(null);
  closeSync(openSync(path, 'r+'));
  expect(await program.end()).toEqual({ code: 0, errors: '' });
});

/** Stops a server's database in the middle of a look at a pipe, and prints when it is closed. */
const stopping = `
  import { renameSync } from 'node:fs';
  const [, , module, path, pipe] = process.argv;
  const { ownDatabase } = await import(module);
  const database = await ownDatabase({ databaseUrl: 'file:' + path, secretKey: null });
  const probing = database.storage.health.probe().catch(() => {});
  // The probe has compared the files; its look opens what is there now.
  renameSync(pipe, path);
  await probing;
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  console.log('closing');
  await database.close();
  console.log('closed');`;

test('a database counts as closed when the look has ended, so that "stopped" in the log is the last of a server', async () => {
  const directory = temporaryDirectory();
  const [path, pipe] = [join(directory, 'test.db'), join(directory, 'pipe')];
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  writeFileSync(join(directory, 'stopping.mjs'), stopping);
  const module = programFile('dist/storage/open.js');
  const program = startCommand(process.execPath, join(directory, 'stopping.mjs'), module, path, pipe);
  expect(await program.line()).toBe('closing');
  const closed = program.line();
  expect(await Promise.race([closed, pause(4_000, 'still closing')])).toBe('still closing');
  closeSync(openSync(path, 'r+'));
  expect(await closed).toBe('closed');
  expect(await program.end()).toEqual({ code: 0, errors: '' });
});
