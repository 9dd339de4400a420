/** Page objects of bulk changes: selection bar, dry run, jobs. */
import { expect, type Locator, type Page } from '@playwright/test';

export const usersGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Users' });
export const selectionBar = (page: Page): Locator => page.getByRole('region', { name: 'Selection' });
export const jobTray = (page: Page): Locator => page.getByRole('region', { name: 'Jobs' });

/** Waits for the dry run dialog with the title. */
export async function waitForDryRun(page: Page, title: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name: title });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Selects one matching user, then all. */
export async function selectAll(page: Page, number: number): Promise<void> {
  await expect(usersGrid(page)).toHaveAttribute('aria-rowcount', String(number + 1));
  await usersGrid(page).getByRole('checkbox').nth(1).check();
  if (number > 1)
    await selectionBar(page)
      .getByRole('button', { name: `Select all ${number}` })
      .click();
  await expect(selectionBar(page)).toContainText(`${number} selected`);
}

/** Chooses an item from the menu of the selection bar. */
export async function chooseBulkAction(page: Page, item: string): Promise<void> {
  await selectionBar(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Chooses an item from the menu of the job with the title. */
export async function chooseJobAction(page: Page, title: string, item: string): Promise<void> {
  await jobTray(page)
    .getByRole('button', { name: `More about ${title}` })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}
