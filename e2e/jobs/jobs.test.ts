import type { Locator, Page } from '@playwright/test';
import type { Job } from '../../contract/generated/types.gen.ts';
import { expectAccessibleInBothThemes, expectRow, expectToast } from '../support/actions.ts';
import { type ApiCalls, openAs } from '../support/calls.ts';
import {
  checkOpened,
  checkPageAtWidths,
  expectNothingCovered,
  setWidth,
} from '../support/checks/page-checks.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

// Jobs are started by Ada; a job that deactivates her fails for her.
test.use({ installation: { sample: false, administrator: ada } });

const ADA_ID = 1;
const MISSING_ID = 999_999_999;
const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString();

const startUpdate = (calls: ApiCalls, body: object) => calls.call<Job>('POST', '/jobs/userUpdates', body);
const startLicenses = (calls: ApiCalls, userIds: readonly number[], licenseTypeId: number) =>
  calls.call<Job>('POST', '/jobs/licenseChanges', {
    licenses: userIds.map((userId) => ({ userId, licenseTypeId })),
  });

/** Waits until a job has ended and returns it. */
async function waitForEnd(calls: ApiCalls, { id }: Pick<Job, 'id'>): Promise<Job> {
  const read = () => calls.call<Job>('GET', `/jobs/${id}`);
  await expect
    .poll(async () => (await read()).state, { timeout: 30_000 })
    .toMatch(/finished|cancelled|stopped/);
  return read();
}

/** Returns to the tab, as after a look at another one: the console then reads what changed. */
const returnToTab = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));

const jobsButton = (page: Page): Locator => page.getByRole('banner').getByRole('button', { name: /^Jobs/ });
const popover = (page: Page): Locator => page.getByRole('dialog', { name: 'Jobs' });
const jobRow = (page: Page, title: string): Locator =>
  popover(page).getByRole('listitem').filter({ hasText: title });
const peopleGrid = (page: Page): Locator => page.getByRole('grid', { name: 'People' });
const jobsGrid = (page: Page): Locator => page.getByRole('grid', { name: 'Jobs' });
/** Chooses an option of a segmented control; its radio button is hidden under the label. */
const choose = (control: Locator, name: RegExp): Promise<void> =>
  control.locator('label').filter({ hasText: name }).click();
const outcomes = (page: Page): Locator => page.getByRole('group', { name: 'Outcome' });
const outcome = (page: Page, name: RegExp): Locator => outcomes(page).getByRole('radio', { name });

async function openPopover(page: Page): Promise<Locator> {
  await jobsButton(page).click();
  await expect(popover(page)).toBeVisible();
  return popover(page);
}

test('without jobs the popover and the page say what will be there', async ({ page }) => {
  await openAs(page, ada, '/jobs');
  await expect(page.getByRole('heading', { name: 'No jobs yet' })).toBeVisible();
  await expect(
    page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Jobs' }),
  ).toHaveCount(0);
  await checkPageAtWidths(page);
  await checkOpened(
    page,
    'dialog',
    () => openPopover(page),
    async () => {
      await expect(popover(page)).toContainText('No jobs today');
      await checkPageAtWidths(page);
    },
  );
});

test('a job is announced at its end, and its page says what became of everyone and why', async ({
  page,
  calls,
}) => {
  const [ann, ben, cal] = [
    await calls.createUser(),
    await calls.createUser(),
    await calls.createUser({ isActive: false }),
  ];
  await openAs(page, ada, '/users');
  await expect(jobsButton(page)).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Users' }).getByRole('row', { name: ann.name })).toContainText(
    'Active',
  );
  const job = await startUpdate(calls, {
    userIds: [ann.id, ADA_ID, ben.id, cal.id, MISSING_ID],
    isActive: false,
  });
  await waitForEnd(calls, job);
  await returnToTab(page);
  const end = 'Deactivate 5 people: finished, 1 failed, 1 skipped';
  await expectToast(page, end);
  await expect(page.locator('[data-live-announcer]')).toContainText(end);
  // The page reads again what the job changed.
  await expect(page.getByRole('grid', { name: 'Users' }).getByRole('row', { name: ann.name })).toContainText(
    'Inactive',
  );

  await openPopover(page);
  await expect(jobRow(page, 'Deactivate 5 people, 1 failed')).toContainText('2 changed · 1 skipped');
  await expect(jobRow(page, 'Deactivate 5 people').getByRole('button', { name: /^Retry 1/ })).toBeVisible();
  await checkPageAtWidths(page);
  await setWidth(page, 1280);
  await page.emulateMedia({ colorScheme: 'light' });
  await popover(page).getByRole('link', { name: 'Deactivate 5 people, 1 failed' }).click();
  await expect(popover(page)).toBeHidden();

  await expect(page.getByRole('heading', { level: 1, name: 'Deactivate 5 people' })).toBeVisible();
  await expect(page.getByText('Finished, 1 failed', { exact: true })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Outcomes' })).toHaveText(
    '2 changed1 unchanged1 skipped1 failed',
  );
  await expectRow(peopleGrid(page), { Person: ann.name, Change: 'Inactive', Outcome: 'Changed' });
  await expectRow(peopleGrid(page), { Person: cal.name, Outcome: 'Unchanged' });
  await expect(peopleGrid(page).getByRole('link', { name: ann.name })).toHaveAttribute(
    'href',
    `/users/${ann.id}`,
  );

  await choose(outcomes(page), /^Failed 1$/);
  await expect(page).toHaveURL(/state=failed/);
  await expect(peopleGrid(page)).toHaveAttribute('aria-rowcount', '2');
  await expectRow(peopleGrid(page), {
    Person: 'First Administrator',
    Outcome: 'Failed',
    Reason: /person who started it/,
  });
  await page
    .getByRole('region', { name: 'Why 1 was skipped' })
    .getByRole('button', { name: '1 No longer on this site' })
    .click();
  await expect(page).toHaveURL(/reason=No/);
  await expect(outcome(page, /^Skipped/)).toBeChecked();
  await expect(peopleGrid(page)).toHaveAttribute('aria-rowcount', '2');
  await page.reload();
  await expect(peopleGrid(page).getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'Clear Reason filter' }).click();
  await page.getByRole('button', { name: 'Reason filter' }).click();
  await expect(page.getByRole('dialog', { name: /Reason/ })).toContainText('No longer on this site');
  await page.keyboard.press('Escape');
  await choose(outcomes(page), /^All 5$/);
  await page.getByRole('searchbox', { name: 'Search the people of this job' }).fill(ben.email);
  await expect(peopleGrid(page)).toHaveAttribute('aria-rowcount', '2');
  await expectRow(peopleGrid(page), { Person: ben.name, Outcome: 'Changed' });
  await page.getByRole('searchbox', { name: 'Search the people of this job' }).fill('nobody at all');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(peopleGrid(page)).toHaveAttribute('aria-rowcount', '6');
  const report = await downloadBytes(page, () =>
    page.getByRole('button', { name: 'Download report as CSV' }).click(),
  );
  expect(report.name).toBe(`job-${job.id}.csv`);
  for (const { email } of [ann, ben, cal]) expect(report.bytes.toString('utf8')).toContain(email);
  await expectNothingCovered(page);
  await checkPageAtWidths(page);

  await setWidth(page, 1280);
  // The longest time of day.
  const longest = peopleGrid(page)
    .getByRole('gridcell')
    .filter({ has: page.locator('time') })
    .first();
  const isCut = await longest.evaluate((cell) => {
    cell.querySelector('time')?.replaceChildren('12:00:00 PM');
    return cell.scrollWidth > cell.clientWidth;
  });
  expect(isCut).toBe(false);

  // The end is announced once: not by a page that was opened later.
  await page.goto('/jobs');
  await expectRow(jobsGrid(page), { Job: 'Deactivate 5 people', Outcome: /1 failed/ });
  await returnToTab(page);
  await expect(page.getByRole('region', { name: 'Messages' })).not.toContainText('finished');
});

test('failed items are retried as a job of their own', async ({ page, calls }) => {
  const job = await startUpdate(calls, { userIds: [ADA_ID], isActive: false });
  await waitForEnd(calls, job);
  await openAs(page, ada, `/jobs/${job.id}`);
  await page.getByRole('button', { name: 'Retry 1 failed' }).click();
  await expectToast(page, /^Deactivate 1 person/);
  await page.getByRole('link', { name: 'Open job' }).click();
  await expect(page).toHaveURL(new RegExp(`/jobs/${job.id + 1}$`));
  await expect(page.getByText('Finished, 1 failed', { exact: true })).toBeVisible();
});

test('a waiting job is paused, resumed and cancelled', async ({ page, calls }) => {
  const person = await calls.createUser();
  const job = await startUpdate(calls, { userIds: [person.id], isActive: false, notBefore: inOneHour() });
  await openAs(page, ada, '/users');
  await expect(jobsButton(page)).toHaveAccessibleName('Jobs: 1 not finished');
  await openPopover(page);
  const row = jobRow(page, 'Deactivate 1 person').filter({ hasText: 'Starts' });
  await row.getByRole('button', { name: 'Pause: Deactivate 1 person' }).click();
  const resume = popover(page).getByRole('button', { name: 'Resume: Deactivate 1 person' });
  await expect(resume).toBeFocused();
  await resume.click();
  await row.getByRole('button', { name: 'Cancel: Deactivate 1 person' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Cancel this job?' });
  await expect(dialog).toContainText('Nothing has been changed yet');
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  await expect(jobsButton(page)).toBeFocused();

  await page.goto(`/jobs/${job.id}`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByText('Paused', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Resume' })).toBeFocused();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByText('Scheduled', { exact: true })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('Starts');
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await dialog.getByRole('button', { name: 'Cancel job' }).click();
  await expect(page.getByText('Cancelled', { exact: true })).toBeVisible();
  await expectToast(page, 'Deactivate 1 person: cancelled');
  await expect(page.getByRole('list', { name: 'Outcomes' })).toContainText('1 not attempted');
  expect((await calls.getUser(person.id)).isActive).toBe(true);
});

test('an undo restores what the job replaced, and both jobs name each other', async ({ page, calls }) => {
  const [ann, ben] = [await calls.createUser(), await calls.createUser()];
  const job = await startLicenses(calls, [ann.id, ben.id], 4);
  await waitForEnd(calls, job);
  await openAs(page, ada, `/jobs/${job.id}`);
  await expectRow(peopleGrid(page), { Person: ann.name, License: /Standard.*No License/ });
  await expect(page.getByRole('region', { name: 'Undo' })).toContainText(
    'Gives 2 people the license they had.',
  );
  await page.getByRole('button', { name: 'Undo…' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Undo for 2 people?' });
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(dialog).toBeHidden();
  const undone = page.getByRole('region', { name: 'Undo' });
  await expect(undone).toContainText('Undone by job');
  await undone.getByRole('link', { name: /^job/ }).click();
  await expect(page.getByRole('list', { name: 'Outcomes' })).toHaveText('2 changed');
  await expect(page.getByRole('region', { name: 'Request' })).toContainText(`Undoes job ${job.id}`);
  for (const { id } of [ann, ben])
    expect(await calls.call('GET', `/userLicense/${id}`)).toMatchObject({ licenseTypeId: 1 });
  await page.goto(`/jobs/${job.id}`);
  await expect(page.getByRole('button', { name: 'Undo…' })).toHaveCount(0);
});

test('removed people leave the list of users, and the page says why that cannot be undone', async ({
  page,
  calls,
}) => {
  const person = await calls.createUser();
  await openAs(page, ada, '/users');
  const row = page.getByRole('grid', { name: 'Users' }).getByRole('row', { name: person.name });
  await expect(row).toBeVisible();
  const job = await calls.call<Job>('POST', '/jobs/userRemovals', { userIds: [person.id] });
  await waitForEnd(calls, job);
  await returnToTab(page);
  await expectToast(page, /^Removed? 1 person/);
  await expect(row).toHaveCount(0);
  await page.getByRole('link', { name: 'Open job' }).click();
  await expect(page.getByRole('region', { name: 'Undo' })).toContainText('have to be added again');
  await expect(peopleGrid(page)).toContainText(person.name);
  await expect(peopleGrid(page).getByRole('link', { name: person.name })).toHaveCount(0);
});

test('a job goes on after its tab was closed, and another browser sees it end', async ({
  page,
  elsewhere,
  calls,
}) => {
  test.setTimeout(120_000);
  const person = await calls.createUser();
  await openAs(page, ada, '/users');
  const missing = Array.from({ length: 1_500 }, (_, index) => MISSING_ID + index);
  // The person is the last item.
  const job = await startUpdate(calls, { userIds: [...missing, person.id], isActive: false });
  await returnToTab(page);
  await expect(page.getByRole('banner')).toBeVisible();
  await page.close();
  await openAs(elsewhere, ada, `/jobs/${job.id}`);
  await expect(elsewhere.getByText('Finished', { exact: true })).toBeVisible({ timeout: 90_000 });
  await expect(elsewhere.getByRole('list', { name: 'Outcomes' })).toHaveText('1 changed1,500 skipped');
  await choose(outcomes(elsewhere), /^Changed 1$/);
  await expectRow(peopleGrid(elsewhere), { Person: person.name, Outcome: 'Changed' });
  // Rows far down are read when they come into view.
  await choose(outcomes(elsewhere), /^All/);
  await peopleGrid(elsewhere).getByRole('row').nth(1).focus();
  await elsewhere.keyboard.press('End');
  await expect(peopleGrid(elsewhere).getByRole('row', { name: person.name })).toBeVisible();
  expect((await calls.getUser(person.id)).isActive).toBe(false);
});

test('jobs of others are seen with View Activity, and cancelled with Manage Settings', async ({
  page,
  calls,
  pageErrors,
}) => {
  pageErrors.allow(/^404: GET .*\/jobs\/\d+|does not exist|ServiceError/);
  const job = await startUpdate(calls, { userIds: [MISSING_ID], isActive: false, notBefore: inOneHour() });
  const watchers = await calls.createGroup('Watchers', ['View Activity']);
  const watcher = await calls.createUser({ groups: [watchers] });
  await openAs(page, watcher, '/jobs?owner=others');
  await expectRow(jobsGrid(page), {
    Job: 'Deactivate 1 person',
    'Started by': 'First Administrator',
    State: 'Scheduled',
  });
  await openPopover(page);
  await choose(popover(page), /^Others’/);
  const cancel = jobRow(page, 'First Administrator')
    .getByRole('button', { name: /^Cancel/ })
    .first();
  await expect(cancel).toHaveAttribute('aria-disabled', 'true');
  await expect(cancel).toHaveAccessibleDescription('You need the Manage Settings capability');
  await checkPageAtWidths(page);

  const other = await calls.createUser();
  await setWidth(page, 1280);
  await openAs(page, other, '/jobs?owner=others');
  await expect(page.getByRole('heading', { name: 'No jobs yet' })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Started by' })).toHaveCount(0);
  await page.goto(`/jobs/${job.id}`);
  await expect(page.getByRole('heading', { name: /not found|does not exist/i })).toBeVisible();
  await calls.call('POST', `/jobs/${job.id}/cancel`);
});

test('the job center works with the keyboard alone', async ({ page, calls }) => {
  const person = await calls.createUser();
  const job = await startLicenses(calls, [person.id], 2);
  await waitForEnd(calls, job);
  await openAs(page, ada, '/users');
  await expect(page.getByRole('grid', { name: 'Users' })).toBeVisible();
  await jobsButton(page).focus();
  await page.keyboard.press('Enter');
  await expect(popover(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(popover(page)).toBeHidden();
  await expect(jobsButton(page)).toBeFocused();
  await page.keyboard.press('Enter');
  const undo = jobRow(page, 'Set 1 license to Limited').getByRole('button', { name: /^Undo/ });
  await undo.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Undo for 1 person?' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(jobsButton(page)).toBeFocused();

  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeFocused();
  await expect(jobsGrid(page)).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox').fill('jobs');
  await expect(page.getByRole('menuitem', { name: /^Jobs/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Search and commands' })).toBeHidden();
  await jobsGrid(page)
    .getByRole('row', { name: /Limited/ })
    .getByRole('link')
    .focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Set 1 license to Limited' })).toBeFocused();
});

test('more reasons than the service lists do not hide how many items failed', async ({ page, calls }) => {
  const job = await startUpdate(calls, { userIds: [MISSING_ID], isActive: true });
  await waitForEnd(calls, job);
  await page.route(`**/management/jobs/${job.id}`, async (route) => {
    const response = await route.fetch();
    const stored: unknown = await response.json();
    return route.fulfill({ response, json: Object.assign({}, stored, { total: 300, failed: 300 }) });
  });
  const reasons = Array.from({ length: 100 }, (_, at) => ({
    state: 'failed',
    reason: `The address ${at} is taken`,
    count: 1,
  }));
  await page.route(`**/jobs/${job.id}/reasons`, (route) => route.fulfill({ json: reasons }));
  await openAs(page, ada, `/jobs/${job.id}`);
  await expect(page.getByRole('region', { name: 'Why 300 failed' })).toContainText(
    'Only the most frequent reasons are listed.',
  );
});

test('a stopped job says why', async ({ page, calls }) => {
  const first = await startUpdate(calls, { userIds: [MISSING_ID], isActive: true, notBefore: inOneHour() });
  const second = await startUpdate(calls, { userIds: [MISSING_ID], isActive: true, afterJobId: first.id });
  await openAs(page, ada, `/jobs/${second.id}`);
  await expect(page.getByRole('region', { name: 'Request' })).toContainText(`Runs after job ${first.id}`);
  await calls.call('POST', `/jobs/${first.id}/cancel`);
  await expect(page.getByRole('main').getByRole('alert')).toContainText('did not finish');
  await expect(page.getByText('Stopped', { exact: true })).toBeVisible();
  await checkPageAtWidths(page);
  await setWidth(page, 1280);
  await page.goto('/jobs?state=stopped');
  await expect(jobsGrid(page)).toHaveAttribute('aria-rowcount', '2');
  await page.getByRole('button', { name: 'Clear State filter' }).click();
  await expect(page).toHaveURL(/\/jobs$/);
});
