import type { Locator } from '@playwright/test';
import { choose, expectNoAxe, expectToast } from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { DATA, makeType } from '../support/entries.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({
  permissions: ['clipboard-read', 'clipboard-write'],
});

const cell = (grid: Locator, row: number, name: string | RegExp) =>
  grid.getByRole('row').nth(row).getByRole('gridcell', { name });

test('values are edited, reviewed, saved and taken back by keyboard alone', async ({ page }) => {
  await enter(page, ada);
  await makeType(page, 'Deal');
  await page.goto('/entries/Deal');
  const grid = page.getByRole('grid', { name: 'Deals' });
  const { keyboard } = page;
  await expect(grid.getByRole('link', { name: 'Hafen' })).toBeVisible();
  await keyboard.press('?');
  await expect(page.getByRole('term').filter({ hasText: 'Delete the entries' })).toBeVisible();
  await expectNoAxe(page);
  await keyboard.press('Escape');
  await grid.getByRole('link', { name: 'Hafen' }).focus();
  // A letter alone is another name.
  await keyboard.press('F2');
  await keyboard.type('hafen');
  await keyboard.press('Tab');
  await keyboard.type('lo');
  await expect(page.getByRole('option', { name: 'Lost' })).toBeVisible();
  await keyboard.press('Escape');
  // Enter may come before the list is there.
  await keyboard.type('lo');
  await keyboard.press('Enter');
  // What the stage asks for is told at once, and cannot be saved.
  await expect(grid.getByText('Reason is required here: its conditions hold')).toBeAttached();
  await keyboard.press('ArrowUp');
  await keyboard.press('End');
  await keyboard.type('12x');
  await keyboard.press('Enter');
  await expect(grid.getByText('Write a number with a decimal point')).toBeVisible();
  await expectNoAxe(page);
  await keyboard.press('Backspace');
  await keyboard.press('Enter');
  await expect(page.getByText('3 changes in 1 entry, not saved')).toBeVisible();
  await page.getByRole('button', { name: 'Review and save' }).focus();
  await keyboard.press('Enter');
  const panel = page.getByRole('dialog');
  const save = panel.getByRole('button', { name: 'Save 3 changes' });
  await expect(save).toHaveAccessibleDescription('1 value does not fit yet');
  await expect(panel.getByText('Only the case of letters differs')).toBeVisible();
  await expectNoAxe(page);
  await keyboard.press('Escape');

  // Staged work stays while one looks elsewhere; the form has the same rules.
  await grid.getByRole('link', { name: 'hafen' }).focus();
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Edit', exact: true }).focus();
  await keyboard.press('Enter');
  const reason = page.getByRole('textbox', { name: 'Reason' });
  await expect(reason).toHaveAccessibleDescription('Reason is required here: its conditions hold');
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

  await page.getByRole('button', { name: 'What was saved' }).focus();
  await keyboard.press('Enter');
  await panel.getByRole('region', { name: 'Saved' }).getByRole('button', { name: 'Undo' }).focus();
  await keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Save 4 changes' }).focus();
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Hafen' })).toBeVisible();
});

test('a block from a sheet is previewed, and what the service refuses stands on its cells', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400, 'ERR_FAILED');
  await enter(page, ada);
  await makeType(page, 'Order');
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
  await expect(dialog.getByText('Stage offers no "Nope"')).toBeVisible();
  await dialog.getByRole('checkbox', { name: /below the last entry/ }).check();
  await expectNoAxe(page);
  await dialog.getByRole('button', { name: 'Stage the 8 that fit' }).click();
  await expect(page.getByText('8 changes in 3 entries, not saved')).toBeVisible();
  // A reload asks, and what is staged outlives it.
  page.once('dialog', (asked) => void asked.accept());
  await page.reload();
  await expect(page.getByText('8 changes, in the lists')).toBeVisible();
  await expect(page.getByText('8 changes in 3 entries, not saved')).toBeVisible();
  // A new entry is a row like others, written in its cells.
  const fresh = grid.getByRole('rowheader', { name: 'New one' });
  await fresh.focus();
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
  // One step back, and forth again.
  await first.focus();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('not saved')).toBeHidden();
  await page.keyboard.press('Control+y');
  await page.getByRole('button', { name: 'Review and save' }).click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Save 8 changes' }).click();
  await expect(panel.getByText('Nothing was saved')).toBeVisible();
  await expect(panel.getByText(/is nearly the same name/).first()).toBeVisible();
  await expect(
    grid.getByRole('rowheader', { name: /nearly the same name/, includeHidden: true }),
  ).toHaveCount(2);
  // Without an answer nobody knows whether it was stored, also after a reload: nothing is made twice unasked.
  await page.route('**/data/entrydata/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue();
    await route.fetch();
    return route.abort();
  });
  await panel.getByRole('button', { name: 'Save anyway' }).click();
  await expect(panel.getByText('It is not known whether this was saved')).toBeVisible();
  await page.unroute('**/data/entrydata/*');
  await page.keyboard.press('Escape');
  await expect(page.getByText('perhaps saved already')).toBeVisible();
  page.once('dialog', (asked) => void asked.accept());
  await page.reload();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await expect(panel.getByText('5 values are there already')).toBeVisible();
  await expect(panel.getByRole('link', { name: 'New one' })).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Save 8 changes' })).toHaveAccessibleDescription(
    'Say first whether the new entry is there',
  );
  await expectNoAxe(page);
  await panel.getByRole('button', { name: 'It is there: remove it here' }).click();
  await panel.getByRole('button', { name: /^Save/ }).click();
  await expectToast(page, 'All of it is there already');
  await expect(grid).toHaveAttribute('aria-rowcount', '4');

  // What was copied here goes back as it was.
  await grid.getByRole('rowheader', { name: 'Hafen AG' }).focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Control+v');
  await expect(page.getByRole('dialog').getByText('0 cells change, 12 stay the same')).toBeVisible();
});

test('what somebody else changed meanwhile is decided cell by cell, and before an entry goes', async ({
  page,
  context,
  expectFailure,
}) => {
  expectFailure(400);
  await enter(page, ada);
  const { size, first, second } = await makeType(page, 'Ship');
  const theirs = (value: number, entryId = first) =>
    send(page.request, 'PUT', `${DATA}/Ship`, { storeRequests: [{ entryId, fieldId: size, value }] });
  await page.goto('/entries/Ship');
  const grid = page.getByRole('grid', { name: 'Ships' });
  await cell(grid, 1, '1').last().focus();
  await page.keyboard.type('10');
  await page.keyboard.press('Enter');
  await theirs(20);
  await page.getByRole('button', { name: 'Review and save' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText('1 value was changed by somebody else meanwhile')).toBeVisible();
  await expect(panel.getByText('made it 20')).toBeVisible();
  await expectNoAxe(page);
  await panel.getByRole('button', { name: 'Keep yours' }).click();
  // Once more between the look and the save: the service holds against it.
  await theirs(30);
  await panel.getByRole('button', { name: 'Save 1 change' }).click();
  await expect(panel.getByText('Nothing was saved')).toBeVisible();
  await expect(panel.getByText('made it 30')).toBeVisible();
  await panel.getByRole('button', { name: 'Take theirs', exact: true }).click();
  await expect(panel.getByText('Nothing is staged.')).toBeVisible();
  await page.keyboard.press('Escape');

  // A row goes with the values of others: they come first, and while they are refused nothing goes.
  await cell(grid, 2, '2').last().focus();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await grid.getByRole('rowheader').first().focus();
  await page.keyboard.press('Shift+Space');
  await page.getByRole('button', { name: 'Delete 1 selected' }).click();
  await expect(grid.getByRole('rowheader').first()).toHaveText('Hafen, To be deleted, not saved');
  await theirs(40);
  await page.getByRole('button', { name: 'Review and save' }).click();
  const both = panel.getByRole('button', { name: 'Save 1 change and delete 1 entry' });
  await expect(panel.getByText('Somebody changed Size since you chose it.')).toBeVisible();
  await expect(both).toHaveAccessibleDescription(/Decide first/);
  await panel.getByRole('button', { name: 'Delete it all the same' }).click();
  await expect(panel.getByText('No entry refers to them')).toBeVisible();
  await expectNoAxe(page);
  await theirs(50, second);
  await both.click();
  const door = page.getByRole('alertdialog', { name: 'Delete 1 entry for good?' });
  await door.getByRole('button', { name: 'Save 1 change and delete 1 entry' }).click();
  await expect(panel.getByText('Nothing was saved')).toBeVisible();
  await expect(grid).toHaveAttribute('aria-rowcount', '3');
  await panel.getByRole('button', { name: 'Keep yours' }).click();
  await both.click();
  await door.getByRole('button', { name: 'Save 1 change and delete 1 entry' }).click();
  await expectToast(page, 'Saved 1 change, deleted 1 entry');
  await expect(grid).toHaveAttribute('aria-rowcount', '2');
  await expect(grid.getByRole('gridcell', { name: '5' })).toBeVisible();

  // A sign-out in another tab takes nothing that is staged here along.
  await cell(grid, 1, '5').last().focus();
  await page.keyboard.type('6');
  await page.keyboard.press('Enter');
  const other = await context.newPage();
  await other.goto('/reports');
  await choose(other, /sign out of/, 'Sign out');
  await expect(other).toHaveURL(/sign-in/);
  const again = page.getByRole('alertdialog', { name: 'Sign in again to go on' });
  await again.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expect(again).toBeHidden();
  await expect(page.getByText('1 change in 1 entry, not saved')).toBeVisible();
});
