import type { Page } from '@playwright/test';
import Papa from 'papaparse';
import type {
  InvestigationInfo,
  PagedResultOfUserActivityEntry,
  UserActivityEntry,
  UserActivityQuery,
} from '../../contract/generated/types.gen.ts';
import { chooseMenuItem, expectAccessible, fillForm, holdRequests, openFilter } from '../support/actions.ts';
import { type ApiCalls, createCalls, openAs } from '../support/calls.ts';
import { createEntryType } from '../support/data/entries.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({
  installation: { sample: true, administrator: ada },
});

const queryReport = (calls: ApiCalls, query: UserActivityQuery) =>
  calls.call<PagedResultOfUserActivityEntry>('POST', '/user/activity?pageSize=1000', query);
/** All rows of the report: the newest page alone may hold no row of a proxy, depending on the day. */
async function queryAllRows(calls: ApiCalls): Promise<UserActivityEntry[]> {
  const rows: UserActivityEntry[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    const page = await calls.call<PagedResultOfUserActivityEntry>(
      'POST',
      `/user/activity?pageSize=1000&pageNumber=${pageNumber}`,
      {},
    );
    rows.push(...page.rows);
    if (rows.length >= page.totalRecords) return rows;
  }
}
const grid = (page: Page, name = 'Activity') => page.getByRole('grid', { name });
const expectTotal = (page: Page, rows: number) =>
  expect(page.getByText(new RegExp(`^${rows.toLocaleString('en-GB')} rows? · `))).toBeVisible();
const MINUTE = 60_000;
const nearbyCount = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'} within 15 min`;

/** First row of the sample that matches. @throws if there is none */
function findRow(rows: readonly UserActivityEntry[], matches: (row: UserActivityEntry) => boolean) {
  const row = rows.find(matches);
  if (!row) throw new Error('The sample has no such row');
  return row;
}

test('keeps people and filters in the URL, shows an error at its filter, and exports the rows shown', async ({
  page,
  calls,
  elsewhere,
  expectFailure,
}) => {
  expectFailure(400);
  const eve = await calls.createUser({
    firstName: '=HYPERLINK("https://evil.example")',
    lastName: 'Exporter',
  });
  await createCalls(elsewhere.request, eve);
  const { rows } = await queryReport(calls, { activity: 8, exportDataType: 0 });
  const { userId, fullName, userName } = findRow(rows, ({ principalUserId }) => principalUserId === null);
  await openAs(page, ada, '/activity?range=90');
  await expect(grid(page).getByRole('row').nth(3)).toBeVisible();
  const people = page.getByRole('combobox', { name: 'People' });
  await people.fill(userName);
  await expect(page.getByRole('option', { name: userName })).toBeVisible();
  await people.press('Enter');
  await expect(page.getByRole('button', { name: `Remove ${fullName}` })).toBeVisible();
  await openFilter(page, 'Export type');
  await page.getByRole('checkbox', { name: 'Export Data' }).check();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(`/activity?range=90&people=${userId}&kind=0`);
  const exports = await queryReport(calls, { userIds: [userId], activity: 8, exportDataType: 0 });
  await expectTotal(page, exports.totalRecords);

  await page.reload();
  await expect(page.getByRole('button', { name: 'Export type is Export Data filter' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear Export type filter' }).click();
  await page.getByRole('button', { name: 'Clear Type filter' }).click();
  await people.fill(String(eve.id));
  await people.press('ArrowDown');
  await people.press('Enter');
  await expect(page).toHaveURL(`/activity?range=90&people=${userId}-${eve.id}`);

  await openFilter(page, 'IP address');
  const address = page.getByRole('textbox', { name: 'IP address or network' });
  await address.fill('203.0.113.999');
  await address.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'The IP address must be' })).toBeVisible();
  await page.getByRole('button', { name: 'IP address is 203.0.113.999 filter' }).click();
  await expect(address).toHaveValue('203.0.113.999');
  await address.fill('0.0.0.0/0');
  await address.press('Enter');

  const both = await queryReport(calls, { userIds: [userId, eve.id], ipAddress: '0.0.0.0/0' });
  await expectTotal(page, both.totalRecords);
  await chooseMenuItem(page, 'Share and export', 'Export');
  const dialog = page.getByRole('alertdialog', { name: /^Export / });
  const { name, bytes } = await downloadBytes(page, () =>
    dialog.getByRole('button', { name: /^Export / }).click(),
  );
  expect(name).toMatch(/^activity-people-.*\.csv$/);
  const [head = [], ...lines] = Papa.parse<string[]>(bytes.toString('utf8'), { skipEmptyLines: true }).data;
  const numbers = lines.map((line) => Number(line[head.indexOf('Number')]));
  expect(numbers).toEqual(both.rows.map(({ activityId }) => activityId));
  expect(lines.map((line) => line[head.indexOf('Name')])).toContain(`'${eve.name}`);
});

test('does not count the rows of the period before while those of the next are read', async ({ page }) => {
  await openAs(page, ada, '/activity?range=30');
  const meta = page.getByText(/^[\d,]+ rows · Last 30 days$/);
  await expect(meta).toBeVisible();
  const answer = await holdRequests(page, '**/user/activity?*');
  await page.evaluate(() => history.pushState({}, '', '?range=90'));
  await expect(page.getByText('Last 90 days', { exact: true }).first()).toBeVisible();
  await expect(grid(page)).toHaveAttribute('aria-busy', 'true');
  await expect(page.getByText(/rows · Last 90 days/)).toHaveCount(0);
  answer();
  await expect(page.getByText(/^[\d,]+ rows · Last 90 days$/)).toBeVisible();
});

test('zooms the chart by pointer, table and keyboard, and filters by the top lists', async ({
  page,
  calls,
}) => {
  await openAs(page, ada, '/activity?range=30');
  const days = page.getByRole('figure', { name: 'Activity by day (UTC)' });
  const plot = await days.locator('.u-over').boundingBox();
  if (!plot) throw new Error('The plot is not drawn');
  await page.mouse.move(plot.x + plot.width * 0.2, plot.y + 40);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.8, plot.y + 60, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/^[^?]*\/activity\?from=\d{8}T0000Z&to=\d{8}T0000Z$/);
  await days.getByText('Show as table').click();
  await days
    .getByRole('button', { name: /^Zoom to / })
    .nth(1)
    .click();
  await expect(page.getByRole('figure', { name: 'Activity by hour' })).toBeVisible();
  const { searchParams } = new URL(page.url());
  const dateOf = (key: string) =>
    (searchParams.get(key) ?? '').replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:00Z');
  const day = { dateFrom: dateOf('from'), dateTo: dateOf('to') };
  const { totalRecords } = await queryReport(calls, day);
  await expectTotal(page, totalRecords);

  const first = page.getByRole('region', { name: 'Most active people' }).getByRole('button').first();
  const userName = await first.getAttribute('title');
  await first.click();
  await expect(page).toHaveURL(/people=\d+$/);
  const userId = Number(new URL(page.url()).searchParams.get('people'));
  const userRows = await queryReport(calls, { ...day, userIds: [userId] });
  await expectTotal(page, userRows.totalRecords);
  await expect(grid(page).getByRole('row').nth(1)).toContainText(userName ?? 'nobody');
  await first.click();
  await expect(page).not.toHaveURL(/people/);

  // An hour is shorter than the service reports: its rows are counted within a day.
  const busiest = findRow((await queryReport(calls, day)).rows, () => true).eventDate;
  const hour = Number(busiest.slice(11, 13));
  const slider = page.getByRole('slider', { name: 'Hour of Activity by hour' });
  await slider.focus();
  await page.keyboard.press('Home');
  for (let at = 0; at < hour; at += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`from=\\d{8}T${busiest.slice(11, 13)}00Z`));
  const all = (await queryReport(calls, day)).rows;
  await expectTotal(
    page,
    all.filter(({ eventDate }) => eventDate.slice(0, 13) === busiest.slice(0, 13)).length,
  );
});

test('shows the details of a row and nearby activity of the same user and address', async ({
  page,
  calls,
}) => {
  const rows = await queryAllRows(calls);
  const row = findRow(rows, ({ principalUserId, ipAddress }) => Boolean(principalUserId && ipAddress));
  const at = Date.parse(row.eventDate);
  const near = rows.filter(({ eventDate }) => Math.abs(Date.parse(eventDate) - at) <= 15 * MINUTE);
  const ofPerson = near.filter(({ userId }) => userId === row.userId).length;
  const ofAddress = near.filter(({ ipAddress }) => ipAddress === row.ipAddress).length;
  await openAs(page, ada, `/activity?range=90&people=${row.userId}&proxy=only`);
  const shown = grid(page).getByRole('row').nth(1);
  await expect(shown).toContainText(`for ${row.principalFullName}`);
  await shown.focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('dialog', { name: row.activityType });
  await expect(panel.getByText(String(row.activityId), { exact: true })).toBeVisible();
  await expect(panel.getByText('Proxy', { exact: true })).toBeVisible();
  const ofAddressList = panel.getByRole('region', { name: `${String(row.ipAddress)}, within 15 minutes` });
  await expect(panel.getByRole('region', { name: `${row.fullName}, within 15 minutes` })).toContainText(
    nearbyCount(ofPerson),
  );
  await expect(ofAddressList).toContainText(nearbyCount(ofAddress));
  await expectAccessible(page);
  await page.reload();
  await expect(ofAddressList).toContainText(nearbyCount(ofAddress));
  await ofAddressList.getByRole('link', { name: 'Show in report' }).click();
  await expect(page).toHaveURL(/\/activity\?from=.*&to=.*&ip=/);
  await expectTotal(page, ofAddress);
  await page.goBack();
  await expect(panel).toBeVisible();
});

test('a click on a row opens it, but not with a modifier key, on selected text or beside its controls', async ({
  page,
}) => {
  await openAs(page, ada, '/activity?range=90');
  const row = grid(page).getByRole('row').nth(2);
  const cell = row.getByRole('gridcell').first();
  await cell.click({ modifiers: ['Control'] });
  // The second click selects a word.
  await cell.dblclick({ modifiers: ['Shift'] });
  await row
    .getByRole('gridcell')
    .last()
    .click({ position: { x: 1, y: 1 } });
  await expect(page).toHaveURL('/activity?range=90');
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await cell.click({ position: { x: 2, y: 4 } });
  await expect(page).toHaveURL(/\/activity\/\d+\?/);
  await expect(page.getByRole('dialog')).toBeVisible();
});

test('collapses the top lists, and keeps them collapsed in this browser', async ({ page }) => {
  await openAs(page, ada, '/activity?range=30');
  const people = page.getByRole('region', { name: 'Most active people' });
  const toggle = page.getByRole('button', { name: 'Top lists' });
  const chart = page.getByRole('figure', { name: 'Activity by day (UTC)' });
  await expect(people).toBeVisible();
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await toggle.click();
  await expect(people).toBeHidden();
  await expect(page.getByRole('region', { name: 'Most used addresses' })).toBeHidden();
  await page.reload();
  await expect(chart).toBeVisible();
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await expect(people).toBeHidden();
  await expectAccessible(page);
  await toggle.click();
  await expect(people).toBeVisible();
});

test('keeps the rows of an investigation and shows rows added since', async ({
  page,
  calls,
  elsewhere,
  expectFailure,
}) => {
  expectFailure(412);
  const person = await calls.createUser({ firstName: 'Sofia', lastName: 'Suspect' });
  await createCalls(elsewhere.request, person);
  await openAs(page, ada, `/activity?people=${person.id}`);
  await expectTotal(page, 1);
  await page.getByRole('link', { name: 'Save investigation' }).click();
  const panel = page.getByRole('dialog', { name: 'Save investigation' });
  await fillForm(panel, { Name: 'Sign-ins of Sofia', Notes: 'Asked by support.' });
  await panel.getByRole('button', { name: 'Save investigation' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign-ins of Sofia' })).toBeVisible();
  const frozen = grid(page, 'Saved rows');
  await expect(frozen).toHaveAttribute('aria-rowcount', '2');
  const hash = await page.getByText(/^SHA-256 /).innerText();

  // A new sign-in in the same browser first ends the previous session.
  await createCalls(elsewhere.request, person);
  await page.getByText('Added since', { exact: true }).click();
  await expect(page.getByText(/^2 rows match now but not when saved/)).toBeVisible();
  await expect(grid(page, 'Added since')).toHaveAttribute('aria-rowcount', '3');
  await page.getByText('Saved rows', { exact: true }).click();
  await page.reload();
  await expect(frozen).toHaveAttribute('aria-rowcount', '2');
  await expect(page.getByText(hash)).toBeVisible();

  await chooseMenuItem(page, 'Actions for Sign-ins of Sofia', 'Edit name and notes');
  const edit = page.getByRole('dialog', { name: 'Edit investigation' });
  await fillForm(edit, { Notes: 'It was the new office.' });
  // A second investigator adds a note meanwhile.
  const [saved] = await calls.call<InvestigationInfo[]>('GET', '/user/activity/investigations');
  await calls.call('PUT', `/user/activity/investigations/${saved?.id}`, { notes: 'She works abroad.' });
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByRole('note')).toContainText('She works abroad.');
  await expect(edit.getByLabel('Notes')).toHaveValue('It was the new office.');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('It was the new office.')).toBeVisible();
  await page.getByRole('link', { name: 'Open in report' }).click();
  await expectTotal(page, 3);
  await page.getByRole('link', { name: 'Investigations' }).click();
  await chooseMenuItem(page, 'Actions for Sign-ins of Sofia', 'Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete investigation' }).click();
  await expect(page.getByText('No investigations yet')).toBeVisible();
});

test('the configuration log leads from a group to who changed it, before and after', async ({
  page,
  calls,
}) => {
  const groupId = await calls.call<number>('POST', '/user/group', {
    name: 'Auditors',
    capabilities: ['Read Data'],
  });
  await calls.call('PUT', `/user/group/${groupId}`, { capabilities: ['Read Data', 'View Activity'] });
  await openAs(page, ada, '/activity');
  await page.getByRole('link', { name: 'Configuration log' }).click();
  const changes = page.getByRole('listitem').filter({ hasText: 'the group Auditors' });
  await expect(changes).toHaveCount(2);
  await expect(changes.first()).toContainText('Changed the group Auditors');
  await expect(changes.first()).toContainText('by First Administrator');
  await expect(changes.first()).toContainText('Added View Activity');
  await expect(changes.first()).toContainText('1 unchanged');
  await page.getByRole('searchbox', { name: 'Search in changes' }).fill('view activity');
  await expect(changes).toHaveCount(1);
  await page.getByRole('button', { name: 'Kind filter', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Topics' }).check();
  await page.keyboard.press('Escape');
  await expect(page.getByText('No change matches the search and filters.')).toBeVisible();
  await expect(page).toHaveURL('/activity/configuration?q=view+activity&kind=topic');
  await page.goBack();
  await expect(changes).toHaveCount(1);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  await changes.getByRole('link', { name: 'Open group' }).click();
  await expect(page.getByRole('heading', { name: 'Auditors', level: 1 })).toBeVisible();
});

test('the configuration log does not count the changes of the filter before as the next’s', async ({
  page,
  calls,
}) => {
  await calls.createGroup('Counted', ['Read Data']);
  await openAs(page, ada, '/activity/configuration');
  const count = page.getByText(/^[\d,]+ changes?( so far)?, newest first$/);
  await expect(count).toBeVisible();
  const answer = await holdRequests(page, /\/configuration\b.*kinds=/);
  await page.getByRole('button', { name: 'Kind filter', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Groups' }).check();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('region', { name: 'Today' })).toHaveAttribute('aria-busy', 'true');
  await expect(page.getByText('Newest first', { exact: true })).toBeVisible();
  await expect(count).toHaveCount(0);
  answer();
  await expect(count).toBeVisible();
});

test('the configuration log says why older changes could not be read', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(500);
  const groupId = await calls.createGroup('Renamed often', []);
  // One more than a page.
  for (let at = 0; at < 51; at += 1)
    await calls.call('PUT', `/user/group/${groupId}`, { name: `Renamed ${at}` });
  await openAs(page, ada, '/activity/configuration?kind=group');
  const changes = page.getByRole('listitem').filter({ hasText: 'the group Renamed' });
  await expect(changes).toHaveCount(50);
  const older = /\/configuration\b.*cursor=/;
  await page.route(older, (route) =>
    route.fulfill({ status: 500, json: { message: 'An unexpected error occurred', requestId: 'failing' } }),
  );
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'An unexpected error occurred' })).toBeVisible();
  await page.unroute(older);
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect(changes).toHaveCount(52);
  await expect(page.getByText('An unexpected error occurred')).toHaveCount(0);
});

test('the list of entry types shows the latest schema changes, and leads to all of them', async ({
  page,
}) => {
  await openAs(page, ada, '/');
  await createEntryType(page, 'Harbor');
  await page.goto('/entries');
  const latest = page.getByRole('list', { name: 'Latest schema changes' }).getByRole('listitem');
  await expect(latest.filter({ hasText: 'Created the entry type Harbor' })).toContainText(
    'First Administrator',
  );
  await expectAccessible(page);
  await page.getByRole('link', { name: 'All schema changes' }).click();
  await expect(page).toHaveURL('/activity/configuration?kind=schema');
  await expect(page.getByRole('listitem').filter({ hasText: 'entry type Harbor' })).toHaveCount(1);
});

test('the list of investigations counts only those it has read', async ({ page, calls }) => {
  await openAs(page, ada);
  // One more than a page.
  for (let at = 0; at <= 100; at += 1)
    await calls.call('POST', '/user/activity/investigations', { name: `Case ${at}`, notes: '', query: {} });
  await page.goto('/activity/investigations');
  await expect(page.getByText('Newest 100 saved investigations')).toBeVisible();
  await page.getByRole('button', { name: 'Show older' }).click();
  await expect(page.getByText(/^\d+ saved investigations/)).toBeVisible();
});
