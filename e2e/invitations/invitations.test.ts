import type { Page } from '@playwright/test';
import { expectAccessible, expectRow, expectToast, chooseRowAction, signIn } from '../support/actions.ts';
import { createCalls, openAs } from '../support/calls.ts';
import { waitForMailedLink } from '../support/mail.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const HARBOR = 2;
const DOMAIN = 'northlight.example';

const addresses = (page: Page) => page.getByRole('grid', { name: 'Addresses' });
const results = (page: Page) => page.getByRole('grid', { name: 'Results' });
const list = (page: Page) => page.getByRole('grid', { name: 'Invitations' });

test('checks many addresses, then shows the result of each', async ({
  page,
  request,
  calls,
  service,
  expectFailure,
}) => {
  expectFailure(409);
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
  const known = { 'E-mail': theirs.email, Status: 'Can be invited', 'What happens': 'Invite' };
  await expectRow(addresses(page), known);
  await expectRow(addresses(page), { Status: 'Can be added', 'What happens': 'Add now' });
  await expectRow(addresses(page), { 'E-mail': waiting.email, Status: 'Show the invitation' });
  await expectRow(addresses(page), { 'E-mail': member.email, Status: 'Open the user' });
  await expectRow(addresses(page), { 'E-mail': 'nobody@nowhere.example', Status: 'Create a user' });
  await expectRow(addresses(page), { Status: 'Repeated', 'What happens': 'Leave out' });
  await expectRow(addresses(page), { 'E-mail': 'broken@', Status: 'Not an address' });
  await expectAccessible(page);

  // Another user invites one of them first.
  await calls.call('POST', '/user/invite', { email: late.email, type: 0 });
  await page.getByRole('button', { name: 'Invite 2 people and add 1' }).click();
  await expectRow(results(page), { 'E-mail': theirs.email, Result: 'Done', 'What happened': 'on its way' });
  await expectRow(results(page), {
    'E-mail': ours.email,
    Result: 'Done',
    'What happened': 'Added as a member',
  });
  await expectRow(results(page), {
    'E-mail': late.email,
    Result: 'Failed',
    'What happened': 'already invited',
  });
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Edit the addresses' }).click();
  await expectRow(addresses(page), { 'E-mail': late.email, Status: 'Show the invitation' });
  await expect(page.getByLabel('E-mail addresses')).toHaveValue(/broken@$/);
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
  await expectRow(results(page), { 'E-mail': guest.email, Result: 'Done' });

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

  await page.getByRole('link', { name: 'Show the invitations' }).click();
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
  const [dead, alive] = [
    await waitForMailedLink(service, refused.email),
    await waitForMailedLink(service, expected.email),
  ];
  await openAs(page, ada, `/invitations?q=${encodeURIComponent(refused.email)}`);
  const row = await expectRow(list(page), { 'E-mail': refused.email, State: 'Pending' });
  await chooseRowAction(row, 'Revoke…');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke the invitation' }).click();
  await expectRow(list(page), { 'E-mail': refused.email, State: 'Revoked' });

  await signIn(elsewhere, expected);
  await elsewhere.goto(dead);
  await expect(
    elsewhere.getByRole('heading', { name: 'This invitation can no longer be accepted' }),
  ).toBeVisible();
  await expectAccessible(elsewhere);
  await elsewhere.goto(alive);
  await elsewhere.getByRole('button', { name: 'Accept the invitation' }).click();
  await elsewhere.getByRole('button', { name: 'Go to Northlight Capital' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
});
