/** Publications: topics, live tail, consumers, destinations, and a change beside its message. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import type {
  ApiKeySecret,
  EntryTypeVm,
  OwnApiKey,
  PublicationEvent,
} from '../../contract/generated/types.gen.ts';
import { expectAccessible, expectRow, expectToast, holdRequests, signIn } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { checkPageAtWidths, expectFits, setWidth } from '../support/checks/page-checks.ts';
import { SERVICE_DOWN } from '../support/checks/page-errors.ts';
import { createEntryType, DATA, SCHEMA } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

const PUBLICATION = '/api/rest/v1/publication';
const grid = (page: Page, name: string): Locator => page.getByRole('grid', { name });
const main = (page: Page): Locator => page.getByRole('main');

/** Chooses an action, whose hint is part of its name, from the menu of a row. */
async function chooseAction(row: Locator, action: RegExp): Promise<void> {
  await row.getByRole('button', { name: /^actions/i }).click();
  await row.page().getByRole('menuitem', { name: action }).click();
}

async function checkWidths(page: Page): Promise<void> {
  await checkPageAtWidths(page);
  await setWidth(page, 1280);
}

/** Opens the tail with the events of one entry type: the tests share the service. */
async function openTail(page: Page, type: string): Promise<Locator> {
  const { id } = (await sendRequest(page.request, 'GET', `${SCHEMA}/${type}`)) as EntryTypeVm;
  await page.goto(`/publications/tail?type=${id}`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  return grid(page, 'Events');
}

const getSizeCells = (events: Locator): Locator =>
  events.getByRole('gridcell', { name: 'Size', exact: true });

const setSize = (page: Page, type: string, { first, size }: { first: number; size: number }, value: number) =>
  sendRequest(page.request, 'PUT', `${DATA}/${type}`, {
    storeRequests: [{ entryId: first, fieldId: size, value }],
  });

/** Turns on a new API key of the user of the page, and returns a function that polls with it. */
async function createPoller(page: Page, url: string) {
  const path = '/api/session/apikey';
  const { apiKey } = (await sendRequest(page.request, 'GET', path)) as OwnApiKey;
  if (apiKey) await sendRequest(page.request, 'DELETE', path);
  const { clientId, clientSecret } = (await sendRequest(page.request, 'POST', path, {
    scopes: ['publish'],
    expiresInDays: null,
  })) as ApiKeySecret;
  const token = await page.request.post(`${url}/api/rest/v1/oauth/token`, {
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    form: { grant_type: 'client_credentials', scope: 'publish' },
  });
  const { access_token: bearer } = (await token.json()) as { access_token: string };
  const post = async (operation: string, data: unknown) => {
    const answer = await page.request.post(`${url}${PUBLICATION}/${operation}`, {
      headers: { authorization: `Bearer ${bearer}` },
      data,
    });
    return answer.status() === 204 ? [] : ((await answer.json()) as PublicationEvent[]);
  };
  return {
    clientId,
    poll: (topic: string) => post('poll', { topics: [topic], timeOut: 0 }),
    acknowledge: (name: string, offset: number) => post('acknowledge', [{ name, offset }]),
  };
}

test('a topic is rehearsed, created, shown, edited and deleted', async ({ page, service }) => {
  await openAs(page, ada);
  const entries = await createEntryType(page, 'Ship');
  await setSize(page, 'Ship', entries, 7);
  await page.goto('/publications');
  const topics = page.getByRole('table', { name: 'Topics' });
  await expect(topics.getByRole('row', { name: 'default-data' })).toContainText('No consumers');

  await page.getByRole('link', { name: 'New topic' }).click();
  await page.getByRole('button', { name: 'Create topic' }).click();
  await expect(page.getByText('Enter a name')).toBeVisible();
  await expect(page.getByText('Choose at least one entry type or field')).toBeVisible();
  await page.getByLabel('Search fields').fill('size');
  await page.getByRole('checkbox', { name: 'Size' }).check();
  const rehearsal = page.getByRole('region', { name: 'What it would have streamed' });
  // One message for the two created entries, and one for the changed value.
  await expect(rehearsal).toContainText('2 of 2 events of default-data');
  await rehearsal.getByText('Hafen').first().click();
  await expect(rehearsal.getByRole('region', { name: 'sample message' }).first()).toContainText('"Size": 7');
  await checkWidths(page);
  // The service refuses the name; what was typed and chosen is kept.
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('default-ships');
  await page.getByRole('button', { name: 'Create topic' }).click();
  await expect(page.getByText('are those of default topics')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ships');
  await page.getByRole('button', { name: 'Create topic' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'ships' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Ships' })).toContainText('1 of 4 fields');

  await setSize(page, 'Ship', entries, 8);
  await page.getByRole('link', { name: 'Messages' }).click();
  await main(page).getByText('Hafen', { exact: true }).click();
  await expect(page.getByRole('region', { name: 'Message 0' })).toContainText('"Size": 8');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Schema' }).click();
  const schema = page.getByRole('region', { name: 'JSON Schema', exact: true });
  await expect(schema).toContainText('"Size"');
  // Before the type had its field.
  await page.getByRole('button', { name: /Version of the schema/ }).click();
  await page.getByRole('option').nth(1).click();
  await expect(schema).not.toContainText('"Size"');
  await page.getByRole('link', { name: 'Read it' }).click();
  await expect(page.getByRole('region', { name: 'consumer', exact: true })).toContainText('TOPIC = "ships"');
  await checkWidths(page);

  const { poll, acknowledge, clientId } = await createPoller(page, service.url);
  expect(await poll('ships')).toHaveLength(1);
  await acknowledge('ships', 0);
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByRole('region', { name: 'Who sees the change' })).toContainText(
    new RegExp(`1 consumer reads it: .+, key ${clientId}\\.`),
  );
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('vessels');
  await page.getByRole('button', { name: 'Save topic' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'vessels' })).toBeVisible();
  await main(page).getByRole('button', { name: 'Actions for vessels' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByLabel(/Type “vessels”/).fill('vessels');
  await page.getByRole('button', { name: 'Delete topic' }).click();
  await expectToast(page, 'The topic vessels was deleted');
  await expect(topics.getByRole('row', { name: 'vessels' })).toHaveCount(0);
});

test('the live tail shows differences, filters, pauses, and continues after a lost connection', async ({
  page,
  service,
  calls,
  pageErrors,
}) => {
  const stranger = await calls.createUser({ firstName: 'Nobuko', lastName: 'Weber' });
  pageErrors.allow(SERVICE_DOWN, 502, 503, 'incomplete chunked', 'ERR_INCOMPLETE_CHUNKED_ENCODING');
  await openAs(page, ada);
  const entries = await createEntryType(page, 'Crane');
  const events = await openTail(page, 'Crane');
  await setSize(page, 'Crane', entries, 50);
  const row = await expectRow(events, { 'Entry and author': 'Hafen', Changed: /^\s*Size/ });
  await row.getByRole('button').click();
  const details = page.getByRole('complementary', { name: 'Event' });
  await expect(details.locator('del')).toHaveText('1');
  await expect(details.locator('ins')).toHaveText('50');
  await checkPageAtWidths(page);
  // On a phone the details cover the events.
  await setWidth(page, 390);
  await page.getByRole('button', { name: 'Close' }).click();
  await setWidth(page, 1280);

  await page.getByRole('button', { name: 'Kind filter' }).click();
  await page.getByRole('checkbox', { name: /^Created/ }).check();
  await page.keyboard.press('Escape');
  await expect(getSizeCells(events)).toHaveCount(0);
  await expect(page).toHaveURL(/kind=created/);
  await page.getByRole('button', { name: 'Clear Kind filter' }).click();
  await page.getByRole('button', { name: 'Only through a proxy' }).click();
  await expect(page.getByText('Nothing matches')).toBeVisible();
  await page.getByRole('button', { name: 'Only through a proxy' }).click();
  const chooseAuthor = async (name: string) => {
    await page.getByRole('button', { name: 'Author filter' }).click();
    await page.getByRole('combobox', { name: 'Author' }).fill(name);
    await page.getByRole('option', { name }).click();
  };
  await chooseAuthor(stranger.name);
  await expect(page.getByText('Nothing matches')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`by=${stranger.id}`));
  await page.getByRole('button', { name: 'Clear Author filter' }).click();
  await expect(getSizeCells(events)).toHaveCount(1);
  await chooseAuthor('First Administrator');
  await expect(page.getByRole('button', { name: 'Author: First Administrator filter' })).toBeVisible();
  await expect(getSizeCells(events)).toHaveCount(1);
  await page.getByRole('button', { name: 'Clear Author filter' }).click();

  await page.getByRole('button', { name: 'Pause' }).click();
  await setSize(page, 'Crane', entries, 60);
  await expect(page.getByText('Paused, 1 new event')).toBeVisible({ timeout: 10_000 });
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(getSizeCells(events)).toHaveCount(2);

  await service.stop();
  await expect(page.getByText('The connection was lost.')).toBeVisible();
  await service.start();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await setSize(page, 'Crane', entries, 70);
  await expect(getSizeCells(events)).toHaveCount(3);
  await expect(page.getByText('Offsets without gaps, in order')).toBeVisible();
});

test('a consumer is listed with its lag and moved after a preview', async ({ page, service }) => {
  await openAs(page, ada);
  const entries = await createEntryType(page, 'Berth');
  for (const value of [5, 6, 7]) await setSize(page, 'Berth', entries, value);
  const { poll, acknowledge, clientId } = await createPoller(page, service.url);
  const events = await poll('default-data');
  const end = (events.at(-1)?.topicOffset ?? 0) + 1;
  await acknowledge('default-data', end - 1);
  await page.goto('/publications');
  await expect(page.getByRole('row', { name: `key ${clientId}` })).toContainText('Catching up');
  await page.getByRole('link', { name: 'Consumers' }).click();
  const row = await expectRow(grid(page, 'Consumers'), { Topic: 'default-data', Unread: '1' });
  await checkWidths(page);
  await chooseAction(row, /^Move…/);
  const panel = page.getByRole('dialog');
  await panel.getByText('At an offset').click();
  await panel.getByLabel('Offset of the next event').fill('999999');
  await panel.getByRole('button', { name: 'Move consumer' }).click();
  await expect(panel.getByText(/Enter an offset from 0 to/)).toBeVisible();
  await panel.getByLabel('Offset of the next event').fill(String(end - 3));
  await expect(panel.getByRole('region', { name: 'Preview' })).toContainText(
    '2 events that it has acknowledged come again. 3 events are then unread.',
  );
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await panel.getByRole('button', { name: 'Move consumer' }).click();
  await expectToast(page, 'continues at offset');
  await expectRow(grid(page, 'Consumers'), { Topic: 'default-data', Unread: '3' });
  expect((await poll('default-data')).map(({ topicOffset }) => topicOffset)).toEqual([
    end - 3,
    end - 2,
    end - 1,
  ]);
});

test('a destination shows its key once, its attempts and its health', async ({ page, expectFailure }) => {
  expectFailure(500);
  // A port that refuses connections: a server that was closed.
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await openAs(page, ada);
  const entries = await createEntryType(page, 'Depot');
  await page.goto('/publications/destinations');
  await page.getByRole('button', { name: 'New destination' }).first().click();
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Create destination' }).click();
  await expect(panel.getByText('Choose a topic', { exact: true }).last()).toBeVisible();
  await expect(panel.getByText('Enter an address')).toBeVisible();
  await panel.getByLabel('Topic').click();
  await page.getByRole('option', { name: 'default-data' }).click();
  // A destination of NATS has no key to show.
  await panel.getByText('NATS JetStream', { exact: true }).click();
  await panel.getByLabel('Name').fill('Bus');
  await panel.getByLabel('Address').fill(`tls://127.0.0.1:${port}`);
  await panel.getByLabel('Subject').fill('steward.depots');
  await panel.getByLabel('Sign-in').click();
  await page.getByRole('option', { name: 'Token' }).click();
  await panel.getByRole('textbox', { name: 'Token' }).fill('t0ken');
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Create destination' }).click();
  await page.getByRole('link', { name: 'Bus' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Bus' })).toBeVisible();
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect(panel.getByLabel('Sign-in')).toContainText('Keep the stored credentials');
  await panel.getByLabel('Subject').fill('steward.other');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(main(page).getByText('steward.other')).toBeVisible();
  await main(page).getByRole('button', { name: 'Actions for Bus' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete destination' }).click();

  await page.getByRole('button', { name: 'New destination' }).first().click();
  await panel.getByLabel('Topic').click();
  await page.getByRole('option', { name: 'default-data' }).click();
  await panel.getByLabel('Name').fill('Warehouse');
  await panel.getByLabel('Address').fill(`https://127.0.0.1:${port}/steward`);
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Create destination' }).click();
  const secret = page.getByRole('alertdialog');
  await expect(secret.getByLabel('Signing key')).toHaveText(/^whsec_/);
  const discard = page.getByRole('alertdialog', { name: 'Discard changes?' });
  const uncopied = page.getByRole('alertdialog', { name: /without copying/ });
  await page.goBack();
  await uncopied.getByRole('button', { name: 'Back to the key' }).click();
  await expect(secret.getByLabel('Signing key')).toBeVisible();
  await secret.getByRole('button', { name: 'Close' }).click();
  await uncopied.getByRole('button', { name: 'Close' }).click();

  await setSize(page, 'Depot', entries, 9);
  const attempts = grid(page, 'Attempts');
  await expect(page.getByText(/attempt in a row failed|attempts in a row failed/)).toBeVisible();
  const attempt = attempts.getByRole('row').filter({ hasText: 'No response' }).first();
  await expect(attempt).toContainText(`https://127.0.0.1:${port}/steward`);
  await page.getByRole('button', { name: 'Try now' }).click();
  await expectToast(page, 'being sent to Warehouse');
  const countFailed = () => attempts.getByRole('row').filter({ hasText: 'No response' }).count();
  // Attempts that nobody asks for come after 5, 20 and 80 seconds, so that the last one here is the button's.
  for (const _ of ['third', 'fourth', 'fifth']) {
    const before = await countFailed();
    await page.getByRole('button', { name: 'Try now' }).click();
    await expect.poll(countFailed).toBeGreaterThan(before);
  }
  await chooseAction(attempt, /^Send again/);
  await expectToast(page, 'was not delivered');
  await page.getByRole('button', { name: 'Send again since…' }).click();
  const preview = panel.getByRole('region', { name: 'Preview' });
  // A text that a browser reads as a date of 2001.
  await panel.getByLabel('Since').fill('7');
  await expect(preview).toContainText('Enter a time to see how many events are sent.');
  const events = /\/events\?since=/;
  await page.route(events, (route) =>
    route.fulfill({ status: 500, json: { message: 'The reading failed', requestId: 'failing' } }),
  );
  await panel.getByLabel('Since').fill('2019-01-01T00:00');
  await expect(preview).toContainText('The reading failed');
  await page.unroute(events);
  await panel.getByLabel('Since').fill('2020-01-01T00:00');
  await expect(preview).toContainText('delivered before');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await discard.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await panel.getByLabel('Name').fill('Archive');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await discard.getByRole('button', { name: 'Keep editing' }).click();
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Archive' })).toBeVisible();
  await main(page).getByRole('button', { name: 'Actions for Archive' }).click();
  await page.getByRole('menuitem', { name: 'Switch off' }).click();
  await expect(page.getByText('Archive is switched off', { exact: true }).first()).toBeVisible();
  await main(page).getByRole('button', { name: 'Actions for Archive' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete destination' }).click();
  await expect(page.getByText('No destinations yet')).toBeVisible();
});

test('the name and address of a destination break on a phone', async ({ page }) => {
  await openAs(page, ada);
  const topics = (await sendRequest(page.request, 'GET', `${PUBLICATION}/topicdefinitions`)) as {
    id: number;
    name: string;
  }[];
  const topicId = topics.find(({ name }) => name === 'default-schema')?.id;
  const [name, url] = ['W'.repeat(100), `https://127.0.0.1/${'x'.repeat(200)}`];
  const body = { topicId, name, url };
  const { id } = (await sendRequest(page.request, 'POST', `${PUBLICATION}/destinations`, body)) as {
    id: number;
  };
  await setWidth(page, 390);
  const getRight = (text: string) =>
    main(page)
      .getByText(text)
      .last()
      .evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().right;
      });
  await page.goto(`/publications/destinations/${id}`);
  await expect.poll(() => getRight(url)).toBeLessThanOrEqual(390);
  await page.goto(`/publications/topics/${topicId}`);
  await expect.poll(() => getRight(name)).toBeLessThanOrEqual(390);
  await sendRequest(page.request, 'DELETE', `${PUBLICATION}/destinations/${id}`);
});

test('a change stands beside its history row and its message, from each of the three', async ({
  page,
  calls,
}) => {
  await openAs(page, ada);
  const entries = await createEntryType(page, 'Quay');
  await setSize(page, 'Quay', entries, 33);
  const events = await openTail(page, 'Quay');
  const row = await expectRow(events, { 'Entry and author': 'Hafen', Changed: /^\s*Size/ });
  await row.getByRole('button').click();
  await page.getByRole('link', { name: 'See the change' }).click();
  const history = page.getByRole('region', { name: 'History row' });
  await expect(history.locator('del')).toHaveText('1');
  await expect(history.locator('ins')).toHaveText('33');
  await expect(page.getByRole('region', { name: 'Message', exact: true }).first()).toContainText(
    '"value": 33',
  );
  await checkWidths(page);
  await expectFits(page);

  // From the row of the audit log of a user.
  const person = await calls.createUser({ lastName: 'Brandt' });
  await calls.call('PUT', '/user', { id: person.id, lastName: 'Lund' });
  await page.goto(`/users/${person.id}/activity?view=to`);
  await page.getByRole('link', { name: 'Message' }).first().click();
  const audit = page.getByRole('region', { name: /^Audit row/ });
  await expect(audit.locator('del')).toHaveText('Brandt');
  await expect(page.getByRole('region', { name: 'Change' })).toContainText('Lund');

  // From the history of the entry.
  await page.goto(`/entries/Quay/${entries.first}`);
  await page.getByRole('link', { name: 'Message' }).first().click();
  await expect(history.locator('ins')).toHaveText('33');
});

test('a message that is far behind the time of its change is not said to be missing', async ({ page }) => {
  await openAs(page, ada);
  const entries = await createEntryType(page, 'Mole');
  await setSize(page, 'Mole', entries, 5);
  await page.goto(`/entries/Mole/${entries.first}`);
  const link = page.getByRole('link', { name: 'Message' }).first();
  await expect(link).toBeVisible();
  // Every page of the topic is full of other entries, as after a change of very many.
  await page.route(/\/topicdefinitions\/\d+\/events\?/, async (route) => {
    const response = await route.fetch();
    const [event] = (await response.json()) as PublicationEvent[];
    const from = Number(new URL(route.request().url()).searchParams.get('from') ?? 1000);
    const others = Array.from({ length: 100 }, (_, at) => ({
      ...event,
      eventId: `other ${from + at}`,
      topicOffset: from + at,
      payload: {},
    }));
    await route.fulfill({ response, json: others });
  });
  await link.click();
  await expect(main(page)).toContainText('Not among 1,000 events');
  await expect(page.getByRole('link', { name: 'Show the events after them' })).toHaveAttribute(
    'href',
    /from=2000/,
  );
  await expectAccessible(page);
});

test('readings that fail are not shown as nothing', async ({ page, expectFailure }) => {
  expectFailure(500);
  await openAs(page, ada);
  const fail = (matches: RegExp) =>
    page.route(matches, (route) =>
      route.fulfill({ status: 500, json: { message: 'The reading failed', requestId: 'failing' } }),
    );
  const [consumers, events, topics] = [/\/consumers(\?|$)/, /\/events\?/, /\/topicdefinitions(\?|$)/];
  await fail(consumers);
  await page.goto('/publications');
  await expect(page.getByText('Some figures could not be loaded')).toBeVisible();
  await page.getByRole('link', { name: 'default-data' }).click();
  await expect(page.getByRole('region', { name: 'Consumers' })).toContainText('They could not be loaded.');
  await page.unroute(consumers);

  await fail(events);
  await page.goto('/publications/tail');
  await expect(page.getByRole('heading', { name: 'Events could not be loaded' })).toBeVisible();
  await expect(page.getByText('No events yet', { exact: true })).toHaveCount(0);
  await page.unroute(events);
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Events could not be loaded' })).toHaveCount(0);

  await fail(topics);
  await page.goto('/publications/message?topic=default-data&offset=0');
  await expect(page.getByRole('heading', { name: 'The event could not be loaded' })).toBeVisible();
});

test('the tail continues after signing in again in another tab', async ({ page, context, expectFailure }) => {
  expectFailure(401);
  await openAs(page, ada);
  const events = /\/events\?/;
  await page.route(events, (route) => route.fulfill({ status: 401 }));
  await page.goto('/publications/tail');
  const dialog = page.getByRole('alertdialog', { name: 'Sign in again to continue' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Your session has ended.').first()).toBeVisible();
  await page.unroute(events);
  const second = await context.newPage();
  await signIn(second, ada);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(page.getByText('Your session has ended.')).toHaveCount(0);
});

test('the tail starts at an offset with Enter, and says that a text is no time', async ({ page }) => {
  await openAs(page, ada, '/publications/tail');
  await page.getByRole('button', { name: /Start/ }).click();
  await page.getByLabel('Since').fill('no time');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter a date and time, or an offset only')).toBeVisible();
  await page.getByLabel('Since').fill('');
  await page.getByLabel('or at offset').fill('0');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from=0/);
});

test('the size of a topic a day is that of the period it was read for', async ({ page }) => {
  await openAs(page, ada);
  const entries = await createEntryType(page, 'Basin');
  await setSize(page, 'Basin', entries, 4);
  await page.goto('/publications/topics/new');
  await page.getByRole('checkbox', { name: 'All fields of Basins' }).check();
  const rehearsal = page.getByRole('region', { name: 'What it would have streamed' });
  await expect(rehearsal).toContainText('a day');
  const release = await holdRequests(page, /rehearsal\?hours=1$/);
  await rehearsal.getByText('1 hour', { exact: true }).click();
  await expect(rehearsal.locator('[aria-busy="true"]')).toContainText('a day');
  release();
  await expect(rehearsal).not.toContainText('a day');
});
