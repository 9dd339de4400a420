import type { Job } from '../../contract/generated/types.gen.ts';
import { expectAccessibleInBothThemes, expectToast } from '../support/actions.ts';
import { selectAll, selectionBar, waitForDryRun } from '../support/bulk.ts';
import { openAs } from '../support/calls.ts';
import { checkPageAtWidths } from '../support/checks/page-checks.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada }, timezoneId: 'Europe/Berlin' });

test('people are deactivated on a date, also who is changed until then, and after another job; both can be cancelled', async ({
  page,
  calls,
}) => {
  const { id } = await calls.createUser({ firstName: 'Lea', lastName: 'Leaving' });
  await openAs(page, ada, '/users?q=leaving');
  await selectAll(page, 1);
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await waitForDryRun(page, 'Deactivate 1 person?');
  const start = dialog.getByRole('group', { name: 'Start' });
  await start.getByText('At a time').click();
  const field = dialog.getByLabel('Date and time');
  await field.fill('2020-01-01T09:00');
  await expect(field).toHaveAccessibleDescription('Choose a time in the future');
  await expect(dialog.getByRole('button', { name: 'Deactivate 1 person', exact: true })).toHaveAttribute(
    'aria-disabled',
  );
  await field.fill('2090-01-31T18:00');
  await expect(dialog.getByText('In Europe/Berlin, UTC+1.')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole('button', { name: 'Deactivate 1 person', exact: true }).click();
  await expectToast(page, 'Deactivate 1 person');
  await expect(page.getByRole('region', { name: 'Messages' })).toContainText('Starts 31 Jan 2090');

  // Another job may wait for this one.
  await selectAll(page, 1);
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  await start.getByText('After a job').click();
  await expect(dialog.getByLabel('Job', { exact: true })).toHaveText(/Deactivate 1 person · job \d+/);
  await dialog.getByRole('button', { name: 'Deactivate 1 person', exact: true }).click();
  await expect(dialog).toBeHidden();
  const [second, first] = await calls.call<Job[]>('GET', '/jobs?pageSize=2');
  expect(first).toMatchObject({ notBefore: '2090-01-31T17:00:00.000Z', parameters: { isActive: false } });
  expect(first?.parameters).not.toHaveProperty('reviewedAt');
  expect(second).toMatchObject({ afterJobId: first?.id });

  await page.goto('/jobs');
  const grid = page.getByRole('grid', { name: 'Jobs' });
  await expect(grid.getByRole('row').nth(1)).toContainText(`Starts after job ${first?.id}`);
  await expect(grid.getByRole('row').nth(2)).toContainText('Starts 31 Jan 2090');
  await grid.getByRole('row').nth(2).getByRole('link').click();
  await expect(page.getByText('Scheduled', { exact: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('Starts 31 Jan 2090, 18:00');
  await checkPageAtWidths(page);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('Nothing has been changed yet');
  await page.getByRole('button', { name: 'Cancel job' }).click();
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible();
  await expect
    .poll(async () => (await calls.call<Job>('GET', `/jobs/${second?.id}`)).state, { timeout: 20_000 })
    .toBe('stopped');
  expect((await calls.getUser(id)).isActive).toBe(true);
});
