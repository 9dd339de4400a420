import type { Page } from '@playwright/test';
import { choose, expectNoAxe, expectRow } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const grid = (page: Page) => page.getByRole('grid', { name: 'Users' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search users' });
const header = (page: Page, name: string) => grid(page).getByRole('columnheader', { name, exact: true });

/** The names that are on screen, in their order. */
const names = (page: Page) => grid(page).getByRole('rowheader').allInnerTexts();

/** Some filters are folded behind one chip until they are on. */
async function rareFilter(page: Page, name: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'More filters' }).click();
  const options = page.getByRole('dialog', { name: 'More filters' });
  await options.getByRole('group', { name }).getByRole('checkbox', { name: value }).click();
  await page.keyboard.press('Escape');
  await expect(options).toBeHidden();
  await expect(page.getByRole('button', { name: new RegExp(`^${name}: ${value}`) })).toBeVisible();
}

async function filter(page: Page, name: string, ...values: string[]): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^${name}.* filter$`) })
    .first()
    .click();
  const options = page.getByRole('dialog', { name: `${name} filter` });
  for (const value of values) await options.getByRole('checkbox', { name: value }).click();
  await page.keyboard.press('Escape');
  await expect(options).toBeHidden();
}

test('finds people by name, e-mail and id, and says so in the address', async ({ page, calls }) => {
  const first = await calls.makeUser({ firstName: 'Zéphyrine', lastName: 'Abelard' });
  await calls.makeUser({ firstName: 'Zéphyrine', lastName: 'Bellweather', isActive: false });
  await enter(page, ada, '/users');
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
  await search(page).fill(`id:${first.id}`);
  await expectRow(grid(page), { Name: first.name });
  await expect(grid(page).getByRole('row')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await expect(search(page)).toHaveValue('');
  await expect(page).toHaveURL('/users');
});

test('nothing found offers the way back', async ({ page }) => {
  await enter(page, ada, '/users?q=nobody+of+this+name&license=4');
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await expectNoAxe(page);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/users');
  await expect(grid(page).getByRole('row').nth(5)).toBeVisible();
});

test('filters, order and columns stand in the address and come back with reload and Back', async ({
  page,
}) => {
  await enter(page, ada, '/users');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^4\d\d|5\d\d$/);
  await filter(page, 'License', 'No License', 'Limited');
  await expect(page).toHaveURL('/users?license=4-2');
  await rareFilter(page, 'Two-factor', 'On');
  await expect(page).toHaveURL('/users?license=4-2&twoFactor=on');
  await header(page, 'Changed').getByRole('button').click();
  await header(page, 'Changed').getByRole('button').click();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'descending');
  await choose(page, 'Columns', 'Groups');
  await page.keyboard.press('Escape');
  await expect(header(page, 'Groups')).toHaveCount(0);
  await expect(page).toHaveURL(/sort=-modified/);

  const before = await names(page);
  expect(before.length).toBeGreaterThan(3);
  await page.reload();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'descending');
  await expect(header(page, 'Groups')).toHaveCount(0);
  expect(await names(page)).toEqual(before);
  await expect(page.getByRole('button', { name: /^License: Limited, No License/ })).toBeVisible();

  await grid(page).getByRole('rowheader').nth(1).getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
  await page.goBack();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'descending');
  expect(await names(page)).toEqual(before);
  // Which columns one sees is no step to take back.
  await page.goBack();
  await expect(header(page, 'Changed')).toHaveAttribute('aria-sort', 'ascending');
  await expect(header(page, 'Groups')).toHaveCount(0);
});

test('what nobody could have meant in an address is passed over', async ({ page }) => {
  await enter(page, ada, '/users?license=9&sort=nonsense&status=%00&hide=name&changed=5');
  await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'ascending');
  await expect(grid(page).getByRole('row').nth(5)).toBeVisible();
});

test('row height is chosen once and kept', async ({ page }) => {
  await enter(page, ada, '/users');
  const row = grid(page).getByRole('row').nth(2);
  await expect(row).toBeVisible();
  const regular = (await row.boundingBox())?.height ?? 0;
  await choose(page, 'Row height', 'Compact');
  await page.keyboard.press('Escape');
  await expect.poll(async () => (await row.boundingBox())?.height).toBeLessThan(regular);
  await page.reload();
  await expect.poll(async () => (await row.boundingBox())?.height).toBeLessThan(regular);
});
