/** Reading and checking a large user file in the import page, compared with the same work in one task on the page's main thread. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { build } from 'vite';
import { reportAnswers, waitForResponses } from '../../e2e/support/actions.ts';
import { openAs } from '../../e2e/support/calls.ts';
import { ada } from '../../e2e/support/data/people.ts';
import { startService } from '../../e2e/support/service.ts';
import { findChromium } from '../../scripts/testing/browsers.ts';
import type { Bench } from '../bench.ts';

const ROWS = 150_000;
const HEADING = 'E-mail,First name,Last name,Status,License,Groups,Two-factor';
const PEER = 'peer';
const USERS_IMPORT = join(import.meta.dirname, '../../src/areas/users/import');

declare global {
  interface Window {
    /** Duration of the longest task of the page so far, in milliseconds. */
    longestTask?: number;
    peer?: (file: Blob) => Promise<unknown>;
  }
}

/** A row of the file: mostly new users, with quotes and accents; one in a hundred cannot be imported. */
const formatLine = (_: unknown, at: number): string =>
  at % 100 === 0
    ? `person${at},Ann,"Marsh, ${at}",perhaps,Platinum,Nowhere,maybe`
    : `person${at}@bench.example,Zo\u00eb,"O'Brien, ""${at}""",active,${at % 2 ? 'Standard' : 'Limited'},,no`;

const createFile = (): string => [HEADING, ...Array.from({ length: ROWS }, formatLine)].join('\r\n');

/** Bundles the reading and checking code as a script that runs on the calling thread. */
async function buildPeerScript(): Promise<string> {
  const output = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, target: 'es2024', rolldownOptions: { input: PEER, output: { format: 'iife' } } },
    plugins: [
      {
        name: PEER,
        resolveId: (id) => (id === PEER ? `\0${PEER}` : undefined),
        load: (id) =>
          id === `\0${PEER}`
            ? `import { createRowChecker } from '${join(USERS_IMPORT, 'row-checker.ts')}';
               import { guessMapping } from '${join(USERS_IMPORT, 'fields.ts')}';
               window.peer = async (file) => {
                 const rowChecker = createRowChecker();
                 const { headings } = await rowChecker.open(file, () => undefined);
                 return rowChecker.check({ mapping: guessMapping(headings), groups: [], options: { groups: 'add' }, missingCapabilities: {}, ownUserId: 0 });
               };`
            : undefined,
      },
    ],
  });
  const [first] = Array.isArray(output) ? output : [output];
  if (!first || !('output' in first)) throw new Error('The peer was not built');
  return first.output[0].code;
}

/** Records the duration of the longest task of the page. */
const observeLongTasks = (page: Page) =>
  page.evaluate(() => {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        window.longestTask = Math.max(window.longestTask ?? 0, duration);
    }).observe({ type: 'longtask' });
  });

// Browsers report only tasks longer than 50 ms.
const readLongestTask = (page: Page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return Math.max(50, window.longestTask ?? 0);
  });

interface CsvMeasurement {
  milliseconds: number;
  longest: number;
}

async function measureOurs(browser: Browser, url: string, file: string): Promise<CsvMeasurement> {
  const page = await browser.newPage({ baseURL: url });
  reportAnswers(page);
  await openAs(page, ada, '/users/import');
  const input = page.getByLabel('choose a file');
  await input.waitFor();
  await waitForResponses(page);
  await observeLongTasks(page);
  await page.evaluate(() => {
    document.addEventListener('change', () => performance.mark('chosen'), { once: true, capture: true });
  });
  await input.setInputFiles(file);
  const milliseconds = await page
    .waitForFunction(
      (rows) => {
        const shown = [...document.querySelectorAll('label')].some(({ textContent }) =>
          textContent.startsWith(rows),
        );
        return shown && performance.now() - (performance.getEntriesByName('chosen')[0]?.startTime ?? 0);
      },
      ROWS.toLocaleString('en-US'),
      { polling: 'raf', timeout: 120_000 },
    )
    .then((handle) => handle.jsonValue());
  const longest = await readLongestTask(page);
  await page.close();
  return { milliseconds: Number(milliseconds), longest };
}

async function measurePeer(browser: Browser, text: string): Promise<CsvMeasurement> {
  const page = await browser.newPage();
  await page.addScriptTag({ content: await buildPeerScript() });
  await observeLongTasks(page);
  const milliseconds = await page.evaluate(async (content) => {
    const file = new Blob([content]);
    // In a separate task, like an event handler of a page.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    await window.peer?.(file);
    return performance.now() - started;
  }, text);
  const longest = await readLongestTask(page);
  await page.close();
  return { milliseconds, longest };
}

export const csv: Bench = {
  name: 'CSV import, 150,000 rows read and checked',
  peerName: 'one go',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'steward-csv-'));
    const file = join(folder, 'people.csv');
    const text = createFile();
    await writeFile(file, text);
    const service = await startService({ sample: true, administrator: ada });
    const path = findChromium();
    const browser = await chromium.launch({
      ...(path !== undefined && { executablePath: path }),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      const ours = await measureOurs(browser, service.url, file);
      const theirs = await measurePeer(browser, text);
      const [time, task] = [ours.milliseconds, ours.longest];
      return [
        {
          name: 'file chosen to counts shown',
          ours: time,
          floor: theirs.milliseconds,
          unit: 'ms',
          maximum: 5000,
        },
        { name: 'longest task (50: none)', ours: task, floor: theirs.longest, unit: 'ms', maximum: 50 },
      ];
    } finally {
      await browser.close();
      await service.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
