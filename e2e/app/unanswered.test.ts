/** A service that accepts calls and does not answer: after 5 seconds the console says so, after 30 it stops waiting. */
import type { Page } from '@playwright/test';
import { expectAccessible, fillForm, holdRequests } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { pageHeading } from '../support/checks/page-checks.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const NO_ANSWER = 'The service did not answer within 30 seconds';
const messages = (page: Page) => page.getByRole('region', { name: 'Messages' });
const notice = (page: Page) => messages(page).getByText(/^Waiting for the service, \d+ s$/);

/** Leaves matching calls without an answer; returns a function that counts them. */
async function hang(page: Page, matches: (url: URL) => boolean, method?: string): Promise<() => number> {
  let calls = 0;
  await page.route(matches, (route) => {
    if (method !== undefined && route.request().method() !== method) return route.fallback();
    calls += 1;
    return undefined;
  });
  return () => calls;
}

const isApi = ({ pathname }: URL) => pathname.startsWith('/console/api/');

for (const { area, path, heading } of [
  { area: 'page', path: '/users/1', heading: /./ },
  { area: 'list', path: '/groups', heading: 'Groups' },
  { area: 'grid', path: '/entries/Company', heading: 'Companies' },
])
  test(`a ${area} without an answer says so, offers a retry and gives up`, async ({ page, pageErrors }) => {
    pageErrors.allow(NO_ANSWER);
    await page.clock.install();
    await openAs(page, ada, '/settings');
    await expect(pageHeading(page)).toBeVisible();
    const countCalls = await hang(page, isApi);
    // Follows a link without loading the document again.
    await page.evaluate((to) => history.pushState({}, '', to), path);
    await expect.poll(countCalls).toBeGreaterThan(0);
    await page.clock.fastForward(7000);
    await expect(notice(page)).toBeVisible();
    await expectAccessible(page);

    const before = countCalls();
    const retry = messages(page).getByRole('button', { name: 'Retry' });
    await retry.focus();
    await page.keyboard.press('Enter');
    await expect.poll(countCalls).toBeGreaterThan(before);
    // The button keeps the focus while it is pending.
    await expect(retry).toHaveAttribute('aria-busy', 'true');
    await expect(retry).toBeFocused();

    await page.clock.fastForward(31_000);
    const failure = page.getByRole('alert').filter({ hasText: NO_ANSWER }).first();
    await expect(failure).toBeVisible();
    await expect(notice(page)).toHaveCount(0);
    await expect(page.locator('#main:focus, #main :focus')).toHaveCount(1);
    await expectAccessible(page);
    await page.unroute(isApi);
    await failure.getByRole('button', { name: 'Try again' }).click();
    await expect(failure).toHaveCount(0);
    await expect(pageHeading(page)).toHaveText(heading);
  });

test('the list of users, which a worker reads, says so too', async ({ page }) => {
  await openAs(page, ada, '/settings');
  await expect(pageHeading(page)).toBeVisible();
  const countCalls = await hang(page, ({ pathname }) => /\/management\/(user|userLicense)$/.test(pathname));
  await page.goto('/users');
  await expect.poll(countCalls).toBeGreaterThan(0);
  // The clock of a worker cannot be moved.
  await expect(notice(page)).toBeVisible();
  const before = countCalls();
  await messages(page).getByRole('button', { name: 'Retry' }).click();
  await expect.poll(countCalls).toBeGreaterThan(before);
});

test('a change without an answer is not sent again, and its result is called unknown', async ({
  page,
  calls,
}) => {
  const person = await calls.createUser({ firstName: 'Una', lastName: 'Nswered' });
  await page.clock.install();
  await openAs(page, ada, `/users/${person.id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const card = page.getByRole('region', { name: 'Profile', exact: true });
  await fillForm(card, { 'First name': 'Ulla' });
  const countCalls = await hang(page, ({ pathname }) => pathname.endsWith('/management/user'), 'PUT');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect.poll(countCalls).toBe(1);
  await page.clock.fastForward(7000);
  await expect(notice(page)).toBeVisible();
  await expect(messages(page)).toContainText('The request was sent and is not repeated.');
  await expect(messages(page).getByRole('button', { name: 'Retry' })).toHaveCount(0);
  await expectAccessible(page);
  await page.clock.fastForward(24_000);
  await expect(page.getByRole('alert')).toContainText(`${NO_ANSWER}. It is unknown whether it took effect`);
  await expect(notice(page)).toHaveCount(0);
  expect(countCalls()).toBe(1);
});

test('failed work that cannot be read is not taken for work that succeeded', async ({ page, pageErrors }) => {
  pageErrors.allow(NO_ANSWER);
  await page.clock.install();
  const countCalls = await hang(page, ({ pathname }) =>
    pathname.endsWith('/api/rest/v1/management/settings/backgroundwork'),
  );
  await openAs(page, ada, '/settings');
  await expect.poll(countCalls).toBeGreaterThan(0);
  await page.clock.fastForward(31_000);
  const failure = page.getByText('The state of the background work could not be loaded');
  await expect(failure).toBeVisible();
  await expectAccessible(page);
});

test.describe('the first load', () => {
  test.use({ installation: { sample: false, administrator: ada } });

  test('has the navigation once the session is read, so that a page without an answer can be left', async ({
    page,
  }) => {
    await openAs(page, ada, '/settings');
    await expect(pageHeading(page)).toBeVisible();
    const readSession = await holdRequests(page, ({ pathname }) => pathname === '/console/api/session');
    const countCalls = await hang(page, ({ pathname }) => pathname.endsWith('/schema/entrytypes'));
    await page.goto('/changes');
    const navigation = page.getByRole('navigation', { name: 'Areas' });
    // The frame is there, and nobody knows yet what the user may open.
    await expect(page.getByRole('main')).toBeVisible();
    await expect(navigation).toBeHidden();
    readSession();
    await expect.poll(countCalls).toBeGreaterThan(0);
    await navigation.getByRole('link', { name: 'Groups' }).click();
    await expect(pageHeading(page)).toHaveText('Groups');
  });
});
