import type { Page } from '@playwright/test';
import {
  chooseMenuItem,
  expectAccessible,
  expectRow,
  expectToast,
  fillForm,
  openFilter,
} from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const grid = (page: Page) => page.getByRole('grid', { name: 'Users' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search users' });
const header = (page: Page, name: string) => grid(page).getByRole('columnheader', { name, exact: true });

/** Visible names in order. */
const names = (page: Page) => grid(page).getByRole('rowheader').allInnerTexts();

async function filter(page: Page, name: string, ...values: string[]): Promise<void> {
  const options = await openFilter(page, name);
  for (const value of values) await options.getByRole('checkbox', { name: value }).click();
  await page.keyboard.press('Escape');
  await expect(options).toBeHidden();
}

test('finds users by name, e-mail and id and keeps the search in the URL', async ({ page, calls }) => {
  const first = await calls.createUser({ firstName: 'Zéphyrine', lastName: 'Abelard' });
  await calls.createUser({ firstName: 'Zéphyrine', lastName: 'Bellweather', isActive: false });
  await openAs(page, ada, '/users');
  await search(page).fill('zephyr');
  await expectRow(grid(page), {
    Name: first.name,
    'E-mail': first.email,
    Status: 'Active',
    License: 'Standard',
  });
  await expect(grid(page).getByRole('row')).toHaveCount(3);
  await expect(page).toHaveURL('/users?q=zephyr');
  await search(page).fill(first.email.slice(0, -3));
  await expect(grid(page).getByRole('row')).toHaveCount(2);
  await search(page).fill('');
  await page.getByRole('button', { name: 'Ways to search' }).click();
  const ways = page.getByRole('dialog', { name: 'Ways to search' });
  await expectAccessible(page);
  await ways.getByRole('button', { name: 'id:42' }).click();
  await expect(ways).toBeHidden();
  await expect(search(page)).toBeFocused();
  await page.keyboard.type(String(first.id));
  await expect(search(page)).toHaveValue(`id:${first.id}`);
  await expectRow(grid(page), { Name: first.name });
  await expect(grid(page).getByRole('row')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(search(page)).toHaveValue('');
  await expect(page).toHaveURL('/users');
});

test('offers to clear filters when nothing is found', async ({ page }) => {
  await openAs(page, ada, '/users?q=nobody+of+this+name&license=4');
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('region', { name: 'Users', exact: true })).toBeFocused();
  await expect(page).toHaveURL('/users');
  await expect(grid(page).getByRole('row').nth(5)).toBeVisible();
});

test('shows when people were last active, without scrolling sideways', async ({ page }) => {
  await openAs(page, ada, '/users');
  await expect(header(page, 'Last active')).toBeInViewport({ ratio: 1 });
  const scroller = page.locator('.tbl-scroll');
  expect(await scroller.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
});

test('columns that an earlier version hid stay hidden', async ({ page }) => {
  await openAs(page, ada, '/groups');
  await page.evaluate(() =>
    localStorage.setItem('steward-users-hidden', 'id-timeZone-created-lastActive-groups'),
  );
  await page.goto('/users');
  await expect(header(page, 'Changed')).toBeVisible();
  await expect(header(page, 'Groups')).toHaveCount(0);
  await chooseMenuItem(page, 'Columns', 'Groups');
  await expect(header(page, 'Groups')).toBeVisible();
  // The choice of today counts, also without the parameter of the address.
  await page.goto('/users');
  await expect(header(page, 'Changed')).toBeVisible();
  await expect(header(page, 'Groups')).toBeVisible();
});

test('keeps filters, order and columns in the URL across reload and Back', async ({ page }) => {
  await openAs(page, ada, '/users');
  await chooseMenuItem(page, 'Columns', 'Changed');
  // From here on the column is the choice of the browser, and not of the address.
  await page.goto('/users');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^4\d\d|5\d\d$/);
  await filter(page, 'License', 'No License', 'Limited');
  await expect(page).toHaveURL('/users?license=4-2');
  await filter(page, 'Two-factor', 'On');
  await expect(page).toHaveURL('/users?license=4-2&twoFactor=on');
  await header(page, 'Changed').getByRole('button').click();
  await header(page, 'Changed').getByRole('button').click();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'descending');
  await chooseMenuItem(page, 'Columns', 'Groups');
  await page.keyboard.press('Escape');
  await expect(header(page, 'Groups')).toHaveCount(0);
  await expect(page).toHaveURL(/sort=-modified/);

  const before = await names(page);
  expect(before.length).toBeGreaterThan(3);
  await page.reload();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'descending');
  await expect(header(page, 'Groups')).toHaveCount(0);
  expect(await names(page)).toEqual(before);
  await expect(page.getByRole('button', { name: /^License is Limited or No License/ })).toBeVisible();

  await grid(page).getByRole('rowheader').nth(1).getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
  await page.goBack();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'descending');
  expect(await names(page)).toEqual(before);
  // Hiding columns adds no history entry.
  await page.goBack();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'ascending');
  await expect(header(page, 'Groups')).toHaveCount(0);

  // The same filter as text, and a clause removed by keyboard, which leaves the focus in the sentence.
  await page.getByRole('button', { name: 'Filter as text' }).click();
  const query = page.getByRole('textbox', { name: 'Query' });
  await expect(query).toHaveValue(/^license=4-2\ntwoFactor=on\nsort=modified/);
  await query.fill((await query.inputValue()).replace('twoFactor=on', 'twoFactor'));
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('“twoFactor” must have the form name=value')).toBeVisible();
  await query.fill((await query.inputValue()).replace('twoFactor', 'twoFactor=on\nchanged=90'));
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL(/changed=90/);
  await page.getByRole('button', { name: 'Clear Changed filter' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Add filter' })).toBeFocused();
});

test('ignores invalid search parameters', async ({ page }) => {
  await openAs(page, ada, '/users?license=9&sort=nonsense&status=%00&hide=name&changed=5');
  await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'ascending');
  await expect(grid(page).getByRole('row').nth(5)).toBeVisible();
});

test('remembers the row height', async ({ page }) => {
  await openAs(page, ada, '/users');
  const row = grid(page).getByRole('row').nth(2);
  await expect(row).toBeVisible();
  const regular = (await row.boundingBox())?.height ?? 0;
  await chooseMenuItem(page, 'Row height', 'Compact');
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await row.boundingBox())?.height).toBeLessThan(regular);
  await page.reload();
  await expect.poll(async () => (await row.boundingBox())?.height).toBeLessThan(regular);
});

test('saves filters and columns as a view, shares it, and opens with it by default', async ({ page }) => {
  await openAs(page, ada, '/users?license=2');
  const views = page.getByRole('button', { name: 'Views', exact: true });
  const choose = async (button: RegExp | string, action: string) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Views' })
      .getByRole('button', { name: action, exact: true })
      .click();
  };
  await expect(views).toBeVisible();
  await chooseMenuItem(page, 'Columns', 'Order and width');
  const card = page.getByRole('dialog', { name: 'Order and width of columns' });
  await card.getByRole('button', { name: 'Move Status up' }).click();
  await card.getByRole('button', { name: 'Widen Status' }).click();
  await page.keyboard.press('Escape');
  await expect(grid(page).getByRole('columnheader').nth(2)).toHaveText('Status');

  await choose('Views', 'Save as new view');
  await fillForm(page.getByRole('dialog', { name: 'Save as new view' }), {
    Name: 'Limited people',
    'Share with everyone who can open this page': true,
  });
  await page.getByRole('button', { name: 'Save view', exact: true }).click();
  await expectToast(page, 'Limited people was saved');
  const open = page.getByRole('button', { name: 'Limited people', exact: true });
  await expect(open).toBeFocused();
  await choose('Limited people', 'Make default');
  await expectToast(page, 'This page opens with Limited people');
  await expectAccessible(page);

  // Another tab, without anything in its address or memory, opens with filters and columns of the view.
  await page.evaluate(() => localStorage.removeItem('steward-table-users'));
  await page.goto('/users');
  await expect(page).toHaveURL(/\/users\?license=2/);
  await expect(grid(page).getByRole('columnheader').nth(2)).toHaveText('Status');
  await filter(page, 'License', 'Standard');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expectToast(page, 'Limited people was saved');
  await choose('Limited people', 'Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete view' }).click();
  await expectToast(page, 'Limited people was deleted');
  await page.goto('/users');
  await expect(views).toBeVisible();
  await expect(page).toHaveURL('/users');

  // A short list has the same: its address, hidden columns, their order and the row height are one view.
  await page.goto('/proxies/reports');
  const reports = page.getByRole('grid', { name: 'Reports' });
  const headers = reports.getByRole('columnheader');
  await expect(headers.nth(1)).toHaveText('Reason');
  const height = (await reports.getByRole('row').nth(1).boundingBox())?.height ?? 0;
  await chooseMenuItem(page, 'Columns', 'Source');
  await page.keyboard.press('Escape');
  await chooseMenuItem(page, 'Columns', 'Order and width');
  await page
    .getByRole('dialog', { name: 'Order and width of columns' })
    .getByRole('button', { name: 'Move Started up' })
    .press('Enter');
  await page.keyboard.press('Escape');
  await chooseMenuItem(page, 'Row height', 'Compact');
  await page.keyboard.press('Escape');
  await choose('Views', 'Save as new view');
  await fillForm(page.getByRole('dialog', { name: 'Save as new view' }), { Name: 'When' });
  await page.getByRole('button', { name: 'Save view', exact: true }).click();
  await expectToast(page, 'When was saved');
  await choose('When', 'Make default');
  await expectToast(page, 'This page opens with When');
  await expectAccessible(page);
  await page.evaluate(() => {
    for (const kept of ['table', 'hidden']) localStorage.removeItem(`steward-${kept}-actingReports`);
  });
  await page.goto('/proxies/reports');
  await expect(page.getByRole('button', { name: 'When', exact: true })).toBeVisible();
  await expect(headers.nth(1)).toHaveText('Started');
  await expect(reports.getByRole('columnheader', { name: 'Source' })).toBeHidden();
  await expect
    .poll(async () => (await reports.getByRole('row').nth(1).boundingBox())?.height ?? 0)
    .toBeLessThan(height);
  // Other lists keep their own.
  await page.goto('/groups');
  await expect(views).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Groups' }).getByRole('columnheader').nth(1)).toHaveText(
    'Description',
  );
});
