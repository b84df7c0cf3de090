import { existsSync, statfsSync } from 'node:fs';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

/** Files in memory, where there is room: every service of a test has a database, and syncs it to the disk at each change. */
const memory = '/dev/shm';
const roomNeeded = 2 ** 31;
if (existsSync(memory)) {
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize > roomNeeded) process.env.TMPDIR ??= memory;
}

/** Tests that start processes, a browser, or programs of other people. They wait more than they work. */
const apart = ['test/{process,torture,interop,browser}/**/*.test.ts', 'test/areas/ssh/secrecy.test.ts'];
/** Tests that replace modules of Node, which no other test may see. */
const spying = ['test/storage/key-file.test.ts'];

type ProjectOptions = Extract<TestProjectConfiguration, { test?: unknown }>['test'];

function project(test: ProjectOptions): TestProjectConfiguration {
  return {
    resolve: {
      // graphql ships an ES module and a CommonJS build. Vite would give our files the first while yoga and Pothos,
      // loaded by Node itself, get the second: two GraphQLError classes, and every coded error would be masked.
      alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
    },
    // Files share the modules of their worker: to load the schema takes longer than most of them.
    test: { testTimeout: 60_000, hookTimeout: 60_000, isolate: false, ...test },
  };
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // All processors: unless told otherwise, vitest leaves one of them alone.
    maxWorkers: '100%',
    projects: [
      project({ name: 'quick', include: ['test/**/*.test.ts'], exclude: [...apart, ...spying] }),
      project({ name: 'spying', include: spying, isolate: true }),
      project({ name: 'apart', include: apart, testTimeout: 180_000, maxWorkers: 4, sequence: { groupOrder: 1 } }),
    ],
  },
});
