import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import Papa from 'papaparse';
import type { FieldVm } from '../../contract/generated/types.gen.ts';
import { FIELD } from '../../contract/rules/schema/fields.ts';
import {
  chooseMenuItem,
  expectAccessibleInBothThemes,
  expectRow,
  chooseOption,
  findSelect,
} from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { chooseFile, downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { endedJobBadge } from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

/** Companies of a stock index: real names, places, dates and numbers. */
const COMPANIES = fileURLToPath(new URL('../../../shared/data/sp500-companies.csv', import.meta.url));
const SCHEMA = '/api/rest/v4/schema/entrytypes';

interface Company {
  Security: string;
  'GICS Sector': string;
  'Date added': string;
  Founded: string;
}

const getRows = (page: Page) => page.getByRole('grid', { name: 'Rows of the file' });
const getOutcome = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });
const getImportButton = (page: Page) => page.getByRole('button', { name: /^Import \d/ });
const getJobTitle = (page: Page) => page.getByRole('heading', { level: 1 });
const getOutcomeCounts = (page: Page) => page.getByRole('list', { name: 'Outcomes' });

async function createType(
  page: Page,
  { apiName, pluralName }: { apiName: string; pluralName: string },
  fields: readonly ({ name: string; fieldType: number } & Record<string, unknown>)[],
): Promise<void> {
  const create = (path: string, body: object) => sendRequest(page.request, 'POST', `${SCHEMA}${path}`, body);
  await create('', { apiName, singularName: apiName, pluralName });
  for (const field of fields)
    // Sequential, since creation gives the order of the fields.
    await create(`/${apiName}/fields`, { apiName: field.name, ...field });
}

const createCompanyType = (page: Page, sectors: readonly string[]): Promise<void> =>
  createType(page, { apiName: 'Company', pluralName: 'Companies' }, [
    { name: 'Symbol', fieldType: FIELD.text },
    { name: 'Headquarters', fieldType: FIELD.text },
    { name: 'Sector', fieldType: FIELD.choice, choiceValues: sectors.map((name) => ({ name })) },
    { name: 'Added', fieldType: FIELD.date, isDateOnly: true },
    { name: 'Checked', fieldType: FIELD.date },
    { name: 'Founded', fieldType: FIELD.number },
    { name: 'Revenue', fieldType: FIELD.currency },
    { name: 'Owner', fieldType: FIELD.user },
    { name: 'Rival', fieldType: FIELD.reference },
  ]);

/** Selects another sheet of a workbook and back by keyboard; the focus stays on the select. */
async function switchSheets(page: Page, rowCount: number): Promise<void> {
  const sheet = findSelect(page, 'Sheet');
  await sheet.click();
  await expect(page.getByRole('option')).toHaveText([`Companies · ${rowCount} rows`, 'About · 3 rows']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByText('3 rows · sheet “About”')).toBeVisible();
  await expect(sheet).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByText(`${rowCount} rows · sheet “Companies”`)).toBeVisible();
}

test('imports companies, then two corrected rows; importing an export of all changes nothing', async ({
  page,
}) => {
  test.skip(!existsSync(COMPANIES), `needs ${COMPANIES}, which does not exist`);
  const { data } = Papa.parse<Company>(readFileSync(COMPANIES, 'utf8'), {
    header: true,
    skipEmptyLines: true,
  });
  const [, , sixth] = data.slice(3);
  const table = data.map((company, at) => ({
    ...company,
    // References to rows of the same file: to a later one, and to an earlier one.
    Rival: at === 9 ? data.at(-1)?.Security : at > 9 ? sixth?.Security : '',
    Founded: company.Founded.slice(0, 4),
    Checked: '2026-03-01 08:00',
    Revenue: 'USD 12.50',
    Owner: 'ada.marsh@steward.example',
  }));
  const [row3, row9] = [table[1], table[7]];
  if (!row3 || !row9) throw new Error('Too few companies');
  const sector = row3['GICS Sector'];
  Object.assign(row3, { 'GICS Sector': 'Nonsense' });
  Object.assign(row9, { 'Date added': '2020-02-30' });

  await openAs(page, ada, '/');
  await createCompanyType(page, [...new Set(data.map((company) => company['GICS Sector']))]);
  await page.goto('/entries/Company');
  await chooseMenuItem(page, 'Import and export', 'Import Companies');
  await chooseFile(page, 'companies.csv', Papa.unparse(table));
  for (const [heading, field] of [
    ['Security', 'Name'],
    ['GICS Sector', 'Sector'],
    ['Headquarters Location', 'Headquarters'],
    ['Date added', 'Added'],
  ] as const)
    await chooseOption(page.getByRole('button', { name: new RegExp(` ${heading}\\b`) }), field);
  await chooseOption(findSelect(page, 'Missing choices'), 'Report as errors');
  await expectRow(getRows(page), { Row: '3', Changes: 'Sector: There is no choice “Nonsense”' });
  await expectRow(getRows(page), { Row: '9', Changes: 'Added: “2020-02-30” is not a date' });
  await expect(getOutcome(page, '2 errors')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  const { bytes } = await downloadBytes(page, () =>
    page.getByRole('button', { name: 'Download errors' }).click(),
  );

  await getImportButton(page).click();
  await expect(getJobTitle(page)).toHaveText(`Import ${data.length - 2} Companies from companies.csv`);
  await expect(endedJobBadge(page)).toHaveText('Finished', { timeout: 60_000 });
  await expect(getOutcomeCounts(page)).toContainText(`${data.length - 2} changed`);
  await page.goto('/entries/Company/import');
  const corrected = bytes.toString('utf8').replace('Nonsense', sector).replace('2020-02-30', '2020-02-29');
  await chooseFile(page, 'corrected.csv', corrected);
  // The column mapping is remembered.
  await expect(getImportButton(page)).toHaveText('Import 2 entries');
  await getImportButton(page).click();
  await expect(endedJobBadge(page)).toHaveText('Finished');

  await page.goto('/entries/Company');
  await expect(page.getByText(`${data.length} entries`)).toBeVisible();
  for (const format of ['CSV', 'XLSX', 'JSON']) {
    await chooseMenuItem(page, 'Import and export', 'Export');
    await page.getByRole('radio', { name: new RegExp(`^${format}`) }).check();
    const file = await downloadBytes(page, () =>
      page.getByRole('button', { name: `Export ${data.length} entries` }).click(),
    );
    await chooseMenuItem(page, 'Import and export', 'Import Companies');
    await chooseFile(page, file.name, file.bytes);
    if (format === 'XLSX') await switchSheets(page, data.length);
    await expect(getOutcome(page, `${data.length} No change`)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeDisabled();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await page.goto('/entries/Company');
  }
});

test('finishes after the tab was closed and the service was killed, every entry once, and is undone', async ({
  page,
  context,
  service,
}) => {
  const count = 400;
  await openAs(page, ada, '/');
  await createType(page, { apiName: 'Wave', pluralName: 'Waves' }, [
    { name: 'Height', fieldType: FIELD.number },
    { name: 'Source', fieldType: FIELD.reference },
  ]);
  // Each names the row before it, and the first two name each other.
  const rows = Array.from({ length: count }, (_, at) => `Wave ${at},${at},Wave ${at === 0 ? 1 : at - 1}`);
  await page.goto('/entries/Wave/import');
  await chooseFile(page, 'waves.csv', ['Name,Height,Source', ...rows].join('\n'));
  await expect(getImportButton(page)).toHaveText(`Import ${count} entries`);
  await getImportButton(page).click();
  await expect(getJobTitle(page)).toHaveText(`Import ${count} Waves from waves.csv`);
  const address = page.url();
  await page.close();
  await service.stop('SIGKILL');
  await service.start();

  const other = await context.newPage();
  await other.goto(address);
  await expect(endedJobBadge(other)).toHaveText('Finished', { timeout: 90_000 });
  await expectRow(other.getByRole('grid', { name: 'Items' }), { Entry: /Wave 2.*Row 4/, Outcome: 'Changed' });
  await other.goto('/entries/Wave');
  await expect(other.getByText(`${count} entries`)).toBeVisible();

  await other.goto(address);
  await other.getByRole('button', { name: 'Undo…' }).click();
  await other.getByRole('alertdialog').getByRole('button', { name: 'Undo', exact: true }).click();
  await other.getByRole('region', { name: 'Undo' }).getByRole('link').click();
  await expect(getJobTitle(other)).toHaveText(`Undo the import of ${count} Waves from waves.csv`);
  await expect(endedJobBadge(other)).toHaveText('Finished', { timeout: 90_000 });
  await other.goto('/entries/Wave');
  await expect(other.getByText('There are no Waves yet')).toBeVisible();

  // An entry that is created after the dry run has nearly the name of a row.
  await other.goto('/entries/Wave/import');
  await chooseFile(other, 'late.csv', 'Name,Height,Remark\nTide,7,not imported\nSwell,3,');
  await expect(getImportButton(other)).toHaveText('Import 2 entries');
  const fields = (await sendRequest(other.request, 'GET', `${SCHEMA}/Wave/fields`)) as FieldVm[];
  const fieldId = fields.find(({ isKey }) => isKey)?.id;
  const storeRequests = [{ entryId: -1, fieldId, value: 'TIDE' }];
  await sendRequest(other.request, 'POST', '/api/rest/v4/data/entrydata/Wave', { storeRequests });
  await getImportButton(other).click();
  await expect(endedJobBadge(other)).toHaveText('Finished, 1 failed');
  const failed = await downloadBytes(other, () =>
    other.getByRole('button', { name: 'Failed rows of the file' }).click(),
  );
  expect(failed.name).toMatch(/^failed-rows-\d+\.csv$/);
  const [row, ...others] = Papa.parse<Record<string, string>>(failed.bytes.toString('utf8'), {
    header: true,
    skipEmptyLines: true,
  }).data;
  expect(others).toEqual([]);
  expect(row).toMatchObject({ Name: 'Tide', Height: '7', Remark: 'not imported' });
  expect(Object.values(row ?? {}).join()).toContain('nearly the same name');
});
