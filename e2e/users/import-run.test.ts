/** Imports of people that the service runs: refused rows, interrupted uploads, and closing the tab. */
import type { Page } from '@playwright/test';
import { expectAccessible, expectRow, holdRequests } from '../support/actions.ts';
import { createCalls, openAs } from '../support/calls.ts';
import { chooseFile } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { endedJobBadge, fileRowsGrid, importedRowsGrid, startImportButton } from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

const HEADING = 'E-mail,First name,Last name';

test('leaving a prepared import asks; a started one continues without its page', async ({ page }) => {
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'leave.csv', `${HEADING}\nleave@import.example,Lee,Ving\n`);
  await expectRow(fileRowsGrid(page), { Person: 'Lee Ving', Outcome: 'Create' });
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await expectRow(fileRowsGrid(page), { Person: 'Lee Ving', Outcome: 'Create' });
  await startImportButton(page).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import 1 person from leave.csv');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { name: 'Main site' })).toBeVisible();
  await page.goBack();
  await expectRow(importedRowsGrid(page), { Person: 'Lee Ving', Outcome: 'Changed' });
});

test('the columns cannot be changed while the rows are sent', async ({ page }) => {
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'sent.csv', `${HEADING}\nsent@import.example,Sen,Tal\n`);
  await expectRow(fileRowsGrid(page), { Person: 'Sen Tal', Outcome: 'Create' });
  const release = await holdRequests(page, /\/jobs\/\d+\/parts\/\d+/);
  await startImportButton(page).click();
  await expect(page.getByRole('progressbar', { name: 'Upload' })).toBeVisible();
  const column = page.getByText('First name', { exact: true }).first();
  await expect(page.locator('[inert]').filter({ has: column })).toBeVisible();
  release();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import 1 person from sent.csv');
});

test('reports refused rows and leaves alone what someone else changed', async ({ page, calls }) => {
  // A second administrator changes a user after the check and takes an address.
  const person = await calls.createUser({ firstName: 'Con', lastName: 'Tested' });
  await openAs(page, ada, '/users/import');
  await chooseFile(
    page,
    'again.csv',
    [
      HEADING,
      'taken@import.example,Tay,Ken',
      'fine@import.example,Фая 詩 عائشة,Ine',
      `${person.email},Con,Mine`,
    ].join('\r\n'),
  );
  await expect(startImportButton(page)).toHaveText('Import 3 people');
  await calls.call('PUT', '/user', { id: person.id, lastName: 'Theirs' });
  await calls.createUser({ email: 'taken@import.example', firstName: 'Somebody', lastName: 'Else' });
  await startImportButton(page).click();
  await expect(endedJobBadge(page)).toHaveText('Finished, 1 failed');
  await expectRow(importedRowsGrid(page), { Person: 'Фая 詩 عائشة Ine', Outcome: 'Changed' });
  await expectRow(importedRowsGrid(page), {
    Person: /Tay Ken.*Row 2/,
    Outcome: 'Failed',
    Reason: 'already a user of this site',
  });
  await expectRow(importedRowsGrid(page), {
    Person: /Con Mine.*Row 4/,
    Outcome: 'Skipped',
    Reason: 'Someone else changed this user in the meantime: lastName',
  });
  await expectAccessible(page);
  expect((await calls.getUser(person.id)).lastName).toBe('Theirs');
});

test('stores nothing of a row that needs a lost capability', async ({ page, calls, request }) => {
  const licenses = await calls.createGroup('Licenses for now', ['Manage Licences']);
  const users = await calls.createGroup('Users', ['Manage Users']);
  const clerk = await calls.createUser({ groups: [licenses, users] });
  await openAs(page, clerk, '/users/import');
  await chooseFile(page, 'part.csv', `${HEADING},License\npart@import.example,Par,Tly,Free\n`);
  await expectRow(fileRowsGrid(page), {
    Person: 'Par Tly',
    Outcome: 'Create',
    Changes: 'Free/Complimentary',
  });
  const admin = await createCalls(request, ada);
  await admin.call('DELETE', '/user/group', [{ userIds: [clerk.id], groupIds: [licenses] }]);
  await startImportButton(page).click();
  await expect(endedJobBadge(page)).toHaveText('Finished, 1 failed');
  await expectRow(importedRowsGrid(page), {
    Person: 'Par Tly',
    Outcome: 'Failed',
    Reason: 'Manage Licences',
  });
  expect(await calls.call('GET', '/user?email=part@import.example')).toEqual([]);
});

test('finishes after the tab was closed and the service was killed, every person once', async ({
  page,
  context,
  service,
  calls,
}) => {
  const many = Array.from({ length: 400 }, (_, at) => `many${at}@import.example,Many,Number ${at}`);
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'many.csv', [HEADING, ...many].join('\n'));
  await expect(startImportButton(page)).toHaveText('Import 400 people');
  await startImportButton(page).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import 400 people from many.csv');
  const address = page.url();
  await page.close();
  await service.stop('SIGKILL');
  await service.start();
  const other = await context.newPage();
  await other.goto(address);
  await expect(endedJobBadge(other)).toHaveText('Finished', { timeout: 90_000 });
  await expect(other.getByRole('list', { name: 'Outcomes' })).toContainText('400 changed');
  const found = await calls.call<{ email: string }[]>('GET', '/user?pageNumber=1&pageSize=1000');
  expect(found.filter(({ email }) => /^many\d+@import\.example$/.test(email))).toHaveLength(400);
});

const makeLongName = (text: string, at: number) => `${text} ${at} `.padEnd(100, 'x');

/** Parts that the page uploads, by number; those from `failFrom` on are lost. */
async function watchParts(page: Page): Promise<{ sent: number[]; fail: { from: number } }> {
  const sent: number[] = [];
  const fail = { from: Number.POSITIVE_INFINITY };
  await page.route(/\/jobs\/\d+\/parts\/\d+/, (route) => {
    const part = Number(/parts\/(\d+)/.exec(route.request().url())?.[1]);
    if (part >= fail.from) return route.abort();
    sent.push(part);
    return route.continue();
  });
  return { sent, fail };
}

test('continues an interrupted upload with the missing parts, and starts again for a changed file', async ({
  page,
  calls,
  expectFailure,
}) => {
  // Lost parts.
  expectFailure(/ERR_FAILED/);
  const rows = Array.from(
    { length: 20_000 },
    (_, at) => `upload${at}@import.example,${makeLongName('First', at)},${makeLongName('Last', at)}`,
  );
  const open = async (file: readonly string[]) => {
    await openAs(page, ada, '/users/import');
    await chooseFile(page, 'upload.csv', [HEADING, ...file].join('\n'));
    await expect(startImportButton(page)).toHaveText('Import 20,000 people');
  };
  const { sent, fail } = await watchParts(page);
  fail.from = 2;
  await open(rows);
  await startImportButton(page).click();
  await expect(page.getByRole('alert')).toContainText('Import again to continue where the upload stopped');
  expect(sent).toEqual([1]);
  const [interrupted] = await calls.call<{ id: number }[]>('GET', '/jobs?state=uploading');

  // After a reload the first part is of another content.
  await open(['changed@import.example,Chan,Ged', ...rows.slice(1)]);
  await startImportButton(page).click();
  await expect(page.getByText('upload.csv has changed since its upload was interrupted')).toBeVisible();
  await expect(page.getByRole('alert').first()).toBeVisible();
  expect(await calls.call('GET', `/jobs/${interrupted?.id}`)).toMatchObject({ state: 'cancelled' });
  expect(sent).toEqual([1, 1]);

  fail.from = Number.POSITIVE_INFINITY;
  sent.length = 0;
  await startImportButton(page).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import 20,000 people from upload.csv');
  // Several are on their way at once, in any order.
  expect(Math.min(...sent)).toBe(2);
  const [started] = await calls.call<{ id: number; total: number }[]>('GET', '/jobs');
  expect(started?.total).toBe(20_000);
  await calls.call('POST', `/jobs/${started?.id}/cancel`);
});
