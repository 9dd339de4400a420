/** Checks and cleanup after every test and test file, because several files share one process. */
import { appendFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, vi } from 'vitest';

declare global {
  /** Ids of SQL statements executed since the last report (executed-statements.ts). */
  var executedStatements: Set<string> | undefined;
}

globalThis.executedStatements ??= new Set();

/** Appends the statements executed since the last call to the report, if one is wanted. */
function reportStatements(): void {
  const file = process.env['STEWARD_EXECUTED_STATEMENTS'];
  const executed = globalThis.executedStatements;
  if (file === undefined || !executed || executed.size === 0) return;
  appendFileSync(file, `${[...executed].join('\n')}\n`);
  executed.clear();
}

const trustedCertificates = getCACertificates('default');
const prototypeKeyCount = Reflect.ownKeys(Object.prototype).length;

// Fails a test whose input polluted the prototype of all objects.
afterEach(() => {
  if (Reflect.ownKeys(Object.prototype).length !== prototypeKeyCount)
    throw new Error('Object.prototype was changed');
});

afterAll(() => {
  reportStatements();
  if (getCACertificates('default') !== trustedCertificates) setDefaultCACertificates(trustedCertificates);
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
