/**
 * Fails if a SQL statement of the service is not executed by any test: an unexecuted statement could name a column that
 * does not exist. Reads the report that the service tests write (scripts/testing/executed-statements.ts).
 */
import { existsSync, readFileSync } from 'node:fs';
import { findAllStatements } from './executed-statements.ts';
import { findCitusPrograms } from './postgres.ts';

/** Statements of this file can only be executed where Citus is installed (service/system-tests/cluster.test.ts). */
const CLUSTER_FILE = 'service/kernel/db/cluster.ts:';

const reportFile = process.argv[2] ?? 'test-results/statements.txt';
if (!existsSync(reportFile)) throw new Error(`There is no report ${reportFile}: run the service tests first`);
const executed = new Set(readFileSync(reportFile, 'utf8').split('\n'));
const hasCitus = findCitusPrograms() !== undefined;
if (!hasCitus) console.log('Citus is not installed: the statements of a cluster are not checked.');
const all = findAllStatements().filter((id) => hasCitus || !id.startsWith(CLUSTER_FILE));
const unexecuted = all.filter((id) => !executed.has(id));
if (unexecuted.length > 0) {
  console.error(`No test executes these SQL statements:\n  ${unexecuted.join('\n  ')}`);
  process.exitCode = 1;
} else console.log(`Tests execute all ${all.length} SQL statements and fragments of the service.`);
