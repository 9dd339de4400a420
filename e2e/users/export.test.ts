import { inflateRawSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import Papa from 'papaparse';
import { choose, expectNoAxeInBothThemes, expectRow, expectToast } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { giveFile, savedBy } from '../support/files.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const dialog = (page: Page) => page.getByRole('alertdialog', { name: /^Export / });
const found = (page: Page) => page.getByRole('grid', { name: 'Users' }).getByRole('row');

/** Before everybody has been read, nothing can be exported. */
const allRead = (page: Page) => expect(page.getByText(/^As of/)).toBeVisible();

async function exported(page: Page, format: 'CSV' | 'XLSX') {
  await allRead(page);
  await choose(page, 'Import and export', 'Export');
  await dialog(page).getByRole('radio', { name: format }).check();
  return savedBy(page, () =>
    dialog(page)
      .getByRole('button', { name: /^Export / })
      .click(),
  );
}

const parsed = (bytes: Buffer) => Papa.parse<string[]>(bytes.toString('utf8'), { skipEmptyLines: true }).data;

/** The files within a ZIP, by its central directory. */
function unzip(bytes: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(bytes.lastIndexOf('PK\u0005\u0006') + 16);
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const [size, name] = [bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28)];
    const rest = bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(start, start + size);
    const packed = bytes.readUInt16LE(at + 10) === 8;
    const path = bytes.toString('utf8', at + 46, at + 46 + name);
    files.set(path, (packed ? inflateRawSync(data) : data).toString('utf8'));
    at += 46 + name + rest;
  }
  return files;
}

test('the people of a filter become a CSV file that no spreadsheet takes for formulas', async ({
  page,
  calls,
}) => {
  const groupId = await calls.makeGroup('=Risk; "high"', []);
  const eve = await calls.makeUser({
    firstName: '=HYPERLINK("https://evil.example")',
    lastName: 'Exportable',
    groups: [groupId],
    twoFactorEnabled: true,
  });
  const tis = await calls.makeUser({ firstName: "'tis", lastName: 'Exportable' });
  await enter(page, ada, '/users?q=exportable');
  await expect(found(page)).toHaveCount(3);
  await allRead(page);
  await choose(page, 'Import and export', 'Export');
  await expect(dialog(page).getByText('Search: exportable')).toBeVisible();
  await expect(dialog(page).getByRole('radio', { name: 'CSV' })).toBeFocused();
  await expectNoAxeInBothThemes(page);
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();

  const { name, bytes } = await exported(page, 'CSV');
  await expectToast(page, '2 people exported');
  expect(name).toMatch(/^users-search-exportable-\d{4}-\d\d-\d\d\.csv$/);
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const [head = [], ...lines] = parsed(bytes);
  expect(head.slice(0, 7)).toEqual([
    'Id',
    'E-mail',
    'First name',
    'Last name',
    'Status',
    'License',
    'Groups',
  ]);
  const byId = new Map(lines.map((line) => [line[0], line]));
  expect(byId.get(String(eve.id))?.slice(1, 9)).toEqual([
    eve.email,
    '\'=HYPERLINK("https://evil.example")',
    'Exportable',
    'Active',
    'Standard',
    '"=Risk; ""high"""',
    'Yes',
    'No',
  ]);
  expect(byId.get(String(tis.id))?.[2]).toBe("'tis");
  expect(byId.get(String(eve.id))?.[9]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('an import of everybody’s export changes nothing', async ({ page }) => {
  await enter(page, ada, '/users');
  await expect(found(page).nth(5)).toBeVisible();
  const { name, bytes } = await exported(page, 'CSV');
  expect(name).toMatch(/^users-everybody-/);
  expect(parsed(bytes).length).toBeGreaterThan(400);
  await choose(page, 'Import and export', 'Import users');
  await giveFile(page, name, bytes);
  await expect(page.getByRole('radio', { name: /^\d+ No change$/ })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 Create' })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 Update' })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 Cannot' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toHaveAccessibleDescription(
    'No row of the file would change anything',
  );
  // The other way with groups takes none away either.
  await page.getByRole('radio', { name: /^replace those/ }).check();
  await expect(page.getByRole('radio', { name: '0 Update' })).toBeVisible();
});

test('a workbook has text as text, dates as dates, and a sheet that names the filter', async ({
  page,
  calls,
}) => {
  const eve = await calls.makeUser({ firstName: '=1+1', lastName: 'Workbook' });
  await enter(page, ada, '/users?twoFactor=on-off');
  await expect(found(page).nth(5)).toBeVisible();
  const { name, bytes } = await exported(page, 'XLSX');
  await expectToast(page, /people exported$/);
  expect(name).toMatch(/^users-two-factor-on-off-.*\.xlsx$/);
  const files = unzip(bytes);
  const sheet = files.get('xl/worksheets/sheet1.xml') ?? '';
  // Large enough that the library would have packed it in a worker of its own, which the page does not allow.
  expect(Math.max(...[...files.values()].map(({ length }) => length))).toBeGreaterThan(160_000);
  expect(sheet).not.toContain('<f>');
  const texts = files.get('xl/sharedStrings.xml') ?? '';
  expect(texts + sheet).toContain('=1+1');
  expect(sheet).toContain(`<v>${eve.id}</v>`);
  expect(files.get('xl/workbook.xml')).toContain('About');
  expect(texts + (files.get('xl/worksheets/sheet2.xml') ?? '')).toContain('Two-factor: on, off');
  // It is unpacked and read under the policy of the page, and says nothing new.
  await choose(page, 'Import and export', 'Import users');
  await giveFile(page, name, bytes);
  await expect(page.getByRole('radio', { name: /^[1-9]\d* No change$/ })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 Update' })).toBeVisible();
});

test('federation ids are read where they are asked for, as a job in the tray, by keyboard', async ({
  page,
  calls,
}) => {
  const fay = await calls.makeUser({ firstName: 'Fay', lastName: 'Federated', federationId: '@fay' });
  await enter(page, ada, '/users?q=federated');
  await expect(found(page)).toHaveCount(2);
  await allRead(page);
  await page.getByRole('button', { name: 'Import and export' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Import users' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('radio', { name: 'CSV' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(dialog(page).getByRole('checkbox', { name: 'Federation ids' })).toBeFocused();
  await page.keyboard.press('Space');
  const { bytes } = await savedBy(page, () => page.keyboard.press('Enter'));
  await expect(page.getByRole('region', { name: 'Jobs' })).toContainText(
    '1 person in users-search-federated',
  );
  const [head = [], line = []] = parsed(bytes);
  expect([head[0], head.at(-1)]).toEqual(['Id', 'Federation id']);
  expect([line[0], line.at(-1)]).toEqual([String(fay.id), "'@fay"]);
  const again = await savedBy(page, () => page.getByRole('button', { name: 'Save again' }).click());
  expect(again.bytes).toEqual(bytes);
  await expectNoAxeInBothThemes(page);

  await page.goto('/users/import');
  await giveFile(page, 'federated.csv', bytes);
  await expect(page.getByRole('radio', { name: '1 No change' })).toBeVisible();
});

test('an export is on its page, leads back to its list, is fetched again, and is gone after signing out', async ({
  page,
  calls,
}) => {
  await calls.makeUser({ firstName: 'Kept', lastName: 'Keepable' });
  await enter(page, ada, '/users?q=keepable');
  await expect(found(page)).toHaveCount(2);
  const first = await exported(page, 'CSV');
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Exports' }).click();
  const table = page.getByRole('grid', { name: 'Exports' });
  await expectRow(table, { File: first.name, 'Asked for': 'Search: keepable', Rows: '1', State: 'Kept' });
  await expectNoAxeInBothThemes(page);
  const again = await savedBy(page, () => table.getByRole('button', { name: /^Download / }).click());
  expect(again).toEqual(first);
  await table.getByRole('link', { name: 'Search: keepable' }).click();
  await expect(page).toHaveURL(/\/users\?q=keepable$/);
  await expect(found(page)).toHaveCount(2);
  // Each time the file left the console is in the activity of the site.
  const report = await calls.call<{ rows: { exportDataType: number | null }[] }>('POST', '/user/activity', {
    activity: 8,
    exportDataType: 0,
  });
  expect(report.rows.length).toBeGreaterThanOrEqual(2);
  await choose(page, /appearance and sign out/, 'Sign out');
  await expect(page).toHaveURL(/sign-in/);
  await enter(page, ada, '/exports');
  await expect(page.getByText('Nothing was exported here yet')).toBeVisible();
});
