import type { Page } from '@playwright/test';
import {
  preloadPage,
  expectAccessible,
  expectAccessibleInBothThemes,
  chooseRowAction,
  signIn,
} from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { SERVICE_DOWN } from '../support/checks/page-errors.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const grid = (page: Page) => page.getByRole('grid', { name: 'Users' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search users' });
const names = (page: Page) => grid(page).getByRole('rowheader').getByRole('link').allInnerTexts();

/** All users are loaded and stored. */
async function expectEverybody(page: Page): Promise<void> {
  await expect(page.getByText(/people · [\d,]+ billable/)).toBeVisible();
  await expect(grid(page).getByRole('row').nth(5)).toBeVisible();
}

/** Whether this browser stores users for the next visit. */
const keepsPeople = (page: Page) =>
  page.evaluate(async () => (await indexedDB.databases()).some(({ name }) => name === 'steward-directory'));

/** Query strings of the requests for users that a tab sends from now on. */
function recordUserRequests(page: Page): string[] {
  const queries: string[] = [];
  page.on('request', (request) => {
    const { pathname, search: query } = new URL(request.url());
    if (pathname.endsWith('/management/user')) queries.push(query);
  });
  return queries;
}

async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await search(page).focus();
  await page.keyboard.press('ControlOrMeta+v');
}

test('the next visit has all users, even if the service does not answer', async ({
  page,
  service,
  expectFailure,
  pageErrors,
}) => {
  expectFailure(SERVICE_DOWN);
  // The browser opens the stream again after a second, which a service that stops refuses.
  pageErrors.allow(/^503: GET \S+\/publication\/positions$/);
  await openAs(page, ada, '/users');
  await expectEverybody(page);
  // The directory is read by a worker, whose reads count for the page.
  await expect(page.getByText(/^Latency p95 [\d,]+ ms/)).toBeAttached();
  const before = await names(page);
  await page.goto('/');
  const usersLink = page.getByRole('navigation').getByRole('link', { name: /^Users/ });
  await preloadPage(page, usersLink, 'users');
  await service.stop();
  await usersLink.click();
  await expectEverybody(page);
  expect(await names(page)).toEqual(before);
  await search(page).fill(before[3] ?? '');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^[2-5]$/);
  await page.getByRole('button', { name: 'Reload everything' }).click();
  await expect(page.getByText('No answer since')).toBeVisible();
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^[2-5]$/);
  await service.start();
  await expect(page.getByText('No answer since')).toBeHidden({ timeout: 30_000 });
});

/** Names of the first users of the answers that this browser stores for the next visit, by the order of their list. */
const readStoredAnswers = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('steward-directory');
        opening.addEventListener('error', () => reject(opening.error ?? new Error('Not opened')));
        opening.addEventListener('success', () => {
          const reading = opening.result.transaction('snapshot').objectStore('snapshot').getAll();
          reading.addEventListener('success', () => {
            opening.result.close();
            resolve(reading.result.map(({ rows }) => rows[0].name));
          });
        });
      }),
  );

const firstLicense = (page: Page) =>
  page.getByRole('grid', { name: 'Licenses' }).getByRole('rowheader').first();

test('the next visit shows the last lists before the directory has been read', async ({
  page,
  context,
  calls,
}) => {
  const byEmail = '/users?sort=email';
  const byId = '/licenses?sort=-id';
  await openAs(page, ada, byEmail);
  await expectEverybody(page);
  // The first visit reads users; answers to complete lists are stored by those after it.
  await page.goto(byEmail);
  await expect.poll(() => readStoredAnswers(page)).toHaveLength(1);
  await page.goto(byId);
  await expect.poll(() => readStoredAnswers(page)).toHaveLength(2);

  const waiting = await context.newPage();
  // The worker of the directory never starts.
  await waiting.route(/\/assets\/worker-/, () => undefined);
  await waiting.goto(byId);
  await expect(firstLicense(waiting).getByRole('link')).toHaveText(
    await firstLicense(page).getByRole('link').innerText(),
  );
  await waiting.goto(byEmail);
  await expect(grid(waiting).getByRole('rowheader').first()).toBeVisible();
  await waiting.close();

  // A change since one of the answers was stored appears when the worker has started.
  const { name } = await calls.createUser({ email: '0@people.example' });
  await expect(firstLicense(page)).toContainText(name);
  await expect.poll(() => readStoredAnswers(page)).toContain(name);
  await page.goto(byEmail);
  await expect(grid(page).getByRole('rowheader').first()).toContainText(name);
});

test('a second tab uses what the first has loaded and changed', async ({ page, context, calls }) => {
  const person = await calls.createUser({ firstName: 'Tamsin', lastName: 'Twotabs' });
  await openAs(page, ada, '/users?q=twotabs');
  await expectEverybodyFound(page, person.name);
  const second = await context.newPage();
  const queries = recordUserRequests(second);
  await second.goto('/users?q=twotabs');
  await expectEverybodyFound(second, person.name);
  await chooseRowAction(grid(page).getByRole('row', { name: new RegExp(person.name) }), 'Deactivate');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click();
  await expect(page.getByText(`${person.name} is inactive`)).toBeVisible();
  await expect(grid(second).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  // Changes are read again when events report them, by each tab.
  expect(queries.filter((query) => !query.includes('modifiedSince='))).toEqual([]);
});

async function expectEverybodyFound(page: Page, name: string): Promise<void> {
  await expect(page.getByText(/people · [\d,]+ billable/)).toBeVisible();
  await expect(grid(page).getByRole('rowheader', { name })).toBeVisible();
}

test('signing out removes all users from the browser', async ({ page }) => {
  await signIn(page, ada);
  await page.goto('/users');
  await expectEverybody(page);
  await expect.poll(() => keepsPeople(page)).toBe(true);
  await page.getByRole('button', { name: /appearance and sign out/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  expect(await keepsPeople(page)).toBe(false);
});

test('another user of the same browser finds no data of the previous one', async ({
  page,
  calls,
  expectFailure,
}) => {
  const guest = await calls.createUser({ firstName: 'Gus', lastName: 'Guest' });
  await openAs(page, ada, '/users');
  await expectEverybody(page);
  await expect.poll(() => keepsPeople(page)).toBe(true);
  await openAs(page, guest);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await expect.poll(() => keepsPeople(page)).toBe(false);
  expectFailure(403, 'ServiceError');
  await page.goto('/users');
  await expect(page.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
  await expect(page.getByRole('grid')).toHaveCount(0);
});

test('a pasted list becomes the selection, by keyboard', async ({ page, calls }) => {
  const [first, second] = [
    await calls.createUser({ firstName: 'Pia', lastName: 'Pastewell' }),
    await calls.createUser({ firstName: 'Pär', lastName: 'Pastewell' }),
  ];
  const namesakes = [
    await calls.createUser({ firstName: 'Same', lastName: 'Namesake', email: 'same.one@people.example' }),
    await calls.createUser({ firstName: 'Same', lastName: 'Namesake', email: 'same.two@people.example' }),
  ];
  await openAs(page, ada, '/users?q=pastewell');
  await expect(grid(page).getByRole('rowheader')).toHaveCount(2);
  await paste(page, `${first.email}\n${second.id}\nSame Namesake\nnobody@nowhere.example\n`);
  const panel = page.getByRole('dialog', { name: 'People in the pasted text' });
  await expect(panel.getByRole('heading', { name: '2 people recognized' })).toBeVisible();
  await expect(panel.getByRole('heading', { name: '1 entry was not found' })).toBeVisible();
  await expect(panel.getByText('nobody@nowhere.example')).toBeVisible();
  await expect(panel.getByText(first.name)).toBeVisible();
  await expectAccessibleInBothThemes(page);
  const choice = panel.getByRole('group', { name: 'Same Namesake' });
  await choice.getByRole('checkbox', { name: /same\.two/ }).focus();
  await page.keyboard.press('Space');
  await panel.getByRole('button', { name: 'Select these 3' }).focus();
  await page.keyboard.press('Enter');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('3 selected');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '4');
  await expect(grid(page).getByRole('rowheader', { name: first.name })).toBeVisible();
  await expect(grid(page).getByRole('row', { name: /same\.two/ })).toHaveCount(1);
  await expect(grid(page).getByRole('row', { name: new RegExp(namesakes[0]?.email ?? '') })).toHaveCount(0);
  // The URL has no selection, and the previous search is cleared.
  await expect(page).toHaveURL('/users');
  await expectAccessible(page);
  const only = page.getByRole('button', { name: 'Show only 3 selected' });
  await expect(only).toHaveAttribute('aria-pressed', 'true');
  await only.press('Enter');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^5\d\d$/);
});

test('selecting a row moves no row', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openAs(page, ada, '/users');
  await expectEverybody(page);
  const row = grid(page).getByRole('row').nth(1);
  const before = await row.boundingBox();
  await row.getByRole('checkbox').check();
  await expect(page.getByRole('button', { name: 'Show only 1 selected' })).toBeVisible();
  expect(await row.boundingBox()).toEqual(before);
});

test('distant rows load when scrolled to', async ({ page }) => {
  await openAs(page, ada, '/users?status=any');
  await expectEverybody(page);
  const rows = Number(await grid(page).getAttribute('aria-rowcount'));
  await grid(page).getByRole('row').nth(1).focus();
  await page.keyboard.press('End');
  const last = grid(page).locator(`tr[aria-rowindex="${rows}"]`);
  await expect(last).toBeFocused();
  await expect(last.getByRole('rowheader').getByRole('link')).toBeVisible();
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Space');
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('1 selected');
  await page.keyboard.press('Home');
  await expect(grid(page).locator('tr[aria-rowindex="2"]')).toBeFocused();
});

test('announces the number of results and stores hidden columns', async ({ page }) => {
  await openAs(page, ada, '/users');
  await expectEverybody(page);
  await search(page).fill('no person of this name');
  await expect(page.locator('[data-live-announcer]')).toHaveText('0 people found');
  await search(page).fill('');
  await expectEverybody(page);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Access' }).click();
  await page.keyboard.press('Escape');
  const access = grid(page).getByRole('columnheader', { name: 'Access' });
  await expect(access).toHaveCount(0);
  await page.goto('/users');
  await expectEverybody(page);
  await expect(access).toHaveCount(0);
  // A link with hidden columns takes precedence.
  await page.goto('/users?hide=email');
  await expectEverybody(page);
  await expect(access).toHaveCount(1);
  await expect(grid(page).getByRole('columnheader', { name: 'E-mail' })).toHaveCount(0);
});
