import { existsSync, statfsSync } from 'node:fs';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { lengthy } from './test/support/longest.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { findPrograms } from './test/support/postgres.ts';

/** Temporary files in memory, if there is room: each service under test has a database, and syncs it at every change. */
const memory = '/dev/shm';
const roomNeeded = 2 ** 31;
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > roomNeeded) process.env.TMPDIR ??= memory;
}

/** Tests that start processes, a browser, or third-party programs. */
const apart = ['test/{process,torture,interop,browser}/**/*.test.ts', 'test/areas/ssh/secrecy.test.ts'];
/** The tests of examples start processes too. On SQLite they run with the quick ones: both engines' runs write the same files. */
const examples = 'test/examples/**/*.test.ts';
/** Tests that replace modules of Node. No other test may see the replacements. */
const spying = ['test/storage/key-file.test.ts'];

/**
 * Tests that also run on PostgreSQL: those of what differs there, which are statements, locks, transactions and the order of rows.
 * What is checked before the database is asked, or computed from its answer, is the same on both.
 */
const onBothEngines = [
  'test/storage/*.test.ts',
  'test/areas/{api-keys,audit-events,backends,ip-policies}/*.test.ts',
  'test/areas/https-edges/{https-edge-routes,https-edges.*,saml*}.test.ts',
  'test/areas/ip-restrictions/{enforcement,impact,ip-restrictions.*,lockout}.test.ts',
  'test/areas/ssh/{account-revocation-list,authority-deletion,certificate-filters,challenges,enrollment,import}.test.ts',
  'test/areas/ssh/{load,renewal,revocation-list,ssh-*,ssh.graphql,succession.graphql,turns}.test.ts',
  'test/areas/tls-edges/{policy-module,tls-edges}.test.ts',
  'test/gate/{freshness,login,logout,trail}.test.ts',
  'test/http/{attention,collections,concurrency,counted-bounds,counted-lists,dashboard-sessions,departed,idempotency}.test.ts',
  'test/http/{inner-lists,isolation,list-finding,nodes,ops-metrics,paging,parity,plans,refused-meanwhile,search}.test.ts',
  'test/clients/ngrok-api.test.ts',
];
/** Of these, and of the tests apart, those that run on SQLite alone. */
const onlySqlite = [
  // They open the database file, or test it.
  '**/sqlite-*.test.ts',
  // They use no database.
  'test/storage/{key-generation,later}.test.ts',
  'test/areas/*/rules.test.ts',
  // They test the programs as files: how they are built, installed and started, and what they write beside the database.
  'test/process/{bench-processes,build,generated-files,installed-cli}.test.ts',
  // The bench itself runs on both engines.
  'test/process/bench.test.ts',
  // They listen without a database.
  'test/process/{pipelining,slow-readers}.test.ts',
  // PostgreSQL answers in a later event loop turn than the one under test.
  'test/process/refusals.test.ts',
  // They use a small service of their own.
  'test/interop/{ssh-client-script,ssh-host-script}.test.ts',
  // It tests the help of a command.
  'test/torture/run.test.ts',
  // They test the key file, which only SQLite has.
  ...spying,
];
/** Tests of several servers on one PostgreSQL, and of a PostgreSQL that fails. */
const servers = 'test/postgres/**/*.test.ts';
/** Tests of PostgreSQL itself. */
const onlyPostgres = ['**/postgres-*.test.ts', servers];

const hasPostgres = process.env.TEST_DATABASE_URL !== undefined || findPrograms() !== null;
if (!hasPostgres) {
  process.stderr.write(
    'The tests run on SQLite alone: there is no PostgreSQL (see "PostgreSQL" in CONTRIBUTING.md).\n',
  );
}

/** For tests that spend most of their time waiting: other tests run in the meantime. */
const besideEachOther = { testTimeout: 400_000, maxWorkers: 4, sequence: { groupOrder: 1 } };

type ProjectOptions = Extract<TestProjectConfiguration, { test?: unknown }>['test'];

function project(test: ProjectOptions): TestProjectConfiguration {
  return {
    resolve: {
      // graphql ships an ES module and a CommonJS build. Vite would give our files the first while yoga and Pothos,
      // loaded by Node itself, get the second: two GraphQLError classes, and every coded error would be masked.
      alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
    },
    // Files share the modules of their worker, because loading the schema takes longer than most of them.
    test: {
      // Tests assert durations themselves. These timeouts only end tests that hang, even on a busy machine.
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
    // All processors: by default, vitest leaves one idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      project({
        name: 'quick',
        include: ['test/**/*.test.ts'],
        exclude: [...apart, ...spying, ...onlyPostgres, ...lengthy],
      }),
      project({ name: 'lengthy', include: [...lengthy] }),
      project({ name: 'spying', include: spying, isolate: true }),
      ...(hasPostgres
        ? [
            project({
              name: 'postgres',
              include: [...onBothEngines, '**/postgres-*.test.ts'],
              exclude: [...onlySqlite, ...apart, servers],
              provide: { engine: 'postgresql' },
            }),
            // Before the tests apart, because single tests wait for half a minute.
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
