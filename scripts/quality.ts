/**
 * Runs the walk over all pages and the keyboard journeys, then the walk and the main journeys in Firefox, and writes their results to
 * docs/quality/results.json, which the next build shows on the quality page. Results are written even if checks fail: the
 * page shows the failures. Arguments go to both runs of Playwright.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from '@playwright/test';
import type { QualityResult } from '../e2e/support/checks/quality.ts';
import { CONSOLE_SOURCES, hashFiles } from './source-hash.ts';
import { ensureFirefox, findChromium, readFirefoxVersion } from './testing/browsers.ts';

const RESULTS = 'docs/quality/results.json';
const CHROMIUM_TESTS = [
  'node_modules/@playwright/test/cli.js',
  'test',
  'e2e/app/pages.test.ts',
  'e2e/app/keyboard.test.ts',
];
const FIREFOX_TESTS = ['scripts/testing/test-firefox.ts'];

/** The last result of each page and journey: a repeated check replaces the first one. */
function readResults(file: string): QualityResult[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const results = lines.map((line) => JSON.parse(line) as QualityResult);
  return [
    ...new Map(
      results.map((one) => [`${one.kind} ${one.kind === 'page' ? one.path : one.name}`, one]),
    ).values(),
  ];
}

/** Runs tests and returns their results, pages by path. */
function runTests(folder: string, command: readonly string[]) {
  const file = join(folder, 'results.jsonl');
  writeFileSync(file, '');
  const { status } = spawnSync(process.execPath, [...command, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, STEWARD_QUALITY_FILE: file },
  });
  if (status !== 0) process.exitCode = status ?? 1;
  const results = readResults(file);
  return {
    pages: results
      .flatMap(({ kind, ...page }) => (kind === 'page' && 'path' in page ? [page] : []))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    keyboard: results.flatMap(({ kind, ...journey }) =>
      kind === 'keyboard' && 'name' in journey ? [journey] : [],
    ),
    journeys: results.flatMap(({ kind, ...journey }) =>
      kind === 'journey' && 'name' in journey ? [journey] : [],
    ),
  };
}

async function readChromiumVersion(): Promise<string> {
  const executablePath = process.env['STEWARD_CHROMIUM'] ?? findChromium();
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const version = browser.version();
  await browser.close();
  return `Chromium ${version}`;
}

/** Results of Firefox, where axe, shifts and times are not measured; undefined where no Firefox can be had. */
function checkFirefox(folder: string) {
  const path = ensureFirefox();
  if (path === undefined) return undefined;
  const { pages, journeys } = runTests(folder, FIREFOX_TESTS);
  return {
    browser: readFirefoxVersion(path),
    pages: pages.map(({ path: page, isAccessible }) => ({ path: page, passed: isAccessible })),
    journeys,
  };
}

// Before the checks: what is changed meanwhile was not checked.
const sources = hashFiles(CONSOLE_SOURCES);
const folder = mkdtempSync(join(tmpdir(), 'steward-quality-'));
try {
  const { pages, keyboard } = runTests(folder, CHROMIUM_TESTS);
  if (pages.length + keyboard.length === 0) throw new Error('No check was run');
  const firefox = checkFirefox(folder);
  const report = {
    measuredAt: new Date().toISOString(),
    // The release compares them (scripts/release/quality-results.ts).
    sources,
    browser: await readChromiumVersion(),
    pages,
    keyboard,
    ...(firefox && { firefox }),
  };
  mkdirSync(dirname(RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(report, null, 2)}\n`);
  console.log(
    `${RESULTS}: ${pages.length} pages, ${keyboard.length} keyboard journeys; ` +
      (firefox
        ? `in Firefox ${firefox.pages.length} pages, ${firefox.journeys.length} journeys`
        : 'no Firefox here'),
  );
} finally {
  rmSync(folder, { recursive: true });
}
