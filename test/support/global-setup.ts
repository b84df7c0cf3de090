// What all tests share, made once for a run: an empty database that is migrated, of which every test takes a copy, and the
// compiled programs. Either costs more than most tests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/storage/migrate.ts';
import { createSqliteEngine } from '../../src/storage/sqlite/engine.ts';
import { compilePrograms } from './programs.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of a migrated database without any rows. */
    emptyDatabase: string;
    /** The directory of the compiled programs. */
    programs: string;
  }
}

export default async function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-empty-'));
  const path = join(directory, 'empty.db');
  await migrate(createSqliteEngine(path));
  project.provide('emptyDatabase', path);
  project.provide('programs', compilePrograms());
  return () => rmSync(directory, { recursive: true });
}
