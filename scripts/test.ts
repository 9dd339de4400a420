/** `npm test`: every check and every test, one after the other; a failure hides none of the later ones. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { ensureChromium } from './chromium.ts';
import { startPostgres } from './postgres.ts';

interface Count {
  passed: number;
  failed: number;
  /** Of those passed, how many needed a second try. */
  second?: number;
}

interface Step {
  name: string;
  /** A script of package.json, or a command line. */
  run: readonly string[];
  env?: Record<string, string>;
  /** Reads how many tests passed and failed; without it the step counts as one. */
  count?: () => Count;
}

const REPORTS = 'test-results';

const UnitReport = z.object({ numPassedTests: z.number(), numFailedTests: z.number() });
const BrowserReport = z.object({
  stats: z.object({ expected: z.number(), unexpected: z.number(), flaky: z.number() }),
});

function report<T>(file: string, shape: z.ZodType<T>): T {
  return shape.parse(JSON.parse(readFileSync(`${REPORTS}/${file}`, 'utf8')));
}

function unitCount(): Count {
  const { numPassedTests, numFailedTests } = report('unit.json', UnitReport);
  return { passed: numPassedTests, failed: numFailedTests };
}

function browserCount(file: string): Count {
  const { stats } = report(file, BrowserReport);
  return { passed: stats.expected + stats.flaky, failed: stats.unexpected, second: stats.flaky };
}

const script = (name: string): Step => ({ name, run: ['npm', 'run', '--silent', name] });
const tool = (name: string, file: string): Step => ({ name, run: [process.execPath, file] });

function browserTests(database: 'embedded' | 'postgres'): Step {
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
    count: () => browserCount(file),
  };
}

const STEPS: readonly Step[] = [
  script('format:check'),
  tool('generated code is current', 'scripts/generated-current.ts'),
  script('check'),
  script('lint:code'),
  script('lint:laws'),
  script('lint:unused'),
  script('lint:contract'),
  script('build'),
  tool('bundle budget', 'scripts/budget.ts'),
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
    count: unitCount,
  },
  browserTests('embedded'),
  browserTests('postgres'),
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

/** A suite that fell over without a failing test (a file that does not load, no test at all) counts as a failure. */
function counted(step: Step, code: number): Count {
  const whole = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  if (!step.count) return whole;
  try {
    const count = step.count();
    return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
  } catch {
    return { passed: 0, failed: 1 };
  }
}

async function main(): Promise<Count> {
  rmSync(REPORTS, { recursive: true, force: true });
  mkdirSync(REPORTS, { recursive: true });
  const total: Count = { passed: 0, failed: 0 };
  const summary: string[] = [];
  for (const step of STEPS) {
    console.log(`\n── ${step.name}`);
    const started = performance.now();
    const { passed, failed, second = 0 } = counted(step, await execute(step));
    const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    total.passed += passed;
    total.failed += failed;
    summary.push(
      `${failed > 0 ? 'FAILED' : 'ok    '} ${step.name.padEnd(42)} ${seconds.padStart(8)}  ${passed} passed, ${failed} failed${second > 0 ? `, ${second} at the second try` : ''}`,
    );
    console.log(summary.at(-1));
  }
  console.log(`\n${summary.join('\n')}`);
  return total;
}

/** Brings what the tests need: a browser and, unless one is given, a PostgreSQL. */
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
