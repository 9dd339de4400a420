import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import Papa from 'papaparse';
import { FIELD } from '../../contract/rules/fields.ts';
import { choose, expectNoAxeInBothThemes, expectRow } from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { giveFile, savedBy } from '../support/files.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

/** Companies of a stock index: real names, places, days and numbers. */
const COMPANIES = fileURLToPath(new URL('../../../shared/data/sp500-companies.csv', import.meta.url));
const SCHEMA = '/api/rest/v4/schema/entrytypes';

interface Company {
  Security: string;
  'GICS Sector': string;
  'Date added': string;
  Founded: string;
}

const rows = (page: Page) => page.getByRole('grid', { name: 'Rows of the file' });
const outcome = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });
const start = (page: Page) => page.getByRole('button', { name: /^Import \d/ });
const ended = (page: Page) => page.getByRole('button', { name: 'Import another file' });

async function makeType(page: Page, sectors: readonly string[]): Promise<void> {
  const make = (path: string, body: object) => send(page.request, 'POST', `${SCHEMA}${path}`, body);
  await make('', { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' });
  const fields = [
    { name: 'Symbol', fieldType: FIELD.text },
    { name: 'Headquarters', fieldType: FIELD.text },
    { name: 'Sector', fieldType: FIELD.choice, choiceValues: sectors.map((name) => ({ name })) },
    { name: 'Added', fieldType: FIELD.date, isDateOnly: true },
    { name: 'Checked', fieldType: FIELD.date },
    { name: 'Founded', fieldType: FIELD.number },
    { name: 'Revenue', fieldType: FIELD.currency },
    { name: 'Owner', fieldType: FIELD.user },
    { name: 'Rival', fieldType: FIELD.reference },
  ];
  for (const field of fields)
    // oxlint-disable-next-line no-await-in-loop -- fields stand in this order
    await make('/Company/fields', { apiName: field.name, ...field });
}

/** Another sheet of a workbook and back, by keyboard: what was chosen is said, and the focus stays on the choice. */
async function turnSheets(page: Page, rowsThere: number): Promise<void> {
  const sheet = page.getByRole('combobox', { name: 'Sheet' });
  await expect(sheet.getByRole('option')).toHaveText([`Companies · ${rowsThere} rows`, 'About · 3 rows']);
  await sheet.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByText('3 rows · sheet “About”')).toBeVisible();
  await expect(sheet).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByText(`${rowsThere} rows · sheet “Companies”`)).toBeVisible();
}

test('companies are imported, two broken ones mended and imported again; an export of all changes nothing', async ({
  page,
}) => {
  test.skip(!existsSync(COMPANIES), `needs ${COMPANIES}, which is not here`);
  const { data } = Papa.parse<Company>(readFileSync(COMPANIES, 'utf8'), {
    header: true,
    skipEmptyLines: true,
  });
  const [, , sixth] = data.slice(3);
  const table = data.map((company, at) => ({
    ...company,
    // A row far above it in the same file, which is not there yet, and one below.
    Rival: at === 9 ? data.at(-1)?.Security : at > 9 ? sixth?.Security : '',
    Founded: company.Founded.slice(0, 4),
    Checked: '2026-03-01 08:00',
    Revenue: 'USD 12.50',
    Owner: 'ada.marsh@steward.example',
  }));
  const [third, ninth] = [table[1], table[7]];
  if (!third || !ninth) throw new Error('Too few companies');
  const sector = third['GICS Sector'];
  Object.assign(third, { 'GICS Sector': 'Nonsense' });
  Object.assign(ninth, { 'Date added': '2020-02-30' });

  await enter(page, ada, '/');
  await makeType(page, [...new Set(data.map((company) => company['GICS Sector']))]);
  await page.goto('/entries/Company');
  await choose(page, 'Import and export', 'Import Companies');
  await giveFile(page, 'companies.csv', Papa.unparse(table));
  for (const [heading, field] of [
    ['Security', 'Name'],
    ['GICS Sector', 'Sector'],
    ['Headquarters Location', 'Headquarters'],
    ['Date added', 'Added'],
  ] as const)
    // oxlint-disable-next-line no-await-in-loop -- one field after the other
    await page.getByRole('combobox', { name: new RegExp(`^${heading}`) }).selectOption(field);
  await expectRow(rows(page), { Row: '3', 'What would change': 'Sector: There is no choice “Nonsense”' });
  await expectRow(rows(page), { Row: '9', 'What would change': 'Added: “2020-02-30” is no date' });
  await expect(outcome(page, '2 Cannot')).toBeVisible();
  await expectNoAxeInBothThemes(page);
  const { bytes } = await savedBy(page, () =>
    page.getByRole('button', { name: 'Download the problems' }).click(),
  );

  await start(page).click();
  await expect(page.getByText(`Imported: ${data.length - 2} of ${data.length - 2} entries`)).toBeVisible();
  await ended(page).click();
  const mended = bytes.toString('utf8').replace('Nonsense', sector).replace('2020-02-30', '2020-02-29');
  await giveFile(page, 'mended.csv', mended);
  // Its columns are remembered.
  await expect(start(page)).toHaveText('Import 2 entries');
  await start(page).click();
  await ended(page).click();

  await page.goto('/entries/Company');
  await expect(page.getByText(`${data.length} entries`)).toBeVisible();
  for (const format of ['CSV', 'XLSX', 'JSON']) {
    // oxlint-disable no-await-in-loop -- one format after the other
    await choose(page, 'Import and export', 'Export');
    await page.getByRole('radio', { name: new RegExp(`^${format}`) }).check();
    const file = await savedBy(page, () =>
      page.getByRole('button', { name: `Export ${data.length} entries` }).click(),
    );
    await choose(page, 'Import and export', 'Import Companies');
    await giveFile(page, file.name, file.bytes);
    if (format === 'XLSX') await turnSheets(page, data.length);
    await expect(outcome(page, `${data.length} No change`)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeDisabled();
    await page.getByRole('button', { name: 'Choose another file' }).click();
    await page.goto('/entries/Company');
    // oxlint-enable no-await-in-loop
  }
});
