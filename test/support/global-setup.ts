// Migrates one empty database, of which every test service gets a copy: migrating costs more than most tests.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/storage/migrate.ts';
import { createSqliteEngine } from '../../src/storage/sqlite/engine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of a migrated database without any rows. */
    emptyDatabase: string;
  }
}

export default async function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-empty-'));
  const path = join(directory, 'empty.db');
  await migrate(createSqliteEngine(path));
  project.provide('emptyDatabase', path);
  return () => rmSync(directory, { recursive: true });
}
