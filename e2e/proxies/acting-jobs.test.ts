import type { Page } from '@playwright/test';
import type { Job, Session } from '../../contract/generated/types.gen.ts';
import { chooseMenuItem, expectToast, chooseOption, findSelect } from '../support/actions.ts';
import { openJobs } from '../support/bulk.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { createEntryType } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const ACCOUNT_MENU = /sign out of/;
const actingBanner = (page: Page) => page.getByRole('region', { name: 'Working as someone else' });

/** Sets the size of both entries of the type, as a bulk job. */
async function setSizes(page: Page, size: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit all 2' }).click();
  const dialog = page.getByRole('dialog', { name: /^Edit 2 Vessels/ });
  await dialog.getByRole('button', { name: 'Choose a field' }).click();
  await chooseOption(findSelect(dialog, 'Field'), 'Size');
  await dialog.getByRole('textbox', { name: 'Size' }).fill(size);
  await dialog.getByRole('textbox', { name: 'Size' }).press('Tab');
  await dialog.getByRole('button', { name: 'Review' }).click();
  await dialog.getByRole('button', { name: 'Change 2 Vessels' }).click();
  await expectToast(page, `Set Size of 2 Vessels to ${size}: finished`);
}

test('own jobs are not offered while acting, and jobs begun while acting do not return', async ({
  page,
  calls,
  pageErrors,
}) => {
  // A request sent while acting starts or stops is answered with 409 and repeated.
  pageErrors.allow(/^409: GET .*\/management\//);
  // The page of a job of one's own is opened while acting.
  pageErrors.allow(/^404: GET .*\/management\/jobs\/1$/);
  const groups = [await calls.createGroup('Vessel editors', ['Read Data', 'Write Data'])];
  const principal = await calls.createUser({ firstName: 'Petra', lastName: 'Principal', groups });
  await openAs(page, ada, '/users');
  const { user } = (await sendRequest(page.request, 'GET', '/api/session')) as Session;
  await calls.call('POST', '/user/proxy/changes', { add: [{ proxyUserId: user.id, userId: principal.id }] });
  page.on('dialog', (dialog) => void dialog.accept());

  await createEntryType(page, 'Vessel');
  // A job of one's own that has not ended.
  const own = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: [principal.id],
    isActive: false,
    notBefore: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await page.goto('/users');
  const ownJob = page.getByRole('button', { name: 'Jobs: 1 not finished' });
  await expect(ownJob).toBeVisible();

  await chooseMenuItem(page, ACCOUNT_MENU, 'Work as…');
  const workAs = page.getByRole('dialog', { name: `Work as ${principal.name}` });
  await workAs.getByLabel('Reason').fill('Ticket 4711');
  await workAs.getByRole('button', { name: `Work as ${principal.name}` }).click();
  await expect(actingBanner(page)).toBeVisible();
  await page.goto(`/jobs/${own.id}`);
  await expect(page.getByRole('heading', { name: /not found|does not exist/i })).toBeVisible();
  const jobs = await openJobs(page);
  await expect(jobs.getByRole('heading', { name: 'No jobs today' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.goto('/entries/Vessel');
  await setSizes(page, '7');
  await expect(ownJob).toBeHidden();

  await page.reload();
  await expect(actingBanner(page)).toBeVisible();
  await setSizes(page, '8');

  await actingBanner(page)
    .getByRole('button', { name: /^Stop working as/ })
    .click();
  await expect(actingBanner(page)).toHaveCount(0);
  await expect(ownJob).toBeVisible();
  const ownJobs = (await sendRequest(page.request, 'GET', '/api/rest/v1/management/jobs')) as Job[];
  expect(ownJobs.map(({ id }) => id)).toEqual([own.id]);
});
