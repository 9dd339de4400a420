import type { EntryTypeVm, Job } from '../../contract/generated/types.gen.ts';
import { expectAccessibleInBothThemes } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { callApi } from '../support/entries.ts';
import { checkPageAtWidths } from '../support/page-checks.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada } });

test('the page of a job says what was exported and links to its list and entries; exports are found by type', async ({
  page,
  calls,
}) => {
  await openAs(page, ada, '/exports');
  await expect(page.getByText('No exports yet')).toBeVisible();
  const names = { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' };
  const type = await callApi<EntryTypeVm>(page, 'POST', '/schema/entrytypes', names);
  const file = { entryTypeId: type.id, fileName: 'companies.csv' };
  const [nameField] = await callApi<{ id: number }[]>(page, 'GET', '/schema/entrytypes/Company/fields');
  const rows = ['Hafen', 'Alster'].map((value, at) => ({
    row: at + 2,
    values: [{ fieldId: nameField?.id, value }],
  }));
  const imported = await calls.call<Job>('POST', '/jobs/entryImports', { ...file, rows });
  await page.goto(`/jobs/${imported.id}`);
  const asked = page.getByRole('region', { name: 'What was asked' });
  await expect(asked).toContainText('Filecompanies.csv');
  await page.getByRole('grid', { name: 'Items' }).getByRole('link', { name: 'Hafen' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Hafen' })).toBeVisible();

  const body = {
    entryType: 'Company',
    format: 'csv',
    fields: ['Name'],
    query: { Name: 'Alster' },
    filterText: 'Name is Alster',
  };
  const exported = await calls.call<Job>('POST', '/jobs/entryExports', body);
  await calls.call('POST', '/jobs/userExports', { format: 'csv' });
  await page.goto(`/jobs/${exported.id}`);
  await expect(asked.getByRole('definition')).toHaveText([
    'Companies',
    'Name is Alster',
    'Name',
    'CSV',
    'Show the list',
  ]);
  await expectAccessibleInBothThemes(page);
  await checkPageAtWidths(page);
  await page.goto('/exports');
  const exports = page.getByRole('grid', { name: 'Exports' });
  await expect(exports.getByRole('row')).toHaveCount(3);
  await page.getByRole('button', { name: 'Type filter' }).click();
  await page.getByRole('checkbox', { name: 'Companies' }).check();
  await expect(exports.getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL(/type=Companies/);
  await page.keyboard.press('Escape');
  await checkPageAtWidths(page);
  await exports.getByRole('link', { name: 'Show list' }).click();
  await expect(page.getByRole('grid', { name: 'Companies' })).toContainText('Alster');
  await expect(page.getByRole('grid', { name: 'Companies' })).not.toContainText('Hafen');
});
