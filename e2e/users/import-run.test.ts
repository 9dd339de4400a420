/** An import that is under way: what is refused, what is left, and where it goes on. */
import { expectNoAxe, expectRow } from '../support/actions.ts';
import { callsOf, enter } from '../support/calls.ts';
import { AWAY } from '../support/faults.ts';
import { giveFile, savedBy } from '../support/files.ts';
import { ended, imported, outcome, rows, start } from '../support/imports.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test('leaving a prepared import asks; a running one goes on in the tray', async ({ page }) => {
  await enter(page, ada, '/users/import');
  await giveFile(page, 'leave.csv', 'E-mail,First name,Last name\nleave@import.example,Lee,Ving\n');
  await expectRow(rows(page), { Person: 'Lee Ving', Outcome: 'Create' });
  await page.getByRole('link', { name: 'Overview' }).click();
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expectRow(rows(page), { Person: 'Lee Ving', Outcome: 'Create' });
  await start(page).click();
  await expect(page.getByRole('region', { name: 'Jobs' })).toContainText('1 of 1');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { name: 'Main site' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Jobs' })).toContainText('Import 1 person');
  await page.goBack();
  await expectRow(imported(page), { Person: 'Lee Ving', Result: 'Done' });
});

test('what the service refuses is told for its row, and only those rows are tried again', async ({
  page,
  calls,
  expectFailure,
}) => {
  // Two admins: the second one changes somebody after the check, and takes an address.
  expectFailure(409);
  const person = await calls.makeUser({ firstName: 'Con', lastName: 'Tested' });
  await enter(page, ada, '/users/import');
  await giveFile(
    page,
    'again.csv',
    [
      'E-mail,First name,Last name',
      'taken@import.example,Tay,Ken',
      'fine@import.example,Fay,Ine',
      `${person.email},Con,Mine`,
    ].join('\r\n'),
  );
  await expect(start(page)).toHaveText('Import 3 people');
  await calls.call('PUT', '/user', { id: person.id, lastName: 'Theirs' });
  await calls.makeUser({ email: 'taken@import.example', firstName: 'Somebody', lastName: 'Else' });
  await start(page).click();
  await expect(ended(page)).toBeVisible();
  await expectRow(imported(page), { Person: 'Fay Ine', Result: 'Done' });
  await expectRow(imported(page), {
    Person: 'Tay Ken',
    Result: 'Failed',
    'What happened': 'already a user of this site',
  });
  await expectRow(imported(page), {
    Person: 'Con Mine',
    Result: 'Failed',
    'What happened': 'Somebody else changed',
  });
  expect((await calls.user(person.id)).lastName).toBe('Theirs');

  const failed = await savedBy(page, () =>
    page.locator('main').getByRole('button', { name: 'Failed rows', exact: true }).click(),
  );
  expect(failed.name).toBe('again-failed.csv');
  expect(failed.bytes.toString('utf8').split('\r\n')).toHaveLength(4);
  await page.getByRole('button', { name: 'Check the failed rows again' }).click();
  await expectRow(rows(page), { Outcome: 'Update', 'What would change': 'Last name Theirs Mine' });
  await expectRow(rows(page), { Outcome: 'Update', 'What would change': 'First name Somebody Tay' });
  await start(page).click();
  await expect(ended(page)).toBeVisible();
  expect((await calls.user(person.id)).lastName).toBe('Mine');
});

test('a creation without its license is told as a part', async ({ page, calls, expectFailure, request }) => {
  expectFailure(403);
  const licenses = await calls.makeGroup('Licenses for now', ['Manage Licences']);
  const users = await calls.makeGroup('Users', ['Manage Users']);
  const clerk = await calls.makeUser({ groups: [licenses, users] });
  await enter(page, clerk, '/users/import');
  await giveFile(page, 'part.csv', 'E-mail,First name,Last name,License\npart@import.example,Par,Tly,Free\n');
  await expectRow(rows(page), {
    Person: 'Par Tly',
    Outcome: 'Create',
    'What would change': 'Free/Complimentary',
  });
  const admin = await callsOf(request, ada);
  await admin.call('DELETE', '/user/group', [{ userIds: [clerk.id], groupIds: [licenses] }]);
  await start(page).click();
  await expect(ended(page)).toBeVisible();
  await expectRow(imported(page), { Person: 'Par Tly', Result: 'In part', 'What happened': 'Created done.' });
  await expectNoAxe(page);
});

test('an import stops by itself while the service is away, and goes on after a reload without sending anything twice', async ({
  page,
  service,
  calls,
  expectFailure,
}) => {
  expectFailure(AWAY);
  const many = Array.from({ length: 400 }, (_, at) => `many${at}@import.example,Many,Number ${at}`);
  await enter(page, ada, '/users/import');
  await giveFile(page, 'many.csv', ['E-mail,First name,Last name', ...many].join('\n'));
  await expect(start(page)).toHaveText('Import 400 people');
  await start(page).click();
  await expect(page.getByText(/Importing: [1-9]\d* of 400/)).toBeVisible();
  await service.stop('SIGKILL');
  await expect(page.getByText('The import is paused')).toBeVisible();
  await expectNoAxe(page);
  await service.start();
  await page.reload();
  await expect(page.getByText(/^The import is paused: [1-9]\d* of 400/)).toBeVisible();
  await page.locator('main').getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('Imported: 400 of 400')).toBeVisible({ timeout: 30_000 });
  await expect(outcome(page, /^400 Done/)).toBeVisible();
  const found = await calls.call<unknown[]>('GET', '/user?pageNumber=1&pageSize=1000');
  expect(
    found.filter((user) => JSON.stringify(user).includes('@import.example"')).length,
  ).toBeGreaterThanOrEqual(400);
});
