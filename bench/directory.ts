/** The list of users in a real browser over a real service, beside the same list written plainly. */
import type { Browser, Page } from '@playwright/test';
import { enter } from '../e2e/support/calls.ts';
import { ada } from '../e2e/support/people.ts';
import { newService, type Service } from '../e2e/support/service.ts';
import { type Bench, type Measure, share, sum } from './bench.ts';
import { chooseDatabase } from './database.ts';
import { newVisitor, openBrowser } from './browser/chromium.ts';
import { heapOf } from './browser/heap.ts';
import { buildPeer, servePeer } from './browser/peer.ts';
import { firstRows } from './browser/watch.ts';
import { fill } from './directory/fill.ts';
import { keystrokes, scrollTasks } from './directory/typing.ts';

const USERS = 100_000;
/** Reading a million takes minutes. */
const PATIENCE = 30 * 60_000;

interface Seen {
  firstRows: number;
  everybody: number;
  warmRows: number;
  warmEverybody: number;
  keystrokes: readonly number[];
  longTasks: readonly number[];
  heap: { page: number; workers: number };
}

const everybody = async (page: Page): Promise<number> => {
  await page.getByText(/^[\d,.]+ people · /).waitFor({ timeout: PATIENCE });
  return page.evaluate(() => performance.now());
};

/** Opens the list in a browser that has never seen it, then once more, and uses it. */
async function look(browser: Browser, service: Service, path: string, peer?: string): Promise<Seen> {
  const context = await newVisitor(browser, service);
  try {
    if (peer !== undefined) await servePeer(context, peer);
    const first = await context.newPage();
    await enter(first, ada, path);
    const cold = { firstRows: await firstRows(first, PATIENCE), everybody: await everybody(first) };
    // What was read is still being written down.
    await first.waitForTimeout(3000);
    await first.close();
    const page = await context.newPage();
    await page.goto(path);
    const warm = { warmRows: await firstRows(page, PATIENCE), warmEverybody: await everybody(page) };
    // Keystrokes are timed when nothing else is under way.
    await page.waitForTimeout(2000);
    return {
      ...cold,
      ...warm,
      keystrokes: await keystrokes(page),
      longTasks: await scrollTasks(page),
      heap: await heapOf(page),
    };
  } finally {
    await context.close();
  }
}

/** What each line reads from both, and what it may be at 100,000 people. */
const LINES: readonly [name: string, unit: string, read: (seen: Seen) => number, limit?: number][] = [
  ['first page usable', 'ms', (seen) => seen.firstRows],
  ['everybody, the first time', 'ms', (seen) => seen.everybody, 15_000],
  ['warm start to rows', 'ms', (seen) => seen.warmRows, 500],
  ['warm start to everybody', 'ms', (seen) => seen.warmEverybody],
  ['keystroke to painted rows, p50', 'ms', (seen) => share(seen.keystrokes, 0.5)],
  ['keystroke to painted rows, p95', 'ms', (seen) => share(seen.keystrokes, 0.95), 50],
  ['keystroke to painted rows, slowest', 'ms', (seen) => share(seen.keystrokes, 1)],
  ['keystrokes measured', '', (seen) => seen.keystrokes.length],
  ['long tasks while scrolling', '', (seen) => seen.longTasks.length, 0],
  ['long tasks while scrolling, together', 'ms', (seen) => sum(seen.longTasks)],
  ['heap of the worker', 'MB', (seen) => seen.heap.workers, 200],
  ['heap of the page', 'MB', (seen) => seen.heap.page],
];

export const directory: Bench = {
  name: 'Directory, in Chromium',
  beside: 'plain React',
  async run({ users = USERS }): Promise<Measure[]> {
    await chooseDatabase('postgres');
    const service = await newService({ sample: false, administrator: ada });
    const browser = await openBrowser();
    try {
      await fill(service, users);
      const ours = await look(browser, service, '/users');
      const peer = await look(
        browser,
        service,
        '/peer',
        await buildPeer(import.meta.resolve('./directory/peer-page.ts')),
      ).catch((error: unknown) => {
        console.log(`  plain React did not do it: ${error instanceof Error ? error.message : String(error)}`);
      });
      return LINES.map(([name, unit, read, limit]) => ({
        name,
        unit,
        ours: read(ours),
        ...(peer && { floor: read(peer) }),
        ...(limit !== undefined && users === USERS && { limit }),
      }));
    } finally {
      await browser.close();
      await service.remove();
    }
  },
};
