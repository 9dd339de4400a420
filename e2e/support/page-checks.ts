/** Checks that apply to every page and to everything that opens over one. */
import { expect, type Locator, type Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from './actions.ts';

export const VIEWPORT_WIDTHS = [1280, 390];
const VIEWPORT_HEIGHT = 800;

export const pageHeading = (page: Page): Locator => page.getByRole('heading', { level: 1 });

/** Expects that nothing on the page is wider than the window. */
async function expectFits(page: Page): Promise<void> {
  const getOverflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(getOverflow, `${page.url()} fits its width`).toBeLessThanOrEqual(0);
}

/** Expects that the current page fits its width and has no axe violations in either theme. */
export async function checkPage(page: Page): Promise<void> {
  await expectFits(page);
  await expectAccessibleInBothThemes(page);
}

/** Checks a page at the widths of a desktop and a phone without reloading. */
export async function checkPageAtWidths(page: Page): Promise<void> {
  for (const width of VIEWPORT_WIDTHS) {
    await page.setViewportSize({ width, height: VIEWPORT_HEIGHT });
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    await checkPage(page);
  }
}

/** Opens something over the page, checks it, and closes it with Escape. */
export async function checkOpened(
  page: Page,
  role: 'menu' | 'dialog' | 'alertdialog' | 'listbox',
  open: () => Promise<unknown>,
  how: (page: Page) => Promise<void> = checkPage,
): Promise<void> {
  await open();
  const opened = page.getByRole(role);
  await expect(opened.first()).toBeVisible();
  await how(page);
  await page.keyboard.press('Escape');
  await expect(opened).toHaveCount(0);
}
