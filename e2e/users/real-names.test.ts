import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import Papa from 'papaparse';
import { chooseMenuItem, expectRow, chooseOption } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { chooseFile, downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { endedJobBadge } from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

/** Companies of a stock index: names with apostrophes, ampersands, brackets and accents. */
const COMPANIES = fileURLToPath(new URL('../../../shared/data/sp500-companies.csv', import.meta.url));

interface Company {
  Symbol: string;
  Security: string;
  'GICS Sector': string;
  'Headquarters Location': string;
}

const message = (row: Record<string, string>) =>
  [row['E-mail'], row['First name'], row['Last name'], row['Groups']].join('|');
const byText = (a: string, b: string) => (a < b ? -1 : 1);

const search = (page: Page) => page.getByRole('searchbox', { name: 'Search users' });
const found = (page: Page) => page.getByRole('grid', { name: 'Users' });

test('imports, finds, exports and re-imports users with real names', async ({ page, calls }) => {
  test.skip(!existsSync(COMPANIES), `needs ${COMPANIES}, which is not here`);
  test.setTimeout(150_000);
  const { data } = Papa.parse<Company>(readFileSync(COMPANIES, 'utf8'), {
    header: true,
    skipEmptyLines: true,
  });
  const sectors = [...new Set(data.map((company) => company['GICS Sector']))];
  for (const sector of sectors) await calls.createGroup(sector, []);
  const people = data.map((company) => ({
    Ticker: `${company.Symbol.toLowerCase()}@companies.example`,
    'Given name': company['Headquarters Location'].split(',')[0] ?? '',
    Surname: company.Security,
    Team: company['GICS Sector'],
    'Head office': company['Headquarters Location'],
  }));
  const people503 = `Import ${people.length} people`;

  await openAs(page, ada, '/users/import');
  await chooseFile(page, 'companies.csv', Papa.unparse(people, { delimiter: ';' }));
  await chooseOption(page.getByRole('button', { name: / Ticker\b/ }), 'E-mail');
  await page.getByRole('button', { name: people503, exact: true }).click();
  await expect(endedJobBadge(page)).toHaveText('Finished', { timeout: 90_000 });
  await expect(page.getByRole('list', { name: 'Outcomes' })).toContainText(`${people.length} changed`);

  await page.getByRole('link', { name: 'Users' }).first().click();
  for (const company of data.filter(({ Security }) => /['’&!()./]|\P{ASCII}/u.test(Security)).slice(0, 12)) {
    // As a user would search: the whole name in quotes.
    const place = company['Headquarters Location'].split(',')[0] ?? '';
    await search(page).fill(`"${place} ${company.Security}"`);
    await expectRow(found(page), {
      Name: `${place} ${company.Security}`,
      'E-mail': company.Symbol.toLowerCase(),
    });
  }
  // A typographic apostrophe finds a typed one.
  await search(page).fill('mcdonald’s');
  await expectRow(found(page), { Name: "McDonald's" });

  await search(page).fill('@companies.example');
  await expect(found(page)).toHaveAttribute('aria-rowcount', String(people.length + 1));
  await expect(page.getByText(/^As of/)).toBeVisible();
  await chooseMenuItem(page, 'Import and export', 'Export');
  const { name, bytes } = await downloadBytes(page, () =>
    page
      .getByRole('alertdialog')
      .getByRole('button', { name: `Export ${people.length} people` })
      .click(),
  );
  const rows = Papa.parse<Record<string, string>>(bytes.toString('utf8'), {
    header: true,
    skipEmptyLines: true,
  }).data;
  expect(rows.map(message).toSorted(byText)).toEqual(
    people.map((one) => [one.Ticker, one['Given name'], one.Surname, one.Team].join('|')).toSorted(byText),
  );
  await chooseMenuItem(page, 'Import and export', 'Import users');
  await chooseFile(page, name, bytes);
  await expect(page.getByRole('radio', { name: `${people.length} No change` })).toBeVisible();
});
