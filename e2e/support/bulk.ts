/** The bulk bar, its dry run and its jobs. */
import { readFile } from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';

export const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Users' });
export const bar = (page: Page): Locator => page.getByRole('region', { name: 'Selection' });
export const jobs = (page: Page): Locator => page.getByRole('region', { name: 'Jobs' });

/** The dry run with this title, once everybody has been read again. */
export async function dryRun(page: Page, title: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Selects one who matches, then all of them. */
export async function selectAll(page: Page, number: number): Promise<void> {
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(number + 1));
  await grid(page).getByRole('checkbox').nth(1).check();
  if (number > 1)
    await bar(page)
      .getByRole('button', { name: `Select all ${number}` })
      .click();
  await expect(bar(page)).toContainText(`${number} selected`);
}

/** Chooses from the menu of the bar. */
export async function more(page: Page, item: string): Promise<void> {
  await bar(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Chooses from the menu of the job with this title. */
export async function moreOfJob(page: Page, title: string, item: string): Promise<void> {
  await jobs(page)
    .getByRole('button', { name: `More about ${title}` })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** What the page hands to the browser as a file while `act` runs. */
export async function downloaded(
  page: Page,
  act: () => Promise<void>,
): Promise<{ name: string; path: string; text: string }> {
  const coming = page.waitForEvent('download');
  await act();
  const download = await coming;
  const path = await download.path();
  return { name: download.suggestedFilename(), path, text: await readFile(path, 'utf8') };
}
