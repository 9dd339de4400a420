import { FIELD } from '../../contract/rules/schema/fields.ts';
import { chooseOption, expectAccessibleInBothThemes, findSelect } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { callApi } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada }, timezoneId: 'Europe/Berlin' });

test('dates are typed, pasted or chosen from a calendar, and Booleans are switches, in forms, cells and filters', async ({
  page,
}) => {
  await openAs(page, ada);
  await callApi(page, 'POST', '/schema/entrytypes', {
    apiName: 'Trial',
    singularName: 'Trial',
    pluralName: 'Trials',
  });
  for (const field of [
    { apiName: 'Due', name: 'Due', fieldType: FIELD.date, isDateOnly: true },
    { apiName: 'Done', name: 'Done', fieldType: FIELD.boolean },
  ])
    await callApi(page, 'POST', '/schema/entrytypes/Trial/fields', field);
  await page.goto('/entries/Trial');
  const { keyboard } = page;

  // In a form: a typed date with the month by name, then another day from the calendar, by keyboard.
  await page.getByRole('button', { name: 'New Trial' }).first().click();
  const panel = page.getByRole('dialog', { name: 'New Trial' });
  await panel.getByLabel(/^Name/).fill('First');
  const due = panel.getByLabel('Due');
  await due.fill('6 nov 2026');
  await due.press('Tab');
  await expect(due).toHaveValue('2026-11-06');
  await due.press('Alt+ArrowDown');
  const calendar = page.getByRole('dialog', { name: 'Choose a date' });
  await expect(calendar.getByRole('button', { name: / 6 November 2026/ })).toBeFocused();
  await expectAccessibleInBothThemes(page);
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await expect(calendar).toBeHidden();
  await expect(due).toHaveValue('2026-11-13');
  const done = panel.getByRole('switch', { name: 'Done' });
  await expect(done).toHaveAccessibleDescription('No value');
  await done.press('Space');
  await expect(done).toBeChecked();
  await panel.getByRole('button', { name: 'Clear' }).click();
  await expect(done).toHaveAccessibleDescription('No value');
  await done.press('y');
  await panel.getByRole('button', { name: 'Add to changes' }).click();

  // In cells: Y and N set a Boolean, a date opens the same calendar, and the keys of the grid confirm.
  const grid = page.getByRole('grid', { name: 'Trials' });
  const row = grid.getByRole('row').nth(1);
  await expect(row).toContainText('13 Nov 2026');
  await row.getByRole('gridcell').filter({ hasText: 'Yes' }).click();
  await keyboard.type('n');
  await keyboard.press('Shift+Tab');
  await expect(row).toContainText('No');
  await keyboard.press('F2');
  await keyboard.press('Alt+ArrowDown');
  await expect(calendar.getByRole('button', { name: / 13 November 2026/ })).toBeFocused();
  await keyboard.press('ArrowRight');
  await keyboard.press('Enter');
  // The calendar closes and gives the focus back; another key belongs to the cell.
  await expect(row.getByRole('textbox', { name: 'Due' })).toBeFocused();
  await keyboard.press('Enter');
  await expect(row).toContainText('14 Nov 2026');

  // In a filter: a Boolean begins with Yes, a date takes the order of the locale.
  await page.getByRole('button', { name: 'Filter and query' }).click();
  const filter = page.getByRole('region', { name: 'Find entries' });
  await filter.getByRole('button', { name: 'Add condition' }).click();
  await chooseOption(findSelect(filter, 'Field'), 'Done');
  const query = filter.getByLabel('Query');
  await expect(query).toHaveValue('{"Done":true}');
  await filter.getByRole('switch', { name: 'Value of Done' }).click();
  await expect(query).toHaveValue('{"Done":false}');
  await chooseOption(findSelect(filter, 'Field'), 'Due');
  const day = filter.getByLabel('Value of Due', { exact: true });
  await day.fill('6/11/2026');
  await expect(query).toHaveValue('{"Due":"2026-11-06"}');
  await day.fill('soon');
  await day.blur();
  await expect(day).toHaveAccessibleDescription('Enter a date, such as 6 Nov 2026');
  // Several dates: each has the same input, and an empty one waits for the next.
  await day.fill('6/11/2026');
  await chooseOption(findSelect(filter, 'Operator'), 'is one of');
  await filter.getByLabel('Value of Due, date 2').fill('7 nov 2026');
  await expect(query).toHaveValue('{"Due":{"$in":["2026-11-06","2026-11-07"]}}');
  await expect(filter.getByLabel('Value of Due, date 3')).toHaveValue('');

  // A date and time: a pasted time with an offset is shown in the zone of the field.
  await page.goto('/activity');
  await page.getByRole('button', { name: /^Period/ }).click();
  const from = page.getByLabel('From');
  await from.fill('2026-01-06T13:30:00Z');
  await from.blur();
  await expect(from).toHaveValue('6 Jan 2026, 14:30');
  await page.getByRole('button', { name: 'Open calendar' }).first().click();
  const time = page.getByRole('dialog', { name: 'Choose a date and time' });
  await time.getByRole('button', { name: / 8 January 2026/ }).click();
  await time.getByLabel('Time').fill('15:30');
  await expectAccessibleInBothThemes(page);
  await time.getByRole('button', { name: 'Done' }).click();
  await expect(from).toHaveValue('8 Jan 2026, 15:30');
  await expect(from).toBeFocused();
});

test('a disabled item of a menu says why, can be reached, and does nothing', async ({ page }) => {
  await openAs(page, ada);
  await callApi(page, 'POST', '/schema/entrytypes', {
    apiName: 'Empty',
    singularName: 'Empty',
    pluralName: 'Empties',
  });
  await page.goto('/entries/Empty');
  await page.getByRole('button', { name: 'Import and export' }).click();
  const item = page.getByRole('menuitem', { name: 'Export Nothing matches' });
  await expect(item).toBeDisabled();
  await page.keyboard.press('ArrowDown');
  await expect(item).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(item).toBeFocused();
  await expectAccessibleInBothThemes(page);
});
