import type { Page } from '@playwright/test';
import type { LicenseSeats, UserLicenseInfoResponse } from '../../contract/generated/types.gen.ts';
import {
  expectAccessible,
  expectAccessibleInBothThemes,
  expectToast,
  openFilter,
} from '../support/actions.ts';
import { type ApiCalls, openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { findTile } from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

test.use({
  installation: { sample: true, administrator: ada },
});

const grid = (page: Page) => page.getByRole('grid', { name: 'Licenses' });
const license = (page: Page, name: string) =>
  page.getByRole('button', { name: new RegExp(`^License of ${RegExp.escape(name)}: `) });

const licensesOf = (calls: ApiCalls, isBillable: boolean) =>
  calls.call<UserLicenseInfoResponse[]>('GET', `/userLicenses?isBillable=${isBillable}&pageSize=1000`);

const give = (calls: ApiCalls, userId: number, licenseTypeId: number) =>
  calls.call('PUT', '/userLicense', { userId, licenseTypeId });

const licenseOf = async (calls: ApiCalls, userId: number) =>
  (await calls.call<UserLicenseInfoResponse>('GET', `/userLicense/${userId}`)).description;

/** Opens the list with one user. */
async function find(page: Page, name: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search people' }).fill(`"${name}"`);
  await expect(grid(page).getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/q=/);
}

test('tiles, chart, forecast and table agree with the service', async ({ page, calls, service }) => {
  const billable = await licensesOf(calls, true);
  const others = await licensesOf(calls, false);
  const held = (id: number) => [...billable, ...others].filter((one) => one.licenseTypeId === id).length;
  await openAs(page, ada, '/licenses');
  await expect(findTile(page, 'Billable')).toHaveText(String(billable.length));
  for (const [id, name] of [
    [1, 'Standard'],
    [2, 'Limited'],
    [3, 'Free/Complimentary'],
    [4, 'No License'],
  ] as const)
    await expect(findTile(page, name)).toHaveText(String(held(id)));

  await page.getByText('Show as table').click();
  const rows = page.getByRole('region', { name: 'Licenses by day, table' }).getByRole('row');
  const today = rows.filter({ hasNotText: '(forecast)' }).nth(1);
  await expect(today.getByRole('cell')).toHaveText(
    [billable.length, held(1), held(2), held(3), held(4)].map(String),
  );
  await expect(page.locator('.chart canvas')).toBeVisible();
  const forecast = await calls.call<LicenseSeats[]>('GET', '/userLicenses/seats/forecast?days=90');
  const last = forecast.at(-1);
  await expect(
    page.getByText(/^Forecast: \d+ temporary memberships? with a license ends? in the next 90 days/),
  ).toContainText(`${last?.billable} billable on`);
  const future = rows.filter({ hasText: '(forecast)' });
  await expect(future).toHaveCount(90);
  await expect(future.first().getByRole('cell')).toHaveText(
    [last?.billable, last?.standard, last?.limited, last?.free, last?.none].map(String),
  );
  const day = page.getByRole('slider', { name: 'Day of Licenses by day' });
  await expect(day).not.toHaveAttribute('aria-valuetext', /forecast/);
  await day.press('ArrowRight');
  await expect(day).toHaveAttribute('aria-valuetext', /, forecast, Billable \d+/);
  await expectAccessibleInBothThemes(page);

  // The host agrees on seats: one license type has free ones, of another more are held than agreed.
  await service.admin(
    'site',
    'seats',
    'northlight',
    '--standard',
    String(held(1) + 7),
    '--limited',
    String(held(2) - 1),
  );
  await page.reload();
  await expect(page.getByText(`7 free of ${held(1) + 7}`)).toBeVisible();
  await expect(page.getByText(`1 over ${held(2) - 1}`)).toBeVisible();
  const warning = page.getByRole('note').filter({ hasText: 'More licenses are held than agreed' });
  await expect(warning).toContainText(`Limited: ${held(2)} held, ${held(2) - 1} agreed`);
  await expectAccessibleInBothThemes(page);
  await service.admin('site', 'seats', 'northlight', '--standard', 'none', '--limited', 'none');
});

test('the chart is read by keyboard and starts as given in the URL', async ({ page }) => {
  await openAs(page, ada, '/licenses');
  const day = page.getByRole('slider', { name: 'Day of Licenses by day' });
  await expect(page.locator('.chart canvas')).toBeVisible();
  await page.getByRole('radio', { name: '90 days' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL('/licenses?range=30');
  // The forecast is as long as the past.
  await expect(day).toHaveAttribute('max', '60');
  await expect(day).toHaveValue('30');
  await page.keyboard.press('Tab');
  await expect(day).toBeFocused();
  const last = await day.getAttribute('aria-valuetext');
  await page.keyboard.press('ArrowLeft');
  await expect(day).not.toHaveAttribute('aria-valuetext', last ?? '');
  await expect(day).toHaveAttribute('aria-valuetext', /Billable \d+, Standard \d+/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(62);
  await page.goBack();
  await expect(page.getByRole('radio', { name: '90 days' })).toBeChecked();
});

test('changing a license in its row updates the tiles and the chart', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Marguerite', lastName: 'Inline' });
  const before = (await licensesOf(calls, true)).length;
  await openAs(page, ada, '/licenses');
  await find(page, person.name);
  await expect(findTile(page, 'Billable')).toHaveText(String(before));
  await license(page, person.name).click();
  const free = page.getByRole('menuitem', { name: /^Free\/Complimentary/ });
  await expect(free).toContainText(`−1 billable: ${before - 1} after this, ${before} now`);
  await expectAccessibleInBothThemes(page);
  await free.click();
  await expectToast(page, `${person.name} has Free/Complimentary`);
  await expect(findTile(page, 'Billable')).toHaveText(String(before - 1));
  await expect(license(page, person.name)).toHaveText('Free/Complimentary');
  expect(await licenseOf(calls, person.id)).toBe('Free/Complimentary');
  await expect(page.locator('.chart-legend')).toContainText(`Billable ${before - 1}`);
});

test('changes a license by keyboard', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Marguerite', lastName: 'Bykeys' });
  await openAs(page, ada, '/licenses');
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

test('No License asks first, and cancelling changes nothing', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Nadia', lastName: 'Asked' });
  await openAs(page, ada, '/licenses');
  await find(page, person.name);
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: /^No License/ }).click();
  const dialog = page.getByRole('alertdialog', { name: `Remove the license from ${person.name}?` });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(license(page, person.name)).toHaveText('Standard');
  expect(await licenseOf(calls, person.id)).toBe('Standard');
});

test('a change whose answer was lost is not called not made', async ({ page, calls, pageErrors }) => {
  pageErrors.allow(/ERR_CONNECTION_RESET|cannot be reached/);
  const person = await calls.createUser({ firstName: 'Lotte', lastName: 'Lost' });
  await openAs(page, ada, '/licenses');
  await find(page, person.name);
  await page.route('**/management/userLicense', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    await route.fetch();
    return route.abort('connectionreset');
  });
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: /^Limited/ }).click();
  await expect(grid(page).getByRole('row', { name: person.name })).toContainText('Possibly changed');
  const banner = page.getByRole('main').getByRole('alert');
  await expect(banner).toContainText('1 license may not have been changed');
  await expect(banner).toContainText('It is unknown whether it took effect');
  await banner.getByRole('button', { name: `Try again for ${person.name}` }).click();
  await expectToast(page, `${person.name} has Limited`);
  await expect(banner).toHaveCount(0);
});

test('a refused change shows its reason and keeps the selection', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Rosalind', lastName: 'Refused' });
  await openAs(page, ada, '/licenses');
  await find(page, person.name);
  await expect(license(page, person.name)).toHaveText('Standard');
  // Another user is faster, unknown to this page.
  await give(calls, person.id, 2);
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: /^Free\/Complimentary/ }).click();
  await expect(grid(page).getByRole('row', { name: person.name })).toContainText('Not changed');
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'Someone else changed it to Limited in the meantime. Nothing was sent.',
  );
  await expect(license(page, person.name)).toHaveText('Free/Complimentary');
  expect(await licenseOf(calls, person.id)).toBe('Limited');
  await expectAccessibleInBothThemes(page);

  // Undecided changes are not left without a question.
  await page.getByRole('link', { name: 'Unused' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: 'Try again: Free/Complimentary' }).click();
  await expectToast(page, `${person.name} has Free/Complimentary`);
  expect(await licenseOf(calls, person.id)).toBe('Free/Complimentary');
});

test('shows the reason of the service, and the selection can be discarded', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(404);
  const person = await calls.createUser({ firstName: 'Gwendolen', lastName: 'Gone' });
  await openAs(page, ada, '/licenses');
  await find(page, person.name);
  await expect(license(page, person.name)).toHaveText('Standard');
  await calls.call('DELETE', `/user/${person.id}`);
  await license(page, person.name).click();
  await page.getByRole('menuitem', { name: /^Limited/ }).click();
  const reasons = page.getByRole('main').getByRole('alert');
  await expect(reasons).toContainText('does not exist on this site');
  await expect(reasons.getByRole('button', { name: 'Copy request id' })).toBeVisible();
  await reasons.getByRole('button', { name: /^Discard for / }).click();
  await expect(reasons).toHaveCount(0);
});

test('keeps filters and order in the URL', async ({ page, calls }) => {
  const none = (await licensesOf(calls, false)).length;
  await openAs(page, ada, '/licenses');
  await expect(grid(page).getByRole('row').nth(3)).toBeVisible();
  const options = await openFilter(page, 'Billable');
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

test('shows licenses with a reason why they cannot be changed', async ({ page, calls }) => {
  const groupId = await calls.createGroup('License readers', ['Manage Groups']);
  const reader = await calls.createUser({ groups: [groupId] });
  await openAs(page, reader, '/licenses');
  await expect(grid(page).getByRole('row').nth(3)).toBeVisible();
  await expect(page.getByRole('note')).toContainText('You need the Manage Licences capability');
  await expect(page.getByRole('button', { name: /^License of / })).toHaveCount(0);
  await grid(page)
    .getByRole('checkbox', { name: /^Select / })
    .nth(1)
    .check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar.getByRole('button', { name: 'Set to Limited' })).toHaveAccessibleDescription(
    'You need the Manage Licences capability',
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Unused' }).click();
  await expect(page.getByRole('grid', { name: 'Unused licenses' })).toBeVisible();
  await expect(page.getByRole('note')).toContainText('You need the Manage Licences capability');
});

test('names the missing capability', async ({ page, calls, expectFailure }) => {
  expectFailure(403, 'Manage Licences');
  const person = await calls.createUser();
  await openAs(page, person, '/licenses');
  await expect(page.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expectAccessible(page);
});

for (const width of [390]) {
  test.describe(`${width} wide`, () => {
    test.use({ viewport: { width, height: 800 } });

    test('changes a license and lists unused ones', async ({ page, calls }) => {
      const person = await calls.createUser({ firstName: 'Wilhelmina', lastName: 'Narrow' });
      await openAs(page, ada, '/licenses');
      await find(page, person.name);
      await expectAccessibleInBothThemes(page);
      await license(page, person.name).click();
      await page.getByRole('menuitem', { name: /^Limited/ }).click();
      await expectToast(page, `${person.name} has Limited`);
      const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(await beyond()).toBeLessThanOrEqual(0);
      await page.getByRole('link', { name: 'Unused' }).click();
      await expect(page.getByRole('grid', { name: 'Unused licenses' })).toBeVisible();
      expect(await beyond()).toBeLessThanOrEqual(0);
      await expectAccessibleInBothThemes(page);
    });
  });
}
