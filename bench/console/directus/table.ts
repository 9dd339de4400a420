/** Time to the first rows and to the last rows of the list of entries in Chromium, compared with the table of Directus. */
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { openAs } from '../../../e2e/support/calls.ts';
import { ada } from '../../../e2e/support/data/people.ts';
import { type Measure, percentile } from '../../bench.ts';
import { newBrowserContext, openBrowser } from '../../browser/chromium.ts';
import { waitForFirstRows } from '../../browser/paint.ts';
import type { EntryService } from '../../entries/entry-service.ts';
import { measureJump, installProbes } from '../grid/in-page.ts';
import { TABLE_PATH, createDefaultPreset } from './fill.ts';
import { ROW_SELECTOR, measureLastPage } from './in-page.ts';
import type { Directus } from './server.ts';

const RELOADS = 10;
const TIMEOUT_MS = 60_000;

/** A list opened by a signed-in user. */
interface ListPage {
  path: string;
  /** Dismisses a dialog shown on the first visit. */
  dismissPrompt?: (page: Page) => Promise<void>;
  /** Goes from the first rows to the last; returns the milliseconds until they are painted. */
  measureLastRows: (page: Page) => Promise<number>;
}

/** Times in milliseconds. */
interface ListTimings {
  /** First rows with an empty cache. */
  cold: number;
  /** First rows of each reload. */
  warm: readonly number[];
  /** From the first rows to the last rows, of each reload. */
  end: readonly number[];
}

/** Opens the list with an empty cache, then `RELOADS` times, each time in a new document. */
async function measureList(
  context: BrowserContext,
  { path, dismissPrompt: settle, measureLastRows: toEnd }: ListPage,
): Promise<ListTimings> {
  const page = await context.newPage();
  await page.goto(path);
  const cold = await waitForFirstRows(page, TIMEOUT_MS);
  await settle?.(page);
  const [warm, end]: [number[], number[]] = [[], []];
  for (let round = 0; round < RELOADS; round += 1) {
    // A blank page in between makes every load a new document.
    await page.goto('about:blank');
    await page.goto(path);
    warm.push(await waitForFirstRows(page, TIMEOUT_MS));
    // A user reads the first rows before going on.
    await page.waitForTimeout(1000);
    end.push(await toEnd(page));
  }
  return { cold, warm, end };
}

async function measureOurList(browser: Browser, { service, typeId }: EntryService): Promise<ListTimings> {
  const context = await newBrowserContext(browser, service);
  try {
    await context.addInitScript(installProbes);
    const signInPage = await context.newPage();
    await openAs(signInPage, ada, '/healthz');
    await signInPage.close();
    return await measureList(context, {
      path: `/entries/${typeId}`,
      measureLastRows: (page) => page.evaluate(measureJump, { position: 1, timeoutMs: TIMEOUT_MS }),
    });
  } finally {
    await context.close();
  }
}

async function measureDirectusTable(browser: Browser, directus: Directus): Promise<ListTimings> {
  const { url, administrator } = directus;
  const context = await newBrowserContext(browser, { url }, ROW_SELECTOR);
  try {
    const data = { ...administrator, mode: 'session' };
    const answer = await context.request.post('/auth/login', { data });
    if (!answer.ok()) throw new Error(`The sign-in to Directus failed: ${answer.status()}`);
    return await measureList(context, {
      path: TABLE_PATH,
      // Directus asks for a license key in a dialog over the table.
      dismissPrompt: (page) => page.getByRole('button', { name: 'Skip', exact: true }).click(),
      async measureLastRows(page) {
        await page.locator('.v-pagination .page button').last().waitFor({ timeout: TIMEOUT_MS });
        const presetSaved = page.waitForResponse(
          (response) => response.url().includes('/presets') && response.request().method() !== 'GET',
        );
        const durationMs = await page.evaluate(measureLastPage, {
          rowSelector: ROW_SELECTOR,
          timeoutMs: TIMEOUT_MS,
        });
        await presetSaved;
        await directus.deleteUserPresets();
        return durationMs;
      },
    });
  } finally {
    await context.close();
  }
}

/** Both lists show all fields, sorted by id. Our list reads windows of rows, Directus pages of 25, its default. */
export async function measureTables(entryService: EntryService, directus: Directus): Promise<Measure[]> {
  const browser = await openBrowser();
  try {
    await createDefaultPreset(directus, entryService);
    const [ours, theirs] = [
      await measureOurList(browser, entryService),
      await measureDirectusTable(browser, directus),
    ];
    const toMeasure = (name: string, read: (timings: ListTimings) => number): Measure => ({
      name,
      ours: read(ours),
      floor: read(theirs),
      unit: 'ms',
    });
    return [
      toMeasure('first rows of the list, empty cache', ({ cold }) => cold),
      toMeasure('first rows of the list, warm cache, p50', ({ warm }) => percentile(warm, 0.5)),
      toMeasure('first rows to last rows, p50', ({ end }) => percentile(end, 0.5)),
      toMeasure('first rows to last rows, slowest', ({ end }) => percentile(end, 1)),
    ];
  } finally {
    await browser.close();
  }
}
