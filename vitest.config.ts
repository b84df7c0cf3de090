import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // graphql ships an ES module and a CommonJS build. Vite would give our files the first while yoga and Pothos,
    // loaded by Node itself, get the second: two GraphQLError classes, and every coded error would be masked.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 20_000,
  },
});
