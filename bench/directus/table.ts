/** The list of entries in Chromium beside the table of Directus: what it takes to its first rows, and to its last. */
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { openAs } from '../../e2e/support/calls.ts';
import { ada } from '../../e2e/support/people.ts';
import { type Measure, percentile } from '../bench.ts';
import { newVisitor, openBrowser } from '../browser/chromium.ts';
import { firstRows } from '../browser/watch.ts';
import type { Place } from '../entries/place.ts';
import { jump, prepare } from '../grid/in-page.ts';
import { content, showColumns } from './fill.ts';
import { ROW, toLastPage } from './in-page.ts';
import type { Directus } from './server.ts';

const ROUNDS = 10;
const PATIENCE = 60_000;

/** What somebody does in a list who has signed in. */
interface List {
  path: string;
  /** What is to be answered the first time. */
  settle?: (page: Page) => Promise<void>;
  /** Goes from the first rows to the last; the milliseconds until they are painted. */
  toEnd: (page: Page) => Promise<number>;
}

interface Seen {
  cold: number;
  warm: readonly number[];
  end: readonly number[];
}

/** Opens the list in a browser that has never seen it, then again and again, each time with a new document. */
async function visit(context: BrowserContext, { path, settle, toEnd }: List): Promise<Seen> {
  const page = await context.newPage();
  await page.goto(path);
  const cold = await firstRows(page, PATIENCE);
  await settle?.(page);
  const [warm, end]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    // A blank page in between makes every load a new document.
    await page.goto('about:blank');
    await page.goto(path);
    warm.push(await firstRows(page, PATIENCE));
    // A user reads the first rows before going on.
    await page.waitForTimeout(1000);
    end.push(await toEnd(page));
  }
  return { cold, warm, end };
}

async function ours(browser: Browser, { service, typeId }: Place): Promise<Seen> {
  const context = await newVisitor(browser, service);
  try {
    await context.addInitScript(prepare);
    const door = await context.newPage();
    await openAs(door, ada, '/healthz');
    await door.close();
    return await visit(context, {
      path: `/entries/${typeId}`,
      toEnd: (page) => page.evaluate(jump, { to: 1, patience: PATIENCE }),
    });
  } finally {
    await context.close();
  }
}

async function theirs(browser: Browser, directus: Directus): Promise<Seen> {
  const { url, administrator } = directus;
  const context = await newVisitor(browser, { url }, ROW);
  try {
    const data = { ...administrator, mode: 'session' };
    const answer = await context.request.post('/auth/login', { data });
    if (!answer.ok()) throw new Error(`Directus lets nobody in: ${answer.status()}`);
    return await visit(context, {
      path: content,
      // It asks for the key of a license, over the table.
      settle: (page) => page.getByRole('button', { name: 'Skip', exact: true }).click(),
      async toEnd(page) {
        await page.locator('.v-pagination .page button').last().waitFor({ timeout: PATIENCE });
        const kept = page.waitForResponse(
          (response) => response.url().includes('/presets') && response.request().method() !== 'GET',
        );
        const took = await page.evaluate(toLastPage, { row: ROW, patience: PATIENCE });
        await kept;
        await directus.forget();
        return took;
      },
    });
  } finally {
    await context.close();
  }
}

/** Both lists show all fields in the order of ids: ours by windows, Directus by pages of 25, as it does by default. */
export async function table(place: Place, directus: Directus): Promise<Measure[]> {
  const browser = await openBrowser();
  try {
    await showColumns(directus, place);
    const [mine, other] = [await ours(browser, place), await theirs(browser, directus)];
    const line = (name: string, read: (seen: Seen) => number): Measure => ({
      name,
      ours: read(mine),
      floor: read(other),
      unit: 'ms',
    });
    return [
      line('first rows of the list, the first time', ({ cold }) => cold),
      line('first rows of the list, once more, p50', ({ warm }) => percentile(warm, 0.5)),
      line('from there to the last rows, p50', ({ end }) => percentile(end, 0.5)),
      line('from there to the last rows, slowest', ({ end }) => percentile(end, 1)),
    ];
  } finally {
    await browser.close();
  }
}
