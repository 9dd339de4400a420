import { choose, expectNoAxe, expectNoAxeInBothThemes, expectRow } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { giveFile, savedBy } from '../support/files.ts';
import { ended, imported, outcome, rows, start } from '../support/imports.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test('a file is checked row by row, then creates and changes people', async ({ page, calls }) => {
  const sales = await calls.makeGroup('Sales; North', []);
  const known = await calls.makeUser({ firstName: 'Ann', lastName: 'Marsh', twoFactorEnabled: true });
  const same = await calls.makeUser({ firstName: 'Sam', lastName: 'Asbefore' });
  await enter(page, ada, '/users');
  await choose(page, 'Import and export', 'Import users');
  await expect(page.getByRole('heading', { name: 'Import users' })).toBeFocused();
  await expectNoAxeInBothThemes(page);
  await giveFile(
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
  await expectRow(rows(page), {
    Person: 'Nora',
    Row: '2',
    Outcome: 'Create',
    'What would change': 'License Limited',
  });
  await expectRow(rows(page), {
    Person: 'Ann',
    Outcome: 'Update',
    'What would change': 'Last name Marsh Moor',
  });
  await expectRow(rows(page), { Person: 'Sam', Outcome: 'No change' });
  await expectRow(rows(page), { Row: '5', 'What would change': '“not-an-address” is not an e-mail address' });
  await expectRow(rows(page), { Person: 'Tom', 'What would change': 'The same address stands in row 7' });
  await expect(page.getByText('parted by semicolons')).toContainText('2 columns ignored');
  await expect(page.getByText('Not imported: people set their own password')).toBeVisible();
  await expectNoAxeInBothThemes(page);

  await outcome(page, /Cannot/).check();
  await expect(rows(page).getByRole('row')).toHaveCount(4);
  const { name, bytes } = await savedBy(page, () =>
    page.getByRole('button', { name: 'Download the problems' }).click(),
  );
  expect(name).toBe('people-problems.csv');
  const problems = bytes.toString('utf8').split('\r\n');
  expect(problems).toHaveLength(5);
  expect(problems[0]).toContain('"Mail","Vorname"');
  expect(problems[1]).toContain('Status: “perhaps” is neither Active nor Inactive');

  await start(page).click();
  await expect(ended(page)).toBeVisible();
  await expectRow(imported(page), { Person: 'Nora', Result: 'Done' });
  await expectRow(imported(page), { Person: 'Ann', Result: 'Done' });
  await expectNoAxeInBothThemes(page);
  const report = await savedBy(page, () =>
    page.locator('main').getByRole('button', { name: 'Report' }).click(),
  );
  expect(report.bytes.toString('utf8')).toMatch(/2,"Done",\d+,"nora@import.example"/);

  const [nora] = await calls.call<{ id: number }[]>('GET', '/user?email=nora@import.example');
  expect(await calls.user(nora?.id ?? 0)).toMatchObject({
    lastName: 'O\'Brien "N"',
    groups: [sales],
    twoFactorEnabled: true,
  });
  expect(await calls.call('GET', `/userLicense/${nora?.id}`)).toMatchObject({ licenseTypeId: 2 });
  expect(await calls.user(known.id)).toMatchObject({ lastName: 'Moor', isActive: false, email: known.email });
});

test('pasted rows are imported by keyboard alone', async ({ page, calls }) => {
  await enter(page, ada, '/users/import');
  const paste = page.getByRole('button', { name: 'Paste rows instead' });
  await paste.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Rows with their heading' })).toBeFocused();
  await page.keyboard.insertText('Id\tE-mail\tFirst name\tSurname\n\tkey@import.example\tKay\tBoard\n');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expectRow(rows(page), { Person: 'Kay Board', Outcome: 'Create' });
  await expect(page.getByText('parted by tabs')).toBeVisible();

  // The numbers are radios, the table's rows are reached by arrows, and a row tells everything in its panel.
  await outcome(page, /rows?$/).focus();
  await page.keyboard.press('ArrowRight');
  await expect(outcome(page, /Create/)).toBeChecked();
  await rows(page).getByRole('button', { name: 'Actions for Kay Board' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Show in full' })).toBeFocused();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: 'Row 2' });
  await expect(panel.getByText('Standard')).toBeVisible();
  await expectNoAxe(page);
  await page.keyboard.press('Escape');
  await expect(panel).toBeHidden();
  await start(page).focus();
  await page.keyboard.press('Enter');
  await expect(ended(page)).toBeVisible();
  expect(await calls.call('GET', '/user?email=key@import.example')).toMatchObject([{ lastName: 'Board' }]);
});

test('columns are guessed and can be changed; what is no Unicode is read, with a notice', async ({
  page,
  calls,
}) => {
  const person = await calls.makeUser({ firstName: 'Zoe', lastName: 'Unlike' });
  await enter(page, ada, '/users/import');
  await giveFile(page, 'latin.csv', Buffer.from(`Who,Called\n${person.email},Zo\u00eb\n`, 'latin1'));
  await expect(page.getByText('Say which column holds the e-mail address or the id')).toBeVisible();
  await expect(page.getByText('was read as Windows-1252')).toBeVisible();
  await page.getByText('Read it otherwise').press('Enter');
  await expectNoAxeInBothThemes(page);
  const encoding = page.getByRole('combobox', { name: 'Encoding' });
  await encoding.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByText('Windows-1250')).toHaveCount(2);
  await expect(encoding).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByText('parted by commas · Windows-1252')).toBeVisible();
  await page.getByRole('combobox', { name: /^Who/ }).selectOption('E-mail');
  await page.getByRole('combobox', { name: /^Called/ }).selectOption('Last name');
  await expectRow(rows(page), { Outcome: 'Update', 'What would change': 'Last name Unlike Zoë' });
  await page.getByRole('combobox', { name: /^Called/ }).selectOption('First name');
  await expectRow(rows(page), { Outcome: 'Update', 'What would change': 'First name Zoe Zoë' });
  // A field is in one column.
  await page.getByRole('combobox', { name: /^Called/ }).selectOption('E-mail');
  await expect(page.getByRole('combobox', { name: /^Who/ })).toHaveValue('');
});

test('what cannot be read says so, and the template can', async ({ page }) => {
  await enter(page, ada, '/users/import');
  await giveFile(page, 'book.xlsx', Buffer.from('PK\u0003\u0004'));
  await expect(page.getByRole('alert')).toContainText('is no workbook that can be read');
  await expectNoAxeInBothThemes(page);
  await giveFile(page, 'empty.csv', '');
  await expect(page.getByRole('alert')).toContainText('The file is empty');
  const template = await savedBy(page, () =>
    page.getByRole('button', { name: 'Download the template' }).click(),
  );
  expect(template.name).toBe('users-template.csv');
  await giveFile(page, template.name, template.bytes);
  await expectRow(rows(page), { Person: 'Ann Example', Outcome: 'Create' });
  await expect(page.getByText('parted by commas · UTF-8')).toBeVisible();
});

test('groups of the file are added, or replace those that people have where that is chosen', async ({
  page,
  calls,
}) => {
  const [before, after] = [await calls.makeGroup('Before', []), await calls.makeGroup('After', [])];
  const person = await calls.makeUser({ groups: [before] });
  await enter(page, ada, '/users/import');
  await giveFile(page, 'groups.csv', `Id,Groups\n${person.id},after\n`);
  await expectRow(rows(page), { Outcome: 'Update', 'What would change': 'Groups Before Before; After' });
  await page.getByRole('radio', { name: /^replace those/ }).check();
  await expectRow(rows(page), { Outcome: 'Update', 'What would change': /Groups Before After/ });
  await start(page).click();
  await expect(ended(page)).toBeVisible();
  expect((await calls.user(person.id)).groups).toEqual([after]);
});

test('who may change licenses alone can import them, and nothing else', async ({ page, calls }) => {
  const groupId = await calls.makeGroup('Licenses alone', ['Manage Licences']);
  const clerk = await calls.makeUser({ groups: [groupId] });
  const person = await calls.makeUser({ firstName: 'Lic', lastName: 'Ensed' });
  await enter(page, clerk, '/users/import');
  await giveFile(
    page,
    'licenses.csv',
    `Id,License,First name\n${person.id},No License,\n${clerk.id},,Other\n`,
  );
  await expectRow(rows(page), {
    Person: 'Lic Ensed',
    Outcome: 'Update',
    'What would change': 'Standard No License',
  });
  await expectRow(rows(page), {
    Outcome: 'Cannot',
    'What would change': 'Needs the capability Manage Users',
  });
  await start(page).click();
  await expect(ended(page)).toBeVisible();
  expect(await calls.call('GET', `/userLicense/${person.id}`)).toMatchObject({ licenseTypeId: 4 });
});
