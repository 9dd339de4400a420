import type { Page } from '@playwright/test';
import type { EntryTypeVm, FieldVm, QueryResultOfRowVm } from '../../contract/generated/types.gen.ts';
import { expectNoAxe, expectToast } from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

const DATA = '/api/rest/v4';
const LOST = 'Lost';

/** A type of entries with a stage, a size, and a reason that lost ones need; only odd entries have one. */
async function makeDeals(page: Page, apiName: string, entries: number): Promise<Map<string, FieldVm>> {
  const ask = async <Answer>(path: string, body?: object) =>
    (await send(page.request, body ? 'POST' : 'GET', `${DATA}${path}`, body)) as Answer;
  const type = await ask<EntryTypeVm>('/schema/entrytypes', {
    apiName,
    singularName: 'Deal',
    pluralName: apiName,
  });
  const add = (field: object) => ask<FieldVm>(`/schema/entrytypes/${type.id}/fields`, field);
  const choiceValues = ['Open', LOST].map((name) => ({ name }));
  const stage = await add({ apiName: 'Stage', name: 'Stage', fieldType: 2, choiceValues });
  const size = await add({ apiName: 'Size', name: 'Size', fieldType: 3 });
  const [open, lost] = stage.choiceValues ?? [];
  const reason = await add({
    apiName: 'Reason',
    name: 'Reason',
    fieldType: 1,
    requiredWhen: { match: 'all', conditions: [{ fieldId: stage.id, operation: 0, value: lost?.id }] },
  });
  const [name] = await ask<FieldVm[]>(`/schema/entrytypes/${type.id}/fields`);
  const storeRequests = Array.from({ length: entries }, (_, at) => [
    { entryId: -1 - at, fieldId: name?.id, value: `Deal ${at}`, ignoreNearDups: true },
    { entryId: -1 - at, fieldId: stage.id, value: open?.id },
    { entryId: -1 - at, fieldId: size.id, value: at },
    { entryId: -1 - at, fieldId: reason.id, value: at % 2 === 1 ? 'Price' : null },
  ]).flat();
  await ask(`/data/entrydata/${type.id}`, { storeRequests });
  return new Map([stage, size, reason].map((field) => [field.apiName, field]));
}

test('a view is shared, opened by somebody else at its address, and goes on when a field is gone', async ({
  page,
  elsewhere,
  calls,
}) => {
  await enter(page, ada);
  const fields = await makeDeals(page, 'Deals', 40);
  await page.goto(`/entries/Deals?sort=-Size&query=${encodeURIComponent('{"Size":{"$gte":30}}')}`);
  const grid = page.getByRole('grid', { name: 'Deals' });
  await expect(grid).toHaveAttribute('aria-rowcount', '11');
  await page.getByRole('button', { name: 'Columns' }).click();
  await expect(page.getByLabel('Find a column')).toBeFocused();
  await page.keyboard.type('size');
  await page.getByRole('button', { name: 'Keep Size at the side' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Save as new view' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Large ones');
  await dialog.getByRole('switch').check();
  await expectNoAxe(page);
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expectToast(page, 'Large ones was saved');
  await expect(page).toHaveURL(/view=\d+/);

  const groups = [await calls.makeGroup('Readers', ['Read Data'])];
  await enter(elsewhere, await calls.makeUser({ groups }), '/entries/Deals');
  await elsewhere.getByRole('button', { name: 'Views' }).click();
  await expectNoAxe(elsewhere);
  await elsewhere.getByRole('link', { name: 'Large ones' }).click();
  const theirs = elsewhere.getByRole('grid', { name: 'Deals' });
  await expect(theirs).toHaveAttribute('aria-rowcount', '11');
  // The column that stays comes with the view; it is the second one, after the names.
  await expect(theirs.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-colindex', '3');
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeHidden();
  await theirs.getByRole('button', { name: 'Size' }).click();
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeVisible();
  await expect(elsewhere.getByRole('button', { name: 'Save', exact: true })).toHaveAttribute('aria-disabled');
  await elsewhere.getByRole('button', { name: 'Revert' }).click();
  await expect(elsewhere).toHaveURL(/sort=-Size/);
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeHidden();

  await send(page.request, 'DELETE', `${DATA}/schema/fields/${fields.get('Size')?.id}`);
  await elsewhere.getByRole('button', { name: 'Read again' }).click();
  await expect(elsewhere.getByText('Size was deleted from the schema')).toBeVisible();
  // Nothing is said to match a filter that cannot be asked, and all that is there is not taken for what matches.
  await expect(elsewhere.getByRole('heading', { name: 'This filter cannot be asked' })).toBeVisible();
  await expect(elsewhere.getByText(/\d match/)).toBeHidden();
  await expect(elsewhere.getByRole('button', { name: /^Edit all/ })).toBeHidden();
  await elsewhere.getByRole('button', { name: 'Leave these conditions out' }).click();
  await expect(theirs).toHaveAttribute('aria-rowcount', '41');
  await expect(elsewhere.getByRole('button', { name: 'Edit all 40' })).toBeVisible();
});

test('all that match are edited after a dry run, as a job with its way back', async ({
  page,
  expectFailure,
}) => {
  // Of the one that was changed meanwhile.
  expectFailure(400);
  await enter(page, ada);
  const fields = await makeDeals(page, 'Offers', 60);
  const lost = fields.get('Stage')?.choiceValues?.find(({ name }) => name === LOST)?.id;
  const lostNow = async () => {
    const answer = await send(page.request, 'POST', `${DATA}/data/entrydata/rows/query/Offers`, {
      query: { Stage: lost },
    });
    return (answer as QueryResultOfRowVm).totalRecords;
  };
  await page.goto(`/entries/Offers?query=${encodeURIComponent('{"Size":{"$lt":20}}')}`);
  await page.getByRole('button', { name: 'Edit all 20 that match' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Choose a field' }).click();
  await dialog.getByLabel('Field').selectOption('Stage');
  await dialog.getByRole('combobox', { name: 'Stage' }).fill(LOST);
  await page.getByRole('option', { name: LOST }).click();
  await dialog.getByRole('button', { name: 'Review' }).click();
  await expect(dialog.getByRole('heading', { name: 'Edit 10 Offers?' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cannot be changed 10' }).click();
  await expect(dialog.getByText('Reason is required here: its conditions hold: 10 entries')).toBeVisible();
  await expectNoAxe(page);

  // One that matches from now on is not changed with them, and one that somebody changes meanwhile is left alone.
  const [first, second] = [1, 3].map((size) => ({ Size: size }));
  const idOf = async (query: object) => {
    const path = `${DATA}/data/entrydata/rows/query/Offers`;
    return ((await send(page.request, 'POST', path, { query })) as QueryResultOfRowVm).rows[0]?.EntryId;
  };
  const change = async (query: object, field: string, value: unknown) =>
    send(page.request, 'PUT', `${DATA}/data/entrydata/Offers`, {
      storeRequests: [{ entryId: await idOf(query), fieldId: fields.get(field)?.id, value }],
    });
  await change({ Size: 41 }, 'Size', 5);
  await change(first ?? {}, 'Stage', null);
  await dialog.getByRole('button', { name: 'Change 10 Offers' }).click();
  await expect(page.getByText('10 of 10, 1 changed meanwhile and left alone')).toBeVisible();
  expect(await lostNow()).toBe(9);

  await change(second ?? {}, 'Stage', null);
  await page
    .getByRole('button', { name: /^More|^Actions/ })
    .last()
    .click();
  await page.getByRole('menuitem', { name: 'Undo', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: 'Undo the change of 8 Offers?' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cannot be changed 1' }).click();
  await expect(dialog.getByText('Stage was changed by somebody else since: 1 entry')).toBeVisible();
  await dialog.getByRole('button', { name: 'Undo 8 Offers' }).click();
  await expect(page.getByText('8 of 8', { exact: true })).toBeVisible();
  expect(await lostNow()).toBe(0);
});
