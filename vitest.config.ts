import { existsSync, statfsSync } from 'node:fs';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { findPrograms } from './test/support/postgres.ts';

/** Files in memory, where there is room: every service of a test has a database, and syncs it to the disk at each change. */
const memory = '/dev/shm';
const roomNeeded = 2 ** 31;
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > roomNeeded) process.env.TMPDIR ??= memory;
}

/** Tests that start processes, a browser, or programs of other people. */
const apart = ['test/{process,torture,interop,browser}/**/*.test.ts', 'test/areas/ssh/secrecy.test.ts'];
/** Those of examples start processes, too. On one engine they go with the quick ones: both write the same generated files. */
const examples = 'test/examples/**/*.test.ts';
/** Tests that replace modules of Node, which no other test may see. */
const spying = ['test/storage/key-file.test.ts'];

/** Tests that run on SQLite alone. */
const onlySqlite = [
  // They open the database file, or are about it.
  '**/sqlite-*.test.ts',
  // They use no database, or are refused before it is asked.
  'test/{bench,cli,domain,graphql}/**',
  'test/http/{connect,departures,hostile-bodies}.test.ts',
  'test/areas/*/rules.test.ts',
  'test/config.test.ts',
  'test/storage/key-generation.test.ts',
  'test/storage/later.test.ts',
  // They compare files, and run the commands of pages, which are for the engine that these name.
  'test/guards/**',
  // They are about the programs as files: how these are built, installed and started, and what they write beside the database.
  'test/process/{bench-processes,build,generated-files,installed-cli}.test.ts',
  // The bench runs on both engines by itself.
  'test/process/bench.test.ts',
  // They listen without a database behind.
  'test/process/{pipelining,slow-readers}.test.ts',
  // Answers of PostgreSQL come in a later turn of the event loop than the one that they are about.
  'test/process/refusals.test.ts',
  // The service is a small one of their own.
  'test/interop/{ssh-client-script,ssh-host-script}.test.ts',
  // The help of its command.
  'test/torture/run.test.ts',
  // They are about the key file, which only SQLite has.
  ...spying,
];
/** Tests of several servers on a PostgreSQL, and of one that fails. */
const servers = 'test/postgres/**/*.test.ts';
/** Tests of what PostgreSQL does. */
const onlyPostgres = ['**/postgres-*.test.ts', servers];

const hasPostgres = process.env.TEST_DATABASE_URL !== undefined || findPrograms() !== null;
if (!hasPostgres) {
  process.stderr.write(
    'The tests run on SQLite alone: there is no PostgreSQL (see "PostgreSQL" in CONTRIBUTING.md).\n',
  );
}

/** For tests that wait more than they work: while one waits, another one works. */
const besideEachOther = { testTimeout: 400_000, maxWorkers: 4, sequence: { groupOrder: 1 } };

type ProjectOptions = Extract<TestProjectConfiguration, { test?: unknown }>['test'];

function project(test: ProjectOptions): TestProjectConfiguration {
  return {
    resolve: {
      // graphql ships an ES module and a CommonJS build. Vite would give our files the first while yoga and Pothos,
      // loaded by Node itself, get the second: two GraphQLError classes, and every coded error would be masked.
      alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
    },
    // Files share the modules of their worker: to load the schema takes longer than most of them.
    test: {
      // How long something may take is for a test to say. These end what hangs, on a machine that has other things to do, too.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 20_000 } },
      setupFiles: ['test/support/fixed-randomness.ts'],
      isolate: false,
      provide: { engine: 'sqlite' },
      ...test,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // All processors: unless told otherwise, vitest leaves one of them alone.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      project({ name: 'quick', include: ['test/**/*.test.ts'], exclude: [...apart, ...spying, ...onlyPostgres] }),
      project({ name: 'spying', include: spying, isolate: true }),
      ...(hasPostgres
        ? [
            project({
              name: 'postgres',
              include: ['test/**/*.test.ts'],
              exclude: [...onlySqlite, ...apart, examples, servers],
              provide: { engine: 'postgresql' },
            }),
            // Before those that stand apart, because single tests wait for half a minute.
            project({
              name: 'postgres-servers',
              include: [servers],
              provide: { engine: 'postgresql' },
              ...besideEachOther,
            }),
            project({
              name: 'postgres-apart',
              include: [...apart, examples],
              exclude: onlySqlite,
              provide: { engine: 'postgresql' },
              ...besideEachOther,
            }),
          ]
        : []),
      project({ name: 'apart', include: apart, ...besideEachOther }),
    ],
  },
});
