import type { Page } from '@playwright/test';
import { expectNoAxe, expectRow, expectToast, rowAction, signIn } from '../support/actions.ts';
import { callsOf, enter } from '../support/calls.ts';
import { mailedLink } from '../support/mail.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const HARBOR = 2;
const DOMAIN = 'northlight.example';

const addresses = (page: Page) => page.getByRole('grid', { name: 'Addresses' });
const results = (page: Page) => page.getByRole('grid', { name: 'Results' });
const list = (page: Page) => page.getByRole('grid', { name: 'Invitations' });

test('many addresses: each is told what can be done, then what came of it', async ({
  page,
  request,
  calls,
  service,
  expectFailure,
}) => {
  expectFailure(409);
  await service.admin('site', 'set', 'northlight', '--dedicated-domain', DOMAIN, '--existing-users', 'allow');
  const harbor = await callsOf(request, ada, HARBOR);
  const ours = await harbor.makeUser({ email: `from-harbor@${DOMAIN}` });
  const theirs = await harbor.makeUser();
  const late = await harbor.makeUser();
  const waiting = await harbor.makeUser();
  await callsOf(request, ada);
  await calls.call('POST', '/user/invite', { email: waiting.email, type: 0 });
  const member = await calls.makeUser();

  await enter(page, ada, '/invitations');
  await page.getByRole('link', { name: 'Invite people' }).click();
  await page
    .getByLabel('E-mail addresses')
    .fill(
      `Invite ${ours.name} <${ours.email}>, ${theirs.email} and ${late.email}.\n${waiting.email}; ${member.email}; nobody@nowhere.example\n${theirs.email.toUpperCase()} broken@`,
    );
  const known = { 'E-mail': theirs.email, 'What is known': 'Can be invited', 'What happens': 'Invite' };
  await expectRow(addresses(page), known);
  await expectRow(addresses(page), { 'What is known': 'Can be added', 'What happens': 'Add now' });
  await expectRow(addresses(page), { 'E-mail': waiting.email, 'What is known': 'Show the invitation' });
  await expectRow(addresses(page), { 'E-mail': member.email, 'What is known': 'Open the user' });
  await expectRow(addresses(page), { 'E-mail': 'nobody@nowhere.example', 'What is known': 'Create a user' });
  await expectRow(addresses(page), { 'What is known': 'Repeated', 'What happens': 'Leave out' });
  await expectRow(addresses(page), { 'E-mail': 'broken@', 'What is known': 'Not an address' });
  await expectNoAxe(page);

  // Somebody else is quicker with one of them.
  await calls.call('POST', '/user/invite', { email: late.email, type: 0 });
  await page.getByRole('button', { name: 'Invite 2 people and add 1' }).click();
  await expectRow(results(page), { 'E-mail': theirs.email, Result: 'Done', 'What happened': 'on its way' });
  await expectRow(results(page), {
    'E-mail': ours.email,
    Result: 'Done',
    'What happened': 'a member from now on',
  });
  await expectRow(results(page), {
    'E-mail': late.email,
    Result: 'Failed',
    'What happened': 'invited already',
  });
  await expectNoAxe(page);
  await page.getByRole('button', { name: 'Change the addresses' }).click();
  await expectRow(addresses(page), { 'E-mail': late.email, 'What is known': 'Show the invitation' });
  await expect(page.getByLabel('E-mail addresses')).toHaveValue(/broken@$/);
});

test('invited for some days, accepted in another browser, extended', async ({
  page,
  elsewhere,
  request,
  service,
  expectFailure,
}) => {
  // Whoever accepts is not signed in.
  expectFailure(401);
  const harbor = await callsOf(request, ada, HARBOR);
  const guest = await harbor.makeUser({ firstName: 'Guest', lastName: 'Forfivedays' });
  await enter(page, ada, `/invitations/new?email=${encodeURIComponent(guest.email)}`);
  await page.getByText('Temporary', { exact: true }).click();
  await page.getByText('Other', { exact: true }).click();
  await page.getByLabel('days', { exact: true }).fill('5');
  await expect(page.getByText(/Accepted today, it ends .*, in 5 days/)).toBeVisible();
  await page.getByRole('button', { name: 'Invite 1 person' }).click();
  await expectRow(results(page), { 'E-mail': guest.email, Result: 'Done' });

  await elsewhere.goto(new URL(await mailedLink(service, guest.email)).href);
  await expect(elsewhere.getByRole('heading', { name: 'Join Northlight Capital' })).toBeVisible();
  await expect(elsewhere).toHaveURL(/\/invitation$/);
  await expect(elsewhere.getByText(/5 days\. Accepted now, it ends .*, in 5 days/)).toBeVisible();
  await expectNoAxe(elsewhere);
  await elsewhere.getByRole('button', { name: 'Accept the invitation' }).click();
  await expect(
    elsewhere.getByRole('heading', { name: 'You are a member of Northlight Capital' }),
  ).toBeFocused();
  await expectNoAxe(elsewhere);
  // Their home is another site; it opens the one that was just accepted.
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

test('a revoked invitation is a dead link; one that is accepted by somebody signed in leads onto the site', async ({
  page,
  elsewhere,
  request,
  service,
  calls,
  expectFailure,
}) => {
  expectFailure(404);
  const harbor = await callsOf(request, ada, HARBOR);
  const [refused, wanted] = [await harbor.makeUser(), await harbor.makeUser()];
  await callsOf(request, ada);
  for (const { email } of [refused, wanted]) await calls.call('POST', '/user/invite', { email, type: 0 });
  const [dead, alive] = [await mailedLink(service, refused.email), await mailedLink(service, wanted.email)];
  await enter(page, ada, `/invitations?q=${encodeURIComponent(refused.email)}`);
  const row = await expectRow(list(page), { 'E-mail': refused.email, State: 'Pending' });
  await rowAction(row, 'Revoke…');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke the invitation' }).click();
  await expectRow(list(page), { 'E-mail': refused.email, State: 'Revoked' });

  await signIn(elsewhere, wanted);
  await elsewhere.goto(dead);
  await expect(
    elsewhere.getByRole('heading', { name: 'This invitation can no longer be accepted' }),
  ).toBeVisible();
  await expectNoAxe(elsewhere);
  await elsewhere.goto(alive);
  await elsewhere.getByRole('button', { name: 'Accept the invitation' }).click();
  await elsewhere.getByRole('button', { name: 'Go to Northlight Capital' }).click();
  await expect(elsewhere.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
});
