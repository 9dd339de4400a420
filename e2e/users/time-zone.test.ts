/** The time zone of a user: set in the profile or by an administrator (spec 4.4), and used for dates of entries. */
import type { Page } from '@playwright/test';
import type { FieldVm } from '../../contract/generated/types.gen.ts';
import {
  chooseMenuItem,
  expectAccessible,
  expectRow,
  expectToast,
  fillForm,
  chooseOption,
  findSelect,
  holdRequests,
} from '../support/actions.ts';
import { chooseBulkAction, selectAll, waitForDryRun, waitForJob } from '../support/bulk.ts';
import { openAs } from '../support/calls.ts';
import { callApi } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada } });

const card = (page: Page) => page.getByRole('region', { name: 'Time zone', exact: true });
const zoneField = (page: Page) => card(page).getByLabel('Your time zone');

/** Creates a type with one entry that has a date with a time. */
async function createMeeting(page: Page): Promise<void> {
  const names = { apiName: 'Meeting', singularName: 'Meeting', pluralName: 'Meetings' };
  await callApi(page, 'POST', '/schema/entrytypes', names);
  const path = '/schema/entrytypes/Meeting/fields';
  await callApi(page, 'POST', path, { apiName: 'Starts', name: 'Starts', fieldType: 4 });
  const fields = await callApi<FieldVm[]>(page, 'GET', path);
  const values: Record<string, string> = { Name: 'Kickoff', Starts: '2026-03-01T20:30:00Z' };
  await callApi(page, 'POST', '/data/entrydata/Meeting', {
    storeRequests: fields.flatMap(({ id, apiName }) =>
      values[apiName] === undefined ? [] : [{ entryId: -1, fieldId: id, value: values[apiName] }],
    ),
  });
}

/** Types a time that is another day in UTC: in a cell, in the form of an entry and in a bulk edit. */
async function warnsOfAnotherDay(page: Page): Promise<void> {
  const { keyboard } = page;
  const another = '2 Mar 2026, 01:30 UTC · 1 Mar 2026, 22:00 you (America/St Johns)';
  const warning = page.locator('[aria-live="polite"]').filter({ hasText: 'Not the same day for everyone' });
  const grid = page.getByRole('grid', { name: 'Meetings' });
  await grid.getByRole('gridcell', { name: /17:00/ }).focus();
  await keyboard.press('F2');
  await expect(warning).toBeHidden();
  const box = grid.getByRole('textbox', { name: 'Starts' });
  await box.fill('2026-03-01 22:00');
  await expect(warning).toContainText(another);
  await expect(box).toHaveAccessibleDescription(`Not the same day for everyone: ${another}`);
  await expectAccessible(page);
  await box.fill('2026-03-01 12:00');
  await expect(warning).toBeHidden();
  await box.fill('2026-03-01 22:00');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Review and save' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText(another)).toBeVisible();
  await panel.getByRole('button', { name: 'Remove the change of Starts' }).click();
  await keyboard.press('Escape');

  await page.getByRole('button', { name: 'Edit all 1' }).click();
  await panel.getByRole('button', { name: 'Choose a field' }).click();
  await chooseOption(findSelect(panel, 'Field'), 'Starts');
  await panel.getByRole('textbox', { name: 'Starts' }).fill('2026-03-01 22:00');
  await expect(warning).toContainText(another);
  await panel.getByRole('textbox', { name: 'Starts' }).press('Tab');
  await expect(warning).toContainText(another);
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();

  await grid.getByRole('link', { name: 'Kickoff' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Starts' }).fill('2026-03-01 22:00');
  await expect(warning).toContainText(another);
  await page.getByRole('textbox', { name: 'Starts' }).press('Escape');
  await expect(warning).toBeHidden();
  await page.goto('/entries/Meeting');
}

async function saveZone(page: Page): Promise<void> {
  await card(page).getByRole('button', { name: 'Save time zone' }).press('Enter');
  await expectToast(page, 'Your time zone was saved');
}

test('a user sets the own time zone by keyboard and sees dates of entries in it', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Writers', ['Read Data', 'Write Data']);
  await openAs(page, ada);
  await createMeeting(page);
  await openAs(page, await calls.createUser({ groups: [groupId] }), '/entries/Meeting');
  const starts = page.getByRole('grid').getByText(/2026/);
  await expect(starts).toContainText(/20:30 UTC/);

  await page.goto('/profile');
  await expect(zoneField(page)).toHaveText('Same as the site');
  await zoneField(page).press('Enter');
  const search = page.getByRole('searchbox', { name: 'Search Your time zone' });
  await expect(search).toBeFocused();
  await page.keyboard.type('nothing like this');
  await expect(page.getByText('Nothing matches')).toBeVisible();
  await search.fill('st johns');
  await expect(page.getByRole('option')).toHaveText(['America/St Johns']);
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(zoneField(page)).toHaveText('America/St Johns');
  await saveZone(page);

  await page.goto('/entries/Meeting');
  await expect(starts).toContainText(/17:00 GMT-3:30/);
  await page.getByRole('button', { name: 'Time zone of dates' }).click();
  const own = page.getByRole('menuitemradio', { name: 'My time zone' });
  await expect(own).toBeChecked();
  await expect(own).toContainText('America/St_Johns');
  await page.getByRole('menuitemradio', { name: /^UTC/ }).click();
  await expect(starts).toContainText(/20:30 UTC/);
  await page.getByRole('menuitemradio', { name: /^All three at once/ }).click();
  await expect(starts).toContainText(/20:30 UTC · 17:00 you/);
  await expectAccessible(page);
  await own.click();
  await expect(starts).toContainText(/17:00 GMT-3:30/);

  await page.keyboard.press('Escape');
  await warnsOfAnotherDay(page);
  // The filter reads, shows and names the time in the zone of the grid, and stores it in UTC.
  await page.getByRole('button', { name: 'Filter and query' }).click();
  const filter = page.getByRole('region', { name: 'Find entries' });
  await filter.getByRole('button', { name: 'Add condition' }).click();
  await chooseOption(findSelect(filter, 'Field'), 'Starts');
  const value = filter.getByLabel('Value of Starts', { exact: true });
  await expect(value).toHaveAccessibleDescription('America/St Johns');
  await value.fill('2026-03-01T17:00');
  await expect(filter.getByLabel('Query')).toHaveValue('{"Starts":"2026-03-01T20:30:00Z"}');
  await value.blur();
  await expect(value).toHaveValue('1 Mar 2026, 17:00');
  await expect(value).toHaveAccessibleDescription('GMT-3:30');
  await expect(page.getByRole('group', { name: 'Filter' })).toContainText(/17:00 GMT-3:30/);
  await expect(starts).toContainText(/17:00 GMT-3:30/);
  await expectAccessible(page);

  await page.goto('/profile');
  await expect(zoneField(page)).toHaveText('America/St Johns');
  await zoneField(page).click();
  await page.getByRole('option', { name: /^Same as the site/ }).click();
  await saveZone(page);
  await page.reload();
  await expect(zoneField(page)).toHaveText('Same as the site');
});

test('an administrator gives users a time zone and sees it in the list', async ({ page, calls }) => {
  await openAs(page, ada, '/users/new');
  const panel = page.getByRole('dialog', { name: 'New user' });
  await fillForm(panel, {
    'First name': 'Zoe',
    'Last name': 'Zone',
    'E-mail': 'zoe@people.example',
    'Time zone': 'Asia/Tokyo',
  });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(page.getByRole('heading', { name: 'Zoe Zone', level: 1 })).toBeVisible();
  const profile = page.getByRole('region', { name: 'Profile', exact: true });
  await expect(profile).toContainText('Time zoneAsia/Tokyo');
  const readZone = async () => {
    const [user] = await calls.call<{ timeZone: string | null }[]>('GET', '/user?email=zoe%40people.example');
    return user?.timeZone;
  };
  expect(await readZone()).toBe('Asia/Tokyo');

  await page.goto('/users');
  await chooseMenuItem(page, 'Columns', 'Time zone');
  await page.keyboard.press('Escape');
  const grid = page.getByRole('grid', { name: 'Users' });
  await page.getByRole('searchbox', { name: 'Search users' }).fill('zoe');
  await expectRow(grid, { Name: 'Zoe Zone', 'Time zone': 'Asia/Tokyo' });

  await page.getByRole('link', { name: 'Zoe Zone' }).click();
  await profile.getByRole('button', { name: 'Edit' }).click();
  await fillForm(profile, { 'Time zone': 'Same as the site' });
  await profile.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Zoe Zone was saved');
  await expect(profile).toContainText('Time zoneSame as the site');
  expect(await readZone()).toBeNull();
});

test('an administrator sets the time zone of several users at once', async ({ page, calls }) => {
  const info = { lastName: 'Zonefold' };
  const users = [
    await calls.createUser({ ...info, timeZone: 'Europe/Lisbon' }),
    await calls.createUser(info),
  ];
  await openAs(page, ada, '/users?q=zonefold');
  await selectAll(page, 2);
  await chooseBulkAction(page, 'Set time zone');
  const choice = page.getByRole('dialog', { name: 'Set the time zone of 2 people' });
  await fillForm(choice, { 'Time zone': 'Asia/Tokyo' });
  await choice.getByRole('button', { name: 'Review' }).click();
  const title = 'Set the time zone of 2 people to Asia/Tokyo';
  const dryRun = await waitForDryRun(page, `${title}?`);
  await expect(dryRun).toContainText('Europe/Lisbon');
  await expectAccessible(page);
  await dryRun.getByRole('button', { name: title }).click();
  await waitForJob(page, `${title}: finished`);
  for (const { id } of users) expect((await calls.getUser(id)).timeZone).toBe('Asia/Tokyo');
});

test('the time zone of the site is chosen from the same list and applies to users without one', async ({
  page,
}) => {
  await openAs(page, ada, '/settings');
  const site = page.getByRole('region', { name: 'Site', exact: true });
  await fillForm(site, { 'Time zone': 'Pacific/Kiritimati' });
  const request = page.waitForRequest((sent) => sent.method() === 'PUT');
  const release = await holdRequests(page, '**/management/settings', 'PUT');
  await site.getByRole('button', { name: 'Save' }).click();
  await request;
  // Typed while the time zone is being saved.
  await site.getByLabel('Name').fill('Zone site');
  release();
  await expectToast(page, 'Settings saved');
  await expect(site.getByLabel('Name')).toHaveValue('Zone site');
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
  await site.getByRole('button', { name: 'Save' }).click();
  await saved;
  await page.reload();
  await expect(site.getByLabel('Name')).toHaveValue('Zone site');
  await page.goto('/profile');
  await zoneField(page).click();
  const none = page.getByRole('option', { name: /^Same as the site/ });
  await expect(none).toContainText('Pacific/Kiritimati, UTC+14');
});
