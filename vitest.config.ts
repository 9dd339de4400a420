import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { recordStatements } from './scripts/testing/executed-statements.ts';

const SERVICE_TESTS = 'service/**/*.test.ts';
const OTHER_TESTS = '{contract,src,scripts,bench}/**/*.test.ts';

/** Test files that mock modules; they run isolated so that the mocks affect no other file. */
const filesWithMocks = globSync(OTHER_TESTS).filter((file) =>
  readFileSync(file, 'utf8').includes('vi.mock('),
);

const project = (name: string, test: { include: string[]; exclude?: string[]; isolate: boolean }) => ({
  extends: true as const,
  test: { name, ...test },
});

export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: './scripts/testing/vitest-each.ts',
    // Each process holds an embedded database of about 300 MB, and PostgreSQL runs as well.
    pool: 'forks',
    // Tests of processes and connections wait, so that a third worker uses what two leave of two cores.
    maxWorkers: 3,
    // Far above the duration of any test, so that a busy machine fails none.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    retry: 0,
    allowOnly: false,
    // Files share a process because loading the service takes as long as many tests. vitest-each.ts undoes changes of
    // global state after each file.
    projects: [
      {
        extends: true,
        plugins: [recordStatements()],
        test: {
          name: 'service',
          include: [SERVICE_TESTS],
          globalSetup: './scripts/testing/vitest-databases.ts',
          isolate: false,
        },
      },
      project('pure', { include: [OTHER_TESTS], exclude: filesWithMocks, isolate: false }),
      project('mocking', { include: filesWithMocks, isolate: true }),
    ],
  },
});
