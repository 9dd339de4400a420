/**
 * `npm run proof`: runs the long form of the suites that prove docs/security.md, and those of its faults that have one form only.
 * Arguments go to vitest. After a whole run without a failure it remembers the commit, which `npm run release` compares.
 */
import { spawnSync } from 'node:child_process';
import { recordProof } from './release/proof-record.ts';

/** Ends of the paths of the test files. */
export const PROOF_TESTS: readonly string[] = [
  '/crash.test.ts',
  'faults.test.ts',
  '/conformance.test.ts',
  // One form, the same as in npm test.
  'races.test.ts',
  'isolation.test.ts',
  'service/kernel/db/fsync.test.ts',
  'service/kernel/db/limits.test.ts',
  'service/kernel/db/pglite/folder-lock.test.ts',
  'service/kernel/mail/mail-worker.test.ts',
  'service/areas/entries/files/full-disk.test.ts',
  'service/kernel/db/budget.test.ts',
  'service/system-tests/failing-disk.test.ts',
  'service/system-tests/heavy-bodies.test.ts',
  'service/system-tests/sockets.test.ts',
  'service/system-tests/unavailable-database.test.ts',
  'service/system-tests/access-matrix.test.ts',
  'service/system-tests/failover.test.ts',
  'service/system-tests/fuzz.test.ts',
  'service/system-tests/rolling-restart.test.ts',
  'service/system-tests/stop.test.ts',
];

if (import.meta.main) {
  const more = process.argv.slice(2);
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...PROOF_TESTS, ...more],
    {
      stdio: 'inherit',
      env: { STEWARD_FUZZ: '75000', ...process.env, STEWARD_PROOF: '1' },
    },
  );
  if (status === 0 && more.length === 0) recordProof();
  process.exitCode = status ?? 1;
}
