import type { Page } from '@playwright/test';
import { expectNoAxe, expectRow, expectToast, fill, signIn } from '../support/actions.ts';
import { callsOf, enter } from '../support/calls.ts';
import { mailedLink } from '../support/mail.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const HARBOR = 2;

async function openPanel(page: Page) {
  await enter(page, ada, '/users');
  await page.getByRole('link', { name: 'New user' }).click();
  const panel = page.getByRole('dialog', { name: 'New user' });
  await expect(panel.getByLabel('First name')).toBeFocused();
  await expect(page).toHaveURL('/users/new');
  return panel;
}

test('with a password: the new person signs in with it', async ({ page, elsewhere, calls }) => {
  const panel = await openPanel(page);
  await expectNoAxe(page);
  await fill(panel, {
    'First name': 'Perpetua',
    'Last name': 'Newcome',
    'E-mail': 'perpetua@people.example',
    Password: 'five golden rings',
    Groups: ['Finance', 'Stewards'],
    License: 'Limited',
    'Two-factor authentication': true,
  });
  await expect(panel.getByText(/billable after this|as before/)).toBeVisible();
  await expectNoAxe(page);
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expectToast(page, 'Perpetua Newcome was created');
  await expect(page.getByRole('heading', { name: 'Perpetua Newcome', level: 1 })).toBeVisible();
  await expect(page.getByText('Hand over the password you chose')).toBeVisible();
  await expectNoAxe(page);
  await page.getByRole('link', { name: 'Users', exact: true }).first().click();
  await page.getByRole('searchbox', { name: 'Search users' }).fill('perpetua');
  await expectRow(page.getByRole('grid', { name: 'Users' }), {
    Name: 'Perpetua Newcome',
    Status: 'Active',
    License: 'Limited',
  });
  const [made] = await calls.call<{ twoFactorEnabled: boolean }[]>(
    'GET',
    '/user?email=perpetua%40people.example',
  );
  expect(made?.twoFactorEnabled).toBe(true);
  await elsewhere.goto('/sign-in');
  await elsewhere.getByLabel('E-mail').fill('perpetua@people.example');
  await elsewhere.getByLabel('Password', { exact: true }).fill('five golden rings');
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  // The password was right; what two-factor asks for comes next.
  await expect(elsewhere.getByRole('heading', { name: 'Set up a second factor', level: 1 })).toBeVisible();
});

test('without a password: the mailed link lets the new person in', async ({ page, elsewhere, service }) => {
  const panel = await openPanel(page);
  const email = 'lucius@people.example';
  await fill(panel, { 'First name': 'Lucius', 'Last name': 'Mailed', 'E-mail': email });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(page.getByText(`An e-mail with a link to set a password goes to ${email}`)).toBeVisible();

  await elsewhere.goto(await mailedLink(service, email));
  await elsewhere.getByLabel('New password').fill('four calling birds');
  await elsewhere.getByRole('button', { name: 'Set password' }).click();
  await expectToast(elsewhere, 'Password set');
  await signIn(elsewhere, { email, password: 'four calling birds' });
  await expect(elsewhere.getByText('None of your groups gives one on this site.')).toBeVisible();
});

test('fields say what is missing, and what the service refuses lands on its field', async ({ page }) => {
  const panel = await openPanel(page);
  const create = panel.getByRole('button', { name: 'Create user' });
  await create.click();
  await expect(panel.getByLabel('First name')).toHaveAccessibleDescription('Fill this in');
  await expect(panel.getByLabel('E-mail')).toHaveAccessibleDescription('This is not an e-mail address');
  await expect(panel.getByLabel('First name')).toBeFocused();
  await fill(panel, {
    'First name': 'Short',
    'Last name': 'Password',
    'E-mail': 'short@people.example',
    Password: 'short',
  });
  await create.click();
  await expect(panel.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(
    /at least 12 characters/,
  );
  await expectNoAxe(page);
});

test('a name of spaces is refused by the service on its field, with the typing kept', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400);
  const panel = await openPanel(page);
  await fill(panel, { 'First name': '   ', 'Last name': 'Kept', 'E-mail': 'kept@people.example' });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(panel.getByLabel('First name')).toHaveAccessibleDescription(/must not be empty/);
  await expect(panel.getByLabel('First name')).toBeFocused();
  await expect(panel.getByLabel('Last name')).toHaveValue('Kept');
});

test('somebody of another site only: invited from where the address was refused', async ({
  page,
  request,
  calls,
  expectFailure,
}) => {
  expectFailure(409);
  const harbor = await callsOf(request, ada, HARBOR);
  const theirs = await harbor.makeUser();
  await callsOf(request, ada);
  const panel = await openPanel(page);
  await fill(panel, { 'First name': 'Known', 'Last name': 'Elsewhere', 'E-mail': theirs.email });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(panel.getByLabel('E-mail')).toHaveAccessibleDescription(
    /^Known on another site\. Invite them/,
  );
  await expect(panel.getByLabel('E-mail')).toBeFocused();
  await expect(panel.getByRole('button', { name: 'Add without confirmation' })).toHaveAccessibleDescription(
    /not of |has no dedicated domain/i,
  );
  await expectNoAxe(page);
  await panel.getByRole('button', { name: 'Invite them' }).click();
  await expectToast(page, `${theirs.email} was invited`);
  await expect(page).toHaveURL('/users');
  const pending = await calls.call<{ email: string }[]>('GET', '/user/invitations?status=pending');
  expect(pending.map(({ email }) => email)).toContain(theirs.email);
});

test('somebody who is here already: the way to them', async ({ page, calls }) => {
  const here = await calls.makeUser();
  const panel = await openPanel(page);
  await fill(panel, { 'First name': 'Same', 'Last name': 'Address', 'E-mail': here.email.toUpperCase() });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(panel.getByLabel('E-mail')).toHaveAccessibleDescription(
    'Is already a user of this site. Go to them',
  );
  await panel.getByRole('link', { name: 'Go to them' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByRole('heading', { name: here.name, level: 1 })).toBeVisible();
});

test('typed work is not lost by accident', async ({ page }) => {
  const panel = await openPanel(page);
  await panel.getByLabel('First name').fill('Unsaved');
  await page.keyboard.press('Escape');
  const ask = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await expect(ask.getByRole('button', { name: 'Keep editing' })).toBeFocused();
  await expectNoAxe(page);
  await page.keyboard.press('Enter');
  await expect(panel.getByLabel('First name')).toHaveValue('Unsaved');
  await page.goBack();
  await ask.getByRole('button', { name: 'Discard changes' }).click();
  await expect(panel).toBeHidden();
  await expect(page).toHaveURL('/users');
});
