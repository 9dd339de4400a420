/**
 * Visits every route at both widths and in both themes: no axe violations, nothing is cut off, the layout does not shift while the
 * page loads, and the window never scrolls, only the page in it does. A desktop follows links within the console; a phone loads each
 * page anew. What opens over pages is checked in accessibility.test.ts.
 */
import type { Page } from '@playwright/test';
import { isFirefox } from '../support/browsers/firefox.ts';
import { openAs } from '../support/calls.ts';
import { observeLayoutShifts, takeLayoutShifts } from '../support/checks/layout-shift.ts';
import {
  checkPage,
  expectFrameStays,
  followPath,
  pageHeading,
  setWidth,
  VIEWPORT_WIDTHS,
} from '../support/checks/page-checks.ts';
import { recordResult } from '../support/checks/quality.ts';
import { ada } from '../support/data/people.ts';
import {
  AREA_GROUPS,
  areParametersComplete,
  createParameters,
  fillPath,
  getPaths,
  isRoute,
  SIGNED_OUT_PATHS,
} from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** Most that the content of a page may move while it loads, as the sum of the browser's layout shifts. */
const MAX_LAYOUT_SHIFT = 0.02;

const [DESKTOP_WIDTH = 0, PHONE_WIDTH = 0] = VIEWPORT_WIDTHS;

/** Waits until the content of a page is there. */
async function waitForContent(page: Page): Promise<void> {
  await expect(pageHeading(page).or(page.getByRole('dialog')).first()).toBeVisible();
  await expect(page.locator('.skel').locator('visible=true')).toHaveCount(0);
}

/** Opens a second page of the same session as wide as a phone, with its layout shifts observed; Firefox does not report them. */
async function openPhone(page: Page): Promise<Page | undefined> {
  if (isFirefox(page)) return undefined;
  const phone = await page.context().newPage();
  await setWidth(phone, PHONE_WIDTH);
  await observeLayoutShifts(phone);
  return phone;
}

/** Expects that a page did not shift since its shifts were taken last, and returns their sum. */
async function expectNoShift(page: Page, name: string): Promise<number> {
  const { total, moved } = await takeLayoutShifts(page);
  expect.soft(total, `${name} shifts: ${moved.join('; ')}`).toBeLessThanOrEqual(MAX_LAYOUT_SHIFT);
  return Math.round(total * 10_000) / 10_000;
}

interface Visit {
  /** Path of the page in the report. */
  name: string;
  address: string;
  open: (address: string) => Promise<unknown>;
}

/**
 * Opens a page as wide as a desktop and checks it at both widths and in both themes. The phone loads the page before that, and its
 * shifts are read after it, so that late ones count without waiting for them.
 */
async function checkEverywhere(
  page: Page,
  phone: Page | undefined,
  { name, address, open }: Visit,
): Promise<void> {
  await phone?.goto(address);
  if (phone) await waitForContent(phone);
  await setWidth(page, DESKTOP_WIDTH);
  await takeLayoutShifts(page);
  const startedAt = performance.now();
  let readyMs: number | undefined;
  let layoutShift: number | undefined;
  let isAccessible = false;
  try {
    await open(address);
    await waitForContent(page);
    readyMs = Math.round(performance.now() - startedAt);
    await checkWidths(page, async () => {
      const onPhone = phone ? await expectNoShift(phone, `${name} at ${PHONE_WIDTH} px`) : 0;
      layoutShift = Math.max(onPhone, await expectNoShift(page, name));
    });
    isAccessible = true;
  } finally {
    recordResult({
      kind: 'page',
      path: name,
      isAccessible,
      ...(layoutShift !== undefined && { layoutShift }),
      ...(readyMs !== undefined && { readyMs }),
    });
  }
}

/** Checks the current page at both widths; `onDesktop` is called before the width of a desktop is left. */
async function checkWidths(page: Page, onDesktop: () => Promise<void>): Promise<void> {
  for (const width of VIEWPORT_WIDTHS) {
    await setWidth(page, width);
    await checkPage(page);
    if (width === DESKTOP_WIDTH) await onDesktop();
    if ((await page.getByRole('dialog').count()) === 0 && (await page.getByRole('banner').count()) > 0)
      await expectFrameStays(page);
  }
}

test('pages without a session', async ({ page, expectFailure }) => {
  expectFailure(400);
  await observeLayoutShifts(page);
  const phone = await openPhone(page);
  for (const path of SIGNED_OUT_PATHS)
    await checkEverywhere(page, phone, { name: path, address: path, open: (address) => page.goto(address) });
});

for (const names of AREA_GROUPS)
  test(`pages of ${names.map((name) => `/${name}`).join(' ')}`, async ({ page, pageErrors }) => {
    const paths = names.flatMap(getPaths);
    test.setTimeout(60_000 + paths.length * 15_000);
    const isComplete = areParametersComplete(names);
    if (!isComplete) pageErrors.allow(/^(400|404): (GET|POST)|does not exist|ServiceError/);
    await observeLayoutShifts(page);
    await openAs(page, ada);
    const created = await createParameters(page, paths);
    // Lists that the console has loaded do not contain what was created.
    if (created.size > 0) await page.reload();
    // Parts that still load would count as shifts of the first path.
    await waitForContent(page);
    const phone = await openPhone(page);
    for (const path of paths) {
      const address = fillPath(path, created);
      await checkEverywhere(page, phone, { name: path, address, open: (to) => followPath(page, to) });
      if (isComplete && isRoute(path))
        await expect(page.getByText(/(no longer exists|does not exist|not found)/i)).toHaveCount(0);
    }
  });
