import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const SERVICE = 'service/**/*.test.ts';
const OTHERS = '{contract,src,scripts,bench}/**/*.test.ts';

/** Files that put other modules in the place of real ones: what they load must reach no other file. */
const replacing = globSync(OTHERS).filter((file) => readFileSync(file, 'utf8').includes('vi.mock('));

const project = (name: string, test: { include: string[]; exclude?: string[]; isolate: boolean }) => ({
  extends: true as const,
  test: { name, ...test },
});

export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: './scripts/vitest-each.ts',
    // Two files at a time: an embedded database takes some 300 MB, and PostgreSQL works beside them.
    pool: 'forks',
    maxWorkers: 2,
    // Far above what any test takes: a machine that is busy with something else fails none.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A test that passes only at the second try is a failing test.
    retry: 0,
    allowOnly: false,
    // Two processes run one file after the other: to load the service anew for each takes as long as many of the tests.
    // What a file changes in its process, vitest-each.ts takes back.
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: [SERVICE],
          globalSetup: './scripts/vitest-databases.ts',
          isolate: false,
        },
      },
      project('pure', { include: [OTHERS], exclude: replacing, isolate: false }),
      project('replacing', { include: replacing, isolate: true }),
    ],
  },
});
