import type { EntryTypeVm, Job } from '../../contract/generated/types.gen.ts';
import { chooseMenuItem, expectAccessibleInBothThemes, expectToast } from '../support/actions.ts';
import { createCalls, openAs } from '../support/calls.ts';
import { checkPageAtWidths } from '../support/checks/page-checks.ts';
import { callApi } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada }, timezoneId: 'Europe/Berlin' });

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
  const asked = page.getByRole('region', { name: 'Request' });
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
  const groups = [await calls.createGroup('Exporters', ['Read Data'])];
  const exporter = await calls.createUser({ groups });
  await (await createCalls(page.request, exporter)).call<Job>('POST', '/jobs/entryExports', body);
  await openAs(page, ada);
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
  await page.goto('/');
  const task = await countSteps(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Exports' }).click();
  const exports = page.getByRole('grid', { name: 'Exports' });
  await expect(exports.getByRole('row')).toHaveCount(4);
  await page.getByRole('button', { name: 'Type filter' }).click();
  await page.getByRole('checkbox', { name: 'Companies' }).check();
  await expect(exports.getByRole('row')).toHaveCount(3);
  await expect(page).toHaveURL(/type=Companies/);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Period filter' }).click();
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await expect(page).toHaveURL(/type=Companies/);
  await expect(exports.getByRole('row')).toHaveCount(3);
  await expect(exports.getByRole('row').filter({ hasText: exporter.name })).toHaveCount(1);
  await expect(exports.getByRole('row').filter({ hasText: exporter.name })).toContainText(
    'Companies · 1 field',
  );
  // The table answers who exported companies in the last week.
  task.expectAtMost(6);
  await page.getByRole('group', { name: 'Exported by' }).getByText('Mine').click();
  await expect(exports.getByRole('row')).toHaveCount(2);
  await checkPageAtWidths(page);
  await exports.getByRole('link', { name: 'Show list', exact: true }).click();
  await expect(page.getByRole('grid', { name: 'Companies' })).toContainText('Alster');
  await expect(page.getByRole('grid', { name: 'Companies' })).not.toContainText('Hafen');
  const filtered = page.url();
  await page.goBack();
  // The number of rows leads to the same list.
  await exports.getByRole('link', { name: '1 row, show list' }).click();
  await expect(page).toHaveURL(filtered);
});

test('invitations and the deletion of a group start at a time', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Project Elbe', []);
  await openAs(page, ada, '/groups');
  await chooseMenuItem(page, 'Actions for Project Elbe', 'Delete group');
  const dialog = page.getByRole('alertdialog', { name: 'Delete Project Elbe?' });
  await dialog.getByRole('group', { name: 'Start' }).getByText('At a time').click();
  await dialog.getByLabel('Date and time').fill('2090-01-31T18:00');
  await dialog.getByRole('textbox').last().fill('Project Elbe');
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole('button', { name: 'Delete group' }).click();
  await expectToast(page, /Project Elbe/);
  await expect(page.getByRole('region', { name: 'Messages' })).toContainText('Starts 31 Jan 2090');
  const [deletion] = await calls.call<Job[]>('GET', '/jobs?pageSize=1');
  expect(deletion).toMatchObject({ kind: 'groups.delete', notBefore: '2090-01-31T17:00:00.000Z', done: 0 });
  await calls.call('GET', `/user/group/${groupId}`);

  await page.goto('/invitations/new');
  await page.getByLabel('E-mail addresses').fill('new@people.example');
  const start = page.getByRole('group', { name: 'Start' });
  await start.getByText('At a time').click();
  await page.getByLabel('Date and time').fill('2020-01-01T09:00');
  await expect(page.getByText('Choose a time in the future')).toBeVisible();
  await start.getByText('After a job').click();
  await expect(page.getByLabel('Job', { exact: true })).toHaveText(/Project Elbe · job \d+/);
  await checkPageAtWidths(page);
});
