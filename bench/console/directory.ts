/** The list of users in Chromium with a running service, compared with the same list in plain React. */
import type { Browser, Page } from '@playwright/test';
import { openAs } from '../../e2e/support/calls.ts';
import { ada } from '../../e2e/support/data/people.ts';
import { startService, type Service } from '../../e2e/support/service.ts';
import { type Bench, type Measure, percentile, sum } from '../bench.ts';
import { newBrowserContext, openBrowser } from '../browser/chromium.ts';
import { measureHeapMb } from '../browser/heap.ts';
import { waitForFirstRows } from '../browser/paint.ts';
import { buildPeer, servePeer } from '../browser/peer.ts';
import { chooseDatabase } from '../database.ts';
import { fillDirectory } from './directory/fill.ts';
import { measureKeystrokes, measureScrollTasks } from './directory/typing.ts';

const USERS = 100_000;
/** Reading a million users takes minutes. */
const LOAD_TIMEOUT_MS = 30 * 60_000;

interface DirectoryMeasurements {
  firstRows: number;
  allUsers: number;
  warmRows: number;
  warmAllUsers: number;
  keystrokes: readonly number[];
  longTasks: readonly number[];
  heap: { page: number; workers: number };
}

const waitForAllUsers = async (page: Page): Promise<number> => {
  await page.getByText(/^[\d,.]+ people · /).waitFor({ timeout: LOAD_TIMEOUT_MS });
  return page.evaluate(() => performance.now());
};

/** Opens the list in a new browser profile, then again, and measures typing and scrolling. */
async function measureDirectory(
  browser: Browser,
  service: Service,
  path: string,
  peerScript?: string,
): Promise<DirectoryMeasurements> {
  const context = await newBrowserContext(browser, service);
  try {
    if (peerScript !== undefined) await servePeer(context, peerScript);
    const first = await context.newPage();
    await openAs(first, ada, path);
    const cold = {
      firstRows: await waitForFirstRows(first, LOAD_TIMEOUT_MS),
      allUsers: await waitForAllUsers(first),
    };
    // The page does not show when the directory is stored; closing it earlier would lose it.
    await first.waitForTimeout(3000);
    await first.close();
    const page = await context.newPage();
    await page.goto(path);
    const warm = {
      warmRows: await waitForFirstRows(page, LOAD_TIMEOUT_MS),
      warmAllUsers: await waitForAllUsers(page),
    };
    // Keystrokes are measured when nothing else is running, which the page does not show.
    await page.waitForTimeout(2000);
    return {
      ...cold,
      ...warm,
      keystrokes: await measureKeystrokes(page),
      longTasks: await measureScrollTasks(page),
      heap: await measureHeapMb(page),
    };
  } finally {
    await context.close();
  }
}

/** The lines of the result, with the highest allowed value for 100,000 users. */
const LINES: readonly [
  name: string,
  unit: string,
  read: (results: DirectoryMeasurements) => number,
  limit?: number,
][] = [
  ['first page usable', 'ms', (results) => results.firstRows],
  ['all users, first start', 'ms', (results) => results.allUsers, 15_000],
  ['warm start to rows', 'ms', (results) => results.warmRows, 500],
  ['warm start to all users', 'ms', (results) => results.warmAllUsers],
  ['keystroke to painted rows, p50', 'ms', (results) => percentile(results.keystrokes, 0.5)],
  ['keystroke to painted rows, p95', 'ms', (results) => percentile(results.keystrokes, 0.95), 50],
  ['keystroke to painted rows, slowest', 'ms', (results) => percentile(results.keystrokes, 1)],
  ['keystrokes measured', '', (results) => results.keystrokes.length],
  ['long tasks while scrolling', '', (results) => results.longTasks.length, 0],
  ['long tasks while scrolling, total', 'ms', (results) => sum(results.longTasks)],
  ['heap of the worker', 'MB', (results) => results.heap.workers, 200],
  ['heap of the page', 'MB', (results) => results.heap.page],
];

export const directory: Bench = {
  name: 'Directory, in Chromium',
  peerName: 'plain React',
  async run({ users = USERS }): Promise<Measure[]> {
    await chooseDatabase('postgres');
    const service = await startService({ sample: false, administrator: ada });
    const browser = await openBrowser();
    try {
      await fillDirectory(service, users);
      const ours = await measureDirectory(browser, service, '/users');
      const peer = await measureDirectory(
        browser,
        service,
        '/peer',
        await buildPeer(import.meta.resolve('./directory/peer-page.ts')),
      ).catch((error: unknown) => {
        console.log(
          `  The plain React page failed: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
      return LINES.map(([name, unit, read, limit]) => ({
        name,
        unit,
        ours: read(ours),
        ...(peer && { floor: read(peer) }),
        ...(limit !== undefined && users === USERS && { maximum: limit }),
      }));
    } finally {
      await browser.close();
      await service.remove();
    }
  },
};
