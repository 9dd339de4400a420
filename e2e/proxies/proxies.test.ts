import type { APIRequestContext, Locator, Page } from '@playwright/test';
import type { ActingReportVm, Session } from '../../contract/generated/types.gen.ts';
import {
  chooseMenuItem,
  chooseRowAction,
  expectAccessible,
  expectRow,
  expectToast,
  holdRequests,
  selectPerson,
} from '../support/actions.ts';
import { createCalls, openAs, sendRequest, type ApiCalls } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

// An empty site: all assignments are made by these tests.
test.use({ installation: { sample: false, administrator: ada } });

const ACCOUNT_MENU = /sign out of/;
const assignmentGrid = (page: Page) => page.getByRole('grid', { name: 'Assignments', exact: true });

const banner = (tab: Page) => tab.getByRole('region', { name: 'Working as someone else' });

const assign = (calls: ApiCalls, pairs: readonly (readonly [{ id: number }, { id: number }])[]) =>
  calls.call('POST', '/user/proxy/changes', {
    add: pairs.map(([proxy, user]) => ({ proxyUserId: proxy.id, userId: user.id })),
  });

test('assigns a proxy by search and removes all assignments after a confirmation', async ({
  page,
  calls,
}) => {
  const proxy = await calls.createUser({ firstName: 'Amara', lastName: 'Okonkwo' });
  const grace = await calls.createUser({ firstName: 'Grace', lastName: 'Lund' });
  await calls.createUser({ firstName: 'Hiroshi', lastName: 'Tanaka' });
  await calls.createUser({ firstName: 'Jonas', lastName: 'Weber', isActive: false });
  await openAs(page, ada, '/proxies');
  await page.getByRole('link', { name: 'Assign proxy' }).last().click();
  const panel = page.getByRole('dialog', { name: 'Assign proxy' });
  await page.getByRole('combobox', { name: 'Proxy', exact: true }).fill('Amara Okonkwo');
  await expect(page.getByRole('option', { name: /^Amara Okonkwo/ })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'May act for', exact: true })).toBeFocused();
  await page.getByRole('combobox', { name: 'May act for', exact: true }).fill('jonas');
  await expect(page.getByRole('option', { name: /Jonas Weber/ })).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByRole('option', { name: /Jonas Weber/ })).toContainText('Inactive');
  await page.getByRole('combobox', { name: 'May act for', exact: true }).fill('amara');
  await expect(page.getByRole('option', { name: /Amara/ })).toContainText('Users cannot act for themselves');
  await selectPerson(page, 'May act for', 'Grace Lund');
  await selectPerson(page, 'May act for', 'Hiroshi Tanaka');
  await expectAccessible(page);
  const answer = await holdRequests(page, '**/user/proxy/changes');
  const submit = panel.getByRole('button', { name: 'Assign 2 users' });
  await submit.click();
  await expect(submit).toHaveAttribute('aria-busy', 'true');
  // The panel would close over what is chosen now.
  const chosen = page.getByRole('combobox', { name: 'May act for', exact: true });
  await chosen.evaluate((input) => input.focus());
  await expect(chosen).not.toBeFocused();
  answer();
  await expectToast(page, 'Amara Okonkwo may act for Grace Lund and Hiroshi Tanaka');

  const row = await expectRow(assignmentGrid(page), { Proxy: proxy.name, Users: '2' });
  await page.getByRole('radio', { name: 'By user' }).check({ force: true });
  await expectRow(assignmentGrid(page), { User: grace.name, 'May be acted for by': proxy.name });
  await page.getByRole('radio', { name: 'By proxy' }).check({ force: true });
  await chooseRowAction(row, 'Remove all 2');
  const confirmDialog = page.getByRole('alertdialog', { name: 'Remove all 2 assignments of Amara Okonkwo?' });
  await expect(confirmDialog).toContainText('will no longer act for Grace Lund and Hiroshi Tanaka');
  await confirmDialog.getByRole('button', { name: 'Remove 2 assignments' }).click();
  await expectToast(page, 'Amara Okonkwo no longer acts for anyone');
  await expect(page.getByRole('heading', { name: /may act for anyone/ })).toBeVisible();

  // On the page of a user the panel is open through a search parameter.
  await page.goto(`/users/${grace.id}/proxies?assign=user`);
  await selectPerson(page, 'Proxy', 'Amara Okonkwo');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await panel.getByRole('button', { name: 'Assign 1 user' }).click();
  await expectToast(page, 'Amara Okonkwo may act for Grace Lund');
  await expect(panel).toBeHidden();
  await expect(question).toBeHidden();
});

test('shows a cycle in the graph and in the table', async ({ page, calls }) => {
  const [a, b, c] = await Promise.all(
    ['Ines', 'Bela', 'Cleo'].map((firstName) => calls.createUser({ firstName, lastName: 'Ring' })),
  );
  if (!a || !b || !c) throw new Error('Three people were made');
  const outside = await calls.createUser({ firstName: 'Dov', lastName: 'Outside' });
  await assign(calls, [
    [a, b],
    [b, c],
    [c, a],
    [outside, a],
  ]);
  await openAs(page, ada, '/nowhere');
  const { user } = (await sendRequest(page.request, 'GET', '/api/session')) as Session;
  await assign(calls, [[user, outside]]);
  await page.goto('/proxies/graph');
  const graph = page.getByRole('figure', { name: 'Graph of assignments' });
  const table = page.getByRole('grid', { name: 'Assignments drawn' });
  await expect(graph.getByRole('link', { name: /^Ines Ring,\s*Cycle · No 2FA$/ })).toBeVisible();
  await expect(graph.getByRole('link', { name: /^Dov Outside,\s*No 2FA$/ })).toBeVisible();
  await expectRow(table, { Proxy: 'Cleo Ring', 'May act for': 'Ines Ring', Risks: 'Cycle' });
  await expect(
    await expectRow(table, { Proxy: 'Dov Outside', 'May act for': 'Ines Ring' }),
  ).not.toContainText('Cycle');
  await expectAccessible(page);

  // The administrator who assigns themself is marked, and found by a filter.
  const warnings = page.getByRole('button', { name: 'Risks filter' });
  await warnings.click();
  await page.getByRole('checkbox', { name: 'Self-assigned' }).check();
  await page.keyboard.press('Escape');
  await expectRow(table, { 'May act for': 'Dov Outside', Risks: /Self-assigned/ });
  await expect(table).toHaveAttribute('aria-rowcount', '2');
  await expect(graph.getByRole('link', { name: /Self-assigned/ })).toHaveCount(1);
  await page.getByRole('button', { name: 'Clear Risks filter' }).click();
  await warnings.click();
  await page.getByRole('checkbox', { name: 'In a cycle' }).check();
  await page.keyboard.press('Escape');
  await expect(table).toHaveAttribute('aria-rowcount', '4');
  await expect(graph.getByRole('link')).toHaveCount(3);
  await graph.getByRole('link').first().focus();
  await page.keyboard.press('End');
  await expect(graph.getByRole('link').last()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: / Ring$/ })).toContainText('May act for 1 user');

  // The list shows three risks of a person, on a phone the first ones whatever the number of names.
  await assign(calls, [
    [a, user],
    [user, a],
    [user, b],
    [user, c],
  ]);
  await page.goto('/proxies');
  const row = await expectRow(assignmentGrid(page), { 'E-mail': ada.email, Risks: 'Self-assigned' });
  const risks = row.locator('.px-mark');
  await expect(risks).toHaveText(['Cycle', 'No two-factor', 'Self-assigned']);
  for (const risk of await risks.all()) await expectShown(risk);
  await page.setViewportSize({ width: 390, height: 800 });
  const line = assignmentGrid(page).getByRole('row').filter({ hasText: 'Self-assigned' });
  await expect(line).toContainText('Bela Ring, Cleo Ring');
  for (const name of ['Cycle', 'No two-factor']) await expectShown(line.getByText(name));
});

/** Expects that neither the cell nor a part of it cuts the badge. */
async function expectShown(badge: Locator): Promise<void> {
  const getCut = () =>
    badge.evaluate((element) => {
      const { left, right } = element.getBoundingClientRect();
      const cuts: number[] = [];
      for (
        let around = element.parentElement;
        around && !around.matches('tr');
        around = around.parentElement
      ) {
        const { overflow, paddingRight } = getComputedStyle(around);
        if (overflow !== 'hidden') continue;
        const box = around.getBoundingClientRect();
        cuts.push(box.left - left, right - (box.right - Number.parseFloat(paddingRight)));
      }
      return Math.max(0, ...cuts);
    });
  await expect.poll(getCut, 'pixels cut off').toBeLessThan(1);
}

test('acts for a user in every tab, with the capabilities that can be passed on, until it ends', async ({
  page,
  context,
  elsewhere,
  calls,
  pageErrors,
}) => {
  // A read sent while another tab starts or stops acting is answered with 409 and repeated.
  pageErrors.allow(/^409: (GET .*\/console\/api\/|POST .*\/summary$)/);
  // Either a request of the page or the poll of the banner fails first; only the former is logged.
  pageErrors.allow(/^403: /);
  pageErrors.allow(/ServiceError: (You can no longer act for this user|User capabilities)/);
  const groups = [await calls.createGroup('Watchers', ['View Activity', 'Manage Users'])];
  const principal = await calls.createUser({ firstName: 'Grace', lastName: 'Lund', groups });
  const proxy = await calls.createUser({ firstName: 'Ada', lastName: 'Okafor' });
  await assign(calls, [[proxy, principal]]);
  await openAs(page, proxy, '/nowhere');
  const second = await context.newPage();
  await second.goto('/nowhere');
  await expect(second.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible();

  const startActing = async () => {
    await chooseMenuItem(page, ACCOUNT_MENU, 'Work as…');
    const dialog = page.getByRole('dialog', { name: 'Work as Grace Lund' });
    await expect(dialog).toContainText('Grace Lund gets an e-mail now');
    await dialog.getByRole('button', { name: 'Work as Grace Lund' }).click();
    await expect(dialog.getByText('Use at least 3 characters')).toBeVisible();
    await dialog.getByLabel('Reason').fill('Ticket 4711');
    await dialog.getByRole('button', { name: 'Work as Grace Lund' }).click();
  };
  await startActing();
  for (const tab of [page, second])
    await expect(banner(tab)).toContainText(/Ada Okafor is working as Grace Lund\s*Ticket 4711\s*since/);
  await expect(page.getByRole('main')).toContainText('View Activity');
  await expect(page.getByRole('main')).not.toContainText('Manage Users');
  await expect(
    page.getByRole('link', { name: 'Proxies . You need the Manage Proxies capability' }),
  ).toBeVisible();
  await page.setViewportSize({ width: 390, height: 800 });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('stop');
  const stop = page.getByRole('menuitem', { name: 'Stop working as Grace Lund' });
  await expect(stop).toBeVisible();
  await expect(banner(page)).toBeInViewport();
  await expectAccessible(page);
  await stop.click();
  for (const tab of [page, second]) await expect(banner(tab)).toHaveCount(0);

  await page.setViewportSize({ width: 1280, height: 800 });
  await startActing();
  await expect(banner(second)).toBeVisible();
  // No reason is asked for and none is shown on a site that requires none.
  await second.getByRole('button', { name: 'Stop working as Grace Lund' }).click();
  await expect(banner(page)).toHaveCount(0);
  await openAs(elsewhere, ada, '/settings');
  await elsewhere.getByLabel('Proxies must give a reason').click();
  await elsewhere.getByRole('button', { name: 'Save' }).click();
  await expectToast(elsewhere, 'Settings saved');
  await page.reload();
  await chooseMenuItem(page, ACCOUNT_MENU, 'Work as…');
  const dialog = page.getByRole('dialog', { name: 'Work as Grace Lund' });
  await expect(dialog.getByLabel('Reason (optional)')).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Work as Grace Lund' }).click();
  await expect(banner(page)).toContainText(/Ada Okafor is working as Grace Lund\s*since/);
  await calls.call('PUT', '/settings', { requiresActingReason: true });
  await calls.call('POST', '/user/proxy', { proxyUserId: proxy.id, users: [] });
  await page.getByRole('link', { name: /^Users/ }).click();
  // Without other requests, the banner polls every 20 seconds.
  const notice = page.getByRole('alert').getByText('You no longer work as someone else');
  await expect(notice).toBeVisible({ timeout: 40_000 });
  await expect(banner(page)).toHaveCount(0);
});

test('records reads, changes and refused requests in an acting report', async ({
  page,
  elsewhere,
  calls,
  expectFailure,
}) => {
  expectFailure(500);
  const groups = [await calls.createGroup('Readers of activity', ['View Activity'])];
  const principal = await calls.createUser({ firstName: 'Grace', lastName: 'Hale', groups });
  const proxy = await calls.createUser({ firstName: 'Mei-Ling', lastName: 'Chen' });
  await assign(calls, [[proxy, principal]]);
  // Uses the API only, because a page would send requests of its own.
  const { request } = elsewhere;
  await createCalls(request, proxy);
  await send(request, 'PUT', '/api/session/acting', { userId: principal.id, reason: 'Ticket 12' });
  await send(request, 'GET', `/api/rest/v1/management/user/${principal.id}`);
  await send(request, 'DELETE', `/api/rest/v1/management/user/${principal.id}`);
  await send(request, 'DELETE', '/api/session/acting');

  await openAs(page, ada, '/proxies/reports');
  await page.getByRole('link', { name: 'Mei-Ling Chen for Grace Hale' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mei-Ling Chen for Grace Hale');
  await expect(page.getByRole('region', { name: 'Details' })).toContainText('Ticket 12');
  const steps = page.getByRole('table');
  await expect(steps.getByRole('row', { name: /Read: .*user.* Grace Hale Done/i })).toBeVisible();
  await expect(steps.getByRole('row', { name: /Change: .*Remove.* Grace Hale Refused/i })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Changes' }).check({ force: true });
  await expect(steps.getByRole('row', { name: /Read:/ })).toHaveCount(0);

  // A report with more steps than a page, of which the second page fails.
  await page.route(/\/proxy\/reports\/\d+\?/, async (route) => {
    if (route.request().url().includes('pageNumber=2')) {
      await route.fulfill({
        status: 500,
        json: { message: 'An unexpected error occurred', requestId: 'failing' },
      });
      return;
    }
    const response = await route.fetch();
    const report = (await response.json()) as ActingReportVm;
    await route.fulfill({
      response,
      json: { ...report, steps: Array.from({ length: 1000 }, () => report.steps[0]) },
    });
  });
  await page.reload();
  await page.getByRole('button', { name: 'Show more steps' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'An unexpected error occurred' })).toBeVisible();
});

/** Sends a request as the console does, whatever its status. */
const send = (request: APIRequestContext, method: string, path: string, data?: unknown) =>
  request.fetch(`/console${path}`, {
    method,
    headers: { 'X-Steward-Console': '1' },
    ...(data !== undefined && { data }),
  });
