/** `npm test`: runs the static checks together, then the tests one after the other; a failure does not skip later ones. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import pLimit from 'p-limit';
import { z } from 'zod';
import { findImageBuilder } from './release/image.ts';
import { ensureChromium } from './testing/browsers.ts';
import { startReport } from './testing/executed-statements.ts';
import { keepTemporaryFilesInMemory } from './testing/memory-folder.ts';
import { ensureNginx } from './testing/nginx.ts';
import { startPostgres } from './testing/postgres.ts';

interface TestCount {
  passed: number;
  failed: number;
  /** Passed tests that needed a retry. */
  flaky?: number;
  /** The failed and flaky tests, a line each: file, name and the first line of the error. */
  problems?: readonly string[];
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

const UnitReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
/** A file or a `describe` of a report of Playwright. */
const Suite = z.object({
  specs: z.array(
    z.object({
      file: z.string(),
      line: z.number(),
      title: z.string(),
      tests: z.array(
        z.object({
          status: z.string(),
          results: z.array(z.object({ errors: z.array(z.object({ message: z.string().optional() })) })),
        }),
      ),
    }),
  ),
  get suites() {
    return z.array(Suite).optional();
  },
});
const BrowserReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
  suites: z.array(Suite),
});

function readReport<T>(file: string, shape: z.ZodType<T>): T {
  return shape.parse(JSON.parse(readFileSync(`${REPORTS}/${file}`, 'utf8')));
}

function formatProblem(label: string, test: string, message = ''): string {
  const [firstLine = ''] = stripVTControlCharacters(message).trim().split('\n');
  return `${label} ${test}: ${firstLine}`;
}

function countUnitTests(): TestCount {
  const { numPassedTests, numFailedTests, testResults } = readReport('unit.json', UnitReport);
  const problems = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative('.', name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [formatProblem('failed', file, message)];
    return failed.map(({ fullName, failureMessages }) =>
      formatProblem('failed', `${file} › ${fullName}`, failureMessages?.[0]),
    );
  });
  return { passed: numPassedTests, failed: numFailedTests, problems };
}

const listSpecs = (suite: z.infer<typeof Suite>): z.infer<typeof Suite>['specs'] => [
  ...suite.specs,
  ...(suite.suites ?? []).flatMap(listSpecs),
];

function countBrowserTests(file: string): TestCount {
  const { stats, suites } = readReport(file, BrowserReport);
  const problems = suites
    .flatMap(listSpecs)
    .flatMap((spec) =>
      spec.tests
        .filter(({ status }) => status === 'unexpected' || status === 'flaky')
        .map(({ status, results }) =>
          formatProblem(
            status === 'flaky' ? 'flaky' : 'failed',
            `e2e/${spec.file}:${spec.line} › ${spec.title}`,
            results.flatMap(({ errors }) => errors)[0]?.message,
          ),
        ),
    );
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, flaky: stats.flaky, problems };
}

const createScriptStep = (name: string, ...args: string[]): Step => ({
  name,
  run: ['npm', 'run', '--silent', name, ...args],
});
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

const TSC = 'node_modules/@typescript/native/bin/tsc';

/** Checks that run on one core each and do not depend on each other. */
const STATIC_CHECKS: readonly Step[] = [
  { name: 'types of the console', run: [process.execPath, TSC, '-p', '.'] },
  ...['service', 'e2e', 'scripts'].map((folder) => ({
    name: `types of ${folder}`,
    run: [process.execPath, TSC, '-p', folder],
  })),
  createScriptStep('lint:code'),
  createScriptStep('build'),
  createScriptStep('lint:imports'),
  createToolStep('generated code is current', 'scripts/check-generated.ts'),
  createScriptStep('lint:unused'),
  createScriptStep('lint:contract'),
  createScriptStep('format:check'),
];

const STEPS: readonly Step[] = [
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
  createToolStep('tests execute every SQL statement', 'scripts/testing/check-statements.ts'),
  createBrowserStep('embedded'),
  createBrowserStep('postgres'),
  // Takes minutes and builds for Linux: left out where the image could not be built from the archive.
  ...(process.env['CI'] && process.platform === 'linux' && findImageBuilder()
    ? // What is known about packages changes from day to day, and a test must not.
      [createScriptStep('release', '--', '--unreviewed')]
    : []),
];

/** Runs a step. With `quiet`, its output is printed as a whole at its end, so that those of several steps do not mix. */
function execute({ name, run, env }: Step, quiet: boolean): Promise<number> {
  const [command = '', ...args] = run;
  const title = `\n── ${name}`;
  const child = spawn(command, args, {
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (!quiet) console.log(title);
  const output = [title];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => output.push(text.trimEnd()));
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => {
      if (quiet) console.log(output.join('\n'));
      resolve(code ?? 1);
    });
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

/** Runs a step and prints its result. */
async function runStep(step: Step, quiet: boolean): Promise<{ line: string; count: TestCount }> {
  const startedAt = performance.now();
  const count = countResults(step, await execute(step, quiet));
  const { passed, failed, flaky = 0 } = count;
  const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const line = `${failed > 0 ? 'FAILED' : 'ok    '} ${step.name.padEnd(42)} ${seconds.padStart(8)}  ${passed} passed, ${failed} failed${flaky > 0 ? `, ${flaky} flaky` : ''}`;
  console.log(line);
  return { line, count };
}

async function main(): Promise<TestCount> {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });
  const limit = pLimit(availableParallelism());
  const results = await limit.map(STATIC_CHECKS, (step) => runStep(step, true));
  for (const step of STEPS) results.push(await runStep(step, false));
  const problems = results.flatMap(({ count }) => count.problems ?? []);
  console.log(['', ...results.map(({ line }) => line), ...problems].join('\n'));
  const sum = (property: 'passed' | 'failed') =>
    results.reduce((total, { count }) => total + count[property], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

/** Provides a browser, nginx if it can be had and, unless TEST_DATABASE_URL is set, a PostgreSQL cluster. @returns a function that stops the cluster */
async function prepare(): Promise<() => Promise<void>> {
  keepTemporaryFilesInMemory();
  process.env['STEWARD_CHROMIUM'] = ensureChromium();
  // Before the tests, of which several would install it at the same time.
  ensureNginx();
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
