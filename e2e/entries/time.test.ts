import type { Page } from '@playwright/test';
import type { DataRequestResultVm, EntryTypeVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { expectNoAxe, expectToast, fill } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

const headers = { 'X-Steward-Console': '1' };
/** A picture of one point. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The data interface as the page's own session calls it. */
async function data<Answer>(page: Page, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) {
  const answer = await page.request.fetch(`/console/api/rest/v4${path}`, {
    method,
    headers,
    ...(body && { data: body }),
  });
  expect(answer.status(), await answer.text()).toBe(200);
  return (await answer.json()) as Answer;
}

interface Entries {
  ids: readonly number[];
  write: (entryId: number, name: string, value: unknown) => Promise<unknown>;
}

/** A type with a text and images, and entries with names and cities. */
async function makeEntries(
  page: Page,
  apiName: string,
  rows: readonly [name: string, city: string][],
): Promise<Entries> {
  const names = { apiName, singularName: apiName, pluralName: `${apiName}s` };
  await data<EntryTypeVm>(page, 'POST', '/schema/entrytypes', names);
  const fieldsPath = `/schema/entrytypes/${apiName}/fields`;
  await data(page, 'POST', fieldsPath, { apiName: 'City', name: 'City', fieldType: 1 });
  await data(page, 'POST', fieldsPath, {
    apiName: 'Photos',
    name: 'Photos',
    fieldType: 16,
    isMultiSelect: true,
  });
  const fields = await data<FieldVm[]>(page, 'GET', fieldsPath);
  const idOf = (name: string) => fields.find((field) => field.apiName === name)?.id ?? 0;
  const path = `/data/entrydata/${apiName}`;
  const items = rows.flatMap(([name, city], at) => [
    { entryId: -1 - at, fieldId: idOf('Name'), value: name, ignoreNearDups: true },
    { entryId: -1 - at, fieldId: idOf('City'), value: city },
  ]);
  const made = await data<DataRequestResultVm[]>(page, 'POST', path, { storeRequests: items });
  return {
    ids: [...new Set(made.map(({ entryId }) => entryId ?? 0))],
    write: (entryId, name, value) =>
      data(page, 'PUT', path, { storeRequests: [{ entryId, fieldId: idOf(name), value }] }),
  };
}

/** The grid of the past as people walk it who have no mouse: three rows, the names and cities of which are known. */
async function walkByKeys(page: Page, last: number): Promise<void> {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const cell = (text: string) => page.getByRole('grid').locator(':focus').filter({ hasText: text });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Row height' }).focus();
  await press('Tab');
  await expect(cell('Dock One')).toBeVisible();
  for (const [keys, text] of [
    [['ArrowDown', 'ArrowRight'], 'Hamburg'],
    [['Control+End', 'Control+ArrowLeft', 'ArrowRight'], 'Bremen'],
    [['Control+Home', 'PageDown', 'ArrowRight', 'Home'], 'Pier'],
    [['PageUp', 'ArrowUp', 'ArrowRight'], 'City'],
    [['ArrowDown'], 'Kiel'],
  ] as const) {
    await press(...keys);
    await expect(cell(text)).toBeVisible();
  }
  await press('Shift+ArrowDown', 'Shift+Home', 'Control+c');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe('Dock One\tKiel\r\nDock one\tHamburg');
  await press('Escape', 'F2');
  await expect(page.getByText('open the entry to restore values').first()).toBeVisible();
  await press('Escape', 'Control+End', 'Home', 'Enter');
  await expect(page.getByRole('heading', { name: 'Pier' })).toBeFocused();
  expect(page.url()).toContain(`/${last}?at=`);
  await page.goBack();
}

test('the history of an entry is read, two moments are compared, a value is restored; files are kept and refused', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400);
  await enter(page, ada);
  const { ids, write } = await makeEntries(page, 'Harbour', [['Hafen', 'hamburg']]);
  const [id = 0] = ids;
  await write(id, 'City', 'Hamburg');
  await write(id, 'City', 'Kiel');
  await page.goto(`/entries/Harbour/${id}`);
  const events = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  await expect(events).toHaveCount(3);
  await expect(events.nth(1)).toContainText('case of letters');
  await events.nth(2).getByRole('button', { name: 'Compare' }).click();
  await events.nth(1).getByRole('button', { name: 'Compare' }).click();
  const sides = page.getByRole('region', { name: 'Two moments side by side' });
  await expect(sides.getByRole('row', { name: /^City/ })).toContainText('hamburg');
  await page.goBack();
  const beside = page.getByRole('region', { name: 'As it was, beside today' });
  await expect(beside.getByRole('row', { name: /^City/ })).toContainText('Kiel');
  await expectNoAxe(page);
  await beside.getByRole('button', { name: /^Restore City/ }).click();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save 1 change' }).click();
  await expect(events).toHaveCount(4);
  await expect(beside.getByText('Every field is the same')).toBeVisible();

  await page.keyboard.press('Escape');
  await page.getByLabel('Files for Photos').setInputFiles([
    { name: 'point.png', mimeType: 'image/png', buffer: PNG },
    { name: 'no picture.png', mimeType: 'image/png', buffer: Buffer.from('text') },
  ]);
  await expect(page.getByRole('button', { name: 'Preview point.png' })).toBeVisible();
  await expect(page.getByText('"no picture.png" is no PNG, JPEG, GIF or WebP image')).toBeVisible();
  await page.getByRole('button', { name: 'Preview point.png' }).click();
  await expect(page.getByRole('img', { name: 'point.png' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove point.png' }).click();
  await page.getByRole('button', { name: 'Remove file' }).click();
  await expectToast(page, 'point.png was removed');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('duplicates are merged side by side, and the list is shown as it was before', async ({ page }) => {
  await enter(page, ada);
  const { ids, write } = await makeEntries(page, 'Dock', [
    ['Dock One', 'Kiel'],
    ['Dock one', 'Hamburg'],
    ['Pier', 'Bremen'],
  ]);
  const [stays = 0, goes = 0, pier = 0] = ids;
  const before = new Date().toISOString();
  await write(pier, 'City', 'Lübeck');

  await page.goto(`/entries/Dock/${stays}`);
  await page.getByRole('link', { name: 'Merge duplicates' }).click();
  await page.getByRole('button', { name: 'Add Dock one' }).click();
  await page.getByRole('radio', { name: `City of Dock one, id ${goes}` }).check();
  await expect(page.getByText('1 value of Dock One will be replaced.')).toBeVisible();
  await expectNoAxe(page);
  await page.getByRole('button', { name: 'Merge 1 entry into Dock One' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('cannot be undone');
  await fill(question, { [`Type “${stays}” to go on`]: String(stays) });
  await question.getByRole('button', { name: 'Merge 1 entry' }).click();
  await expectToast(page, '1 entry went into Dock One');
  await expect(page.getByRole('region', { name: 'Merges' })).toContainText('Dock one');
  await expect(page.getByRole('region', { name: 'Values' })).toContainText('Hamburg');
  await expectNoAxe(page);

  await page.goto(`/entries/Dock/past?asOf=${encodeURIComponent(before)}`);
  const table = page.getByRole('grid');
  await expect(table.getByRole('row', { name: /Pier/ })).toContainText('Bremennow Lübeck');
  await expect(table.getByRole('row', { name: /Dock one/ })).toContainText('Merged');
  await expectNoAxe(page);
  await walkByKeys(page, pier);
  await page.getByRole('button', { name: '2 changed since' }).click();
  await expect(table.getByRole('row')).toHaveCount(3);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: 'Export', exact: true })
      .click()
      .then(() => page.getByRole('button', { name: 'Export 2 entries' }).click()),
  ]);
  expect(download.suggestedFilename()).toMatch(/^dock-as-of-\d{4}-.+-only-changed-since-.*\.csv$/);
  const earlier = page.getByRole('button', { name: 'Change before' });
  await earlier.press('Enter');
  await expect(earlier).toBeDisabled();
  await expect(earlier).toBeFocused();
  await page.getByRole('button', { name: 'A day earlier' }).press('Enter');
  await expect(page.getByText('Nothing to show of this moment')).toBeVisible();
  await page.getByRole('button', { name: 'Back to today' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Docks', exact: true })).toBeFocused();

  await page.goto(`/entries/Dock/${goes}`);
  await page.getByRole('button', { name: 'Bring it back' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Bring it back' }).click();
  await expectToast(page, 'Dock one is back');
  const events = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  await expect(events.nth(0)).toContainText('brought it back');
  await expect(events.nth(1)).toContainText('merged it into Dock One');
  await page.goto('/changes?type=Dock');
  await page.getByRole('combobox', { name: 'Changed by' }).fill(ada.email);
  await page.getByRole('option').first().click();
  await expect(page.getByRole('row', { name: /Pier/ })).toContainText('Created');
  await expectNoAxe(page);
});
