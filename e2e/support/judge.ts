/** What holds of every page and of everything that opens over one. */
import { expect, type Locator, type Page } from '@playwright/test';
import { expectNoAxeInBothThemes } from './actions.ts';

export const WIDTHS = [1280, 390];
const HEIGHT = 800;

export const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 });

/** Nothing on the page is wider than the window. */
async function expectFits(page: Page): Promise<void> {
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(beyond, `${page.url()} fits its width`).toBeLessThanOrEqual(0);
}

/** The page fits as it is now, and axe finds nothing in either theme. */
export async function judge(page: Page): Promise<void> {
  await expectFits(page);
  await expectNoAxeInBothThemes(page);
}

/** The same on a screen and on a phone; one load is enough, for the page follows its window. */
export async function judgeWidths(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    await judge(page);
  }
}

/** Opens something over the page, judges it, and closes it. */
export async function judgeOpened(
  page: Page,
  role: 'menu' | 'dialog' | 'alertdialog' | 'listbox',
  open: () => Promise<unknown>,
  how: (page: Page) => Promise<void> = judge,
): Promise<void> {
  await open();
  const opened = page.getByRole(role);
  await expect(opened.first()).toBeVisible();
  await how(page);
  await page.keyboard.press('Escape');
  await expect(opened).toHaveCount(0);
}
