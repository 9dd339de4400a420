import type { Page } from '@playwright/test';
import type {
  UnusedLicense,
  UserLicenseChange,
  UserLicenseInfoResponse,
} from '../../contract/generated/types.gen.ts';
import {
  expectAccessible,
  expectAccessibleInBothThemes,
  expectToast,
  fillForm,
  chooseRowAction,
} from '../support/actions.ts';
import { waitForJob } from '../support/bulk.ts';
import { type ApiCalls, openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({
  installation: { sample: true, administrator: ada },
});

const unusedOf = (calls: ApiCalls) =>
  calls.call<UnusedLicense[]>('GET', '/userLicenses/unused?days=30&pageSize=1000');
const give = (calls: ApiCalls, userId: number, licenseTypeId: number) =>
  calls.call('PUT', '/userLicense', { userId, licenseTypeId });
const unusedList = (page: Page) => page.getByRole('grid', { name: 'Unused licenses' });

test('loads unused licenses page by page and marks those never used', async ({ page, calls }) => {
  const all = await unusedOf(calls);
  expect(all.length).toBeGreaterThan(50);
  const never = all.filter(({ lastActivityDate }) => lastActivityDate === null).length;
  expect(never).toBeGreaterThan(0);
  await openAs(page, ada, '/licenses/unused');
  await page.getByRole('radio', { name: '90 days' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL('/licenses/unused?days=30');
  await expect(page.getByText('50 unused licenses so far')).toBeVisible();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page.getByText(`${all.length} unused licenses`, { exact: true })).toBeVisible();
  const list = unusedList(page);
  await expect(list).toHaveAttribute('aria-rowcount', String(all.length + 1));
  await expect(list.getByText('Never').first()).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await list.getByRole('checkbox', { name: 'Select all' }).check();
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText(`${all.length} selected`);
  await expectAccessible(page);
});

test('sets unused licenses to free, which removes them from the list', async ({ page, calls }) => {
  const before = await unusedOf(calls);
  const [first, second] = before.map(({ userId }) => userId);
  await openAs(page, ada, '/licenses/unused?days=30');
  const list = unusedList(page);
  await list.getByRole('checkbox').nth(1).check();
  await list.getByRole('checkbox').nth(2).check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await expect(bar).toContainText('2 selected');
  await bar.getByRole('button', { name: 'Set to Free/Complimentary' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set 2 licenses to Free/Complimentary?' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Set 2 licenses to Free/Complimentary' }).click();
  await waitForJob(page, 'Set 2 licenses to Free/Complimentary: finished');
  await expect(bar).toHaveCount(0);
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(page.getByText(`${before.length - 2} unused licenses`, { exact: true })).toBeVisible();
  const after = new Set((await unusedOf(calls)).map(({ userId }) => userId));
  expect(after.size).toBe(before.length - 2);
  expect(after.has(first ?? 0) || after.has(second ?? 0)).toBe(false);
});

test('shows the history of a license with time, change, author and effect, page by page', async ({
  page,
  calls,
}) => {
  const person = await calls.createUser({ firstName: 'Hildegard', lastName: 'History' });
  for (let change = 0; change < 21; change += 1) await give(calls, person.id, change % 2 === 0 ? 3 : 1);
  const message = await calls.call<UserLicenseChange[]>(
    'GET',
    `/userLicense/${person.id}/history?pageSize=100`,
  );
  expect(message).toHaveLength(22);
  await openAs(page, ada, `/licenses?q=id:${person.id}`);
  const row = page.getByRole('grid', { name: 'Licenses' }).getByRole('row', { name: person.name });
  await chooseRowAction(row, 'License history');
  const history = page.getByRole('table', { name: 'License history' });
  await expect(history.getByRole('row')).toHaveCount(21);
  const newest = history.getByRole('row').nth(1);
  await expect(newest).toContainText('Standard');
  await expect(newest).toContainText('Free/Complimentary');
  await expect(newest).toContainText('−1');
  await expect(newest.getByRole('link')).toHaveText('First Administrator');
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect(history.getByRole('row')).toHaveCount(23);
  await expect(history.getByRole('row').last()).toContainText('Joined with Standard');
  await expect(page.getByRole('button', { name: 'Show older' })).toHaveCount(0);
  await expectAccessibleInBothThemes(page);
});

test('the form refuses to overwrite unseen changes, keeps the selection and updates the history', async ({
  page,
  calls,
}) => {
  const person = await calls.createUser({ firstName: 'Leonora', lastName: 'Tabbed' });
  await openAs(page, ada, `/users/${person.id}/license`);
  const form = page.getByRole('region', { name: 'Change license' });
  await expect(form.getByLabel('New license')).toContainText('Standard');
  await give(calls, person.id, 2);
  await fillForm(form, { 'New license': 'Free/Complimentary' });
  await form.getByRole('button', { name: 'Change license' }).click();
  await expect(form.getByRole('alert')).toContainText('Someone else changed it to Limited');
  await expect(form.getByLabel('New license')).toContainText('Free/Complimentary');
  await expect(page.getByRole('region', { name: 'License', exact: true })).toContainText('Limited');
  // The button stays disabled until everything stale is loaded again.
  await expect(form.getByRole('button', { name: 'Change license' })).not.toHaveAttribute('aria-busy', 'true');
  await form.getByRole('button', { name: 'Change license' }).click();
  await expectToast(page, `${person.name} has Free/Complimentary`);
  await expect(page.getByRole('region', { name: 'License', exact: true })).toContainText(
    'Free/Complimentary',
  );
  const license = await calls.call<UserLicenseInfoResponse>('GET', `/userLicense/${person.id}`);
  expect(license.description).toBe('Free/Complimentary');
});
