import {
  chooseMenuItem,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectRow,
  chooseOption,
  findSelect,
} from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { chooseFile, downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import {
  endedJobBadge,
  importedRowsGrid,
  outcomeOption,
  fileRowsGrid,
  startImportButton,
} from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

test('checks a file row by row, then creates and changes users', async ({ page, calls }) => {
  const sales = await calls.createGroup('Sales; North', []);
  const known = await calls.createUser({ firstName: 'Ann', lastName: 'Marsh', twoFactorEnabled: true });
  const same = await calls.createUser({ firstName: 'Sam', lastName: 'Asbefore' });
  await openAs(page, ada, '/users');
  await chooseMenuItem(page, 'Import and export', 'Import users');
  await expect(page.getByRole('heading', { name: 'Import users' })).toBeFocused();
  await expectAccessibleInBothThemes(page);
  await chooseFile(
    page,
    'people.csv',
    [
      'Mail;Vorname;Last name;Status;Licence;Groups;2FA;Shoe size;Password',
      'nora@import.example;Nora;"O\'Brien ""N""";active;Limited;"""Sales; North""";yes;42;secret',
      `${known.email.toUpperCase()};Ann;Moor;inactive;;;;;`,
      `${same.email};Sam;Asbefore;active;Standard;;no;;`,
      `not-an-address;Bob;Builder;perhaps;Platinum;Nowhere;maybe;;`,
      'twin@import.example;Tom;Twin;;;;;;',
      'TWIN@import.example;Tim;Twin;;;;;;',
    ].join('\n'),
  );
  await expectRow(fileRowsGrid(page), {
    Person: 'Nora',
    Row: '2',
    Outcome: 'Create',
    Changes: 'License Limited',
  });
  await expectRow(fileRowsGrid(page), {
    Person: 'Ann',
    Outcome: 'Update',
    Changes: 'Last name Marsh Moor',
  });
  await expectRow(fileRowsGrid(page), { Person: 'Sam', Outcome: 'No change' });
  await expectRow(fileRowsGrid(page), {
    Row: '5',
    Changes: '“not-an-address” is not an e-mail address',
  });
  await expectRow(fileRowsGrid(page), { Person: 'Tom', Changes: 'The same address is in row 7' });
  // Nora alone: Ann and Sam keep their licenses, and the other rows are refused.
  await expect(page.getByText(/^Billable licenses: \+1, [\d,]+ → [\d,]+$/)).toBeVisible();
  await expect(page.getByText('separated by semicolons')).toContainText('2 columns ignored');
  await expect(page.getByText('Not imported: users set their own passwords')).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await outcomeOption(page, /errors?/).check();
  await expect(fileRowsGrid(page).getByRole('row')).toHaveCount(4);
  const { name, bytes } = await downloadBytes(page, () =>
    page.getByRole('button', { name: 'Download errors' }).click(),
  );
  expect(name).toBe('people-problems.csv');
  const problems = bytes.toString('utf8').split('\r\n');
  expect(problems).toHaveLength(5);
  expect(problems[0]).toContain('"Mail","Vorname"');
  expect(problems[1]).toContain('Status: “perhaps” is neither Active nor Inactive');

  await startImportButton(page).click();
  await expect(endedJobBadge(page)).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Import 2 people from people.csv');
  await expectRow(importedRowsGrid(page), {
    Person: /Nora.*Row 2 · nora@import\.example/,
    Outcome: 'Changed',
  });
  await expectRow(importedRowsGrid(page), { Person: /Ann Moor.*Row 3/, Outcome: 'Changed' });
  await expectAccessibleInBothThemes(page);

  const [nora] = await calls.call<{ id: number }[]>('GET', '/user?email=nora@import.example');
  expect(await calls.getUser(nora?.id ?? 0)).toMatchObject({
    lastName: 'O\'Brien "N"',
    groups: [sales],
    twoFactorEnabled: true,
  });
  expect(await calls.call('GET', `/userLicense/${nora?.id}`)).toMatchObject({ licenseTypeId: 2 });
  expect(await calls.getUser(known.id)).toMatchObject({
    lastName: 'Moor',
    isActive: false,
    email: known.email,
  });
});

test('imports pasted rows by keyboard', async ({ page, calls }) => {
  await openAs(page, ada, '/users/import');
  const paste = page.getByRole('button', { name: 'Paste rows instead' });
  await paste.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Rows with their heading' })).toBeFocused();
  await page.keyboard.insertText('Id\tE-mail\tFirst name\tSurname\n\tkey@import.example\tKay\tBoard\n');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expectRow(fileRowsGrid(page), { Person: 'Kay Board', Outcome: 'Create' });
  await expect(page.getByText('separated by tabs')).toBeVisible();

  // The numbers are radio buttons, rows are reached by arrow keys, and a panel shows the whole row.
  await outcomeOption(page, /rows?$/).focus();
  await page.keyboard.press('ArrowRight');
  await expect(outcomeOption(page, /Create/)).toBeChecked();
  await fileRowsGrid(page).getByRole('button', { name: 'Actions for Kay Board' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Show in full' })).toBeFocused();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'Row 2' });
  await expect(panel.getByText('Standard')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await startImportButton(page).focus();
  await page.keyboard.press('Enter');
  await expect(endedJobBadge(page)).toBeVisible();
  expect(await calls.call('GET', '/user?email=key@import.example')).toMatchObject([{ lastName: 'Board' }]);
});

test('guesses columns, allows changing them, and reads non-Unicode files with a notice', async ({
  page,
  calls,
}) => {
  const person = await calls.createUser({ firstName: 'Zoe', lastName: 'Unlike' });
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'latin.csv', Buffer.from(`Who,Called\n${person.email},Zo\u00eb\n`, 'latin1'));
  await expect(page.getByText('Choose the column with the e-mail address or the id')).toBeVisible();
  await expect(page.getByText('was read as Windows-1252')).toBeVisible();
  await page.getByText('File options').press('Enter');
  await expectAccessibleInBothThemes(page);
  const column = (heading: string) => page.getByRole('button', { name: new RegExp(` ${heading}\\b`) });
  const encoding = findSelect(page, 'Encoding');
  await encoding.focus();
  await page.keyboard.press('ArrowRight');
  await expect(encoding).toHaveText('Windows-1250 (Central European)');
  await expect(page.getByText('separated by commas · Windows-1250')).toBeVisible();
  await expect(encoding).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByText('separated by commas · Windows-1252')).toBeVisible();
  await chooseOption(column('Who'), 'E-mail');
  await chooseOption(column('Called'), 'Last name');
  await expectRow(fileRowsGrid(page), { Outcome: 'Update', Changes: 'Last name Unlike Zoë' });
  await chooseOption(column('Called'), 'First name');
  await expectRow(fileRowsGrid(page), { Outcome: 'Update', Changes: 'First name Zoe Zoë' });
  // A field belongs to one column.
  await chooseOption(column('Called'), 'E-mail');
  await expect(column('Who')).toHaveText('Ignored');
});

test('explains unreadable files and offers the template', async ({ page }) => {
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'book.xlsx', Buffer.from('PK\u0003\u0004'));
  await expect(page.getByRole('alert')).toContainText('This workbook cannot be read');
  await expectAccessibleInBothThemes(page);
  await chooseFile(page, 'empty.csv', '');
  await expect(page.getByRole('alert')).toContainText('The file is empty');
  const template = await downloadBytes(page, () =>
    page.getByRole('button', { name: 'Download the template' }).click(),
  );
  expect(template.name).toBe('users-template.csv');
  await chooseFile(page, template.name, template.bytes);
  await expectRow(fileRowsGrid(page), { Person: 'Ann Example', Outcome: 'Create' });
  await expect(page.getByText('separated by commas · UTF-8')).toBeVisible();
});

test('adds groups of the file, or replaces existing ones if chosen', async ({ page, calls }) => {
  const [before, after] = [await calls.createGroup('Before', []), await calls.createGroup('After', [])];
  const person = await calls.createUser({ groups: [before] });
  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'groups.csv', `Id,Groups\n${person.id},after\n`);
  await expectRow(fileRowsGrid(page), {
    Outcome: 'Update',
    Changes: 'Groups Before Before; After',
  });
  await page.getByRole('radio', { name: /^Replace existing groups/ }).check();
  await expectRow(fileRowsGrid(page), { Outcome: 'Update', Changes: /Groups Before After/ });
  await startImportButton(page).click();
  await expect(endedJobBadge(page)).toBeVisible();
  expect((await calls.getUser(person.id)).groups).toEqual([after]);
});

test('imports licenses with only the capability for licenses', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Licenses alone', ['Manage Licences']);
  const clerk = await calls.createUser({ groups: [groupId] });
  const person = await calls.createUser({ firstName: 'Lic', lastName: 'Ensed' });
  await openAs(page, clerk, '/users/import');
  await chooseFile(
    page,
    'licenses.csv',
    `Id,License,First name\n${person.id},No License,\n${clerk.id},,Other\n`,
  );
  await expectRow(fileRowsGrid(page), {
    Person: 'Lic Ensed',
    Outcome: 'Update',
    Changes: 'Standard No License',
  });
  await expectRow(fileRowsGrid(page), {
    Outcome: 'Error',
    Changes: 'You need the Manage Users capability',
  });
  await startImportButton(page).click();
  await expect(endedJobBadge(page)).toBeVisible();
  expect(await calls.call('GET', `/userLicense/${person.id}`)).toMatchObject({ licenseTypeId: 4 });
});
