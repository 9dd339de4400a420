import type { Locator, Page } from '@playwright/test';
import type { UserLicenseInfoResponse } from '../../contract/generated/types.gen.ts';
import { expectNoAxe, expectNoAxeInBothThemes, expectToast } from '../support/actions.ts';
import { type Calls, enter } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({
  installation: { sample: true, administrator: ada },
});

const grid = (page: Page) => page.getByRole('grid', { name: 'Licenses' });
const license = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^License of ${RegExp.escape(name)}: `) });

/** The number of a tile. */
const tile = (page: Page, label: string): Locator =>
  page
    .getByRole('main')
    .getByRole('term')
    .filter({ hasText: new RegExp(`^${RegExp.escape(label)}$`) })
    .locator('xpath=following-sibling::dd/strong');

const licensesOf = (calls: Calls, isBillable: boolean) =>
  calls.call<UserLicenseInfoResponse[]>('GET', `/userLicenses?isBillable=${isBillable}&pageSize=1000`);

const give = (calls: Calls, userId: number, licenseTypeId: number) =>
  calls.call('PUT', '/userLicense', { userId, licenseTypeId });

const licenseOf = async (calls: Calls, userId: number) =>
  (await calls.call<UserLicenseInfoResponse>('GET', `/userLicense/${userId}`)).description;

/** Opens the list with one person in it. */
async function find(page: Page, name: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search people' }).fill(`"${name}"`);
  await expect(grid(page).getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/q=/);
}

test('tiles, chart and table agree with the lists of the service', async ({ page, calls }) => {
  const billable = await licensesOf(calls, true);
  const others = await licensesOf(calls, false);
  const held = (id: number) => [...billable, ...others].filter((one) => one.licenseTypeId === id).length;
  await enter(page, ada, '/licenses');
  await expect(tile(page, 'Billable')).toHaveText(String(billable.length));
  for (const [id, name] of [
    [1, 'Standard'],
    [2, 'Limited'],
    [3, 'Free/Complimentary'],
    [4, 'No License'],
  ] as const)
    await expect(tile(page, name)).toHaveText(String(held(id)));

  await page.getByText('Show as table').click();
  const today = page.getByRole('region', { name: 'Licenses by day, table' }).getByRole('row').nth(1);
  await expect(today.getByRole('cell')).toHaveText(
    [billable.length, held(1), held(2), held(3), held(4)].map(String),
  );
  await expect(page.locator('.chart canvas')).toBeVisible();
  await expectNoAxeInBothThemes(page);
});

test('the chart is read day by day with the keyboard, and goes back as far as the address says', async ({
  page,
}) => {
  await enter(page, ada, '/licenses');
  const day = page.getByRole('slider', { name: 'Day of Licenses by day' });
  await expect(page.locator('.chart canvas')).toBeVisible();
  await page.getByRole('radio', { name: '90 days' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL('/licenses?range=30');
  await expect(day).toHaveAttribute('max', '30');
  await page.keyboard.press('Tab');
  await expect(day).toBeFocused();
  const last = await day.getAttribute('aria-valuetext');
  await page.keyboard.press('ArrowLeft');
  await expect(day).not.toHaveAttribute('aria-valuetext', last ?? '');
  await expect(day).toHaveAttribute('aria-valuetext', /Billable \d+, Standard \d+/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(32);
  await page.goBack();
  await expect(page.getByRole('radio', { name: '90 days' })).toBeChecked();
});

test('a license is changed in its row; the tiles follow, and the chart with them', async ({
  page,
  calls,
}) => {
  const person = await calls.makeUser({ firstName: 'Marguerite', lastName: 'Inline' });
  const before = (await licensesOf(calls, true)).length;
  await enter(page, ada, '/licenses');
  await find(page, person.name);
  await expect(tile(page, 'Billable')).toHaveText(String(before));
  await license(page, person.name).click();
  const free = page.getByRole('menuitem', { name: /^Free\/Complimentary/ });
  await expect(free).toContainText(`−1 billable: ${before - 1} after this, ${before} now`);
  await expectNoAxeInBothThemes(page);
  await free.click();
  await expectToast(page, `${person.name} has Free/Complimentary`);
  await expect(tile(page, 'Billable')).toHaveText(String(before - 1));
  await expect(license(page, person.name)).toHaveText('Free/Complimentary');
  expect(await licenseOf(calls, person.id)).toBe('Free/Complimentary');
  await expect(page.locator('.chart-legend')).toContainText(`Billable ${before - 1}`);
});

test('a license is changed by keyboard', async ({ page, calls }) => {
  const person = await calls.makeUser({ firstName: 'Marguerite', lastName: 'Bykeys' });
  await enter(page, ada, '/licenses');
  await find(page, person.name);
  await grid(page).getByRole('row', { name: person.name }).focus();
  await license(page, person.name).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: /^Limited/ })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expectToast(page, `${person.name} has Free/Complimentary`);
  expect(await licenseOf(calls, person.id)).toBe('Free/Complimentary');
});

test('No License asks first; who turns back changes nothing', async ({ page, calls }) => {
  const person = await calls.makeUser({ firstName: 'Nadia', lastName: 'Asked' });
  await enter(page, ada, '/licenses');
  await find(page, person.name);
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: /^No License/ }).click();
  const dialog = page.getByRole('alertdialog', { name: `Take the license from ${person.name}?` });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(license(page, person.name)).toHaveText('Standard');
  expect(await licenseOf(calls, person.id)).toBe('Standard');
});

test('a refused change says why in its row and keeps the choice until somebody decides', async ({
  page,
  calls,
}) => {
  const person = await calls.makeUser({ firstName: 'Rosalind', lastName: 'Refused' });
  await enter(page, ada, '/licenses');
  await find(page, person.name);
  await expect(license(page, person.name)).toHaveText('Standard');
  // Somebody else is quicker, and this page does not know it yet.
  await give(calls, person.id, 2);
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: /^Free\/Complimentary/ }).click();
  await expect(grid(page).getByRole('row', { name: person.name })).toContainText('Not changed');
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'Somebody else changed it to Limited in the meantime. Nothing was sent.',
  );
  await expect(license(page, person.name)).toHaveText('Free/Complimentary');
  expect(await licenseOf(calls, person.id)).toBe('Limited');
  await expectNoAxeInBothThemes(page);

  // What is not decided is not left by accident.
  await page.getByRole('link', { name: 'Unused' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: 'Try again: Free/Complimentary' }).click();
  await expectToast(page, `${person.name} has Free/Complimentary`);
  expect(await licenseOf(calls, person.id)).toBe('Free/Complimentary');
});

test('the reason of the service stands in the row, and the choice can be given up', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(404);
  const person = await calls.makeUser({ firstName: 'Gwendolen', lastName: 'Gone' });
  await enter(page, ada, '/licenses');
  await find(page, person.name);
  await expect(license(page, person.name)).toHaveText('Standard');
  await calls.call('DELETE', `/user/${person.id}`);
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: /^Limited/ }).click();
  const reasons = page.getByRole('main').getByRole('alert');
  await expect(reasons).toContainText('does not exist on this site');
  await expect(reasons.getByRole('button', { name: 'Copy request id' })).toBeVisible();
  await reasons.getByRole('button', { name: /^Give up for / }).click();
  await expect(reasons).toHaveCount(0);
});

test('filters and order stand in the address and come back', async ({ page, calls }) => {
  const none = (await licensesOf(calls, false)).length;
  await enter(page, ada, '/licenses');
  await expect(grid(page).getByRole('row').nth(3)).toBeVisible();
  await page.getByRole('button', { name: 'Billable filter' }).click();
  const options = page.getByRole('dialog', { name: 'Billable filter' });
  await options.getByRole('checkbox', { name: 'Not billable' }).click();
  await page.keyboard.press('Escape');
  await expect(options).toBeHidden();
  await expect(page).toHaveURL('/licenses?billable=no');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(none + 1));
  await grid(page).getByRole('columnheader', { name: 'License' }).getByRole('button').click();
  await expect(page).toHaveURL('/licenses?billable=no&sort=license');
  await expect(grid(page).getByRole('row').nth(1)).toContainText('Free/Complimentary');
  await page.reload();
  await expect(grid(page)).toHaveAttribute('aria-rowcount', String(none + 1));
  await page.goBack();
  await expect(page).toHaveURL('/licenses?billable=no');
  await page.goto('/licenses?license=3&billable=yes');
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/licenses');
});

test('who may not change licenses sees them and reads why', async ({ page, calls }) => {
  const groupId = await calls.makeGroup('License readers', ['Manage Groups']);
  const reader = await calls.makeUser({ groups: [groupId] });
  await enter(page, reader, '/licenses');
  await expect(grid(page).getByRole('row').nth(3)).toBeVisible();
  await expect(page.getByRole('note')).toContainText('Needs the capability Manage Licences');
  await expect(page.getByRole('button', { name: /^License of / })).toHaveCount(0);
  await grid(page)
    .getByRole('checkbox', { name: /^Select / })
    .nth(1)
    .check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar.getByRole('button', { name: 'Set to Limited' })).toHaveAccessibleDescription(
    'Needs the capability Manage Licences',
  );
  await expectNoAxe(page);
  await page.getByRole('link', { name: 'Unused' }).click();
  await expect(page.getByRole('grid', { name: 'Unused licenses' })).toBeVisible();
  await expect(page.getByRole('note')).toContainText('Needs the capability Manage Licences');
});

test('without any capability the page says what it needs', async ({ page, calls, expectFailure }) => {
  expectFailure(403, 'Manage Licences');
  const person = await calls.makeUser();
  await enter(page, person, '/licenses');
  await expect(page.getByRole('heading', { name: 'You may not see this page' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expectNoAxe(page);
});

for (const width of [390]) {
  test.describe(`${width} wide`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('a license is changed, and the unused ones are read', async ({ page, calls }) => {
      const person = await calls.makeUser({ firstName: 'Wilhelmina', lastName: 'Narrow' });
      await enter(page, ada, '/licenses');
      await find(page, person.name);
      await expectNoAxeInBothThemes(page);
      await license(page, person.name).click();
      await page.getByRole('menuitem', { name: /^Limited/ }).click();
      await expectToast(page, `${person.name} has Limited`);
      const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(await beyond()).toBeLessThanOrEqual(0);
      await page.getByRole('link', { name: 'Unused' }).click();
      await expect(page.getByRole('grid', { name: 'Unused licenses' })).toBeVisible();
      expect(await beyond()).toBeLessThanOrEqual(0);
      await expectNoAxeInBothThemes(page);
    });
  });
}
