import type { Page } from '@playwright/test';
import type { DataRequestResultVm, EntryTypeVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { expectAccessible, expectToast, fillForm, openFilter } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { callApi } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

/** An image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface CreatedEntries {
  ids: readonly number[];
  write: (entryId: number, name: string, value: unknown) => Promise<unknown>;
}

/** Creates a type with a text and an image field, and entries with names and cities. */
async function createEntries(
  page: Page,
  apiName: string,
  rows: readonly [name: string, city: string][],
): Promise<CreatedEntries> {
  const names = { apiName, singularName: apiName, pluralName: `${apiName}s` };
  await callApi<EntryTypeVm>(page, 'POST', '/schema/entrytypes', names);
  const fieldsPath = `/schema/entrytypes/${apiName}/fields`;
  await callApi(page, 'POST', fieldsPath, { apiName: 'City', name: 'City', fieldType: 1 });
  await callApi(page, 'POST', fieldsPath, {
    apiName: 'Photos',
    name: 'Photos',
    fieldType: 16,
    isMultiSelect: true,
  });
  const fields = await callApi<FieldVm[]>(page, 'GET', fieldsPath);
  const getFieldId = (name: string) => fields.find((field) => field.apiName === name)?.id ?? 0;
  const path = `/data/entrydata/${apiName}`;
  const items = rows.flatMap(([name, city], at) => [
    { entryId: -1 - at, fieldId: getFieldId('Name'), value: name, ignoreNearDups: true },
    { entryId: -1 - at, fieldId: getFieldId('City'), value: city },
  ]);
  const results = await callApi<DataRequestResultVm[]>(page, 'POST', path, { storeRequests: items });
  return {
    ids: [...new Set(results.map(({ entryId }) => entryId ?? 0))],
    write: (entryId, name, value) =>
      callApi(page, 'PUT', path, { storeRequests: [{ entryId, fieldId: getFieldId(name), value }] }),
  };
}

/** Moves through the grid of the list as of a date by keyboard: three rows with known names and cities. */
async function navigateByKeyboard(page: Page, lastId: number): Promise<void> {
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
  await expect(page.getByText('Open the entry to restore them').first()).toBeVisible();
  await press('Escape', 'Control+End', 'Home', 'Enter');
  await expect(page.getByRole('heading', { name: 'Pier' })).toBeFocused();
  expect(page.url()).toContain(`/${lastId}?at=`);
  await page.goBack();
}

test('shows the history of an entry, compares two states, restores a value, and uploads and refuses files', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400);
  await openAs(page, ada);
  const { ids, write } = await createEntries(page, 'Harbour', [['Hafen', 'hamburg']]);
  const [id = 0] = ids;
  await write(id, 'City', 'Hamburg');
  await write(id, 'City', 'Kiel');
  await page.goto(`/entries/Harbour/${id}`);
  const events = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  await expect(events).toHaveCount(3);
  await expect(events.nth(1)).toContainText('only case differs');
  await events.nth(2).getByRole('button', { name: 'Compare' }).click();
  await events.nth(1).getByRole('button', { name: 'Compare' }).click();
  const comparison = page.getByRole('region', { name: 'Two points in time compared' });
  await expect(comparison.getByRole('row', { name: /^City/ })).toContainText('hamburg');
  await page.goBack();
  const todayComparison = page.getByRole('region', { name: 'Compared with today' });
  await expect(todayComparison.getByRole('row', { name: /^City/ })).toContainText('Kiel');
  await expectAccessible(page);
  await todayComparison.getByRole('button', { name: /^Restore City/ }).click();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save 1 change' }).click();
  await expect(events).toHaveCount(4);
  await expect(todayComparison.getByText('All fields are equal')).toBeVisible();

  await page.keyboard.press('Escape');
  await page.getByLabel('Files for Photos').setInputFiles([
    { name: 'point.png', mimeType: 'image/png', buffer: PNG },
    { name: 'no picture.png', mimeType: 'image/png', buffer: Buffer.from('text') },
  ]);
  await expect(page.getByRole('button', { name: 'Preview point.png' })).toBeVisible();
  await expect(page.getByText('"no picture.png" is not a PNG, JPEG, GIF or WebP image')).toBeVisible();
  await page.getByRole('button', { name: 'Preview point.png' }).click();
  await expect(page.getByRole('img', { name: 'point.png' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove point.png' }).click();
  await page.getByRole('button', { name: 'Remove file' }).click();
  await expectToast(page, 'point.png was removed');
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('merges duplicates and shows the list as it was before', async ({ page }) => {
  await openAs(page, ada);
  const { ids, write } = await createEntries(page, 'Dock', [
    ['Dock One', 'Kiel'],
    ['Dock one', 'Hamburg'],
    ['Pier', 'Bremen'],
  ]);
  const [target = 0, merged = 0, pier = 0] = ids;
  const before = new Date().toISOString();
  await write(pier, 'City', 'Lübeck');

  await page.goto(`/entries/Dock/${target}`);
  await page.getByRole('link', { name: 'Merge duplicates' }).click();
  await page.getByRole('button', { name: 'Add Dock one' }).click();
  await page.getByRole('radio', { name: `City of Dock one, id ${merged}` }).check();
  await expect(page.getByText('1 value of Dock One will be replaced.')).toBeVisible();
  await expectAccessible(page);
  // The selected value stays while another entry is added and left out.
  await page.getByRole('searchbox', { name: 'Search Docks to merge' }).fill('Pier');
  await page.getByRole('button', { name: 'Add Pier' }).click();
  await expect(page.getByRole('button', { name: 'Merge 2 entries into Dock One' })).toBeVisible();
  await expect(page.getByRole('radio', { name: `City of Dock one, id ${merged}` })).toBeChecked();
  await page.getByRole('button', { name: 'Leave out Pier' }).click();
  await page.getByRole('button', { name: 'Merge 1 entry into Dock One' }).click();
  const confirmation = page.getByRole('alertdialog');
  await expect(confirmation).toContainText('cannot be undone');
  await fillForm(confirmation, { [`Type “${target}” to continue`]: String(target) });
  await confirmation.getByRole('button', { name: 'Merge 1 entry' }).click();
  await expectToast(page, '1 entry was merged into Dock One');
  await expect(page.getByRole('region', { name: 'Merges' })).toContainText('Dock one');
  await expect(page.getByRole('region', { name: 'Values' })).toContainText('Hamburg');
  await expectAccessible(page);

  await page.goto(`/entries/Dock/past?asOf=${encodeURIComponent(before)}`);
  const table = page.getByRole('grid');
  await expect(table.getByRole('row', { name: /Pier/ })).toContainText('Bremennow Lübeck');
  await expect(table.getByRole('row', { name: /Dock one/ })).toContainText('Merged');
  await expectAccessible(page);
  await navigateByKeyboard(page, pier);
  // A search that is not in the address yet keeps what is chosen meanwhile.
  await page.getByRole('searchbox', { name: 'Search Docks' }).focus();
  await page.keyboard.press('o');
  await page.getByRole('button', { name: '2 changed since' }).dispatchEvent('click');
  await expect(page).toHaveURL(/q=o/);
  await expect(page).toHaveURL(/only=changed/);
  await page.getByRole('searchbox', { name: 'Search Docks' }).fill('');
  await expect(page).not.toHaveURL(/q=/);
  await expect(table.getByRole('row')).toHaveCount(3);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: 'Export', exact: true })
      .click()
      .then(() => page.getByRole('button', { name: 'Export 2 entries' }).click()),
  ]);
  expect(download.suggestedFilename()).toMatch(/^dock-as-of-\d{4}-.+-only-changed-since-.*\.csv$/);
  const previousChange = page.getByRole('button', { name: 'Change before' });
  await previousChange.press('Enter');
  await expect(previousChange).toBeDisabled();
  await expect(previousChange).toBeFocused();
  await page.getByRole('button', { name: 'A day earlier' }).press('Enter');
  await expect(page.getByText('No matching entries')).toBeVisible();
  await page.getByRole('button', { name: 'Back to today' }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Docks', exact: true })).toBeFocused();

  await page.goto(`/entries/Dock/${merged}`);
  await page.getByRole('button', { name: 'Restore entry' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore entry' }).click();
  await expectToast(page, 'Dock one was restored');
  const events = page.getByRole('region', { name: 'History' }).getByRole('listitem');
  await expect(events.nth(0)).toContainText('restored it');
  await expect(events.nth(1)).toContainText('merged it into Dock One');
  await page.goto('/changes?type=Dock');
  await openFilter(page, 'Changed by');
  await page.getByRole('combobox', { name: 'Changed by' }).fill(ada.email);
  await page.getByRole('option').first().click();
  await expect(page.getByRole('row', { name: /Pier/ })).toContainText('Created');
  await expectAccessible(page);
});
