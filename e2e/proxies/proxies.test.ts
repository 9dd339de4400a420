import type { APIRequestContext, Page } from '@playwright/test';
import { choose, expectNoAxe, expectRow, expectToast, pick, rowAction } from '../support/actions.ts';
import { callsOf, enter, type Calls } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

// A site of its own: what is assigned is what these tests assign.
test.use({ installation: { sample: false, administrator: ada } });

const ME = /sign out of/;
const assignments = (page: Page) => page.getByRole('grid', { name: 'Assignments', exact: true });

const banner = (tab: Page) => tab.getByRole('region', { name: 'Working as somebody else' });

const assign = (calls: Calls, pairs: readonly (readonly [{ id: number }, { id: number }])[]) =>
  calls.call('POST', '/user/proxy/changes', {
    add: pairs.map(([proxy, user]) => ({ proxyUserId: proxy.id, userId: user.id })),
  });

test('is assigned with search, and clearing says what it removes', async ({ page, calls }) => {
  const proxy = await calls.makeUser({ firstName: 'Amara', lastName: 'Okonkwo' });
  const grace = await calls.makeUser({ firstName: 'Grace', lastName: 'Lund' });
  await calls.makeUser({ firstName: 'Hiroshi', lastName: 'Tanaka' });
  await calls.makeUser({ firstName: 'Jonas', lastName: 'Weber', isActive: false });
  await enter(page, ada, '/proxies');
  await page.getByRole('link', { name: 'Assign proxy' }).last().click();
  const panel = page.getByRole('dialog', { name: 'Assign proxy' });
  await pick(page, 'Proxy', 'Amara Okonkwo');
  await page.getByRole('combobox', { name: 'May act for', exact: true }).fill('jonas');
  await expect(page.getByRole('option', { name: /Jonas Weber/ })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByRole('option', { name: /Jonas Weber/ })).toContainText('Inactive');
  await page.getByRole('combobox', { name: 'May act for', exact: true }).fill('amara');
  await expect(page.getByRole('option', { name: /Amara/ })).toContainText('Nobody acts for themselves');
  await pick(page, 'May act for', 'Grace Lund');
  await pick(page, 'May act for', 'Hiroshi Tanaka');
  await expectNoAxe(page);
  await panel.getByRole('button', { name: 'Assign 2 users' }).click();
  await expectToast(page, 'Amara Okonkwo may act for Grace Lund and Hiroshi Tanaka');

  const row = await expectRow(assignments(page), { Proxy: proxy.name, Users: '2' });
  await page.getByRole('radio', { name: 'By user' }).check({ force: true });
  await expectRow(assignments(page), { User: grace.name, 'May be acted for by': proxy.name });
  await page.getByRole('radio', { name: 'By proxy' }).check({ force: true });
  await rowAction(row, 'Remove all 2');
  const question = page.getByRole('alertdialog', { name: 'Remove all 2 assignments of Amara Okonkwo?' });
  await expect(question).toContainText('not for Grace Lund and Hiroshi Tanaka');
  await question.getByRole('button', { name: 'Remove 2 assignments' }).click();
  await expectToast(page, 'Amara Okonkwo acts for nobody any more');
  await expect(page.getByRole('heading', { name: /may act for anybody/ })).toBeVisible();
});

test('stands in a graph that marks a circle, and in a table that says the same', async ({ page, calls }) => {
  const [a, b, c] = await Promise.all(
    ['Ines', 'Bela', 'Cleo'].map((firstName) => calls.makeUser({ firstName, lastName: 'Ring' })),
  );
  if (!a || !b || !c) throw new Error('Three people were made');
  const outside = await calls.makeUser({ firstName: 'Dov', lastName: 'Outside' });
  await assign(calls, [
    [a, b],
    [b, c],
    [c, a],
    [outside, a],
  ]);
  await enter(page, ada, '/proxies/graph');
  const graph = page.getByRole('figure', { name: 'Graph of assignments' });
  const table = page.getByRole('grid', { name: 'Assignments drawn' });
  await expect(graph.getByRole('link', { name: /^Ines Ring,\s*Cycle · No 2FA$/ })).toBeVisible();
  await expect(graph.getByRole('link', { name: /^Dov Outside,\s*No 2FA$/ })).toBeVisible();
  await expectRow(table, { Proxy: 'Cleo Ring', 'May act for': 'Ines Ring', 'Look twice': 'Cycle' });
  await expect(
    await expectRow(table, { Proxy: 'Dov Outside', 'May act for': 'Ines Ring' }),
  ).not.toContainText('Cycle');
  await expectNoAxe(page);

  await page.getByRole('button', { name: 'In a cycle' }).click();
  await expect(table).toHaveAttribute('aria-rowcount', '4');
  await expect(graph.getByRole('link')).toHaveCount(3);
  await graph.getByRole('link').first().focus();
  await page.keyboard.press('End');
  await expect(graph.getByRole('link').last()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: / Ring$/ })).toContainText('May act for 1 user');
});

test('works as somebody else, in every tab and with what can be passed on, until it ends', async ({
  page,
  context,
  calls,
  faults,
  expectFailure,
}) => {
  // A tab that asks in the moment in which another one begins or ends acting is sent to look again.
  faults.allow(/^409: GET .*\/management\//);
  // Whichever of its calls is answered first: a page says so in the console, the look after the banner does not.
  expectFailure(403);
  faults.allow(/ServiceError: (You cannot act for this user any more|User capabilities)/);
  const groups = [await calls.makeGroup('Watchers', ['View Activity', 'Manage Users'])];
  const principal = await calls.makeUser({ firstName: 'Grace', lastName: 'Lund', groups });
  const proxy = await calls.makeUser({ firstName: 'Ada', lastName: 'Okafor' });
  await assign(calls, [[proxy, principal]]);
  await enter(page, proxy, '/agent');
  const second = await context.newPage();
  await second.goto('/agent');
  await expect(second.getByRole('heading', { name: 'Agent server', level: 1 })).toBeVisible();

  const begin = async () => {
    await choose(page, ME, 'Work as…');
    const dialog = page.getByRole('dialog', { name: 'Work as Grace Lund' });
    await expect(dialog).toContainText('Grace Lund gets an e-mail now');
    await dialog.getByRole('button', { name: 'Work as Grace Lund' }).click();
    await expect(dialog.getByText('Use at least 3 characters')).toBeVisible();
    await dialog.getByLabel('Reason').fill('Ticket 4711');
    await dialog.getByRole('button', { name: 'Work as Grace Lund' }).click();
  };
  await begin();
  for (const tab of [page, second])
    await expect(banner(tab)).toContainText(/Ada Okafor is working as Grace Lund\s*Ticket 4711\s*since/);
  await expect(page.getByRole('main')).toContainText('View Activity');
  await expect(page.getByRole('main')).not.toContainText('Manage Users');
  await expect(
    page.getByRole('link', { name: 'Proxies . Needs the capability Manage Proxies' }),
  ).toBeVisible();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('stop');
  const stop = page.getByRole('menuitem', { name: 'Stop working as Grace Lund' });
  await expect(stop).toBeVisible();
  await expect(banner(page)).toBeInViewport();
  await expectNoAxe(page);
  await stop.click();
  for (const tab of [page, second]) await expect(banner(tab)).toHaveCount(0);

  await page.setViewportSize({ width: 1280, height: 800 });
  await begin();
  await expect(banner(second)).toBeVisible();
  await calls.call('POST', '/user/proxy', { proxyUserId: proxy.id, users: [] });
  await page.getByRole('link', { name: /^Users/ }).click();
  // The banner looks after itself every 20 s, where no other call comes before it.
  const told = page.getByRole('alert').getByText('You work as yourself again');
  await expect(told).toBeVisible({ timeout: 40_000 });
  await expect(banner(page)).toHaveCount(0);
});

test('is told in a report: what was seen, what was done, what was refused', async ({
  page,
  elsewhere,
  calls,
}) => {
  const groups = [await calls.makeGroup('Readers of activity', ['View Activity'])];
  const principal = await calls.makeUser({ firstName: 'Grace', lastName: 'Hale', groups });
  const proxy = await calls.makeUser({ firstName: 'Mei-Ling', lastName: 'Chen' });
  await assign(calls, [[proxy, principal]]);
  // Without a page, which would ask for itself meanwhile.
  const { request } = elsewhere;
  await callsOf(request, proxy);
  await send(request, 'PUT', '/api/session/acting', { userId: principal.id, reason: 'Ticket 12' });
  await send(request, 'GET', `/api/rest/v1/management/user/${principal.id}`);
  await send(request, 'DELETE', `/api/rest/v1/management/user/${principal.id}`);
  await send(request, 'DELETE', '/api/session/acting');

  await enter(page, ada, '/proxies/reports');
  await page.getByRole('link', { name: 'Mei-Ling Chen for Grace Hale' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mei-Ling Chen for Grace Hale');
  await expect(page.getByRole('region', { name: 'Who, for whom, why' })).toContainText('Ticket 12');
  const steps = page.getByRole('table');
  await expect(steps.getByRole('row', { name: /Read: .*user.* Grace Hale Done/i })).toBeVisible();
  await expect(steps.getByRole('row', { name: /Change: .*Remove.* Grace Hale Refused/i })).toBeVisible();
  await expectNoAxe(page);
  await page.getByRole('radio', { name: 'Changes' }).check({ force: true });
  await expect(steps.getByRole('row', { name: /Read:/ })).toHaveCount(0);
});

/** A call as the console of this browser makes it; what comes of it is the report's to tell. */
const send = (request: APIRequestContext, method: string, path: string, data?: unknown) =>
  request.fetch(`/console${path}`, {
    method,
    headers: { 'X-Steward-Console': '1' },
    ...(data !== undefined && { data }),
  });
