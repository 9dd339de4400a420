import type { Page } from '@playwright/test';
import type { FieldVm } from '../../contract/generated/types.gen.ts';
import { FIELD } from '../../contract/rules/schema/fields.ts';
import { chooseOption, expectAccessibleInBothThemes, expectRow, findSelect } from '../support/actions.ts';
import { createCalls, openAs, sendRequest } from '../support/calls.ts';
import { chooseFile } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { endedJobBadge } from '../support/locators.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

const COMPANIES = `Name;City;Country;Employees;Founded;Active;Website
Ørsted;Fredericia;Denmark;8.900;01/03/1972;yes;https://orsted.example
Vestas;Aarhus;Denmark;29.000,5;31/12/1945;yes;https://vestas.example/a?b=1
Statkraft;Oslo;Norway;5.300;02/04/1895;no;
Hafslund;Oslo;Norway;1.100;;yes;https://hafslund.example
`;
/** One more choice, and a column without a field. */
const MORE = `Name;Country;Rating
Fortum;Finland;A
Enel;Italy;B
Vattenfall;Finland;A
`;

const SCHEMA = '/api/rest/v4/schema';
const listFields = async (page: Page) =>
  (await sendRequest(page.request, 'GET', `${SCHEMA}/entrytypes/Company/fields`)) as FieldVm[];

/** Notes every error of a field that the page shows from now on, however short. */
const watchForFieldErrors = (page: Page) =>
  page.evaluate(() => {
    const { dataset } = document.documentElement;
    const note = () => {
      const texts = [...document.querySelectorAll('.field-error')].map(({ textContent }) => textContent);
      if (texts.length > 0) dataset['errors'] = texts.join(', ');
    };
    new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
  });

test('makes a type of a company list in few steps; a further file adds a field and choices to it', async ({
  page,
}) => {
  await openAs(page, ada, '/entries');
  const task = await countSteps(page);
  await page.getByRole('link', { name: 'New type from a file' }).first().click();
  await chooseFile(page, 'companies_2026.csv', COMPANIES);
  const created = page.getByRole('list', { name: 'Created with the import' });
  await expect(created.getByRole('listitem')).toHaveText([
    'Entry type Companies',
    'Field Name: names the entries',
    'Field City: Text',
    'Field Country: Choice with 2 choices',
    'Field Employees: Number',
    'Field Founded: Date without time',
    'Field Active: Boolean',
    'Field Website: Text',
  ]);
  const start = page.getByRole('button', { name: 'Create Companies and import 4 entries' });
  await expect(start).toBeEnabled();
  await expectAccessibleInBothThemes(page);
  expect(await sendRequest(page.request, 'GET', `${SCHEMA}/entrytypes`)).toEqual([]);
  await watchForFieldErrors(page);
  await start.click();
  await expect(endedJobBadge(page)).toHaveText('Finished');
  task.expectAtMost(6);
  expect(await page.evaluate(() => document.documentElement.dataset['errors'])).toBeUndefined();
  const time = page.getByRole('gridcell').locator('time').first();
  const isCut = await time.evaluate((element) => {
    element.textContent = '12:58:58 PM';
    return element.parentElement && element.parentElement.scrollWidth > element.parentElement.clientWidth;
  });
  expect(isCut).toBe(false);

  const fields = await listFields(page);
  expect(fields.map(({ apiName, fieldType, isDateOnly }) => [apiName, fieldType, isDateOnly])).toEqual([
    ['Name', FIELD.text, false],
    ['City', FIELD.text, false],
    ['Country', FIELD.choice, false],
    ['Employees', FIELD.number, false],
    ['Founded', FIELD.date, true],
    ['Active', FIELD.boolean, false],
    ['Website', FIELD.text, false],
  ]);
  const { rows } = (await sendRequest(page.request, 'GET', '/api/rest/v4/data/entrydata/rows/Company')) as {
    rows: Record<string, unknown>[];
  };
  expect(rows[1]).toMatchObject({
    Name: 'Vestas',
    Country: { name: 'Denmark' },
    Employees: 29_000.5,
    Founded: expect.stringMatching(/^1945-12-31/),
    Active: true,
    Website: 'https://vestas.example/a?b=1',
  });

  await page.goto('/entries');
  await expectRow(page.getByRole('grid', { name: 'Entry types' }), {
    'Entry type': 'Companies',
    Entries: '4',
    '30 days': '+4',
    'Last change': /First Administrator|Ada/,
    Fields: '7 1 required',
  });
  await page.getByRole('link', { name: 'Companies', exact: true }).click();
  // All columns in view.
  await page.setViewportSize({ width: 1700, height: 900 });
  const website = page.getByRole('link', { name: 'https://vestas.example/a?b=1' });
  await expect(website).toHaveAttribute('href', 'https://vestas.example/a?b=1');
  await expect(page.getByRole('gridcell', { name: '29,000.5' })).toBeVisible();

  await page.goto('/entries/Company/import');
  await chooseFile(page, 'more.csv', MORE);
  await page.getByRole('button', { name: 'Create a field for the ignored column' }).click();
  // The guess can be corrected.
  await chooseOption(findSelect(page, 'Kind of the new field for Rating'), 'Choice');
  await page.getByRole('textbox', { name: 'Name of the new field for Rating' }).fill('Name');
  await expect(page.getByText('There is a field named Name')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name of the new field for Rating' }).fill('Credit rating');
  await expect(created.getByRole('listitem')).toHaveText([
    'Field Credit rating: Choice with 2 choices',
    '2 choices of Country: Finland (2 rows), Italy (1 row)',
  ]);
  await page.getByRole('button', { name: 'Create 1 field, 2 choices and import 3 entries' }).click();
  await expect(endedJobBadge(page)).toHaveText('Finished');
  const changed = await listFields(page);
  expect(changed.at(-1)).toMatchObject({
    apiName: 'CreditRating',
    choiceValues: [{ name: 'A' }, { name: 'B' }],
  });
  expect(changed[2]?.choiceValues?.map(({ name }) => name)).toEqual([
    'Denmark',
    'Norway',
    'Finland',
    'Italy',
  ]);
});

test('says why a person without Manage Schema cannot create fields and choices', async ({ page }) => {
  const calls = await createCalls(page.request, ada);
  await sendRequest(page.request, 'POST', `${SCHEMA}/extensions`, {
    newEntryType: { apiName: 'Firm', singularName: 'Firm', pluralName: 'Firms' },
    fields: [
      { apiName: 'Country', name: 'Country', fieldType: FIELD.choice, choiceValues: [{ name: 'Norway' }] },
    ],
    choices: [],
  });
  const writer = await calls.createUser({ isActive: true });
  const group = await calls.createGroup('Writers', ['Read Data', 'Write Data']);
  await calls.call('PUT', '/user/group', [{ userIds: [writer.id], groupIds: [group] }]);
  await openAs(page, writer, '/entries/Firm/import');
  await chooseFile(page, 'more.csv', MORE);
  const reason = 'You need the Manage Schema capability';
  await expect(page.getByText(`New fields and choices: ${reason}.`)).toBeVisible();
  await expect(
    page.getByRole('button', { name: 'Create a field for the ignored column' }),
  ).toHaveAccessibleDescription(reason);
  await expect(page.getByRole('grid', { name: 'Rows of the file' })).toContainText(
    'Country: There is no choice “Finland”',
  );
  await page.goto('/entries');
  await expect(page.getByRole('button', { name: 'New type from a file' })).toHaveAccessibleDescription(
    reason,
  );
});
