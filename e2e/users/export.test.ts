import { inflateRawSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import Papa from 'papaparse';
import { chooseMenuItem, expectAccessibleInBothThemes, expectRow, expectToast } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { chooseFile, downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const dialog = (page: Page) => page.getByRole('alertdialog', { name: /^Export / });
const found = (page: Page) => page.getByRole('grid', { name: 'Users' }).getByRole('row');

/** Exports are disabled until all users are loaded. */
const allRead = (page: Page) => expect(page.getByText(/^As of/)).toBeVisible();

async function exported(page: Page, format: 'CSV' | 'XLSX') {
  await allRead(page);
  await chooseMenuItem(page, 'Import and export', 'Export');
  await dialog(page).getByRole('radio', { name: format }).check();
  return downloadBytes(page, () =>
    dialog(page)
      .getByRole('button', { name: /^Export / })
      .click(),
  );
}

const parsed = (bytes: Buffer) => Papa.parse<string[]>(bytes.toString('utf8'), { skipEmptyLines: true }).data;

/** Files of a ZIP, from its central directory. */
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

test('exports filtered users as CSV without formulas', async ({ page, calls }) => {
  const groupId = await calls.createGroup('=Risk; "high"', []);
  const eve = await calls.createUser({
    firstName: '=HYPERLINK("https://evil.example")',
    lastName: 'Exportable',
    groups: [groupId],
    twoFactorEnabled: true,
    timeZone: 'Europe/Lisbon',
  });
  const tis = await calls.createUser({ firstName: "'tis", lastName: 'Exportable' });
  await openAs(page, ada, '/users?q=exportable');
  await expect(found(page)).toHaveCount(3);
  await allRead(page);
  await chooseMenuItem(page, 'Import and export', 'Export');
  await expect(dialog(page).getByText('Search: exportable')).toBeVisible();
  await expect(dialog(page).getByRole('radio', { name: 'CSV' })).toBeFocused();
  await expectAccessibleInBothThemes(page);
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();

  const { name, bytes } = await exported(page, 'CSV');
  await expectToast(page, 'Export users as CSV: Search: exportable: finished');
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
  expect(byId.get(String(eve.id))?.slice(1, 10)).toEqual([
    eve.email,
    '\'=HYPERLINK("https://evil.example")',
    'Exportable',
    'Active',
    'Standard',
    '"=Risk; ""high"""',
    'Yes',
    'No',
    'Europe/Lisbon',
  ]);
  expect(head.slice(9, 11)).toEqual(['Time zone', 'Created']);
  expect(byId.get(String(tis.id))?.[2]).toBe("'tis");
  expect(byId.get(String(eve.id))?.[10]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test('importing an export changes nothing', async ({ page }) => {
  await openAs(page, ada, '/users');
  await expect(found(page).nth(5)).toBeVisible();
  const { name, bytes } = await exported(page, 'CSV');
  expect(name).toMatch(/^users-all-users-/);
  expect(parsed(bytes).length).toBeGreaterThan(400);
  await chooseMenuItem(page, 'Import and export', 'Import users');
  await chooseFile(page, name, bytes);
  await expect(page.getByRole('radio', { name: /^\d+ No change$/ })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 Create' })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 Update' })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 errors' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Import', exact: true })).toHaveAccessibleDescription(
    'No row changes anything',
  );
  // Replacing groups removes none either.
  await page.getByRole('radio', { name: /^Replace existing groups/ }).check();
  await expect(page.getByRole('radio', { name: '0 Update' })).toBeVisible();
});

test('a workbook has texts, dates and a sheet with the filter', async ({ page, calls }) => {
  const eve = await calls.createUser({ firstName: '=1+1', lastName: 'Workbook' });
  await openAs(page, ada, '/users?twoFactor=on-off');
  await expect(found(page).nth(5)).toBeVisible();
  const { name, bytes } = await exported(page, 'XLSX');
  expect(name).toMatch(/^users-two-factor-on-off-.*\.xlsx$/);
  const files = unzip(bytes);
  const sheet = files.get('xl/worksheets/sheet1.xml') ?? '';
  // Large enough that the library would have compressed it in its own worker, which the CSP forbids.
  expect(Math.max(...[...files.values()].map(({ length }) => length))).toBeGreaterThan(160_000);
  expect(sheet).not.toContain('<f>');
  const texts = files.get('xl/sharedStrings.xml') ?? '';
  expect(texts + sheet).toContain('=1+1');
  expect(sheet).toContain(`<v>${eve.id}</v>`);
  expect(files.get('xl/workbook.xml')).toContain('About');
  expect(texts + (files.get('xl/worksheets/sheet2.xml') ?? '')).toContain('Two-factor: on, off');
  // It is read under the page's CSP and changes nothing.
  await chooseMenuItem(page, 'Import and export', 'Import users');
  await chooseFile(page, name, bytes);
  await expect(page.getByRole('radio', { name: /^[1-9]\d* No change$/ })).toBeVisible();
  await expect(page.getByRole('radio', { name: '0 Update' })).toBeVisible();
});

test('exports federation ids on request, by keyboard, and saves the file again', async ({ page, calls }) => {
  const fay = await calls.createUser({ firstName: 'Fay', lastName: 'Federated', federationId: '@fay' });
  await openAs(page, ada, '/users?q=federated');
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
  const { bytes } = await downloadBytes(page, () => page.keyboard.press('Enter'));
  const [head = [], line = []] = parsed(bytes);
  expect([head[0], head.at(-1)]).toEqual(['Id', 'Federation id']);
  expect([line[0], line.at(-1)]).toEqual([String(fay.id), "'@fay"]);
  const retried = await downloadBytes(page, () =>
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  );
  expect(retried.bytes).toEqual(bytes);
  await expectAccessibleInBothThemes(page);

  await page.goto('/users/import');
  await chooseFile(page, 'federated.csv', bytes);
  await expect(page.getByRole('radio', { name: '1 No change' })).toBeVisible();
});

test('lists exports with their files, for another session too', async ({ page, calls }) => {
  await calls.createUser({ firstName: 'Kept', lastName: 'Keepable' });
  await openAs(page, ada, '/users?q=keepable');
  await expect(found(page)).toHaveCount(2);
  const first = await exported(page, 'CSV');
  // What was exported is recorded in the activity of the site.
  const report = await calls.call<{ rows: { exportDetail?: object }[] }>('POST', '/user/activity', {
    activity: 8,
    exportDataType: 0,
  });
  expect(report.rows[0]?.exportDetail).toMatchObject({ type: 'Users', filter: 'Search: keepable', rows: 1 });
  await chooseMenuItem(page, /appearance and sign out/, 'Sign out');
  await expect(page).toHaveURL(/sign-in/);
  await openAs(page, ada, '/exports');
  const table = page.getByRole('grid', { name: 'Exports' });
  const row = { Export: 'Export users as CSV: Search: keepable', Rows: '1', State: 'Finished' };
  await expectRow(table, row);
  await expectAccessibleInBothThemes(page);
  const again = await downloadBytes(page, () =>
    table.getByRole('button', { name: `Save ${first.name}` }).click(),
  );
  expect(again).toEqual(first);
  await table.getByRole('link', { name: row.Export }).click();
  await expect(page.getByText(first.name)).toBeVisible();
});
