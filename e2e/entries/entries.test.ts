import type { Page } from '@playwright/test';
import type { DataRequestResultVm, FieldVm } from '../../contract/generated/types.gen.ts';
import {
  chooseOption,
  expectAccessible,
  expectToast,
  fillForm,
  findSelect,
  holdRequests,
  openFilter,
} from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { callApi, createEntryType } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const HOSTILE = '"><img src=x onerror=alert(1)> שלום 🦄';

/** Creates 260 entries with a name, a stage and a size over the API. */
async function createDeals(page: Page, type: string): Promise<void> {
  const fields = await callApi<FieldVm[]>(page, 'GET', `/schema/entrytypes/${type}/fields`);
  const [name, stage, size] = fields.map(({ id }) => id);
  const [open, won] = fields[1]?.choiceValues ?? [];
  const storeRequests = Array.from({ length: 260 }, (_, at) => [
    { entryId: -1 - at, fieldId: name, value: at === 7 ? HOSTILE : `Deal ${at}`, ignoreNearDups: true },
    { entryId: -1 - at, fieldId: stage, value: at % 2 === 0 ? won?.id : open?.id },
    { entryId: -1 - at, fieldId: size, value: at },
  ]).flat();
  await callApi<DataRequestResultVm[]>(page, 'POST', `/data/entrydata/${type}`, { storeRequests });
}

test('creates a type with its fields, and finds, sorts and opens entries created over the API', async ({
  page,
  expectFailure,
}) => {
  expectFailure(409, 500);
  await openAs(page, ada, '/entries');
  await page.getByRole('link', { name: 'New entry type' }).first().click();
  const panel = page.getByRole('dialog');
  await fillForm(panel, { 'Singular name': 'Deal' });
  await expect(panel.getByLabel('API name')).toHaveValue('Deal');
  await panel.getByRole('button', { name: 'Create entry type' }).click();
  await expect(page.getByRole('heading', { name: 'Schema of Deals' })).toBeVisible();

  await page.getByRole('button', { name: 'New field' }).click();
  await fillForm(panel, { Name: 'Stage', Type: 'Choice' });
  for (const [at, choice] of ['Open', 'Won'].entries()) {
    await panel.getByRole('button', { name: 'Add choice' }).click();
    await panel.getByLabel(`Choice ${at + 1}`, { exact: true }).fill(choice);
  }
  await panel.getByRole('button', { name: 'Create field' }).click();
  await expectToast(page, 'Stage was created');

  await page.getByRole('button', { name: 'New field' }).click();
  await fillForm(panel, { Name: 'stage', Type: 'Number' });
  await panel.getByRole('button', { name: 'Create field' }).click();
  await expect(panel.getByLabel('API name')).toHaveAttribute('aria-invalid', 'true');
  await fillForm(panel, { Name: 'Size', 'API name': 'Size', Required: 'Under conditions' });
  await panel.getByRole('button', { name: 'Create field' }).click();
  await expect(panel.getByText('Add at least one condition')).toBeVisible();
  await panel.getByRole('button', { name: 'Add condition' }).click();
  await chooseOption(findSelect(panel, 'Field'), 'Stage');
  await panel.getByRole('combobox', { name: 'Value of Stage' }).click();
  await page.getByRole('option', { name: 'Won' }).click();
  await panel.getByRole('button', { name: 'Create field' }).click();
  await expectToast(page, 'Size was created');
  await expect(page.getByText('Required when Stage is Won.')).toBeVisible();

  await createDeals(page, 'Deal');

  await page.getByRole('main').getByRole('link', { name: 'Entries', exact: true }).last().click();
  await page.getByRole('button', { name: 'Reload' }).click();
  const grid = page.getByRole('grid', { name: 'Deals' });
  await expect(grid).toHaveAttribute('aria-rowcount', '261');
  await expect(grid.getByText(HOSTILE)).toBeVisible();
  await grid.getByRole('button', { name: 'Size' }).click();
  await grid.getByRole('button', { name: 'Size' }).click();
  await expect(page).toHaveURL('/entries/Deal?sort=-Size');
  await expect(grid.getByRole('row').nth(1)).toContainText('Deal 259');
  // The footer shows the visible rows and the totals of selected cells; of rows not loaded yet on request.
  await expect(page.getByText(/^Rows 1–\d+ of 260$/)).toBeVisible();
  await expect(page.getByText(/^loaded in [\d,]+ ms$/)).toBeVisible();
  await grid.getByRole('gridcell', { name: '259', exact: true }).click();
  await page.keyboard.press('Shift+ArrowDown');
  await expect(page.getByText('2 cells · sum 517, average 258.5, from 258 to 259')).toBeVisible();
  await page.keyboard.press('Control+Space');
  await page.getByRole('button', { name: 'Add up 260 rows' }).click();
  await expect(page.getByText('260 cells · sum 33,670, average 129.5, from 0 to 259')).toBeVisible();
  // The window of the last cell loads when it becomes visible; a failure is reported at once.
  // The service recovers with the click: further scrolling also retries.
  const retried = page.locator('body[data-retried]');
  await page.route('**/rows/query/*', async (route) =>
    (await retried.count()) > 0
      ? route.continue()
      : route.fulfill({ status: 500, json: { message: 'Not now' } }),
  );
  await grid.getByRole('link', { name: 'Deal 259' }).focus();
  await page.keyboard.press('Control+End');
  await expect(page.getByText('Some entries could not be loaded')).toBeVisible();
  const retry = page.getByRole('button', { name: 'Try again' });
  await retry.evaluate((button) =>
    button.addEventListener('click', () => document.body.setAttribute('data-retried', '')),
  );
  await retry.click();
  await expect(page.getByText('Some entries could not be loaded')).toBeHidden();
  await page.unrouteAll({ behavior: 'wait' });
  await expect(grid.getByRole('rowheader', { name: 'Deal 0', exact: true })).toBeVisible();
  await grid.getByRole('gridcell', { name: '0', exact: true }).click();
  // A link to the cell scrolls to it, and explains if the filter excludes its row.
  await page.keyboard.press('Control+.');
  await expectToast(page, 'Copied a link to Size of Deal 0');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto(link);
  await expect(grid.locator('[aria-current] > [aria-current]')).toBeFocused();
  await expect(grid.getByRole('row', { name: '260 Deal 0' })).toHaveAttribute('aria-rowindex', '261');
  await page.goto(`${link}&q=onerror`);
  await expect(page.getByText('Deal 0 is not in this list')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Show it in all entries' }).click();
  await expect(grid.locator('[aria-current] > [aria-current]')).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Deal 0' })).toBeVisible();
  await expect(page.getByText(/ created it, /)).toBeVisible();
  // The link back to the list restores the order and scrolls to the entry.
  await page.getByRole('link', { name: 'Show in list' }).click();
  await expect(page).toHaveURL(/\?sort=-Size&entry=\d+$/);
  await expect(grid.getByRole('row', { name: '260 Deal 0' })).toHaveAttribute('aria-current', 'true');
  await expect(grid.getByRole('rowheader', { name: 'Deal 0', exact: true })).toBeFocused();
});

test('keeps the filter builder, the query, the chips and the URL in sync', async ({ page }) => {
  await openAs(page, ada);
  const names = { apiName: 'Order', singularName: 'Order', pluralName: 'Orders' };
  await callApi(page, 'POST', '/schema/entrytypes', names);
  const stage = {
    apiName: 'Stage',
    name: 'Stage',
    fieldType: 2,
    choiceValues: [{ name: 'Open' }, { name: 'Won' }],
  };
  await callApi(page, 'POST', '/schema/entrytypes/Order/fields', stage);
  await callApi(page, 'POST', '/schema/entrytypes/Order/fields', {
    apiName: 'Size',
    name: 'Size',
    fieldType: 3,
  });
  await createDeals(page, 'Order');
  await page.goto('/entries/Order');
  const grid = page.getByRole('grid', { name: 'Orders' });
  await page.getByRole('button', { name: 'Filter and query' }).click();
  const filterPanel = page.getByRole('region', { name: 'Find entries' });
  const query = filterPanel.getByLabel('Query');
  // The focus moves to the next control to use.
  await expect(filterPanel.getByRole('button', { name: 'Add condition' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(findSelect(filterPanel, 'Field')).toBeFocused();
  await filterPanel.getByRole('button', { name: 'Remove condition' }).press('Enter');
  await expect(filterPanel.getByRole('button', { name: 'Add condition' })).toBeFocused();
  await page.keyboard.press('Enter');
  await chooseOption(findSelect(filterPanel, 'Field'), 'Stage');
  await chooseOption(findSelect(filterPanel, 'Operator'), 'is none of');
  await filterPanel.getByRole('combobox', { name: 'Value of Stage' }).fill('o');
  await page.getByRole('option', { name: 'Open' }).click();
  // The list stays open for the next value.
  await page.keyboard.press('Escape');
  await expect(query).toHaveValue(/^\{"Stage":\{"\$nin":\[\d+\]\}\}$/);
  await filterPanel.getByText('As curl').click();
  await expect(filterPanel.getByText(/^curl -X POST .*rows\/query\/Order'/)).toContainText(
    '{"Stage":{"$nin":[',
  );
  await expect(page).toHaveURL(/query=/);
  await expect(grid).toHaveAttribute('aria-rowcount', '131');
  await expect(page.getByRole('button', { name: 'Remove Stage is none of Open' })).toBeVisible();

  await query.fill(`{size: {$gte: 250}, nope: "${'x'.repeat(200)}"}`);
  await expect(filterPanel.getByText('Field with name "nope" does not exist')).toBeVisible();
  // A long word in the query does not overflow the panel.
  expect(await filterPanel.evaluate((panel) => panel.scrollWidth - panel.clientWidth)).toBe(0);
  await expect(grid).toHaveAttribute('aria-rowcount', '131');
  await query.fill('{$or: [{size: {$gte: 250}}, {name: {$startswith: "deal 10"}}]}');
  await expect(grid).toHaveAttribute('aria-rowcount', '22');
  await expect(findSelect(filterPanel, 'Field').first()).toHaveText('Size');
  await expect(filterPanel.getByLabel('Value of Name')).toHaveValue('deal 10');
  await expectAccessible(page);
  // Changes made in one go are one history entry.
  await page.goBack();
  await expect(grid).toHaveAttribute('aria-rowcount', '261');
  await expect(query).toHaveValue('');
  await page.goForward();
  await expect(grid).toHaveAttribute('aria-rowcount', '22');
  await expect(query).toHaveValue(/deal 10/);
  await page.reload();
  await expect(grid).toHaveAttribute('aria-rowcount', '22');
  const chips = page.getByRole('group', { name: 'Filter' });
  await expect(chips).toContainText(
    /Where\s*Size is at least 250\s*filter\s*or\s*Name starts with “deal 10”/,
  );
  await chips.getByRole('button', { name: 'Remove Name starts with “deal 10”' }).click();
  await expect(chips.getByRole('button', { name: 'Add filter' })).toBeFocused();
  await expect(grid).toHaveAttribute('aria-rowcount', '11');
  await page.goBack();
  await expect(grid).toHaveAttribute('aria-rowcount', '22');

  // Each condition is edited in its chip, without the panel.
  const size = await openFilter(page, 'Size');
  await expect(size.getByLabel('Value of Size')).toBeFocused();
  await size.getByLabel('Value of Size').fill('2x');
  await expect(size.getByRole('alert')).toHaveText(/number/);
  // A number stays as it is typed.
  await size.getByLabel('Value of Size').fill('');
  await size.getByLabel('Value of Size').pressSequentially('254.50');
  await expect(size).toContainText('16 match');
  await expect(size.getByRole('alert')).toBeHidden();
  await expect(size.getByLabel('Value of Size')).toHaveValue('254.50');
  await expect(chips).toContainText('Size is at least 254.5');
  await size.getByLabel('Value of Size').fill('255');
  await expect(size).toContainText('16 match');
  await expectAccessible(page);
  await chooseOption(findSelect(size, 'Operator'), 'is less than');
  await page.keyboard.press('Escape');
  await expect(chips.getByRole('button', { name: /^Size is less than 255/ })).toBeFocused();
  await expect(grid).toHaveAttribute('aria-rowcount', '256');
  // One step of the history for all changes of a chip.
  await page.goBack();
  await expect(grid).toHaveAttribute('aria-rowcount', '22');
  await chips.getByRole('button', { name: 'Clear', exact: true }).click();
  await chips.getByRole('button', { name: 'Add filter' }).click();
  await page.getByRole('menuitem', { name: 'Stage', exact: true }).click();
  const added = page.getByRole('dialog', { name: 'Stage filter' });
  await added.getByRole('checkbox', { name: 'Won' }).check();
  await expect(chips).toContainText(/Stage is Won/);
  await added.getByRole('checkbox', { name: 'Open' }).check();
  await added.getByRole('button', { name: 'Done' }).click();
  await expect(chips.getByRole('button', { name: 'Add filter' })).toBeFocused();
  await expect(chips).toContainText(/Stage is one of Won or Open/);
  await expect(grid).toHaveAttribute('aria-rowcount', '261');
  await page.reload();
  await expect(chips).toContainText(/Stage is one of Won or Open/);

  await page.getByLabel('Search Orders').fill('nobody');
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filter' }).click();
  await expect(page.getByRole('button', { name: 'Filter and query' })).toBeFocused();
  await expect(grid).toHaveAttribute('aria-rowcount', '261');
  await page.getByLabel('Search Orders').fill('onerror');
  await grid.getByRole('link', { name: HOSTILE }).click();
  await expect(page.getByRole('heading', { level: 1, name: HOSTILE })).toBeVisible();
});

test('does not count the rows of the previous search as those of the next', async ({ page }) => {
  await openAs(page, ada);
  await createEntryType(page, 'Crane');
  await page.goto('/entries/Crane');
  const main = page.getByRole('main');
  await expect(main.getByText('2 entries')).toBeVisible();
  const answer = await holdRequests(page, '**/rows/query/*');
  const requested = page.waitForRequest('**/rows/query/*');
  await page.getByLabel('Search Cranes').fill('haf');
  await requested;
  await expect(page.getByRole('grid', { name: 'Cranes' })).toHaveAttribute('aria-busy', 'true');
  await expect(main.getByText(/\d match/)).toHaveCount(0);
  const edit = page.getByRole('button', { name: 'Edit all that match' });
  await expect(edit).toHaveAccessibleDescription('The entries are loading');
  answer();
  await expect(main.getByText('2 entries · 1 matches')).toBeVisible();
  await page.getByRole('button', { name: 'Edit all 1 that match' }).click();
  await expect(page.getByRole('dialog', { name: 'Edit 1 Crane' })).toBeVisible();
});

test('shows names that another user changed while they are edited', async ({ page }) => {
  await openAs(page, ada);
  const names = { apiName: 'Berth', singularName: 'Berth', pluralName: 'Berths' };
  await callApi(page, 'POST', '/schema/entrytypes', names);
  await page.goto('/entries/Berth/schema?edit=true');
  const panel = page.getByRole('dialog');
  await expect(panel.getByLabel('Plural name')).toHaveValue('Berths');
  await callApi(page, 'PUT', '/schema/entrytypes/Berth', { ...names, pluralName: 'Moorings' });
  // The page reads the schema again when the user returns to it.
  await page.clock.setSystemTime(Date.now() + 60_000);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await expect(page.getByRole('dialog', { name: 'Edit Moorings' })).toBeVisible();
  await fillForm(panel, { 'Singular name': 'Quay' });
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel).toContainText('The names are now Berth, Moorings and Berth');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Berths was saved');
});

test('the search of types and of fields is in the address and outlives a panel', async ({ page }) => {
  await openAs(page, ada);
  await callApi(page, 'POST', '/schema/entrytypes', {
    apiName: 'Ferry',
    singularName: 'Ferry',
    pluralName: 'Ferries',
  });
  await page.goto('/entries');
  await page.getByRole('searchbox', { name: 'Search entry types' }).fill('ferr');
  await expect(page).toHaveURL('/entries?q=ferr');
  await page.getByRole('link', { name: 'New entry type' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL('/entries?q=ferr');
  await page.getByRole('link', { name: 'Ferries' }).first().click();
  await expect(page).toHaveURL(/\/entries\/Ferry/);
  await page.goBack();
  await expect(page.getByRole('searchbox', { name: 'Search entry types' })).toHaveValue('ferr');

  await page.goto('/entries/Ferry/schema?q=name');
  await expect(page.getByRole('searchbox', { name: 'Search fields' })).toHaveValue('name');
  await page.getByRole('button', { name: 'New field' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL('/entries/Ferry/schema?q=name');
  await page.getByRole('button', { name: 'Clear search' }).click();
  await expect(page).toHaveURL('/entries/Ferry/schema');
});

test('keeps a choice in the list while the search found it and it is renamed', async ({ page }) => {
  await openAs(page, ada);
  const names = { apiName: 'Port', singularName: 'Port', pluralName: 'Ports' };
  await callApi(page, 'POST', '/schema/entrytypes', names);
  const choiceValues = Array.from({ length: 101 }, (_, index) => ({ name: `Quay ${index}` }));
  const field = { apiName: 'Quay', name: 'Quay', fieldType: 2, choiceValues };
  await callApi(page, 'POST', '/schema/entrytypes/Port/fields', field);
  await page.goto('/entries/Port/schema');
  await page.getByRole('button', { name: 'Actions for Quay' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const panel = page.getByRole('dialog');
  await panel.getByLabel('Find a choice').fill('quay 7');
  const choice = panel.getByLabel('Choice 8', { exact: true });
  await expect(panel.getByLabel(/^Choice \d+$/)).toHaveCount(11);
  await choice.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('North pier');
  await expect(choice).toHaveValue('North pier');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Quay was saved');
});
