import type { Browser, BrowserContext, Page } from '@playwright/test';
import { openAs } from '../../../e2e/support/calls.ts';
import { ada } from '../../../e2e/support/data/people.ts';
import type { Service } from '../../../e2e/support/service.ts';
import { newBrowserContext } from '../../browser/chromium.ts';
import { measureHeapMb } from '../../browser/heap.ts';
import { waitForFirstRows, measureLongTasks } from '../../browser/paint.ts';
import { servePeer } from '../../browser/peer.ts';
import { measureJump, installProbes } from './in-page.ts';

/** A list to measure: filter and sort order. */
export interface ListQuery {
  name: string;
  query?: object;
  orderBy?: string;
  /** Number of measured jumps; lower for slow queries. */
  jumps: number;
}

/** A page that shows the grid. */
export interface GridPage {
  /** Path of the page with this query. */
  path: (query: ListQuery) => string;
  /** Script of the peer page; absent for our page. */
  script?: string;
}

/** Results of loading, jumping and scrolling; times in milliseconds, heap sizes in MB. */
interface GridMeasurements {
  cold: number;
  warm: number;
  /** Milliseconds from each jump to painted rows, by the name of the query. */
  jumps: ReadonlyMap<string, readonly number[]>;
  jumpRequests: number;
  frames: readonly number[];
  /** Pixels of the view without rows, per frame. */
  blank: readonly number[];
  longTasks: readonly number[];
  scrollRequests: number;
  rowsScrolled: number;
  heap: { first: number; jumped: number; scrolled: number };
}

const TIMEOUT_MS = 60_000;
/** Scroll distance of one wheel notch, and the pause between notches when scrolling fast. */
const WHEEL_NOTCH_PX = 120;
const WHEEL_PAUSE_MS = 30;
const SCROLL_MS = 8000;

/** Generates pseudo-random positions between 0 and 1, the same in each run, each at least 0.2 from the previous one. */
function* generatePositions(): Generator<number> {
  let [seed, last] = [42, 0];
  for (;;) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const position = 0.02 + 0.96 * (seed / 2 ** 31);
    if (Math.abs(position - last) < 0.2) continue;
    last = position;
    yield position;
  }
}

async function measureJumps(page: Page, count: number): Promise<number[]> {
  const times: number[] = [];
  for (const position of generatePositions()) {
    times.push(await page.evaluate(measureJump, { position, timeoutMs: TIMEOUT_MS }));
    // A user looks at the rows before the next jump.
    await page.waitForTimeout(150);
    if (times.length === count) break;
  }
  return times;
}

const readLastRowIndex = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('[role=grid] tbody tr[aria-rowindex]')].map((row) =>
        Number(row.ariaRowIndex),
      ),
    ),
  );

/** Turns the wheel for `SCROLL_MS` from the middle of the list. */
async function measureScrolling(
  page: Page,
): Promise<Pick<GridMeasurements, 'frames' | 'blank' | 'longTasks' | 'rowsScrolled'>> {
  await page.evaluate(measureJump, { position: 0.5, timeoutMs: TIMEOUT_MS });
  await page.mouse.move(600, 500);
  // Rows that the jump loads ahead are not part of the measurement of scrolling.
  await page.waitForTimeout(500);
  const before = await readLastRowIndex(page);
  const recording = await page.evaluateHandle(() => window.recordFrames?.());
  const tasks = await measureLongTasks(page, async () => {
    const until = performance.now() + SCROLL_MS;
    for (let turn = performance.now(); turn < until; turn += WHEEL_PAUSE_MS) {
      await page.mouse.wheel(0, WHEEL_NOTCH_PX);
      // Keeps the rhythm of the wheel, however long the notch took.
      await page.waitForTimeout(Math.max(0, turn + WHEEL_PAUSE_MS - performance.now()));
    }
  });
  const recorded = await recording.evaluate((stop) => stop?.() ?? { frames: [], blank: [] });
  return { ...recorded, longTasks: tasks, rowsScrolled: (await readLastRowIndex(page)) - before };
}

/** Counts the requests for rows during `work`. */
async function countRequests<Result>(
  page: Page,
  work: () => Promise<Result>,
): Promise<[result: Result, count: number]> {
  let count = 0;
  const handleRequest = (request: { url: () => string }) => {
    if (request.url().includes('/rows/query/')) count += 1;
  };
  page.on('request', handleRequest);
  try {
    return [await work(), count];
  } finally {
    page.off('request', handleRequest);
  }
}

async function measureInContext(
  context: BrowserContext,
  grid: GridPage,
  queries: readonly ListQuery[],
): Promise<GridMeasurements> {
  const [first, ...others] = queries;
  if (!first) throw new Error('No query');
  const coldPage = await context.newPage();
  await openAs(coldPage, ada, grid.path(first));
  const cold = await waitForFirstRows(coldPage, TIMEOUT_MS);
  await coldPage.close();
  const page = await context.newPage();
  await page.goto(grid.path(first));
  const warm = await waitForFirstRows(page, TIMEOUT_MS);
  const heap = async () => (await measureHeapMb(page)).page;
  const heapFirst = await heap();
  const [jumped, jumpRequests] = await countRequests(page, () => measureJumps(page, first.jumps));
  const afterJumps = await heap();
  const [scrolled, scrollRequests] = await countRequests(page, () => measureScrolling(page));
  const afterScroll = await heap();
  const times = new Map([[first.name, jumped]]);
  for (const query of others) {
    await page.goto(grid.path(query));
    await waitForFirstRows(page, TIMEOUT_MS);
    times.set(query.name, await measureJumps(page, query.jumps));
  }
  return {
    cold,
    warm,
    jumps: times,
    jumpRequests,
    ...scrolled,
    scrollRequests,
    heap: { first: heapFirst, jumped: afterJumps, scrolled: afterScroll },
  };
}

/** Opens the grid with an empty cache and with a warm one, then measures jumps and scrolling. */
export async function measureGridPage(
  browser: Browser,
  service: Pick<Service, 'url'>,
  grid: GridPage,
  queries: readonly ListQuery[],
): Promise<GridMeasurements> {
  const context = await newBrowserContext(browser, service);
  try {
    if (grid.script !== undefined) await servePeer(context, grid.script);
    await context.addInitScript(installProbes);
    return await measureInContext(context, grid, queries);
  } finally {
    await context.close();
  }
}
