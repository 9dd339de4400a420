import type { SiteFigures } from '../../contract/generated/types.gen.ts';
import { expectAccessible, expectAccessibleInBothThemes } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { observeLayoutShifts, takeLayoutShifts } from '../support/checks/layout-shift.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

test('the overview names what needs attention, and each of its parts leads somewhere', async ({
  page,
  calls,
}) => {
  const groupId = await calls.createGroup('Auditors', []);
  await calls.call('PUT', `/user/group/${groupId}`, { name: 'Controllers' });
  const { id: userId } = await calls.createUser();
  await calls.call('POST', '/jobs/userUpdates', { userIds: [userId], isActive: false });
  await openAs(page, ada);
  await page.getByRole('list', { name: 'Getting started' }).waitFor();
  // The name of an administrator from the settings of the host.
  await expect(page.getByRole('region', { name: 'Welcome, First Administrator' })).toBeVisible();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.reload();
  const attention = page.getByRole('list', { name: 'Needs attention' });
  const factors = attention.getByRole('listitem').filter({ hasText: 'second factor' });
  await expect(factors).toContainText(
    /administrators? of users, groups, settings or backups ha(s|ve) no second factor/,
  );
  await expect(
    page.getByRole('list', { name: 'Recent changes' }).getByRole('listitem').first(),
  ).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: 'in 30 days' }).first()).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });

  await expect(page.getByRole('list', { name: 'Getting started' })).toBeHidden();
  await factors.getByRole('link', { name: 'Show them' }).click();
  await expect(page).toHaveURL('/settings/two-factor');
  await page.goBack();
  await page.getByRole('link', { name: /^[\d,]+ billable$/ }).click();
  await expect(page).toHaveURL('/licenses');
  await page.goBack();
  await page.getByRole('link', { name: /^[\d,]+ people$/ }).click();
  await expect(page).toHaveURL('/users');
  await page.goBack();
  await page.getByRole('link', { name: 'Sign-ins' }).click();
  await expect(page.getByRole('button', { name: /^Type is Login Successful/ })).toBeVisible();
  await page.goBack();
  const shown = page.getByRole('group', { name: 'Changes shown' });
  const changes = page.getByRole('list', { name: 'Recent changes' });
  await shown.getByText('Configuration').click();
  await expect(changes.getByRole('listitem').filter({ hasText: 'changed the group' })).toContainText(
    'Name: Auditors → became Controllers',
  );
  await changes.getByRole('link', { name: 'created the group Auditors' }).click();
  await expect(page).toHaveURL('/activity/configuration?kind=group');
  await page.goBack();
  await shown.getByText('Data').click();
  await changes.getByRole('link').last().click();
  await expect(page).toHaveURL(/\/entries\/\d+\/\d+$/);

  // The address changes before the page; then its heading gets the focus.
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toBeFocused();
  const entryName = await heading.textContent();
  await page.goBack();
  const recent = page.getByRole('list', { name: 'Recently opened' });
  await recent.getByRole('link', { name: entryName ?? '-', exact: true }).click();
  await expect(page).toHaveURL(/\/entries\/\d+\/\d+$/);

  // The actions of the job center are offered here.
  await page.goBack();
  const jobs = page.getByRole('list', { name: 'My jobs' });
  await jobs.getByRole('button', { name: 'Undo: Deactivate 1 person' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await calls.getUser(userId)).isActive).toBe(true);

  // Without capabilities only the own work is shown.
  const person = await calls.createUser();
  await openAs(page, person);
  await expect(page.getByRole('heading', { name: 'My jobs' })).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Needs attention/ })).toBeHidden();
  await expect(page.getByText('None of your groups grants a capability on this site.')).toBeVisible();
  await expect(page.getByText('Billable seats')).toBeHidden();
});

test('the overview says what could not be read, and reads it again', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(500);
  await calls.createGroup('Examiners', []);
  const failing = /\/entries\/changes\?|\/v4\/backups\?|\/v4\/backups$/;
  await page.route(failing, (route) =>
    route.fulfill({ status: 500, json: { message: 'An unexpected error occurred', requestId: 'failing' } }),
  );
  await openAs(page, ada);
  for (const name of [/^Needs attention/, 'Recent changes']) {
    const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name }) });
    await expect(card).toContainText('Not loaded: An unexpected error occurred.');
    // The rest of the card is there.
    await expect(card.getByRole('listitem').first()).toBeVisible();
  }
  await page.unroute(failing);
  for (const name of [/^Needs attention/, 'Recent changes']) {
    const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name }) });
    await card.getByRole('button', { name: 'Try again' }).click();
    await expect(card).not.toContainText('Not loaded');
  }
});

test('figures of 30 days are charts with a text and a table, and each leads to its page', async ({
  page,
  calls,
}) => {
  await observeLayoutShifts(page);
  await openAs(page, ada);
  const figures = page.getByRole('region', { name: 'Figures of the last 30 days' });
  const names = ['Sign-ins', 'Billable seats', 'Entries', 'Changes of entries', 'Storage for files'];
  await expect(figures.getByRole('term')).toHaveText(names);
  for (const name of names)
    await expect(figures.getByText(new RegExp(`^${name} by day: .*today`))).toBeAttached();
  const stored = (await sendRequest(
    page.request,
    'GET',
    '/api/rest/v1/management/settings/figures?days=30',
  )) as SiteFigures[];
  expect(stored).toHaveLength(30);
  const now = stored.at(-1)?.entries ?? 0;
  expect(now).toBeGreaterThan(100);
  await expect(figures.getByRole('definition').nth(2)).toContainText(now.toLocaleString('en-GB'));
  await expect(figures.getByRole('definition').nth(2)).toContainText(/in 30 days/);
  expect((await takeLayoutShifts(page)).total).toBeLessThanOrEqual(0.02);

  await figures.getByText('Show as table').click();
  const rows = figures.getByRole('table').getByRole('row');
  await expect(rows).toHaveCount(31);
  await expect(rows.nth(1)).toContainText(`Today`);
  await expect(rows.nth(1).getByRole('cell').nth(2)).toHaveText(now.toLocaleString('en-GB'));
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });

  const pages = [
    /\/activity\?range=30&type=1$/,
    /\/licenses$/,
    /\/entries$/,
    /\/changes\?since=month$/,
    /\/settings$/,
  ];
  for (const [at, address] of pages.entries()) {
    // Anywhere on the tile: the link covers all of it.
    await figures.getByRole('definition').nth(at).click({ force: true });
    await expect(page).toHaveURL(address);
    await page.goBack();
    await expect(figures.getByRole('term')).toHaveText(names);
  }

  // Each figure needs the capability of its page.
  const groupId = await calls.createGroup('Figure readers', ['Read Data']);
  const reader = await calls.createUser({ groups: [groupId] });
  await openAs(page, reader);
  await expect(figures.getByRole('term')).toHaveText(['Entries', 'Changes of entries']);
});

test.describe('a new site', () => {
  test.use({ installation: { sample: false, administrator: ada } });

  test('has figures of its first day, which say so', async ({ page }) => {
    await openAs(page, ada);
    const figures = page.getByRole('region', { name: 'Figures of the last 30 days' });
    await expect(figures.getByText('Entries by day: 0 today', { exact: true })).toBeAttached();
    await expect(figures.getByRole('definition').nth(2)).toContainText('Measured since today');
    await expect(figures.getByRole('definition').nth(3)).toContainText('today');
    await expectAccessibleInBothThemes(page);
    await figures.getByText('Show as table').click();
    await expect(figures.getByRole('table').getByRole('row').nth(2).getByRole('cell').nth(2)).toHaveText('–');
  });
});
