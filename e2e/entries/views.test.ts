import type { Locator, Page } from '@playwright/test';
import type { EntryTypeVm, FieldVm, Job, QueryResultOfRowVm } from '../../contract/generated/types.gen.ts';
import {
  chooseMenuItem,
  chooseOption,
  expectAccessible,
  expectToast,
  findSelect,
} from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { expectFits } from '../support/checks/page-checks.ts';
import { ada } from '../support/data/people.ts';
import { countSteps } from '../support/steps.ts';
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

/** Pins the filter of the open view and changes its value, by keyboard and without leaving the view. */
async function pinsFilter(page: Page, grid: Locator): Promise<void> {
  const { keyboard } = page;
  await page.getByRole('button', { name: 'Pin Size is at least 30' }).press('Enter');
  // The message is the same as that of the view that was just saved, which may still be there.
  await expect(page.getByRole('button', { name: 'Unpin Size is at least 30' })).toBeFocused();
  const pinned = page.getByRole('button', { name: /^Size is at least/ });
  await pinned.press('Enter');
  const value = page.getByRole('textbox', { name: 'Value of Size' });
  await expect(page.getByRole('dialog', { name: 'Size filter' })).toContainText(/Size\s*is at least/);
  await expectAccessible(page);
  await value.fill('35');
  await keyboard.press('Escape');
  await expect(grid).toHaveAttribute('aria-rowcount', '6');
  await expect(pinned).toBeFocused();
  await page.getByRole('button', { name: 'Remove Size is at least 35' }).press('Enter');
  await expect(grid).toHaveAttribute('aria-rowcount', '41');
  await expect(pinned).toHaveText(/^Size is at least any value/);
  await expect(pinned).toBeFocused();
  await keyboard.press('Enter');
  await value.fill('38');
  await keyboard.press('Escape');
  await expect(grid).toHaveAttribute('aria-rowcount', '3');
  await expect(page).toHaveURL(/view=\d+/);
  await expect(pinned).toBeFocused();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Revert' }).click();
  await expect(grid).toHaveAttribute('aria-rowcount', '11');
}

test('shares a saved view with a pinned filter, which another user opens and which keeps working after a field is deleted', async ({
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
  await pinsFilter(page, grid);

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
  // Every user of the view changes its pinned filter; the owner decides what is pinned.
  await expect(
    elsewhere.getByRole('button', { name: 'Unpin Size is at least 30' }),
  ).toHaveAccessibleDescription(/Manage Schema/);
  await elsewhere.getByRole('button', { name: /^Size is at least 30/ }).click();
  await elsewhere.getByRole('button', { name: 'Any value' }).click();
  await expect(otherGrid).toHaveAttribute('aria-rowcount', '41');
  await expect(elsewhere.getByRole('button', { name: /^Size is at least any value/ })).toBeFocused();
  await elsewhere.getByRole('button', { name: 'Revert' }).click();
  await expect(otherGrid).toHaveAttribute('aria-rowcount', '11');
  await otherGrid.getByRole('button', { name: 'Size' }).click();
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeVisible();
  await expect(elsewhere.getByRole('button', { name: 'Save', exact: true })).toHaveAttribute('aria-disabled');
  await elsewhere.getByRole('button', { name: 'Revert' }).click();
  await expect(elsewhere).toHaveURL(/sort=-Size/);
  await expect(elsewhere.getByText('Changed', { exact: true })).toBeHidden();

  // The panel says what a change or deletion affects before it.
  await page.goto(`/entries/Deals/schema?field=${fields.get('Size')?.id}`);
  const panel = page.getByRole('dialog', { name: 'Edit Size' });
  const impact = page.getByRole('region', { name: 'What this affects' });
  await expect(impact.getByRole('listitem')).toContainText(['ViewLarge ones']);
  await expect(impact).not.toContainText('no longer exists');
  await panel.getByLabel('API name').fill('Volume');
  await expect(impact).toContainText(
    'Large ones – its filter, order or columns name a field that no longer exists',
  );
  await expectAccessible(page);
  await expectFits(page);
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await chooseMenuItem(page, 'Actions for Size', 'Delete field');
  await expect(impact).toContainText(/40entries lose their value.*Large ones/);
  await expect(impact.getByRole('link', { name: 'Large ones' })).toHaveAttribute('href', /view=\d+/);
  const filled = await impact.getByRole('link', { name: 'entries lose their value' }).getAttribute('href');
  await elsewhere.goto(filled ?? '');
  await expect(otherGrid).toHaveAttribute('aria-rowcount', '41');
  await elsewhere.goBack();
  await expect(otherGrid).toHaveAttribute('aria-rowcount', '11');
  const deletion = page.getByRole('alertdialog', { name: 'Delete the field Size?' });
  await deletion.getByRole('textbox').fill('Size');
  await deletion.getByRole('button', { name: 'Delete field' }).click();
  await expectToast(page, 'Size was deleted');
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

const findLostId = (fields: ReadonlyMap<string, FieldVm>) =>
  fields.get('Stage')?.choiceValues?.find(({ name }) => name === LOST)?.id;

/** Opens the bulk dialog, sets the stage to Lost and waits for the review. */
async function reviewLost(page: Page, open: string): Promise<Locator> {
  await page.getByRole('button', { name: open }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Choose a field' }).click();
  await chooseOption(findSelect(dialog, 'Field'), 'Stage');
  await dialog.getByRole('combobox', { name: 'Stage' }).fill(LOST);
  await page.getByRole('option', { name: LOST }).click();
  await dialog.getByRole('button', { name: 'Review' }).click();
  return dialog;
}

const MANAGED_JOBS = '/api/rest/v1/management/jobs';

/** Reads the newest job of the page's session until it has ended. */
async function waitForJob(page: Page): Promise<Job> {
  const readNewest = async () => ((await sendRequest(page.request, 'GET', MANAGED_JOBS)) as Job[])[0];
  await expect.poll(async () => (await readNewest())?.state, { timeout: 60_000 }).toBe('finished');
  const job = await readNewest();
  if (!job) throw new Error('There is no job');
  return job;
}

async function getCenter(target: Locator) {
  const { x = 0, y = 0, width = 0, height = 0 } = (await target.boundingBox()) ?? {};
  return { x: x + width / 2, y: y + height / 2 };
}

/** Resizes and moves columns by pointer and by keyboard; a reload keeps them. */
async function arrangesColumns(page: Page, grid: Locator): Promise<void> {
  const header = (name: string) => grid.getByRole('columnheader', { name });
  const getWidth = async (name: string) => Math.round((await header(name).boundingBox())?.width ?? 0);
  const expectColumns = async (...names: string[]) => {
    for (const [at, name] of names.entries())
      await expect(header(name)).toHaveAttribute('aria-colindex', String(at + 2));
  };
  const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, to.y);
    await page.mouse.move(to.x, to.y);
    await page.mouse.up();
  };
  await expectColumns('Name', 'Stage', 'Size', 'Reason');
  const before = await getWidth('Stage');
  const edge = await getCenter(header('Stage').locator('.eg-resize'));
  await drag(edge, { ...edge, x: edge.x + 50 });
  await expect.poll(() => getWidth('Stage')).toBe(before + 50);
  await header('Stage').getByRole('button').focus();
  await page.keyboard.press('Alt+ArrowLeft');
  await expect.poll(() => getWidth('Stage')).toBe(before + 34);
  await drag(await getCenter(header('Reason').getByRole('button')), {
    ...(await getCenter(header('Stage'))),
    x: ((await header('Stage').boundingBox())?.x ?? 0) + 4,
  });
  await expectColumns('Name', 'Reason', 'Stage', 'Size');
  await header('Size').getByRole('button').focus();
  await page.keyboard.press('Alt+Shift+ArrowLeft');
  await expectColumns('Name', 'Reason', 'Size', 'Stage');
  await page.reload();
  await expectColumns('Name', 'Reason', 'Size', 'Stage');
  expect(await getWidth('Stage')).toBe(before + 34);
}

/** Selects rows by keyboard and changes only them. */
async function editsSelection(page: Page, grid: Locator): Promise<void> {
  await grid.getByRole('rowheader', { name: 'Deal 2', exact: true }).focus();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Edit 3 selected' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Choose a field' }).click();
  await chooseOption(findSelect(dialog, 'Field'), 'Reason');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('chosen');
  await dialog.getByRole('textbox', { name: 'Reason' }).press('Tab');
  const cancel = dialog.getByRole('button', { name: 'Cancel' });
  for (const leave of [() => cancel.press('Escape'), () => cancel.click()]) {
    await leave();
    const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
  }
  await dialog.getByRole('button', { name: 'Review' }).click();
  await dialog.getByRole('button', { name: 'Change 3 Offers' }).click();
  await expectToast(page, 'Set Reason of 3 Offers to chosen: finished');
  await expect(grid.getByRole('gridcell', { name: 'chosen' })).toHaveCount(3);
  for (const name of ['Deal 2', 'Deal 3', 'Deal 4'])
    await expect(grid.getByRole('row').filter({ hasText: `${name}chosen` })).toHaveCount(1);
}

test('edits all matching entries or a selection as a job, undoes it, and keeps the arranged columns', async ({
  page,
}) => {
  await openAs(page, ada);
  const fields = await createDeals(page, 'Offers', 60);
  const lostId = findLostId(fields);
  const countLost = async () => {
    const result = await sendRequest(page.request, 'POST', `${DATA}/data/entrydata/rows/query/Offers`, {
      query: { Stage: lostId },
    });
    return (result as QueryResultOfRowVm).totalRecords;
  };
  await page.goto('/entries/Offers');
  await expect(page.getByRole('grid', { name: 'Offers' })).toHaveAttribute('aria-rowcount', '61');
  const task = await countSteps(page);
  await page.getByRole('button', { name: 'Filter and query' }).click();
  await page.getByRole('region', { name: 'Find entries' }).getByLabel('Query').fill('{Size: {$lt: 20}}');
  await page.getByRole('button', { name: 'Filter and query' }).click();
  const dialog = await reviewLost(page, 'Edit all 20 that match');
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
  await expect(dialog).toBeHidden();
  await expectToast(page, 'Set Stage of 10 Offers to Lost: finished, 1 skipped');
  expect(await countLost()).toBe(9);
  // The grid shows the new values without a reload.
  const grid = page.getByRole('grid', { name: 'Offers' });
  await expect(grid.getByRole('gridcell', { name: LOST })).toHaveCount(9);

  const job = await waitForJob(page);
  expect(job).toMatchObject({ done: 9, conflicts: 1, failed: 0 });
  const conflicts = await sendRequest(page.request, 'GET', `${MANAGED_JOBS}/${job.id}/items?state=conflict`);
  expect(conflicts).toMatchObject([{ label: 'Deal 1', reason: 'Stage was changed in the meantime' }]);

  await change(second ?? {}, 'Stage', null);
  await page.goto(`/jobs/${job.id}`);
  await expect(page.getByRole('heading', { name: 'Set Stage of 10 Offers to Lost' })).toBeVisible();
  await expect(page.getByText('Stage was changed in the meantime').first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'Restore Stage of 9 Offers: finished, 1 skipped');
  expect(await waitForJob(page)).toMatchObject({ inverseOf: job.id, done: 8, conflicts: 1 });
  expect(await countLost()).toBe(0);
  await page.goto('/entries/Offers');
  await expect(grid.getByRole('gridcell', { name: 'Open' }).first()).toBeVisible();
  await expect(grid.getByRole('gridcell', { name: LOST })).toHaveCount(0);
  await page.getByRole('link', { name: 'As of a date' }).click();
  await page.getByRole('button', { name: 'A day ago' }).click();
  await expect(page.getByRole('button', { name: '60 added since' })).toBeVisible();
  // Filter, dry run, change, undo, and the list as of yesterday.
  task.expectAtMost(16);

  await page.goto('/entries/Offers');
  await arrangesColumns(page, grid);
  await editsSelection(page, grid);
});

test('a job continues after its page was closed, and another device shows its end', async ({
  page,
  elsewhere,
}) => {
  await openAs(page, ada);
  await createDeals(page, 'Leads', 2_100);
  await page.goto('/entries/Leads');
  const dialog = await reviewLost(page, 'Edit all 2,100');
  await dialog.getByLabel(/^Type 1050/).fill('1050');
  await dialog.getByRole('button', { name: 'Change 1,050 Leads' }).click();
  await expect(dialog).toBeHidden();
  await page.close();

  await openAs(elsewhere, ada, '/entries/Leads');
  expect(await waitForJob(elsewhere)).toMatchObject({
    title: 'Set Stage of 1,050 Leads to Lost',
    done: 1_050,
    conflicts: 0,
    failed: 0,
  });
  await elsewhere.goto(`/entries/Leads?query=${encodeURIComponent('{"Size":{"$lt":6}}')}&sort=Size`);
  const grid = elsewhere.getByRole('grid', { name: 'Leads' });
  await expect(grid.getByRole('gridcell', { name: LOST })).toHaveCount(3);
});

test('a change that is too large for one request is sent in parts', async ({ page }) => {
  await openAs(page, ada);
  const fields = await createDeals(page, 'Essays', 12);
  const { rows } = (await sendRequest(page.request, 'POST', `${DATA}/data/entrydata/rows/query/Essays`, {
    query: {},
  })) as QueryResultOfRowVm;
  for (const { EntryId } of rows)
    await sendRequest(page.request, 'PUT', `${DATA}/data/entrydata/Essays`, {
      storeRequests: [{ entryId: EntryId, fieldId: fields.get('Reason')?.id, value: 'x'.repeat(900_000) }],
    });
  await page.goto('/entries/Essays');
  await page.getByRole('button', { name: 'Edit all 12' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Choose a field' }).click();
  await chooseOption(findSelect(dialog, 'Field'), 'Reason');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('short');
  await dialog.getByRole('textbox', { name: 'Reason' }).press('Tab');
  await dialog.getByRole('button', { name: 'Review' }).click();
  const parts: number[] = [];
  page.on('request', (request) => {
    const [, part] = /\/parts\/(\d+)\?/.exec(request.url()) ?? [];
    if (part !== undefined) parts.push(Number(part));
  });
  await dialog.getByRole('button', { name: 'Change 12 Essays' }).click();
  await expectToast(page, 'Set Reason of 12 Essays to short: finished');
  expect(parts).toEqual([1, 2, 3, 4, 5, 6]);
  await expect(page.getByRole('grid', { name: 'Essays' }).getByText('short')).toHaveCount(12);
});
