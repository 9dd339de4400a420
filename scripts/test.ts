/** `npm test`: runs all checks and tests one after the other; a failure does not skip later ones. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { ensureChromium } from './chromium.ts';
import { startReport } from './executed-statements.ts';
import { startPostgres } from './postgres.ts';

interface TestCount {
  passed: number;
  failed: number;
  /** Passed tests that needed a retry. */
  flaky?: number;
}

interface Step {
  name: string;
  /** A script of package.json, or a command line. */
  run: readonly string[];
  env?: Record<string, string>;
  /** Reads the number of passed and failed tests; without it the step counts as one test. */
  count?: () => TestCount;
}

const REPORTS = 'test-results';

const UnitReport = z.object({ numPassedTests: z.number(), numFailedTests: z.number() });
const BrowserReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
});

function readReport<T>(file: string, shape: z.ZodType<T>): T {
  return shape.parse(JSON.parse(readFileSync(`${REPORTS}/${file}`, 'utf8')));
}

function countUnitTests(): TestCount {
  const { numPassedTests, numFailedTests } = readReport('unit.json', UnitReport);
  return { passed: numPassedTests, failed: numFailedTests };
}

function countBrowserTests(file: string): TestCount {
  const { stats } = readReport(file, BrowserReport);
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, flaky: stats.flaky };
}

const createScriptStep = (name: string): Step => ({ name, run: ['npm', 'run', '--silent', name] });
const createToolStep = (name: string, file: string): Step => ({ name, run: [process.execPath, file] });

function createBrowserStep(database: 'embedded' | 'postgres'): Step {
  const file = `e2e-${database}.json`;
  return {
    name: `browser tests, ${database} database`,
    run: [
      process.execPath,
      'node_modules/@playwright/test/cli.js',
      'test',
      '--reporter=list,json',
      '--output',
      `${REPORTS}/${database}`,
    ],
    env: { STEWARD_E2E_DATABASE: database, PLAYWRIGHT_JSON_OUTPUT_FILE: `${REPORTS}/${file}` },
    count: () => countBrowserTests(file),
  };
}

const STEPS: readonly Step[] = [
  createScriptStep('format:check'),
  createToolStep('generated code is current', 'scripts/check-generated.ts'),
  createScriptStep('check'),
  createScriptStep('lint:code'),
  createScriptStep('lint:imports'),
  createScriptStep('lint:unused'),
  createScriptStep('lint:contract'),
  createScriptStep('build'),
  createToolStep('bundle budget', 'scripts/bundle-budget.ts'),
  {
    name: 'unit and service tests, both databases',
    run: [
      process.execPath,
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${REPORTS}/unit.json`,
    ],
    env: startReport(`${REPORTS}/statements.txt`),
    count: countUnitTests,
  },
  createToolStep('tests execute every SQL statement', 'scripts/check-statements.ts'),
  createBrowserStep('embedded'),
  createBrowserStep('postgres'),
];

function execute({ run, env }: Step): Promise<number> {
  const [command = '', ...args] = run;
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    shell: process.platform === 'win32' && command === 'npm',
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** A suite that failed without a failing test (such as a file that does not load) counts as one failure. */
function countResults(step: Step, code: number): TestCount {
  if (!step.count) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  try {
    const count = step.count();
    return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
  } catch {
    return { passed: 0, failed: 1 };
  }
}

async function main(): Promise<TestCount> {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });
  const total: TestCount = { passed: 0, failed: 0 };
  const summary: string[] = [];
  for (const step of STEPS) {
    console.log(`\n── ${step.name}`);
    const startedAt = performance.now();
    const { passed, failed, flaky = 0 } = countResults(step, await execute(step));
    const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    total.passed += passed;
    total.failed += failed;
    summary.push(
      `${failed > 0 ? 'FAILED' : 'ok    '} ${step.name.padEnd(42)} ${seconds.padStart(8)}  ${passed} passed, ${failed} failed${flaky > 0 ? `, ${flaky} flaky` : ''}`,
    );
    console.log(summary.at(-1));
  }
  console.log(`\n${summary.join('\n')}`);
  return total;
}

/** Provides a browser and, unless TEST_DATABASE_URL is set, a PostgreSQL cluster. @returns a function that stops the cluster */
async function prepare(): Promise<() => Promise<void>> {
  process.env['STEWARD_CHROMIUM'] = ensureChromium();
  if (process.env['TEST_DATABASE_URL']) return async () => {};
  const cluster = await startPostgres();
  process.env['TEST_DATABASE_URL'] = cluster.url;
  return () => cluster.stop();
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const release = await prepare();
const { passed, failed } = await main();
await release();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
