/** Page objects of bulk changes: selection bar, dry run, jobs of the service. */
import { expect, type Locator, type Page } from '@playwright/test';

export const usersGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Users' });
export const selectionBar = (page: Page): Locator => page.getByRole('region', { name: 'Selection' });

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

/** Waits until a message announces the end of a job: `Deactivate 4 people: finished`, `Deactivated 1 person`. */
export async function waitForJob(page: Page, message: string): Promise<void> {
  const messages = page.getByRole('region', { name: 'Messages' });
  await expect(messages.getByText(message, { exact: true }).last()).toBeVisible();
}

/** Opens the popover of the job center. */
export async function openJobs(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Jobs/ }).click();
  const jobs = page.getByRole('dialog', { name: 'Jobs' });
  await expect(jobs).toBeVisible();
  return jobs;
}

/** Opens the page of a job that ended today from the popover. */
export async function openJob(page: Page, title: string): Promise<Locator> {
  await (await openJobs(page)).getByRole('link', { name: title }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
  return page.getByRole('list', { name: 'Outcomes' });
}

/** Undoes a job that ended today from the popover, and waits for the end of the undo. */
export async function undoJob(page: Page, title: string, message: string): Promise<void> {
  await (await openJobs(page)).getByRole('button', { name: `Undo: ${title}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
  await waitForJob(page, message);
}
