import type { Page } from '@playwright/test';
import {
  chooseRowAction,
  expectAccessible,
  expectRow,
  expectToast,
  holdRequests,
  signIn,
} from '../support/actions.ts';
import { createCalls, openAs } from '../support/calls.ts';
import { downloadBytes } from '../support/data/files.ts';
import { ada } from '../support/data/people.ts';
import { waitForMailedLink } from '../support/mail.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const HARBOR = 2;
const DOMAIN = 'northlight.example';

const addresses = (page: Page) => page.getByRole('grid', { name: 'Addresses' });
const results = (page: Page) => page.getByRole('grid', { name: 'People' });
const list = (page: Page) => page.getByRole('grid', { name: 'Invitations' });

test('checks many addresses, then shows the result of each', async ({ page, request, calls, service }) => {
  await service.admin('site', 'set', 'northlight', '--dedicated-domain', DOMAIN, '--existing-users', 'allow');
  const harbor = await createCalls(request, ada, HARBOR);
  const ours = await harbor.createUser({ email: `from-harbor@${DOMAIN}` });
  const theirs = await harbor.createUser();
  const late = await harbor.createUser();
  const waiting = await harbor.createUser();
  await createCalls(request, ada);
  await calls.call('POST', '/user/invite', { email: waiting.email, type: 0 });
  const member = await calls.createUser();

  await openAs(page, ada, '/invitations');
  await page.getByRole('link', { name: 'Invite people' }).click();
  await page
    .getByLabel('E-mail addresses')
    .fill(
      `Invite ${ours.name} <${ours.email}>, ${theirs.email} and ${late.email}.\n${waiting.email}; ${member.email}; nobody@nowhere.example\n${theirs.email.toUpperCase()} broken@`,
    );
  const known = { 'E-mail': theirs.email, Status: 'Can be invited', Action: 'Invite' };
  await expectRow(addresses(page), known);
  await expectRow(addresses(page), { Status: 'Can be added', Action: 'Add now' });
  await expectRow(addresses(page), { 'E-mail': waiting.email, Status: 'Show the invitation' });
  await expectRow(addresses(page), { 'E-mail': member.email, Status: 'Open the user' });
  await expectRow(addresses(page), { 'E-mail': 'nobody@nowhere.example', Status: 'Create a user' });
  await expectRow(addresses(page), { Status: 'Repeated', Action: 'Leave out' });
  await expectRow(addresses(page), { 'E-mail': 'broken@', Status: 'Not an address' });
  await expectAccessible(page);

  // Another user invites one of them first.
  await calls.call('POST', '/user/invite', { email: late.email, type: 0 });
  await page.getByRole('button', { name: 'Invite 2 people and add 1' }).click();
  await expect(page.getByRole('heading', { name: 'Invite or add 3 people', level: 1 })).toBeVisible();
  await expectRow(results(page), { Person: `${theirs.email} Invite`, Outcome: 'Changed' });
  await expectRow(results(page), { Person: `${ours.email} Add without confirmation`, Outcome: 'Changed' });
  await expectRow(results(page), { Person: late.email, Outcome: 'Failed', Reason: 'already invited' });
  await expectAccessible(page);
  expect(
    (await calls.call<{ email: string }[]>('GET', '/user?pageSize=1000')).map(({ email }) => email),
  ).toContain(ours.email);
  await page.getByRole('link', { name: /^Invitations/ }).click();
  await page.getByRole('link', { name: 'Invite people' }).click();
  await expect(page.getByLabel('E-mail addresses')).toHaveValue('');
  await expect(page.getByText('1 of 3 addresses were not invited')).toBeVisible();
  await page.getByRole('button', { name: 'Edit the addresses' }).click();
  await expectRow(addresses(page), { 'E-mail': late.email, Status: 'Show the invitation' });
  await expect(page.getByLabel('E-mail addresses')).toHaveValue(/broken@$/);
});

test('sends what the box says and keeps what is typed meanwhile', async ({ page, request }) => {
  const harbor = await createCalls(request, ada, HARBOR);
  const [first, second] = [await harbor.createUser(), await harbor.createUser()];
  await createCalls(request, ada);
  await openAs(page, ada, '/invitations/new');
  const box = page.getByLabel('E-mail addresses');
  await box.fill(first.email);
  const send = page.getByRole('button', { name: 'Invite 1 person' });
  await expect(send).toBeEnabled();

  const releaseCheck = await holdRequests(page, '**/invitations/check');
  await box.fill(second.email);
  // Read once: before the pause in typing the list still shows the first address.
  expect(await page.getByRole('button', { name: /^Invite/ }).getAttribute('aria-disabled')).toBe('true');
  releaseCheck();
  await expectRow(addresses(page), { 'E-mail': second.email, Status: 'Can be invited' });

  const releaseStart = await holdRequests(page, '**/jobs/invitations');
  await send.click();
  await box.fill(`${second.email}\nlate@people.example`);
  releaseStart();
  await expectRow(results(page), { Person: second.email, Outcome: 'Changed' });
  await page.getByRole('link', { name: /^Invitations/ }).click();
  await page.getByRole('link', { name: 'Invite people' }).click();
  await expect(box).toHaveValue(`${second.email}\nlate@people.example`);
});

test('invites for some days, accepts in another browser, extends', async ({
  page,
  elsewhere,
  request,
  service,
  expectFailure,
}) => {
  // The accepting user is not signed in.
  expectFailure(401);
  const harbor = await createCalls(request, ada, HARBOR);
  const guest = await harbor.createUser({ firstName: 'Guest', lastName: 'Forfivedays' });
  await openAs(page, ada, `/invitations/new?email=${encodeURIComponent(guest.email)}`);
  await page.getByText('Temporary', { exact: true }).click();
  await page.getByText('Other', { exact: true }).click();
  await page.getByLabel('days', { exact: true }).fill('5');
  await expect(page.getByText(/Accepted today, it ends .*, in 5 days/)).toBeVisible();
  await page.getByRole('button', { name: 'Invite 1 person' }).click();
  await expectRow(results(page), { Person: guest.email, Outcome: 'Changed' });

  await elsewhere.bringToFront();
  await elsewhere.goto(new URL(await waitForMailedLink(service, guest.email)).href);
  await expect(elsewhere.getByRole('heading', { name: 'Join Northlight Capital' })).toBeVisible();
  await expect(elsewhere).toHaveURL(/\/invitation$/);
  await expect(elsewhere.getByText(/5 days\. Accepted now, it ends .*, in 5 days/)).toBeVisible();
  await expectAccessible(elsewhere);
  await elsewhere.getByRole('button', { name: 'Accept the invitation' }).click();
  await expect(
    elsewhere.getByRole('heading', { name: 'You are a member of Northlight Capital' }),
  ).toBeFocused();
  await expectAccessible(elsewhere);
  // Their home is another site; the link opens the one just accepted.
  await elsewhere.getByRole('link', { name: 'Sign in' }).click();
  await elsewhere.getByLabel('E-mail').fill(guest.email);
  await elsewhere.getByLabel('Password', { exact: true }).fill(guest.password);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
  await expect(elsewhere.getByText(/Your membership of Northlight Capital ends .*, in 5 days/)).toBeVisible();
  await elsewhere.getByRole('button', { name: 'Hide', exact: true }).click();
  await expect(elsewhere.getByRole('main')).toBeFocused();

  await page.bringToFront();
  await page.goto('/');
  const ending = page
    .getByRole('list', { name: 'Needs attention' })
    .getByRole('listitem')
    .filter({ hasText: 'membership ends within a week' });
  await expect(ending).toContainText(`in 5 days: ${guest.email}`);
  await ending.getByRole('link', { name: 'Review' }).click();
  await expect(page).toHaveURL('/invitations?soon=true');
  await page.goto('/invitations');
  await page.getByRole('button', { name: 'Show it' }).click();
  await expectRow(list(page), {
    'E-mail': guest.email,
    State: 'Accepted',
    Person: 'Guest Forfivedays',
    Membership: /Ends .*, in 5 days/,
  });
  await page.getByRole('button', { name: `Extend ${guest.email} by 30 days` }).click();
  await expectToast(page, /Extended by 30 days: ends .*, in 35 days/);
  await page.getByRole('button', { name: /Ending soon/ }).click();
  await expectRow(list(page), { 'E-mail': guest.email, Membership: /Ends .*, in 35 days/ });

  // The explainer of the person opens the same dialog.
  await page.getByRole('link', { name: 'Guest Forfivedays' }).click();
  const card = page.getByRole('region', { name: 'Can Guest sign in?' });
  await card.getByRole('button', { name: 'Extend…' }).click();
  const dialog = page.getByRole('dialog', { name: `Extend ${guest.email}` });
  const releaseExtension = await holdRequests(page, /\/extend$/);
  const extend = dialog.getByRole('button', { name: 'Extend by 30 days' });
  await extend.click();
  await expect(extend).toHaveAttribute('aria-busy', 'true');
  // The dialog closes with the answer, and another number of days would be lost.
  const days = dialog.getByRole('radio', { name: '7 days', includeHidden: true });
  await days.evaluate((input) => input.focus());
  await expect(days).not.toBeFocused();
  releaseExtension();
  await expectToast(page, /Extended, the membership ends .*, in 65 days/);
  await expect(dialog).toBeHidden();
});

test('a revoked invitation is a dead link; accepting while signed in opens the site', async ({
  page,
  elsewhere,
  request,
  service,
  calls,
  expectFailure,
}) => {
  expectFailure(404);
  const harbor = await createCalls(request, ada, HARBOR);
  const [refused, expected] = [await harbor.createUser(), await harbor.createUser()];
  await createCalls(request, ada);
  for (const { email } of [refused, expected]) await calls.call('POST', '/user/invite', { email, type: 0 });
  const [dead, earlier] = [
    await waitForMailedLink(service, refused.email),
    await waitForMailedLink(service, expected.email),
  ];
  await openAs(page, ada, `/invitations?q=${encodeURIComponent(refused.email)}`);
  const row = await expectRow(list(page), { 'E-mail': refused.email, State: 'Pending' });
  await chooseRowAction(row, 'Revoke…');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke the invitation' }).click();
  const revoked = await expectRow(list(page), { 'E-mail': refused.email, State: 'Revoked' });
  await chooseRowAction(revoked, 'Delete the record…');
  const question = page.getByRole('alertdialog', {
    name: `Delete the record of the invitation of ${refused.email}?`,
  });
  await expect(question).toContainText('the audit log keeps what happened');
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Delete the record' }).click();
  await expectToast(page, 'The record of the invitation is deleted.');
  await expect(list(page).getByRole('row').filter({ hasText: refused.email })).toHaveCount(0);

  await page.goto(`/invitations?q=${encodeURIComponent(expected.email)}`);
  const waiting = await expectRow(list(page), { 'E-mail': expected.email, State: 'Pending' });
  await chooseRowAction(waiting, 'Send again');
  await expectToast(page, 'Sent again; the earlier link no longer works.');
  const alive = await waitForMailedLink(service, expected.email, 2);

  await signIn(elsewhere, expected);
  for (const link of [dead, earlier]) {
    await elsewhere.goto('about:blank');
    await elsewhere.goto(link);
    await expect(
      elsewhere.getByRole('heading', { name: 'This invitation can no longer be accepted' }),
    ).toBeVisible();
  }
  await expectAccessible(elsewhere);
  await elsewhere.goto(alive);
  await elsewhere.getByRole('button', { name: 'Accept the invitation' }).click();
  await elsewhere.getByRole('button', { name: 'Go to Northlight Capital' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
});

const NAMES = ['Ada', 'Ольга', '李小龍', 'محمد', 'שרה', 'अनन्या', 'ธีรพล', '김민준', 'Ægir', 'Νίκος'];

test('1,000 addresses with names in all scripts: those that can be invited are, though the tab is closed', async ({
  page,
  elsewhere,
  request,
  calls,
}) => {
  const harbor = await createCalls(request, ada, HARBOR);
  const guests = new Set<string>();
  for (let number = 0; number < 60; number += 1) {
    const email = `background-${number}@people.example`;
    await harbor.call('POST', '/user', { email, firstName: NAMES[number % NAMES.length], lastName: 'Guest' });
    guests.add(email);
  }
  await createCalls(request, ada);
  const known = [...guests];
  const lines = Array.from({ length: 1000 }, (_, at) => {
    const email = at % 10 === 0 && at < 600 ? known[at / 10] : `nobody-${at}@nowhere.example`;
    return `${NAMES[at % NAMES.length]} <${email}>,Permanent,,`;
  });
  // Quoted names with commas and quotes, right-to-left text, a repeated address in capitals, and what is no address.
  const awkward = [
    '"O\'Brien, ""Bo"" <background-1@people.example>",Permanent,,',
    '"גולן, שרה <BACKGROUND-1@PEOPLE.EXAMPLE>",Permanent,,',
    '"broken@,Marsh",Permanent,,',
    'nobody@nowhere.example,Sometimes,,',
  ];
  await openAs(page, ada, '/invitations');
  const task = await countSteps(page);
  await page.getByRole('link', { name: 'Invite people' }).click();
  const template = await downloadBytes(page, () =>
    page.getByRole('button', { name: 'Download the template' }).click(),
  );
  const [heading = ''] = template.bytes.toString().replace('\uFEFF', '').split(/\r?\n/);
  expect(heading.replaceAll('"', '')).toBe('E-mail,Type,Days,Groups');
  await page.getByLabel('Add a CSV file').setInputFiles({
    name: 'guests.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from([heading, ...awkward, ...lines].join('\r\n')),
  });
  await expect(page.getByText('1,004 addresses found.')).toBeVisible();
  await expectRow(addresses(page), { 'E-mail': 'background-1@people.example', Status: 'Can be invited' });
  const again = addresses(page).getByRole('row').filter({ hasText: 'background-1@people.example' });
  await expect(again.filter({ hasText: 'Repeated' })).toHaveCount(2);
  await expectRow(addresses(page), { 'E-mail': /broken@/, Status: 'Not an address' });
  await page.getByRole('button', { name: 'Invite 60 people' }).click();
  await page.waitForURL(/\/jobs\/\d+/);
  // Open, take the template, choose the file, invite.
  task.expectAtMost(4);
  const { pathname } = new URL(page.url());
  await page.close();

  await openAs(elsewhere, ada, pathname);
  await expect(elsewhere.getByRole('heading', { name: 'Invite 60 people', level: 1 })).toBeVisible();
  await expect(elsewhere.getByText('Finished', { exact: true })).toBeVisible();
  const invited = await calls.call<{ email: string }[]>(
    'GET',
    '/user/invitations?status=pending&pageSize=1000',
  );
  const emails = invited.map(({ email }) => email).filter((email) => guests.has(email));
  expect(emails.toSorted()).toEqual(known.toSorted());
});

test('12 people are invited from Home in a few steps', async ({ page, request, calls }) => {
  const harbor = await createCalls(request, ada, HARBOR);
  const guests: string[] = [];
  for (let number = 0; number < 12; number += 1)
    guests.push((await harbor.createUser({ password: undefined })).email);
  await createCalls(request, ada);
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const task = await countSteps(page);
  await page.getByRole('main').getByRole('link', { name: 'Invite people' }).first().click();
  await page.getByLabel('E-mail addresses').fill(guests.join(', '));
  await page.getByRole('button', { name: 'Invite 12 people' }).click();
  await expect(page.getByRole('heading', { name: 'Invite 12 people', level: 1 })).toBeVisible();
  await expect(page.getByText('Finished', { exact: true })).toBeVisible();
  task.expectAtMost(3);
  const pending = await calls.call<{ email: string }[]>(
    'GET',
    '/user/invitations?status=pending&pageSize=1000',
  );
  const emails = new Set(pending.map(({ email }) => email));
  expect(guests.filter((email) => !emails.has(email))).toEqual([]);
});

test('a refused start keeps what was typed; several invitations are revoked by a job', async ({
  page,
  request,
  calls,
  expectFailure,
}) => {
  expectFailure(429);
  const harbor = await createCalls(request, ada, HARBOR);
  const guests = [await harbor.createUser(), await harbor.createUser()];
  await createCalls(request, ada);
  await openAs(page, ada, '/invitations/new');
  const text = guests.map(({ email }) => email).join('\n');
  await page.getByLabel('E-mail addresses').fill(text);
  await expectRow(addresses(page), { 'E-mail': guests[1]?.email ?? '', Status: 'Can be invited' });
  // As many jobs as one person may have.
  const later = { userIds: [1], isActive: true, notBefore: new Date(Date.now() + 3_600_000).toISOString() };
  const jobs: { id: number }[] = [];
  for (let count = 0; count < 22; count += 1)
    jobs.push(await calls.call<{ id: number }>('POST', '/jobs/userUpdates', later));
  await page.getByRole('button', { name: 'Invite 2 people' }).click();
  await expect(page.getByText(/You have 22 jobs that have not ended/)).toBeVisible();
  await expect(page.getByLabel('E-mail addresses')).toHaveValue(text);
  for (const { id } of jobs) await calls.call('POST', `/jobs/${id}/cancel`);
  await page.getByRole('button', { name: 'Invite 2 people' }).click();
  await expect(page.getByText('Finished', { exact: true })).toBeVisible();

  await page.goto('/invitations?status=pending');
  for (const { email } of guests)
    await (await expectRow(list(page), { 'E-mail': email })).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Revoke…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke 2 invitations' }).click();
  await expectToast(page, /Revoke 2 invitations: finished/);
  for (const { email } of guests)
    await expect(list(page).getByRole('row').filter({ hasText: email })).toHaveCount(0);
  await page.goto('/invitations?status=revoked');
  for (const { email } of guests)
    await (await expectRow(list(page), { 'E-mail': email })).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Delete the records…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 2 records' }).click();
  await expectToast(page, /Delete 2 records of invitations: finished/);
  for (const { email } of guests)
    await expect(list(page).getByRole('row').filter({ hasText: email })).toHaveCount(0);
});

test('at the limit of invitations the job waits and says until when', async ({ page, request, calls }) => {
  const harbor = await createCalls(request, ada, HARBOR);
  const guests = [await harbor.createUser(), await harbor.createUser()];
  await createCalls(request, ada);
  // Addresses without an account count too.
  const spend = async () => {
    for (;;) {
      const sent = await calls
        .call('POST', '/user/invite', { email: 'nobody@nowhere.example', type: 0 })
        .catch((error: unknown) => String(error));
      if (typeof sent === 'string' && sent.includes(': 429')) return;
    }
  };
  await spend();
  await openAs(page, ada, '/invitations/new');
  await page.getByLabel('E-mail addresses').fill(guests.map(({ email }) => email).join('\n'));
  await page.getByRole('button', { name: 'Invite 2 people' }).click();
  await expect(page.getByText(/You have sent 200 invitations within an hour/)).toBeVisible();
  await expect(page.getByText(/^Continues .*\d/).first()).toBeVisible();
  await expectRow(results(page), { Person: guests[0]?.email ?? '', Outcome: 'Not yet' });
  await expectAccessible(page);
});
