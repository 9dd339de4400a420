/** Running imports: refused rows, remaining rows, and resuming. */
import { expectAccessible, expectRow } from '../support/actions.ts';
import { createCalls, openAs } from '../support/calls.ts';
import { chooseFile, downloadBytes } from '../support/files.ts';
import {
  importAnotherButton,
  importedRowsGrid,
  outcomeOption,
  fileRowsGrid,
  startImportButton,
} from '../support/locators.ts';
import { SERVICE_DOWN } from '../support/page-errors.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test('leaving a prepared import asks; a running one continues in the job list', async ({ page }) => {
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'leave.csv', 'E-mail,First name,Last name\nleave@import.example,Lee,Ving\n');
  await expectRow(fileRowsGrid(page), { Person: 'Lee Ving', Outcome: 'Create' });
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await expectRow(fileRowsGrid(page), { Person: 'Lee Ving', Outcome: 'Create' });
  await startImportButton(page).click();
  await expect(page.getByRole('region', { name: 'Jobs' })).toContainText('1 of 1');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { name: 'Main site' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Jobs' })).toContainText('Import 1 person');
  await page.goBack();
  await expectRow(importedRowsGrid(page), { Person: 'Lee Ving', Result: 'Done' });
});

test('reports refused rows and retries only those', async ({ page, calls, expectFailure }) => {
  // A second administrator changes a user after the check and takes an address.
  expectFailure(409);
  const person = await calls.createUser({ firstName: 'Con', lastName: 'Tested' });
  await openAs(page, ada, '/users/import');
  await chooseFile(
    page,
    'again.csv',
    [
      'E-mail,First name,Last name',
      'taken@import.example,Tay,Ken',
      'fine@import.example,Fay,Ine',
      `${person.email},Con,Mine`,
    ].join('\r\n'),
  );
  await expect(startImportButton(page)).toHaveText('Import 3 people');
  await calls.call('PUT', '/user', { id: person.id, lastName: 'Theirs' });
  await calls.createUser({ email: 'taken@import.example', firstName: 'Somebody', lastName: 'Else' });
  await startImportButton(page).click();
  await expect(importAnotherButton(page)).toBeVisible();
  await expectRow(importedRowsGrid(page), { Person: 'Fay Ine', Result: 'Done' });
  await expectRow(importedRowsGrid(page), {
    Person: 'Tay Ken',
    Result: 'Failed',
    'What happened': 'already a user of this site',
  });
  await expectRow(importedRowsGrid(page), {
    Person: 'Con Mine',
    Result: 'Failed',
    'What happened': 'Someone else changed',
  });
  expect((await calls.getUser(person.id)).lastName).toBe('Theirs');

  const failed = await downloadBytes(page, () =>
    page.locator('main').getByRole('button', { name: 'Failed rows', exact: true }).click(),
  );
  expect(failed.name).toBe('again-failed.csv');
  expect(failed.bytes.toString('utf8').split('\r\n')).toHaveLength(4);
  await page.getByRole('button', { name: 'Check the failed rows again' }).click();
  await expectRow(fileRowsGrid(page), { Outcome: 'Update', 'What would change': 'Last name Theirs Mine' });
  await expectRow(fileRowsGrid(page), { Outcome: 'Update', 'What would change': 'First name Somebody Tay' });
  await startImportButton(page).click();
  await expect(importAnotherButton(page)).toBeVisible();
  expect((await calls.getUser(person.id)).lastName).toBe('Mine');
});

test('reports a user created without the license as partial', async ({
  page,
  calls,
  expectFailure,
  request,
}) => {
  expectFailure(403);
  const licenses = await calls.createGroup('Licenses for now', ['Manage Licences']);
  const users = await calls.createGroup('Users', ['Manage Users']);
  const clerk = await calls.createUser({ groups: [licenses, users] });
  await openAs(page, clerk, '/users/import');
  await chooseFile(
    page,
    'part.csv',
    'E-mail,First name,Last name,License\npart@import.example,Par,Tly,Free\n',
  );
  await expectRow(fileRowsGrid(page), {
    Person: 'Par Tly',
    Outcome: 'Create',
    'What would change': 'Free/Complimentary',
  });
  const admin = await createCalls(request, ada);
  await admin.call('DELETE', '/user/group', [{ userIds: [clerk.id], groupIds: [licenses] }]);
  await startImportButton(page).click();
  await expect(importAnotherButton(page)).toBeVisible();
  await expectRow(importedRowsGrid(page), {
    Person: 'Par Tly',
    Result: 'In part',
    'What happened': 'Created done.',
  });
  await expectAccessible(page);
});

test('pauses while the service is unavailable and resumes after a reload without sending rows twice', async ({
  page,
  service,
  calls,
  expectFailure,
}) => {
  expectFailure(SERVICE_DOWN);
  const many = Array.from({ length: 400 }, (_, at) => `many${at}@import.example,Many,Number ${at}`);
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'many.csv', ['E-mail,First name,Last name', ...many].join('\n'));
  await expect(startImportButton(page)).toHaveText('Import 400 people');
  await startImportButton(page).click();
  await expect(page.getByText(/Importing: [1-9]\d* of 400/)).toBeVisible();
  await service.stop('SIGKILL');
  await expect(page.getByText('The import is paused')).toBeVisible();
  await expectAccessible(page);
  await service.start();
  await page.reload();
  await expect(page.getByText(/^The import is paused: [1-9]\d* of 400/)).toBeVisible();
  await page.locator('main').getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('Imported: 400 of 400')).toBeVisible({ timeout: 90_000 });
  await expect(outcomeOption(page, /^400 Done/)).toBeVisible();
  const found = await calls.call<unknown[]>('GET', '/user?pageNumber=1&pageSize=1000');
  expect(
    found.filter((user) => JSON.stringify(user).includes('@import.example"')).length,
  ).toBeGreaterThanOrEqual(400);
});
