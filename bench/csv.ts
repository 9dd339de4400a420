/** A large file of people in the real page, beside the same work on a page's own thread in one go. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { build } from 'vite';
import { enter } from '../e2e/support/calls.ts';
import { ada } from '../e2e/support/people.ts';
import { newService } from '../e2e/support/service.ts';
import { findChromium } from '../scripts/chromium.ts';
import type { Bench } from './bench.ts';

const ROWS = 150_000;
const HEADING = 'E-mail,First name,Last name,Status,License,Groups,Two-factor';
const PEER = 'peer';

declare global {
  interface Window {
    /** The longest task of the page so far, in milliseconds. */
    longestTask?: number;
    peer?: (bytes: Uint8Array) => unknown;
  }
}

/** Mostly new people, with quotes and accents; one row in a hundred cannot be imported. */
const line = (_: unknown, at: number): string =>
  at % 100 === 0
    ? `person${at},Ann,"Marsh, ${at}",perhaps,Platinum,Nowhere,maybe`
    : `person${at}@bench.example,Zo\u00eb,"O'Brien, ""${at}""",active,${at % 2 ? 'Standard' : 'Limited'},,no`;

const bigFile = (): string => [HEADING, ...Array.from({ length: ROWS }, line)].join('\r\n');

/** The same reading and checking as a script that does it where it is called. */
async function peerScript(): Promise<string> {
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
            ? `import { createDesk } from '${join(import.meta.dirname, '../src/import/desk.ts')}';
               import { guessMapping } from '${join(import.meta.dirname, '../src/import/fields.ts')}';
               window.peer = (bytes) => {
                 const desk = createDesk();
                 const { headings } = desk.open(bytes, () => undefined);
                 return desk.check({ mapping: guessMapping(headings), groups: [], choices: { groups: 'add' }, may: {}, me: 0 });
               };`
            : undefined,
      },
    ],
  });
  const [first] = Array.isArray(output) ? output : [output];
  if (!first || !('output' in first)) throw new Error('The peer was not built');
  return first.output[0].code;
}

/** Notes how long the longest task of this page was. */
const watchTasks = (page: Page) =>
  page.evaluate(() => {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        window.longestTask = Math.max(window.longestTask ?? 0, duration);
    }).observe({ type: 'longtask' });
  });

// Tasks under 50 ms are not reported: they are within what nobody feels.
const longestTask = (page: Page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return Math.max(50, window.longestTask ?? 0);
  });

interface Measured {
  milliseconds: number;
  longest: number;
}

async function ours(browser: Browser, url: string, file: string): Promise<Measured> {
  const page = await browser.newPage({ baseURL: url });
  await enter(page, ada, '/users/import');
  const input = page.getByLabel('choose a file');
  await input.waitFor();
  await page.waitForLoadState('networkidle');
  await watchTasks(page);
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
  const longest = await longestTask(page);
  await page.close();
  return { milliseconds: Number(milliseconds), longest };
}

async function peer(browser: Browser, text: string): Promise<Measured> {
  const page = await browser.newPage();
  await page.addScriptTag({ content: await peerScript() });
  await watchTasks(page);
  const milliseconds = await page.evaluate(async (content) => {
    const bytes = new TextEncoder().encode(content);
    // Its own task, as a page's handler would be.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    window.peer?.(bytes);
    return performance.now() - started;
  }, text);
  const longest = await longestTask(page);
  await page.close();
  return { milliseconds, longest };
}

export const csv: Bench = {
  name: 'CSV import, 150,000 rows read and checked',
  beside: 'one go',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'steward-csv-'));
    const file = join(folder, 'people.csv');
    const text = bigFile();
    await writeFile(file, text);
    const service = await newService({ sample: true, administrator: ada });
    const path = findChromium();
    const browser = await chromium.launch({
      ...(path !== undefined && { executablePath: path }),
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
    try {
      const mine = await ours(browser, service.url, file);
      const theirs = await peer(browser, text);
      const [time, task] = [mine.milliseconds, mine.longest];
      return [
        { name: 'until the numbers stand', ours: time, floor: theirs.milliseconds, unit: 'ms', limit: 5000 },
        { name: 'longest task (50: none)', ours: task, floor: theirs.longest, unit: 'ms', limit: 50 },
      ];
    } finally {
      await browser.close();
      await service.remove();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
