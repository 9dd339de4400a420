import type { Page } from '@playwright/test';
import type { EntryTypeVm, FieldVm, QueryResultOfRowVm } from '../../contract/generated/types.gen.ts';
import { expectAccessible, expectToast } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

const DATA = '/api/rest/v4';
const LOST = 'Lost';

/** Creates a type with a stage, a size, and a reason required for lost entries; only odd entries have one. */
async function createDeals(page: Page, apiName: string, entryCount: number): Promise<Map<string, FieldVm>> {
  const callApi = async <Answer>(path: string, body?: object) =>
    (await sendRequest(page.request, body ? 'POST' : 'GET', `${DATA}${path}`, body)) as Answer;
  const type = await callApi<EntryTypeVm>('/schema/entrytypes', {
    apiName,
    singularName: 'Deal',
    pluralName: apiName,
  });
  const createField = (field: object) => callApi<FieldVm>(`/schema/entrytypes/${type.id}/fields`, field);
  const choiceValues = ['Open', LOST].map((name) => ({ name }));
  const stage = await createField({ apiName: 'Stage', name: 'Stage', fieldType: 2, choiceValues });
  const size = await createField({ apiName: 'Size', name: 'Size', fieldType: 3 });
  const [open, lost] = stage.choiceValues ?? [];
  const reason = await createField({
    apiName: 'Reason',
    name: 'Reason',
    fieldType: 1,
    requiredWhen: { match: 'all', conditions: [{ fieldId: stage.id, operation: 0, value: lost?.id }] },
  });
  const [name] = await callApi<FieldVm[]>(`/schema/entrytypes/${type.id}/fields`);
  const storeRequests = Array.from({ length: entryCount }, (_, at) => [
    { entryId: -1 - at, fieldId: name?.id, value: `Deal ${at}`, ignoreNearDups: true },
    { entryId: -1 - at, fieldId: stage.id, value: open?.id },
    { entryId: -1 - at, fieldId: size.id, value: at },
    { entryId: -1 - at, fieldId: reason.id, value: at % 2 === 1 ? 'Price' : null },
  ]).flat();
  await callApi(`/data/entrydata/${type.id}`, { storeRequests });
  return new Map([stage, size, reason].map((field) => [field.apiName, field]));
}

test('shares a saved view, which another user opens and which keeps working after a field is deleted', async ({
  page,
  elsewhere,
  calls,
}) => {
  await openAs(page, ada);
  const fields = await createDeals(page, 'Deals', 40);
  await page.goto(`/entries/Deals?sort=-Size&query=${encodeURIComponent('{"Size":{"$gte":30}}')}`);
  const grid = page.getByRole('grid', { name: 'Deals' });
  await expect(grid).toHaveAttribute('aria-rowcount', '11');
  await page.getByRole('button', { name: 'Columns' }).click();
  await expect(page.getByLabel('Find a column')).toBeFocused();
  await page.keyboard.type('size');
  await page.getByRole('button', { name: 'Freeze Size' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Save as new view' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Large ones');
  await dialog.getByRole('switch').check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save view' }).click();
  await expectToast(page, 'Large ones was saved');
  await expect(page).toHaveURL(/view=\d+/);

  const groups = [await calls.createGroup('Readers', ['Read Data'])];
  await openAs(elsewhere, await calls.createUser({ groups }), '/entries/Deals');
  await elsewhere.getByRole('button', { name: 'Views' }).click();
  await expectAccessible(elsewhere);
  await elsewhere.getByRole('link', { name: 'Large ones' }).click();
  const otherGrid = elsewhere.getByRole('grid', { name: 'Deals' });
  await expect(otherGrid).toHaveAttribute('aria-rowcount', '11');
  // The frozen column is part of the view; it is the second one, after the names.
  await expect(otherGrid.getByRole('columnheader', { name: 'Size' })).toHaveAttribute('aria-colindex', '3');
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeHidden();
  await otherGrid.getByRole('button', { name: 'Size' }).click();
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeVisible();
  await expect(elsewhere.getByRole('button', { name: 'Save', exact: true })).toHaveAttribute('aria-disabled');
  await elsewhere.getByRole('button', { name: 'Revert' }).click();
  await expect(elsewhere).toHaveURL(/sort=-Size/);
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeHidden();

  await sendRequest(page.request, 'DELETE', `${DATA}/schema/fields/${fields.get('Size')?.id}`);
  await elsewhere.getByRole('button', { name: 'Reload' }).click();
  await expect(elsewhere.getByText('Size was deleted from the schema')).toBeVisible();
  // With an invalid filter no matches are counted, and a bulk edit of all entries is not offered.
  await expect(elsewhere.getByRole('heading', { name: 'This filter is not valid' })).toBeVisible();
  await expect(elsewhere.getByText(/\d match/)).toBeHidden();
  await expect(elsewhere.getByRole('button', { name: /^Edit all/ })).toBeHidden();
  await elsewhere.getByRole('button', { name: 'Remove these conditions' }).click();
  await expect(otherGrid).toHaveAttribute('aria-rowcount', '41');
  await expect(elsewhere.getByRole('button', { name: 'Edit all 40' })).toBeVisible();
});

test('edits all matching entries as a job after a dry run, and undoes it', async ({
  page,
  expectFailure,
}) => {
  // The request with the entry changed during the review is refused.
  expectFailure(400);
  await openAs(page, ada);
  const fields = await createDeals(page, 'Offers', 60);
  const lostId = fields.get('Stage')?.choiceValues?.find(({ name }) => name === LOST)?.id;
  const countLost = async () => {
    const result = await sendRequest(page.request, 'POST', `${DATA}/data/entrydata/rows/query/Offers`, {
      query: { Stage: lostId },
    });
    return (result as QueryResultOfRowVm).totalRecords;
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
  await expect(dialog.getByText('Reason is required under the current conditions: 10 entries')).toBeVisible();
  await expectAccessible(page);

  // An entry that matches only now is not edited, and one changed since the review is skipped.
  const [first, second] = [1, 3].map((size) => ({ Size: size }));
  const findEntryId = async (query: object) => {
    const path = `${DATA}/data/entrydata/rows/query/Offers`;
    return ((await sendRequest(page.request, 'POST', path, { query })) as QueryResultOfRowVm).rows[0]
      ?.EntryId;
  };
  const change = async (query: object, field: string, value: unknown) =>
    sendRequest(page.request, 'PUT', `${DATA}/data/entrydata/Offers`, {
      storeRequests: [{ entryId: await findEntryId(query), fieldId: fields.get(field)?.id, value }],
    });
  await change({ Size: 41 }, 'Size', 5);
  await change(first ?? {}, 'Stage', null);
  await dialog.getByRole('button', { name: 'Change 10 Offers' }).click();
  await expect(page.getByText('10 of 10, 1 skipped (changed in the meantime)')).toBeVisible();
  expect(await countLost()).toBe(9);

  await change(second ?? {}, 'Stage', null);
  await page
    .getByRole('button', { name: /^More|^Actions/ })
    .last()
    .click();
  await page.getByRole('menuitem', { name: 'Undo', exact: true }).click();
  await expect(dialog.getByRole('heading', { name: 'Undo the change of 8 Offers?' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cannot be changed 1' }).click();
  await expect(dialog.getByText('Stage was changed by someone else: 1 entry')).toBeVisible();
  await dialog.getByRole('button', { name: 'Undo 8 Offers' }).click();
  await expect(page.getByText('8 of 8', { exact: true })).toBeVisible();
  expect(await countLost()).toBe(0);
});
