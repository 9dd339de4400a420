/** Lists follow the changes of others by the stream of positions; their data are read as before. */
import type { BrowserContext, Page } from '@playwright/test';
import { expectRow } from '../support/actions.ts';
import { createCalls, openAs, sendRequest } from '../support/calls.ts';
import { createEntryType, DATA } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

/** Far less than the interval at which the directory is read without the stream. */
const FOLLOWED = { timeout: 40_000 };
/** The stream is opened when the page has nothing to read. */
const FIRST_EVENT_MS = 60_000;
const users = (page: Page) => page.getByRole('grid', { name: 'Users' });

/** Addresses of the streams that pages of the context open. */
function watchStreams(context: BrowserContext) {
  const opened: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/publication/positions')) opened.push(request.url());
  });
  return opened;
}

test('the list of users follows the changes of others in all tabs with one stream', async ({
  page,
  context,
  calls,
}) => {
  const person = await calls.createUser({ firstName: 'Wilhelmina', lastName: 'Before' });
  const streams = watchStreams(context);
  const isOpen = () =>
    context.waitForEvent('response', {
      predicate: (response) => response.url().endsWith('/publication/positions'),
      timeout: FIRST_EVENT_MS,
    });
  const first = isOpen();
  await openAs(page, ada, '/users?q=wilhelmina');
  await expectRow(users(page), { Name: 'Wilhelmina Before' });
  expect((await first).status()).toBe(200);
  const other = await context.newPage();
  await other.goto('/users?q=wilhelmina');
  await expectRow(users(other), { Name: 'Wilhelmina Before' });

  await calls.call('PUT', '/user', { id: person.id, lastName: 'After' });
  for (const each of [page, other])
    await expect(users(each).getByRole('rowheader', { name: 'Wilhelmina After' })).toBeVisible(FOLLOWED);
  expect(streams).toHaveLength(1);

  // The other tab takes over, and hears of a removal, which no list of changed users tells.
  const second = isOpen();
  await page.close();
  expect((await second).status()).toBe(200);
  await calls.call('DELETE', `/user/${person.id}`);
  await expect(users(other).getByRole('rowheader', { name: 'Wilhelmina After' })).toHaveCount(0, FOLLOWED);
  expect(streams).toHaveLength(2);
});

test('rows show new values of others and do not move before the reader wants it', async ({
  page,
  browser,
  service,
}) => {
  await openAs(page, ada);
  const { size, first } = await createEntryType(page, 'Berth');
  const isOpen = page.waitForResponse((response) => response.url().endsWith('/publication/positions'), {
    timeout: FIRST_EVENT_MS,
  });
  await page.goto('/entries/Berth');
  const entries = page.getByRole('grid', { name: 'Berths' });
  await expect(entries.getByRole('rowheader', { name: 'Hafen' })).toBeVisible();
  expect((await isOpen).status()).toBe(200);
  const { request } = await browser.newContext({ baseURL: service.url });
  await createCalls(request, ada);
  await sendRequest(request, 'PUT', `${DATA}/Berth`, {
    storeRequests: [{ entryId: first, fieldId: size, value: 41 }],
  });
  await expect(entries.getByRole('gridcell', { name: '41', exact: true })).toBeVisible(FOLLOWED);
  await sendRequest(request, 'DELETE', `${DATA}/Berth`, [first]);
  const show = page.getByRole('button', { name: 'Show new rows' });
  await expect(show).toBeVisible(FOLLOWED);
  await expect(entries.getByRole('gridcell', { name: '41', exact: true })).toBeVisible();
  await show.click();
  await expect(entries.getByRole('gridcell', { name: '41', exact: true })).toHaveCount(0);
  await expect(show).toHaveCount(0);
});

test('somebody who may not read publications opens no stream', async ({ page, context, calls }) => {
  const person = await calls.createUser({ firstName: 'Rosalind', lastName: 'Reader' });
  const streams = watchStreams(context);
  await openAs(page, person, '/');
  await expect(page.getByRole('main')).toBeVisible();
  // A stream would be opened when nothing is being read.
  await page.waitForLoadState('networkidle');
  expect(streams).toEqual([]);
});
