import type { Job } from '../../contract/generated/types.gen.ts';
import { expectToast } from '../support/actions.ts';
import { waitForDryRun } from '../support/bulk.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada } });

test('a job is done again with a new dry run for the same people', async ({ page, calls }) => {
  const { id, name } = await calls.createUser();
  const job = await calls.call<Job>('POST', '/jobs/userUpdates', { userIds: [id], isActive: false });
  await openAs(page, ada, `/jobs/${job.id}`);
  await expect(page.getByText('Finished', { exact: true })).toBeVisible();
  await calls.call('PUT', '/user', { id, isActive: true });
  await page.getByRole('button', { name: 'Prepare again…' }).click();
  const dialog = await waitForDryRun(page, 'Deactivate 1 person?');
  await expect(dialog.getByRole('row', { name: new RegExp(`${name}.*Active.*Inactive`) })).toBeVisible();
  await dialog.getByRole('button', { name: 'Deactivate 1 person' }).click();
  await expectToast(page, 'Deactivated 1 person');
  expect((await calls.getUser(id)).isActive).toBe(false);
});
