// The thread that looks for damage, at the end of its process.

import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { startCommand, temporaryDirectory } from '../storage/fixtures/temporary.ts';
import { programFile } from './support.ts';

/** Closes an inspection in the middle of its work, and prints how many milliseconds that took. */
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
  // Opening a pipe that nobody writes to takes forever, like a read from a disk that does not respond.
  const directory = temporaryDirectory();
  const path = join(directory, 'pipe');
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
  const module = programFile('dist/inspection.js');
  writeFileSync(join(directory, 'closing.mjs'), closing);
  const program = startCommand(process.execPath, join(directory, 'closing.mjs'), module, path);
  const ms = Number(await program.line());
  expect(ms).toBeGreaterThan(1_900);
  expect(ms).toBeLessThan(6_000);
  // The thread is still busy: the process ends only when the thread does, and has nothing more to lose.
  expect(program.process.exitCode).toBe(null);
  closeSync(openSync(path, 'r+'));
  expect(await program.end()).toEqual({ code: 0, errors: '' });
});

/** Makes each inspection of the thread wait until a file exists, as for a disk that does not respond. */
const waitingFor = (file: string, module: string) => `
  import { existsSync } from 'node:fs';
  import { createRequire } from 'node:module';
  import { isMainThread } from 'node:worker_threads';
  const Database = createRequire(${JSON.stringify(module)})('better-sqlite3');
  const { pragma } = Database.prototype;
  if (!isMainThread) {
    Database.prototype.pragma = function (...given) {
      const pause = new Int32Array(new SharedArrayBuffer(4));
      while (given[0] === 'shrink_memory' && !existsSync(${JSON.stringify(file)})) Atomics.wait(pause, 0, 0, 50);
      return pragma.apply(this, given);
    };
  }`;

/** Closes a server's database in the middle of an inspection, and prints when it is closed. */
const stopping = `
  const [, , module, path] = process.argv;
  const { ownDatabase } = await import(module);
  const database = await ownDatabase({ databaseUrl: 'file:' + path, secretKey: null });
  await database.storage.health.probe();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  console.log('closing');
  await database.close();
  console.log('closed');`;

test('a database counts as closed when the look has ended, so that "stopped" in the log is the last of a server', async () => {
  const directory = temporaryDirectory();
  const file = (name: string) => join(directory, name);
  const module = programFile('dist/open.js');
  writeFileSync(file('waiting.mjs'), waitingFor(file('answer'), module));
  writeFileSync(file('stopping.mjs'), stopping);
  const script = ['--import', file('waiting.mjs'), file('stopping.mjs'), module, file('test.db')];
  const program = startCommand(process.execPath, ...script);
  expect(await program.line()).toBe('closing');
  const closed = program.line();
  expect(await Promise.race([closed, pause(4_000, 'still closing')])).toBe('still closing');
  writeFileSync(file('answer'), '');
  expect(await closed).toBe('closed');
  expect(await program.end()).toEqual({ code: 0, errors: '' });
});

/** Looks for damage while another file lies in the database's place, and after the database is back. Prints what was found. */
const misplaced = `
  import { renameSync, writeFileSync } from 'node:fs';
  const [, , module, path] = process.argv;
  const { createInspection } = await import(module);
  const found = [];
  const inspection = createInspection(path, (fault) => found.push(fault));
  renameSync(path, path + '.moved');
  writeFileSync(path, 'not a database');
  await inspection.run();
  console.log(JSON.stringify(found));
  renameSync(path + '.moved', path);
  writeFileSync(path, 'damaged, this time', { flag: 'r+' });
  // The thread rests first.
  while (found.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await inspection.run();
  }
  console.log(JSON.stringify(found));
  await inspection.close();`;

test('damage of another file that lies in the place of the database is none of the database', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'test.db');
  new Sqlite(path).exec('CREATE TABLE one (id)').close();
  writeFileSync(join(directory, 'misplaced.mjs'), misplaced);
  const module = programFile('dist/inspection.js');
  const program = startCommand(process.execPath, join(directory, 'misplaced.mjs'), module, path);
  expect(await program.line()).toBe('[]');
  expect(await program.line()).toBe('["file is not a database"]');
  expect(await program.end()).toEqual({ code: 0, errors: '' });
});
