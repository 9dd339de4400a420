import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{service,contract,src,scripts,bench}/**/*.test.ts'],
    environment: 'node',
    globalSetup: './scripts/vitest-databases.ts',
    setupFiles: './scripts/vitest-each.ts',
    // Two files at a time: an embedded database takes some 300 MB, and PostgreSQL works beside them.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A test that passes only at the second try is a failing test.
    retry: 0,
    allowOnly: false,
  },
});
