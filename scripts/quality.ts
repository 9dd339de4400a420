/**
 * Runs the walk over all pages and the keyboard journeys, and writes their results to docs/quality/results.json, which
 * the next build shows on the quality page. Results are written even if checks fail: the page shows the failures.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from '@playwright/test';
import type { QualityResult } from '../e2e/support/quality.ts';
import { findChromium } from './browsers.ts';

const RESULTS = 'docs/quality/results.json';
const TESTS = ['e2e/app/pages.test.ts', 'e2e/app/keyboard.test.ts'];

/** The last result of each page and journey: a repeated check replaces the first one. */
function readResults(file: string): QualityResult[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const results = lines.map((line) => JSON.parse(line) as QualityResult);
  return [...new Map(results.map((one) => [one.kind === 'page' ? one.path : one.name, one])).values()];
}

async function readBrowserVersion(): Promise<string> {
  const executablePath = process.env['STEWARD_CHROMIUM'] ?? findChromium();
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const version = browser.version();
  await browser.close();
  return `Chromium ${version}`;
}

const folder = mkdtempSync(join(tmpdir(), 'steward-quality-'));
const file = join(folder, 'results.jsonl');
try {
  writeFileSync(file, '');
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@playwright/test/cli.js', 'test', ...TESTS, ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, STEWARD_QUALITY_FILE: file } },
  );
  const results = readResults(file);
  if (results.length === 0) throw new Error('No check was run');
  const pages = results
    .flatMap(({ kind, ...page }) => (kind === 'page' && 'path' in page ? [page] : []))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const keyboard = results.flatMap(({ kind, ...journey }) =>
    kind === 'keyboard' && 'name' in journey ? [journey] : [],
  );
  const report = {
    measuredAt: new Date().toISOString(),
    browser: await readBrowserVersion(),
    pages,
    keyboard,
  };
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`${RESULTS}: ${pages.length} pages, ${keyboard.length} keyboard journeys`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
