// Creates what all tests of a run share: empty migrated databases, of which every test takes a copy, and the bundled programs. Each
// costs more than most tests.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { chooseEngine } from '../../src/storage/lifecycle/choose-engine.ts';
import { migrate } from '../../src/storage/lifecycle/migrate.ts';
import { dropDatabases, send, startPostgres, urlOf } from './postgres.ts';
import { bundlePrograms } from './programs.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of a migrated SQLite database without any rows. */
    emptyDatabase: string;
    /** The PostgreSQL server: a database whose user can create others, and the prefix of their names. */
    postgres: { url: string; prefix: string };
    /** The engine of the browser in which the dashboard is tested. */
    browser: 'chromium' | 'firefox';
    /** The directory of the bundled programs. */
    programs: string;
  }
}

export default async function setup(project: TestProject) {
  // In parallel: the bundler runs in its own process.
  const [removeDatabases, programs] = await Promise.all([prepareDatabases(project), bundlePrograms()]);
  project.provide('programs', programs);
  return removeDatabases;
}

async function prepareDatabases(project: TestProject) {
  const removeSqlite = await prepareSqlite(project);
  const removePostgres = usesPostgres(project) ? await preparePostgres(project) : async () => {};
  return async () => {
    removeSqlite();
    await removePostgres();
  };
}

async function prepareSqlite(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-empty-'));
  const path = join(directory, 'empty.db');
  await migrate(chooseEngine(`file:${path}`));
  project.provide('emptyDatabase', path);
  return () => rmSync(directory, { recursive: true });
}

/**
 * Returns whether this run has tests on PostgreSQL. A separate setup for their project would be tidier, but it would have its own
 * copy of our modules, and only one copy can run migrations in a process (`startSchemaEngine`).
 */
function usesPostgres({ vitest }: TestProject): boolean {
  const paths = vitest.state.getPaths();
  const projects = vitest.projects.filter(({ name }) => name.startsWith('postgres'));
  return projects.some((one) => paths.some((path) => one.matchesTestGlob(path)));
}

async function preparePostgres(project: TestProject) {
  const server = await startPostgres();
  const prefix = `sallyport_test_${randomBytes(4).toString('hex')}`;
  const template = `${prefix}_empty`;
  await send(server.url, `CREATE DATABASE ${template}`);
  await migrate(chooseEngine(urlOf(server.url, template)));
  project.provide('postgres', { url: server.url, prefix });
  return async () => {
    await dropDatabases(server.url, prefix);
    await server.stop();
  };
}
