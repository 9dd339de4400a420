/** Imports of e-mails: closing the tab, warnings as a file, the shared limit, and the steps that cannot be undone. */
import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { ImportResult, RelationshipUserPage } from '../../contract/generated/types.gen.ts';
import { expectAccessible, expectRow, holdRequests } from '../support/actions.ts';
import { type ApiCalls, openAs, sendRequest } from '../support/calls.ts';
import { checkPageAtWidths, setWidth } from '../support/checks/page-checks.ts';
import { callApi } from '../support/data/entries.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

const RI = '/api/rest/v4/ri';
const HOUR_MS = 3_600_000;

interface Mail {
  id: string;
  from: string;
  to: string;
  hoursAgo?: number;
}

const getDate = ({ hoursAgo = 1 }: Mail): Date => new Date(Date.now() - hoursAgo * HOUR_MS);

/** E-mails as the API takes them. */
const toEmails = (mails: readonly Mail[]) =>
  mails.map((mail) => ({
    uniqueId: mail.id,
    sentDate: getDate(mail).toISOString(),
    modifiedDate: getDate(mail).toISOString(),
    sender: { address: mail.from, name: mail.from },
    recipientsTo: [{ address: mail.to, name: mail.to }],
  }));

/** The same as a file of JSON, as programs write it. */
const toFile = (userId: number, mails: readonly Mail[]): Buffer =>
  Buffer.from(JSON.stringify([{ userId, handlerType: 1, emails: toEmails(mails) }]));

const importMails = (page: Page, userId: number, mails: readonly Mail[]): Promise<ImportResult[]> =>
  callApi(page, 'POST', '/ri/import/emails', [{ userId, handlerType: 1, emails: toEmails(mails) }]);

/** Opens the console with a site that takes imports of a new user. */
async function openReadySite(page: Page, calls: ApiCalls, lastName: string) {
  const person = await calls.createUser({ firstName: 'Rania', lastName });
  await openAs(page, ada);
  await callApi(page, 'PUT', '/ri/settings', {
    connectionType: 'API Endpoint',
    isEnabled: true,
    emailRelationships: true,
    collectRelationshipData: true,
  });
  await sendRequest(page.request, 'PUT', `${RI}/users`, { isEnabled: true, userIds: [person.id] });
  const listEnabled = async () => {
    const { users } = await callApi<RelationshipUserPage>(page, 'GET', '/ri/users?isEnabled=true');
    return users.map(({ userId }) => userId);
  };
  await expect.poll(listEnabled).toContain(person.id);
  return person;
}

test('an import goes on when its tab is closed; its warnings are a file, and the limit and the month are shown', async ({
  page,
  elsewhere,
  calls,
}) => {
  const person = await openReadySite(page, calls, 'Haddad');
  await callApi(page, 'POST', '/ri/exclusions', { value: 'private.example' });
  await page.goto('/imports');
  await page.getByLabel('choose files').setInputFiles({
    name: 'mails.json',
    mimeType: 'application/json',
    buffer: toFile(person.id, [
      { id: 'one', from: person.email, to: 'jo@outside.example', hoursAgo: 2 },
      { id: 'two', from: person.email, to: 'kim@private.example' },
    ]),
  });
  await page.getByRole('button', { name: 'Start import' }).click();
  await page.waitForURL(/\/jobs\/\d+/);
  await page.close();

  await openAs(elsewhere, ada, '/imports');
  const state = elsewhere.getByRole('complementary', { name: 'State of imports' });
  await expect(state.getByRole('heading', { name: /closes$/ })).toBeVisible();
  await expect(state).toContainText(/\d+ (d|h|min).* left/);
  await importMails(elsewhere, person.id, [{ id: 'api', from: person.email, to: 'jo@outside.example' }]);
  await elsewhere.reload();
  await expect(state.getByText(/^[1-5] of 5$/)).toBeVisible();
  await expect(state).toContainText('Programs and people share the limit.');

  await elsewhere.getByRole('link', { name: 'Runs' }).click();
  const run = await expectRow(elsewhere.getByRole('grid', { name: 'Runs' }), { Outcome: '1 skipped' });
  await run.getByRole('button', { name: /^E-mails \d+$/ }).click();
  const { name, bytes } = await downloadBytes(elsewhere, () =>
    elsewhere.getByRole('button', { name: 'Warnings of 1 person as a file' }).click(),
  );
  expect(name).toMatch(/^import-\d+-warnings\.csv$/);
  expect(bytes.toString('utf8')).toContain(
    `${person.id},"EXCLUDED","two",1,"An address of the item is excluded"`,
  );
});

test('typed settings are checked with a sentence, an ended history stays ended, and an erasure is proven', async ({
  page,
  calls,
}) => {
  const person = await openReadySite(page, calls, 'Aziz');
  await importMails(page, person.id, [{ id: 'gone', from: person.email, to: 'gone@outside.example' }]);
  await page.goto('/imports/settings');
  await page.getByLabel('Address or domain').fill('example');
  await page.getByRole('button', { name: 'Try on the last 90 days' }).click();
  await expect(
    page.getByText(
      'Enter an address such as ann@example.com, or a domain with its ending, such as example.com',
    ),
  ).toBeVisible();
  await page.getByLabel('Internal domains').fill('inside.example example');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('example is no domain.')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Internal domains').fill('inside.example');
  const dialog = page.getByRole('alertdialog');
  const meetings = page.getByRole('switch', { name: 'Meeting Relationships' });
  await meetings.click();
  await expect(meetings).toBeChecked();
  await page.getByRole('link', { name: 'Status' }).click();
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await expect(page.getByLabel('Internal domains')).toHaveValue('inside.example');
  // The button moves when the message goes.
  await expect(page.getByText('example is no domain.')).toBeHidden();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Settings saved')).toBeVisible();
  await page.getByRole('link', { name: 'Status' }).click();
  await expect(page).toHaveURL('/imports/status');
  await page.goBack();
  await expect(page.getByLabel('Internal domains')).toHaveValue('inside.example');

  await page.getByRole('button', { name: 'End historical upload' }).click();
  await expect(dialog).toContainText('Items before the previous month are skipped');
  await dialog.getByRole('textbox').fill('End historical upload');
  await dialog.getByRole('button', { name: 'End historical upload' }).click();
  await expect(page.getByText('The historical upload of all enabled people is complete')).toBeVisible();
  await expect(page.getByRole('button', { name: 'End historical upload' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  const old = { id: 'old', from: person.email, to: 'jo@outside.example', hoursAgo: 24 * 100 };
  const [result] = await importMails(page, person.id, [old]);
  expect([result?.operationStats.skipped, result?.warnings[0]?.code]).toEqual([1, 'HISTORY_CLOSED']);

  await page.getByLabel('E-mail address').fill('gone@outside.example');
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  await expect(dialog).toContainText('is removed from all e-mails, meetings and relationships');
  await dialog.getByRole('textbox').fill('gone@outside.example');
  await dialog.getByRole('button', { name: 'Erase' }).click();
  await expect(page.getByText('1 item and 1 relationship erased')).toBeVisible();
  await expect(page.getByText(/Found afterwards: 0\. Proof [0-9a-f]{64}/)).toBeVisible();
});

test('who may change the settings but not read relationships sees them in numbers', async ({
  page,
  calls,
}) => {
  const person = await openReadySite(page, calls, 'Haddad');
  await importMails(page, person.id, [
    { id: 'first', from: person.email, to: 'jo@elsewhere.example', hoursAgo: 2 },
    { id: 'second', from: person.email, to: 'kim@elsewhere.example' },
  ]);
  const groupId = await calls.createGroup('Support', ['Manage Settings', 'Read Data']);
  const supporter = await calls.createUser({ groups: [groupId] });
  await openAs(page, supporter, '/imports/relationships');
  await expect(
    page.getByText(
      'You need the Access 4. Relationship Intelligence capability to see the contacts and their scores.',
    ),
  ).toBeVisible();
  const numbers = page.getByRole('grid', { name: 'Numbers of relationships' });
  await expectRow(numbers, { Person: person.name, Contacts: '2', Sent: '2', Received: '0', Meetings: '0' });
  await expect(page.getByText('elsewhere.example')).toHaveCount(0);
  await page.getByLabel('Search people').fill('nobody');
  await expect(numbers.getByText(person.name)).toHaveCount(0);
  await expectAccessible(page);
  await checkPageAtWidths(page);
  await setWidth(page, 1280);
  await page
    .getByRole('navigation', { name: 'Imports' })
    .getByRole('link', { name: 'Settings', exact: true })
    .click();
  await page.getByLabel('Address or domain').fill('elsewhere.example');
  await page.getByRole('button', { name: 'Try on the last 90 days' }).click();
  await expect(page.getByText(/it would have skipped 2 of \d+ e-mails/)).toBeVisible();
  await expect(page.getByText('jo@elsewhere.example')).toHaveCount(0);
});

test('erasures that could not be read are not shown as none', async ({ page, calls, expectFailure }) => {
  expectFailure(500);
  await openReadySite(page, calls, 'Nouri');
  await page.route('**/ri/erasures', (route) =>
    route.fulfill({ status: 500, json: { message: 'The reading failed', requestId: 'failing' } }),
  );
  await page.goto('/imports/settings');
  await expect(page.getByRole('region', { name: 'Erase a person' })).toContainText('The reading failed');
});

test('an exclusion is removed once', async ({ page, calls }) => {
  await openReadySite(page, calls, 'Saleh');
  await callApi(page, 'POST', '/ri/exclusions', { value: 'once.example' });
  await page.goto('/imports/settings');
  const release = await holdRequests(page, '**/ri/exclusions/*');
  const remove = page.getByRole('button', { name: 'Remove once.example' });
  await remove.click();
  await expect(remove).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(remove).toHaveCount(0);
});

test('a planner that stops while an import starts is named, and its files can be read again', async ({
  page,
  calls,
}) => {
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    window.Worker = class extends Worker {
      constructor(...options: ConstructorParameters<typeof Worker>) {
        super(...options);
        workers.push(this);
      }
    };
    window.addEventListener('stop-workers', () => {
      for (const worker of workers) worker.terminate();
    });
    window.addEventListener('fail-workers', () => {
      for (const worker of workers.splice(0))
        worker.dispatchEvent(new ErrorEvent('error', { message: 'Out of memory' }));
    });
  });
  const person = await openReadySite(page, calls, 'Nasser');
  await page.goto('/imports');
  const mails = [{ id: 'stopped', from: person.email, to: 'jo@outside.example' }];
  await page.getByLabel('choose files').setInputFiles({
    name: 'mails.json',
    mimeType: 'application/json',
    buffer: toFile(person.id, mails),
  });
  await expect(page.getByText('1 e-mail of 1 person')).toBeVisible();
  const start = page.getByRole('button', { name: 'Start import' });
  // The worker is gone before the browser reports it.
  await page.evaluate(() => window.dispatchEvent(new Event('stop-workers')));
  await start.click();
  await expect(page.getByRole('progressbar', { name: 'Upload' })).toBeVisible();
  await page.evaluate(() => window.dispatchEvent(new Event('fail-workers')));
  const alert = page.getByRole('alert').filter({ hasText: 'The plan was lost' });
  await expect(alert).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Upload' })).toBeHidden();
  await expect(start).toHaveAccessibleDescription('The plan was lost');
  await checkPageAtWidths(page);
  await setWidth(page, 1280);
  await expectAccessible(page);
  await alert.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('1 e-mail of 1 person')).toBeVisible();
  await expect(alert).toBeHidden();
  await start.click();
  await expect(page).toHaveURL(/\/jobs\/\d+$/);
});

test('a plan that failed or was left leaves nothing behind', async ({ page, calls }, testInfo) => {
  const person = await openReadySite(page, calls, 'Mansour');
  await page.goto('/imports');
  const files = page.getByLabel('choose files');
  const mails = Array.from({ length: 2 }, (_, at) => ({
    id: `kept ${at}`,
    from: person.email,
    to: 'jo@outside.example',
  }));
  const [good, changing] = [testInfo.outputPath('good.json'), testInfo.outputPath('changing.json')];
  for (const path of [good, changing]) await writeFile(path, toFile(person.id, mails));
  // The second file changes between its choice and its reading, which the browser then refuses.
  await page.evaluate(() =>
    window.addEventListener('change', (event) => event.stopImmediatePropagation(), {
      capture: true,
      once: true,
    }),
  );
  await files.setInputFiles([good, changing]);
  await writeFile(changing, 'changed');
  await files.dispatchEvent('change');
  await expect(page.getByText(/^The files could not be read/)).toBeVisible();
  await files.setInputFiles([good]);
  await expect(page.getByRole('region', { name: 'Files' }).getByRole('listitem').first()).toHaveText(
    '2found',
  );

  // An import of someone else does not end, so that the run asks again and again.
  let requestCount = 0;
  await page.route('**/ri/import/budget', async (route) => {
    requestCount += 1;
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), isImporting: true } });
  });
  await page.clock.install();
  await page.getByRole('button', { name: 'Try without storing' }).click();
  await expect(page.getByText('Waiting 2 s for the shared limit.')).toBeVisible();
  await page.getByRole('link', { name: 'Installation', exact: true }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page).toHaveURL('/installation');
  const before = requestCount;
  await page.clock.runFor(10_000);
  expect(requestCount).toBe(before);
});
