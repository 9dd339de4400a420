import type { Browser, BrowserContext, Page } from '@playwright/test';
import { openAs } from '../../e2e/support/calls.ts';
import { ada } from '../../e2e/support/people.ts';
import type { Service } from '../../e2e/support/service.ts';
import { newVisitor } from '../browser/chromium.ts';
import { heapOf } from '../browser/heap.ts';
import { servePeer } from '../browser/peer.ts';
import { firstRows, longTasks } from '../browser/watch.ts';
import { jump, prepare } from './in-page.ts';

/** What is asked for besides the place in the list. */
export interface Question {
  name: string;
  query?: object;
  orderBy?: string;
  /** So many jumps; a question that costs seconds is asked less often. */
  jumps: number;
}

/** How a page of the grid is opened. */
export interface Grid {
  /** The address that asks this. */
  path: (question: Question) => string;
  /** The script of the peer, if it is its page. */
  script?: string;
}

/** What somebody sees who jumps and scrolls. */
interface Seen {
  cold: number;
  warm: number;
  /** Milliseconds to the rows of a place, by the name of the question. */
  jumps: ReadonlyMap<string, readonly number[]>;
  jumpRequests: number;
  frames: readonly number[];
  /** Pixels of the view without rows, in each frame. */
  blank: readonly number[];
  longTasks: readonly number[];
  scrollRequests: number;
  rowsScrolled: number;
  heap: { first: number; jumped: number; scrolled: number };
}

const PATIENCE = 60_000;
/** A notch of a wheel, and the milliseconds to the next one of somebody in a hurry. */
const NOTCH = 120;
const PAUSE = 30;
const SCROLL_MS = 8000;

/** Places all over the list, the same for everybody, none near the one before. */
function* places(): Generator<number> {
  let [seed, last] = [42, 0];
  for (;;) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    const place = 0.02 + 0.96 * (seed / 2 ** 31);
    if (Math.abs(place - last) < 0.2) continue;
    last = place;
    yield place;
  }
}

async function jumps(page: Page, wanted: number): Promise<number[]> {
  const times: number[] = [];
  for (const to of places()) {
    times.push(await page.evaluate(jump, { to, patience: PATIENCE }));
    // A user looks at the rows before the next jump.
    await page.waitForTimeout(150);
    if (times.length === wanted) break;
  }
  return times;
}

const lastRow = (page: Page): Promise<number> =>
  page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('[role=grid] tbody tr[aria-rowindex]')].map((row) =>
        Number(row.ariaRowIndex),
      ),
    ),
  );

/** Turns the wheel for some seconds from the middle of the list. */
async function scroll(page: Page): Promise<Pick<Seen, 'frames' | 'blank' | 'longTasks' | 'rowsScrolled'>> {
  await page.evaluate(jump, { to: 0.5, patience: PATIENCE });
  await page.mouse.move(600, 500);
  // Rows that the jump loads ahead are not part of the measurement of scrolling.
  await page.waitForTimeout(500);
  const before = await lastRow(page);
  const noted = await page.evaluateHandle(() => window.noteFrames?.());
  const tasks = await longTasks(page, async () => {
    const until = performance.now() + SCROLL_MS;
    for (let turn = performance.now(); turn < until; turn += PAUSE) {
      await page.mouse.wheel(0, NOTCH);
      // Keeps the rhythm of the wheel, however long the notch took.
      await page.waitForTimeout(Math.max(0, turn + PAUSE - performance.now()));
    }
  });
  const seen = await noted.evaluate((end) => end?.() ?? { frames: [], blank: [] });
  return { ...seen, longTasks: tasks, rowsScrolled: (await lastRow(page)) - before };
}

/** How many windows of rows the page asks for while something is done. */
async function requests<Done>(page: Page, work: () => Promise<Done>): Promise<[done: Done, asked: number]> {
  let asked = 0;
  const note = (request: { url: () => string }) => {
    if (request.url().includes('/rows/query/')) asked += 1;
  };
  page.on('request', note);
  try {
    return [await work(), asked];
  } finally {
    page.off('request', note);
  }
}

async function visit(context: BrowserContext, grid: Grid, questions: readonly Question[]): Promise<Seen> {
  const [plain, ...others] = questions;
  if (!plain) throw new Error('Nothing is asked');
  const opened = await context.newPage();
  await openAs(opened, ada, grid.path(plain));
  const cold = await firstRows(opened, PATIENCE);
  await opened.close();
  const page = await context.newPage();
  await page.goto(grid.path(plain));
  const warm = await firstRows(page, PATIENCE);
  const heap = async () => (await heapOf(page)).page;
  const first = await heap();
  const [jumped, jumpRequests] = await requests(page, () => jumps(page, plain.jumps));
  const afterJumps = await heap();
  const [scrolled, scrollRequests] = await requests(page, () => scroll(page));
  const afterScroll = await heap();
  const times = new Map([[plain.name, jumped]]);
  for (const question of others) {
    await page.goto(grid.path(question));
    await firstRows(page, PATIENCE);
    times.set(question.name, await jumps(page, question.jumps));
  }
  return {
    cold,
    warm,
    jumps: times,
    jumpRequests,
    ...scrolled,
    scrollRequests,
    heap: { first, jumped: afterJumps, scrolled: afterScroll },
  };
}

/** Opens the grid in a browser that has never seen it, then once more, and uses it. */
export async function look(
  browser: Browser,
  service: Pick<Service, 'url'>,
  grid: Grid,
  questions: readonly Question[],
): Promise<Seen> {
  const context = await newVisitor(browser, service);
  try {
    if (grid.script !== undefined) await servePeer(context, grid.script);
    await context.addInitScript(prepare);
    return await visit(context, grid, questions);
  } finally {
    await context.close();
  }
}
