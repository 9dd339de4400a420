import type { Locator } from '@playwright/test';
import type { FieldVm } from '../../contract/generated/types.gen.ts';
import { chooseMenuItem, expectAccessible, expectToast, holdRequests } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { DATA, SCHEMA, createEntryType } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({
  permissions: ['clipboard-read', 'clipboard-write'],
});

const cell = (grid: Locator, row: number, name: string | RegExp) =>
  grid.getByRole('row').nth(row).getByRole('gridcell', { name });

test('edits, reviews, saves and undoes values by keyboard', async ({ page }) => {
  await openAs(page, ada);
  await createEntryType(page, 'Deal');
  await page.goto('/entries/Deal');
  const grid = page.getByRole('grid', { name: 'Deals' });
  const { keyboard } = page;
  await expect(grid.getByRole('link', { name: 'Hafen' })).toBeVisible();
  await keyboard.press('?');
  await expect(page.getByRole('term').filter({ hasText: 'Delete or keep the entries' })).toBeVisible();
  await expectAccessible(page);
  await keyboard.press('Escape');
  await grid.getByRole('link', { name: 'Hafen' }).focus();
  // A change of case is a change.
  await keyboard.press('F2');
  await keyboard.type('hafen');
  await keyboard.press('Tab');
  await keyboard.type('lo');
  await expect(page.getByRole('option', { name: 'Lost' })).toBeVisible();
  await keyboard.press('Escape');
  // Enter may be pressed before the options have loaded.
  await keyboard.type('lo');
  await keyboard.press('Enter');
  // The reason that the stage requires is reported at once, and saving is blocked.
  await expect(grid.getByText('Reason is required under the current conditions')).toBeAttached();
  await keyboard.press('ArrowUp');
  await keyboard.press('End');
  await keyboard.type('12x');
  await keyboard.press('Enter');
  await expect(grid.getByText('Enter a number with a decimal point')).toBeVisible();
  await expectAccessible(page);
  await keyboard.press('Backspace');
  await keyboard.press('Enter');
  await expect(page.getByText('3 changes in 1 entry, not saved')).toBeVisible();
  await page.getByRole('button', { name: 'Review and save' }).focus();
  await keyboard.press('Enter');
  const panel = page.getByRole('dialog');
  const save = panel.getByRole('button', { name: 'Save 3 changes' });
  await expect(save).toHaveAccessibleDescription('1 value is not valid yet');
  await expect(panel.getByText('Only upper and lower case differ')).toBeVisible();
  await expectAccessible(page);
  await keyboard.press('Escape');

  // Staged changes stay on other pages; the form has the same rules.
  await grid.getByRole('link', { name: 'hafen' }).focus();
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Edit', exact: true }).focus();
  await keyboard.press('Enter');
  const reason = page.getByRole('textbox', { name: 'Reason' });
  await expect(reason).toHaveAccessibleDescription('Reason is required under the current conditions');
  await reason.focus();
  await keyboard.type('Price');
  await keyboard.press('Tab');
  await expect(page.getByText('4 changes in 1 entry, not saved')).toBeVisible();
  await page.getByRole('button', { name: 'Review and save' }).focus();
  await keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Save 4 changes' }).focus();
  await keyboard.press('Enter');
  await expectToast(page, 'Saved 4 changes');
  await expect(page.getByRole('heading', { level: 1, name: 'hafen' })).toBeVisible();

  await page.getByRole('button', { name: 'Saved changes' }).focus();
  await keyboard.press('Enter');
  await panel.getByRole('region', { name: 'Saved' }).getByRole('button', { name: 'Undo' }).focus();
  await keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Save 4 changes' }).focus();
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Hafen' })).toBeVisible();
});

test('keeps what is typed when the page is reloaded or left before it is committed', async ({ page }) => {
  await openAs(page, ada, '/entries');
  await createEntryType(page, 'Storage');
  await page.goto('/entries/Storage');
  const grid = page.getByRole('grid', { name: 'Storages' });
  await grid.getByRole('link', { name: 'Hafen' }).focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('Hafen Ost');
  const prompt = page.waitForEvent('dialog');
  const reload = page.reload();
  await (await prompt).accept();
  await reload;
  await expect(grid.getByRole('link', { name: 'Hafen Ost' })).toBeVisible();
  await expect(page.getByText('1 change in 1 entry, not saved')).toBeVisible();

  await page.getByRole('link', { name: 'Entries', exact: true }).first().click();
  await page.getByRole('grid').getByRole('link', { name: 'Storages' }).first().click();
  await page.getByRole('button', { name: 'New Storage' }).click();
  const panel = page.getByRole('dialog', { name: 'New Storage' });
  await panel.getByRole('textbox', { name: 'Name' }).fill('Speicher');
  await page.goBack();
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await expect(panel.getByRole('textbox', { name: 'Name' })).toHaveValue('Speicher');
  await page.goBack();
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('grid').getByRole('link', { name: 'Storages' }).first().click();
  await expect(grid).toBeVisible();
  await expect(panel).toBeHidden();
});

test('previews a paste from a spreadsheet, shows refusals at their cells and recovers from a lost answer', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400, 'ERR_FAILED');
  await openAs(page, ada);
  await createEntryType(page, 'Order');
  await page.goto('/entries/Order');
  const grid = page.getByRole('grid', { name: 'Orders' });
  const first = grid.getByRole('rowheader').first();
  await expect(first).toHaveText('Hafen');
  await first.focus();
  await page.evaluate(() =>
    navigator.clipboard.writeText(
      'Hafen AG\topen\t"two\nlines"\t7\nHafen GmbH\tNope\t\tx\nNew one\tOpen\t\t3',
    ),
  );
  await page.keyboard.press('Control+v');
  const dialog = page.getByRole('dialog', { name: 'Paste 3 × 4 cells' });
  await expect(dialog.getByText('Stage has no choice "Nope"')).toBeVisible();
  await dialog.getByRole('checkbox', { name: /below the last entry/ }).check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Stage the 8 valid ones' }).click();
  await expect(page.getByText('8 changes in 3 entries, not saved')).toBeVisible();
  // A reload asks for confirmation, and staged changes survive it.
  page.once('dialog', (prompt) => void prompt.accept());
  await page.reload();
  await expect(page.getByText('8 changes. They are staged in their lists.')).toBeVisible();
  await expect(page.getByText('8 changes in 3 entries, not saved')).toBeVisible();
  // A new entry is a row that is edited like others.
  const newEntry = grid.getByRole('rowheader', { name: 'New one' });
  await newEntry.focus();
  await page.keyboard.press('End');
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await expect(
    grid
      .getByRole('row', { name: /^New New one/ })
      .getByRole('gridcell')
      .last(),
  ).toHaveText(/^4, New/);
  await page.keyboard.press('Control+z');
  // Undo and redo.
  await first.focus();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('not saved')).toBeHidden();
  await page.keyboard.press('Control+y');
  await page.getByRole('button', { name: 'Review and save' }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Save 8 changes' }).click();
  await expect(panel.getByText('Nothing was saved')).toBeVisible();
  await expect(panel.getByText(/has nearly the same name/).first()).toBeVisible();
  await expect(
    grid.getByRole('rowheader', { name: /nearly the same name/, includeHidden: true }),
  ).toHaveCount(2);
  // Without an answer it is unknown whether the changes were stored, even after a reload; nothing is created twice.
  await page.route('**/data/entrydata/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    await route.fetch();
    return route.abort();
  });
  await panel.getByRole('button', { name: 'Save anyway' }).click();
  await expect(panel.getByText('Unknown whether this was saved')).toBeVisible();
  await page.unroute('**/data/entrydata/*');
  await page.keyboard.press('Escape');
  await expect(page.getByText('may be saved already')).toBeVisible();
  page.once('dialog', (prompt) => void prompt.accept());
  await page.reload();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await expect(panel.getByText('5 values are stored already')).toBeVisible();
  await expect(panel.getByRole('link', { name: 'New one' })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Save 8 changes' })).toHaveAccessibleDescription(
    'Decide first whether the new entry exists',
  );
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'It exists: remove it here' }).click();
  await panel.getByRole('button', { name: /^Save/ }).click();
  await expectToast(page, 'Everything is already saved');
  await expect(grid).toHaveAttribute('aria-rowcount', '4');

  // Pasting cells copied on this page changes nothing.
  await grid.getByRole('rowheader', { name: 'Hafen AG' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await expect(page.getByRole('dialog').getByText('0 cells change, 12 stay the same')).toBeVisible();
});

test('a long text that arrives after the user has moved on does not open its cell', async ({ page }) => {
  await openAs(page, ada);
  const { first } = await createEntryType(page, 'Quay');
  const fields = (await sendRequest(page.request, 'GET', `${SCHEMA}/Quay/fields`)) as FieldVm[];
  const reason = fields.find(({ apiName }) => apiName === 'Reason')?.id;
  const value = 'Long. '.repeat(100);
  await sendRequest(page.request, 'PUT', `${DATA}/Quay`, {
    storeRequests: [{ entryId: first, fieldId: reason, value }],
  });
  const answer = await holdRequests(page, '**/entrydata/get?*');
  await page.goto('/entries/Quay');
  const grid = page.getByRole('grid', { name: 'Quays' });
  const { keyboard } = page;
  await cell(grid, 1, /^Long/).click();
  const requested = page.waitForRequest('**/entrydata/get?*');
  await keyboard.press('F2');
  await requested;
  await keyboard.press('ArrowDown');
  await keyboard.type('Pri');
  const editor = grid.getByRole('textbox', { name: 'Reason' });
  await expect(editor).toHaveValue('Pri');
  const answered = page.waitForResponse('**/entrydata/get?*');
  answer();
  await (await answered).finished();
  await keyboard.type('ce');
  await expect(editor).toHaveValue('Price');
  await keyboard.press('Enter');
  await expect(page.getByText('1 change in 1 entry, not saved')).toBeVisible();
  await expect(cell(grid, 2, /^Price/)).toBeVisible();
  // Without moving on, the cell opens with the whole text.
  await cell(grid, 1, /^Long/).dblclick();
  await expect(editor).toHaveValue(value);
});

test('says that the entries to refer to could not be loaded', async ({ page, expectFailure }) => {
  expectFailure(400);
  await openAs(page, ada);
  await createEntryType(page, 'Tug');
  const partner = { apiName: 'Partner', name: 'Partner', fieldType: 5 };
  await sendRequest(page.request, 'POST', `${SCHEMA}/Tug/fields`, partner);
  await page.goto('/entries/Tug');
  const first = page.getByRole('grid', { name: 'Tugs' }).getByRole('rowheader').first();
  await expect(first).toHaveText('Hafen');
  await page.route('**/rows/query/*', (route) =>
    route.fulfill({ status: 400, json: { message: 'Not now' } }),
  );
  await first.focus();
  await page.keyboard.press('End');
  await page.keyboard.type('We');
  await expect(page.getByRole('option', { name: 'The options could not be loaded: Not now' })).toBeVisible();
  await page.unrouteAll({ behavior: 'wait' });
  await page.keyboard.type('r');
  await expect(page.getByRole('option', { name: 'Werft Tug' })).toBeVisible();
});

test('resolves conflicts with other users by cell, and confirms deletions of changed entries', async ({
  page,
  context,
  expectFailure,
  pageErrors,
}) => {
  expectFailure(400);
  // Lists that follow the last change may be read while the session ends in the other tab.
  pageErrors.allow(/^401: (GET \S+\/schema\/entrytypes|POST \S+\/rows\/query\/\d+)$/);
  await openAs(page, ada);
  const { size, first, second } = await createEntryType(page, 'Ship');
  const changeElsewhere = (value: number, entryId = first) =>
    sendRequest(page.request, 'PUT', `${DATA}/Ship`, { storeRequests: [{ entryId, fieldId: size, value }] });
  await page.goto('/entries/Ship');
  const grid = page.getByRole('grid', { name: 'Ships' });
  await cell(grid, 1, '1').last().focus();
  await page.keyboard.type('10');
  await page.keyboard.press('Enter');
  await changeElsewhere(20);
  await page.getByRole('button', { name: 'Review and save' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText('1 value was changed by someone else in the meantime')).toBeVisible();
  await expect(panel.getByText('First Administrator changed it to 20')).toBeVisible();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Keep yours' }).click();
  // Changed again before saving: the service refuses the request.
  await changeElsewhere(30);
  await panel.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(panel.getByText('Nothing was saved')).toBeVisible();
  await expect(panel.getByText('changed it to 30')).toBeVisible();
  await panel.getByRole('button', { name: 'Take theirs', exact: true }).click();
  await expect(panel.getByText('There are no staged changes.')).toBeVisible();
  await page.keyboard.press('Escape');

  // Values are saved before deletions; while they are refused, nothing is deleted.
  await cell(grid, 2, '2').last().focus();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await grid.getByRole('rowheader').first().focus();
  await page.keyboard.press('Shift+Space');
  await page.getByRole('button', { name: 'Delete 1 selected' }).click();
  await expect(grid.getByRole('rowheader').first()).toHaveText('Hafen, To be deleted, not saved');
  await changeElsewhere(40);
  await page.getByRole('button', { name: 'Review and save' }).click();
  const saveAndDelete = panel.getByRole('button', { name: 'Save 1 change and delete 1 entry' });
  await expect(
    panel.getByText('First Administrator changed Size after you staged the deletion.'),
  ).toBeVisible();
  await expect(saveAndDelete).toHaveAccessibleDescription(/Decide first/);
  await panel.getByRole('button', { name: 'Delete anyway' }).click();
  await expect(panel.getByText('No entry refers to them')).toBeVisible();
  await expectAccessible(page);
  await changeElsewhere(50, second);
  await saveAndDelete.click();
  const confirmation = page.getByRole('alertdialog', { name: 'Delete 1 entry permanently?' });
  await confirmation.getByRole('button', { name: 'Save 1 change and delete 1 entry' }).click();
  await expect(panel.getByText('Nothing was saved')).toBeVisible();
  await expect(grid).toHaveAttribute('aria-rowcount', '3');
  await panel.getByRole('button', { name: 'Keep yours' }).click();
  await saveAndDelete.click();
  await confirmation.getByRole('button', { name: 'Save 1 change and delete 1 entry' }).click();
  await expectToast(page, 'Saved 1 change, deleted 1 entry');
  await expect(grid).toHaveAttribute('aria-rowcount', '2');
  await expect(grid.getByRole('gridcell', { name: '5' })).toBeVisible();

  // A sign-out in another tab keeps the changes staged here.
  await cell(grid, 1, '5').last().focus();
  await page.keyboard.type('6');
  await page.keyboard.press('Enter');
  const otherPage = await context.newPage();
  await otherPage.goto('/reports');
  await chooseMenuItem(otherPage, /sign out of/, 'Sign out');
  await expect(otherPage).toHaveURL(/sign-in/);
  const signInDialog = page.getByRole('alertdialog', { name: 'Sign in again to continue' });
  await signInDialog.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expect(signInDialog).toBeHidden();
  await expect(page.getByText('1 change in 1 entry, not saved')).toBeVisible();
});
