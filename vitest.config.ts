import { existsSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
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
const apart = ['test/{process,torture,interop,browser,examples}/**/*.test.ts', 'test/areas/ssh/secrecy.test.ts'];
/**
 * Of these, the few that `npm test` runs: one kill, one sshd, one page in a browser, and one start.
 * The others run with `npm run test:all`.
 */
const thin = [
  'test/torture/kill.test.ts',
  'test/interop/openssh.test.ts',
  'test/browser/first-hour.test.ts',
  'test/process/first-start.test.ts',
];
/** Of these, those that also run on PostgreSQL: kills and a stop, and the commands of operators. */
const apartOnBothEngines = [
  'test/process/{apply-kill,idempotency,live-changes,ops-cli,ops-server,stopping,webhooks}.test.ts',
  'test/torture/kill.test.ts',
];
/**
 * Of these, the flows of people on the dashboard that also run in Firefox: those of what differs there, which are the Tab key and the
 * focus, dialogs, files that are saved, tabs and "back", and changes that appear by themselves.
 */
const flows = ['test/browser/dashboard-{bulk,door,ssh}.test.ts'];
/** Tests that replace modules of Node. No other test may see the replacements. */
const spying = ['test/storage/key-file.test.ts'];

/**
 * Tests that also run on PostgreSQL: those of what differs there, which are statements, locks, transactions and the order of rows.
 * What is checked before the database is asked, or computed from its answer, is the same on both; every route and every field is
 * tried there once, by `parity` and `isolation`.
 */
const onBothEngines = [
  'test/storage/*.test.ts',
  'test/areas/audit-events/{audit-events,filters,last-change,live-changes}.test.ts',
  'test/areas/audit-events/{of-one-object,refusals,restore,shipping}.test.ts',
  'test/areas/configuration/{configuration.graphql,whole-account}.test.ts',
  'test/areas/https-edges/login-sessions.graphql.test.ts',
  'test/areas/ip-policies/{many-rules.graphql,rule-end,sources}.test.ts',
  'test/areas/ip-restrictions/lockout.test.ts',
  'test/areas/ssh/{account-revocation-list,authority-deletion,certificate-filters,enrollment}.test.ts',
  'test/areas/ssh/{renewal,revocation-list,succession.graphql}.test.ts',
  'test/areas/{approvals/approvals,people/sign-in,webhooks/deliveries}.test.ts',
  'test/http/{attention,collections,counted-lists,dashboard-sessions,inner-lists,list-plans,ops-metrics}.test.ts',
];
/** The few that `npm test` runs on PostgreSQL, too: one of each way in which the engines differ. Those above run with `npm run test:all`. */
const thinOnPostgres = [
  '**/postgres-*.test.ts',
  'test/storage/{changes,feed,idempotency,migrate,rows,writes}.test.ts',
  'test/areas/{audit-events/hash-chain,configuration/applying,https-edges/saml-logins}.test.ts',
  'test/gate/freshness.test.ts',
  'test/http/{concurrency,counted-bounds,idempotency,isolation,list-finding,paging,parity}.test.ts',
];
/** Of the folders named there, the tests that use no database, or only the file of SQLite. */
const withoutPostgres = [
  '**/sqlite-*.test.ts',
  'test/storage/{key-generation,later}.test.ts',
  'test/areas/*/rules.test.ts',
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

/**
 * For tests that spend most of their time waiting: other tests run in the meantime. More of them would rather wait for each other,
 * and for memory, because some of them are browsers.
 */
const besideEachOther = { testTimeout: 400_000, hookTimeout: 400_000, maxWorkers: 5, sequence: { groupOrder: 1 } };

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
      setupFiles: ['test/support/fixed-randomness.ts', 'test/support/end-of-file.ts'],
      isolate: false,
      provide: { engine: 'sqlite', browser: 'chromium' },
      ...test,
    },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Each project would transform all modules again.
    experimental: { fsModuleCache: true },
    // One more than processors, because tests wait for databases and timers. By default, vitest leaves one processor idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      project({
        name: 'quick',
        include: ['test/**/*.test.ts'],
        exclude: [...apart, ...spying, ...onlyPostgres],
      }),
      project({ name: 'spying', include: spying, isolate: true }),
      ...(hasPostgres
        ? [
            project({
              name: 'postgres-thin',
              include: thinOnPostgres,
              provide: { engine: 'postgresql', browser: 'chromium' },
            }),
            project({
              name: 'postgres',
              include: onBothEngines,
              exclude: [...withoutPostgres, ...thinOnPostgres],
              provide: { engine: 'postgresql', browser: 'chromium' },
            }),
            // Before the other tests apart, because single tests wait for half a minute.
            project({
              name: 'postgres-apart',
              include: [servers, ...apartOnBothEngines],
              provide: { engine: 'postgresql', browser: 'chromium' },
              ...besideEachOther,
            }),
          ]
        : []),
      // Before those in Chromium, because they take longest: at the end, nothing would run beside the last.
      project({
        name: 'firefox',
        include: flows,
        provide: { engine: 'sqlite', browser: 'firefox' },
        ...besideEachOther,
      }),
      project({ name: 'thin', include: thin, ...besideEachOther }),
      project({ name: 'apart', include: apart, exclude: thin, ...besideEachOther }),
    ],
  },
});
