/** Imports of e-mails and meetings: settings, planning, dry run, runs, status, relationships. */
import type { Locator, Page } from '@playwright/test';
import {
  chooseOption,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectRow,
  findSelect,
  holdRequests,
} from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { checkPageAtWidths, expectFits, setWidth } from '../support/checks/page-checks.ts';
import { callApi } from '../support/data/entries.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { endedJobBadge } from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

const sent = new Date(Date.now() - 3_600_000).toUTCString();

const mail = (id: string, from: string, to: string, date = sent) =>
  [
    'From x@example.com Sun Mar 01 08:00:00 2026',
    `From: ${from}`,
    `To: ${to}`,
    `Date: ${date}`,
    `Message-ID: <${id}@mail.example>`,
    '',
    'Text',
    '',
    '',
  ].join('\n');

const grid = (page: Page, name: string): Locator => page.getByRole('grid', { name });

async function chooseFiles(page: Page, name: string, text: string): Promise<void> {
  await page
    .getByLabel('choose files')
    .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
}

/** Checks both widths and themes, and goes on with the wide one. */
async function checkWidths(page: Page): Promise<void> {
  await checkPageAtWidths(page);
  await setWidth(page, 1280);
}

/** Turns on what imports need, as the checklist of the settings offers it. */
async function turnEverythingOn(page: Page): Promise<void> {
  for (const name of [
    'Connection type API Endpoint',
    'Relationship Intelligence',
    'Email Relationships',
    'Meeting Relationships',
    'Collect Relationship Data',
  ]) {
    await page.getByRole('switch', { name, exact: true }).click();
    await expect(page.getByRole('switch', { name, exact: true })).toBeChecked();
  }
}

async function enable(page: Page, name: string): Promise<void> {
  const users = page.getByRole('region', { name: 'Enabled users' });
  await users.getByRole('searchbox').fill(name);
  // The row moves when the search is applied: the heading and the person are left.
  await expect(grid(page, 'Users').getByRole('row')).toHaveCount(2);
  const row = await expectRow(grid(page, 'Users'), { Person: name, State: 'Not enabled' });
  await row.getByRole('checkbox').check();
  await users.getByRole('button', { name: 'Enable 1' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText(`${name} will be enabled.`);
  await dialog.getByRole('button', { name: 'Enable 1 person' }).click();
  await expectRow(grid(page, 'Users'), { Person: name, State: 'Enabled' });
}

test('sets up the site, imports a mailbox after a dry run, and shows run, status and relationships', async ({
  page,
  calls,
  pageErrors,
}) => {
  const person = await calls.createUser({ firstName: 'Rania', lastName: 'Haddad' });
  await openAs(page, ada);
  await callApi(page, 'POST', '/schema/entrytypes', {
    apiName: 'RiContact',
    singularName: 'Contact',
    pluralName: 'Contacts',
  });
  await callApi(page, 'POST', '/schema/entrytypes/RiContact/fields', {
    apiName: 'Email',
    name: 'E-mail',
    fieldType: 1,
  });
  await page.goto('/imports/settings');
  const checklist = page.getByRole('region', { name: 'Before you start' });
  await expect(checklist).toContainText('6 to fix');
  await turnEverythingOn(page);
  await enable(page, person.name);
  await expect(checklist).toContainText('Ready');
  await chooseOption(findSelect(page, 'Entry type of contacts'), 'Contacts');
  await expect(findSelect(page, 'E-mail field')).toContainText('E-mail');
  await page.getByRole('button', { name: 'Save contacts' }).click();
  const creation = page.getByRole('switch', { name: 'Automated contact creation' });
  await creation.click();
  await expect(creation).toBeChecked();
  await page.getByLabel('Address or domain').fill('private.example');
  await page.getByRole('button', { name: 'Try on the last 90 days' }).click();
  await expect(page.getByText('Nothing in the last 90 days has private.example')).toBeVisible();
  const answer = await holdRequests(page, '**/ri/exclusions', 'POST');
  const exclude = page.getByRole('button', { name: 'Exclude', exact: true });
  await exclude.click();
  await expect(exclude).toHaveAttribute('aria-busy', 'true');
  await page.getByLabel('Address or domain').fill('next.example');
  answer();
  await expect(page.getByRole('button', { name: 'Remove private.example' })).toBeVisible();
  await expect(page.getByLabel('Address or domain')).toHaveValue('next.example');
  await page.getByLabel('Address or domain').fill('');
  await checkWidths(page);

  await page.getByRole('link', { name: 'New import' }).click();
  await chooseFiles(
    page,
    'rania.mbox',
    [
      mail('1', 'Jo Brandt <jo@outside.example>', `Rania Haddad <${person.email}>`),
      mail('2', person.email, 'Jo Brandt <jo@outside.example>'),
      mail('3', person.email, 'Kim <kim@private.example>'),
    ].join(''),
  );
  await expect(page.getByText('3 e-mails of 1 person')).toBeVisible();
  await expectRow(grid(page, 'Mailboxes'), { Mailbox: person.email, Person: person.name, Found: '3' });
  // A program may take the turn between the reading of the budget and the request.
  pageErrors.allow(/^429: POST \S+\/ri\/import\/emails/);
  await page.route(
    '**/ri/import/emails?dryRun=true',
    (route) => route.fulfill({ status: 429, json: { message: 'Another import runs', requestId: 'busy' } }),
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Try without storing' }).click();
  await expect(page.getByText('1 request was sent. Nothing was stored.')).toBeVisible();
  const outcome = page.getByRole('region', { name: 'Tried without storing' });
  await expect(outcome).toContainText('2 would be added');
  await expect(outcome).toContainText('1 with an excluded address, skipped');
  await checkWidths(page);
  await page.getByRole('button', { name: 'Start import' }).click();
  await expect(endedJobBadge(page)).toBeVisible();

  await page.goto('/imports/runs');
  await expectRow(grid(page, 'Runs'), { Outcome: '2 added', Note: 'Dry run' });
  await page.getByRole('radio', { name: 'E-mails' }).check({ force: true });
  await expect(page).toHaveURL('/imports/runs?kind=emails');
  await page
    .getByRole('button', { name: /^E-mails \d+$/ })
    .first()
    .click();
  await expect(page.getByRole('dialog')).toContainText('2 added');
  await page.goBack();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.goForward();
  await page.reload();
  await expect(page.getByRole('radio', { name: 'E-mails', includeHidden: true })).toBeChecked();
  await expect(page.getByRole('dialog')).toContainText('2 added');
  await expectAccessibleInBothThemes(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await expectFits(page);
  await page.getByRole('link', { name: 'Status' }).click();
  await expectRow(grid(page, 'Status'), { Person: person.name, 'Silent for': 'Today' });
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Relationships' }).click();
  await expectRow(grid(page, 'Relationships'), { Contact: 'Jo Brandt', Sent: '1', Received: '1' });
  await setWidth(page, 390);
  await expectFits(page);
  await expectAccessible(page);
  await setWidth(page, 1280);
  // The contact is created by a task after the import.
  const contact = grid(page, 'Relationships').getByRole('link', { name: 'Jo Brandt' });
  await expect(async () => {
    await page.reload();
    await expect(contact).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await contact.click();
  await expect(page.getByRole('heading', { name: 'Jo Brandt' })).toBeVisible();
  await expect(page.getByText('Last contact today (30)')).toBeVisible();
  await page.getByRole('link', { name: '1 relationship of this contact' }).click();
  await expectRow(grid(page, 'Relationships'), { Person: person.name, Sent: '1' });
  await expect(page.getByText('1 relationship', { exact: true })).toBeVisible();
});

test('asks for the order of day and month that the dates of a file do not show', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Noor', lastName: 'Haddad' });
  await openAs(page, ada, '/imports/settings');
  await enable(page, person.name);
  await page.getByRole('link', { name: 'New import' }).click();
  const recent = new Date(Date.now() - 40 * 86_400_000);
  const [year, month] = [recent.getUTCFullYear(), recent.getUTCMonth()];
  // A day whose number is not that of its month.
  const day = month === 0 ? 2 : 1;
  await chooseFiles(
    page,
    'dates.csv',
    `sentDate,sender,recipientsTo\n${day}/${month + 1}/${year},${person.email},jo@outside.example\n`,
  );
  const start = page.getByRole('button', { name: 'Start import' });
  const banner = page.getByRole('note').filter({ hasText: 'which comes first, the day or the month' });
  await expect(banner).toBeVisible();
  await expect(start).toHaveAccessibleDescription('Choose the order of day and month first');
  await checkWidths(page);
  await expectAccessibleInBothThemes(page);
  await chooseOption(findSelect(page, '3/4/2026 is'), '3 April');
  const formatted = await page.evaluate(
    (at) => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(at),
    Date.UTC(year, month, day),
  );
  await expect(page.getByText(`1 e-mail of 1 person, ${formatted}`)).toBeVisible();
  await expect(start).toBeEnabled();
});

test('names what is wrong with the rows of a file and how it is fixed', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Hiroshi', lastName: 'Tanaka' });
  const other = await calls.createUser({ firstName: 'Liam', lastName: 'Sullivan' });
  await openAs(page, ada, '/imports/settings');
  await enable(page, person.name);
  await page.getByRole('link', { name: 'New import' }).click();
  const delivered = (id: string, mailbox: string) =>
    mail(id, 'Jo <jo@outside.example>', 'Team: Kim <kim@outside.example>;').replace(
      '\nTo:',
      `\nDelivered-To: ${mailbox}\nTo:`,
    );
  await chooseFiles(
    page,
    'hostile.mbox',
    [
      mail('ok', person.email, 'jo@outside.example'),
      mail('old', person.email, 'jo@outside.example', 'Thu, 01 Jan 1970 00:00:00 +0000'),
      mail('name', '"Ada" </O=EXCH/CN=ADA>', person.email),
      mail('nobody', 'jo@outside.example', 'kim@outside.example'),
      mail('empty', person.email, 'undisclosed-recipients:;'),
      mail('words', `=?utf-8?B?/////?= <${person.email}>`, 'jo@outside.example'),
      delivered('unknown', 'deals@old.example'),
      mail('other', other.email, 'jo@outside.example'),
    ].join(''),
  );
  await expect(page.getByText('2 e-mails of 1 person')).toBeVisible();
  await expectRow(grid(page, 'Mailboxes'), { Mailbox: 'deals@old.example', Person: 'Unknown address' });
  await expectRow(grid(page, 'Mailboxes'), { Person: other.name, Requests: 'Enable' });
  await expectRow(grid(page, 'Mailboxes'), { Person: person.name, 'Left out': '1' });
  await checkWidths(page);

  const broken = page.getByRole('button', { name: '3 broken rows as a file' });
  // A browser without room for the file.
  await page.evaluate(() => {
    const create = URL.createObjectURL.bind(URL);
    URL.createObjectURL = () => {
      URL.createObjectURL = create;
      throw new Error('No room');
    };
  });
  await broken.click();
  await expect(page.getByText('The broken rows were not saved')).toBeVisible();
  const { bytes } = await downloadBytes(page, () => broken.click());
  expect(bytes.toString('utf8')).toContain('"The sender is the Exchange name /o=exch/cn=ada"');
  await page.getByLabel('/o=exch/cn=ada').fill('jo@outside.example');
  await page.getByRole('button', { name: 'Use', exact: true }).click();
  await expect(page.getByText('3 e-mails of 1 person')).toBeVisible();
  await page.getByRole('button', { name: 'Choose person for deals@old.example' }).click();
  await page.getByLabel('Person', { exact: true }).fill(person.name);
  await page.getByRole('option', { name: person.name }).click();
  await expect(page.getByText('4 e-mails of 1 person')).toBeVisible();
  await page.getByRole('button', { name: `Enable ${other.name}` }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText(
    `${other.name} will be enabled. Imports take their e-mails and meetings from then on.`,
  );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('4 e-mails of 1 person')).toBeVisible();
  await page.getByRole('button', { name: `Enable ${other.name}` }).click();
  await dialog.getByRole('button', { name: 'Enable 1 person' }).click();
  await expect(page.getByText('5 e-mails of 2 people')).toBeVisible();
  await expectAccessibleInBothThemes(page);
});
