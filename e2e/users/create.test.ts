import type { Page } from '@playwright/test';
import {
  expectAccessible,
  expectRow,
  expectToast,
  fillForm,
  holdRequests,
  signIn,
} from '../support/actions.ts';
import { createCalls, openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { waitForMailedLink } from '../support/mail.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const HARBOR = 2;

async function openPanel(page: Page) {
  await openAs(page, ada, '/users');
  await page.getByRole('link', { name: 'New user' }).click();
  const panel = page.getByRole('dialog', { name: 'New user' });
  await expect(panel.getByLabel('First name')).toBeFocused();
  await expect(page).toHaveURL('/users/new');
  return panel;
}

test('creates a user with a password who signs in with it', async ({ page, elsewhere, calls }) => {
  const panel = await openPanel(page);
  await expectAccessible(page);
  await fillForm(panel, {
    'First name': 'Perpetua',
    'Last name': 'Newcome',
    'E-mail': 'perpetua@people.example',
    Password: 'five golden rings',
    Groups: ['Finance', 'Stewards'],
    License: 'Limited',
    'Two-factor authentication': true,
  });
  await expect(panel.getByText(/billable after this|as before/)).toBeVisible();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expectToast(page, 'Perpetua Newcome was created');
  await expect(page.getByRole('heading', { name: 'Perpetua Newcome', level: 1 })).toBeVisible();
  await expect(page.getByText('Hand over the password you chose')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Users', exact: true }).first().click();
  await page.getByRole('searchbox', { name: 'Search users' }).fill('perpetua');
  await expectRow(page.getByRole('grid', { name: 'Users' }), {
    Name: 'Perpetua Newcome',
    Status: 'Active',
    License: 'Limited',
  });
  const [created] = await calls.call<{ twoFactorEnabled: boolean }[]>(
    'GET',
    '/user?email=perpetua%40people.example',
  );
  expect(created?.twoFactorEnabled).toBe(true);
  await elsewhere.bringToFront();
  await elsewhere.goto('/sign-in');
  await elsewhere.getByLabel('E-mail').fill('perpetua@people.example');
  await elsewhere.getByLabel('Password', { exact: true }).fill('five golden rings');
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  // The password was accepted; the second factor is requested next.
  await expect(elsewhere.getByRole('heading', { name: 'Set up a second factor', level: 1 })).toBeVisible();
});

test('keeps what is typed in the list of groups when the check of the address returns', async ({ page }) => {
  const panel = await openPanel(page);
  const answer = await holdRequests(page, '**/invitations/check');
  await panel.getByLabel('E-mail').fill(ada.email);
  const groups = panel.getByRole('combobox', { name: 'Groups' });
  await groups.fill('Fina');
  answer();
  await expect(panel.getByText('Already a user of this site.')).toBeVisible();
  await expect(groups).toHaveValue('Fina');
  await groups.press('ArrowDown');
  await groups.press('Enter');
  await groups.press('Escape');
  await expect(panel.getByRole('button', { name: 'Remove Finance' })).toBeVisible();
});

test('creates a user without a password who signs in through the mailed link', async ({
  page,
  elsewhere,
  service,
}) => {
  const panel = await openPanel(page);
  const email = 'lucius@people.example';
  await fillForm(panel, { 'First name': 'Lucius', 'Last name': 'Mailed', 'E-mail': email });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(page.getByText(`An e-mail with a link to set a password goes to ${email}`)).toBeVisible();

  await elsewhere.goto(await waitForMailedLink(service, email));
  await elsewhere.getByLabel('New password').fill('four calling birds');
  await elsewhere.getByRole('button', { name: 'Set password' }).click();
  await expectToast(elsewhere, 'Password set');
  await signIn(elsewhere, { email, password: 'four calling birds' });
  await expect(elsewhere.getByText('None of your groups grants a capability on this site.')).toBeVisible();
});

test('shows missing fields and errors of the service on their fields', async ({ page }) => {
  const panel = await openPanel(page);
  const create = panel.getByRole('button', { name: 'Create user' });
  await create.click();
  await expect(panel.getByLabel('First name')).toHaveAccessibleDescription('Enter a first name');
  await expect(panel.getByLabel('E-mail')).toHaveAccessibleDescription('This is not an e-mail address');
  await expect(panel.getByLabel('First name')).toBeFocused();
  await fillForm(panel, {
    'First name': 'Short',
    'Last name': 'Password',
    'E-mail': 'short@people.example',
    Password: 'short',
  });
  await create.click();
  await expect(panel.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(
    /at least 12 characters/,
  );
  await expectAccessible(page);
});

test('shows a refused blank name on its field and keeps the input', async ({ page, expectFailure }) => {
  expectFailure(400);
  const panel = await openPanel(page);
  await fillForm(panel, { 'First name': '   ', 'Last name': 'Kept', 'E-mail': 'kept@people.example' });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(panel.getByLabel('First name')).toHaveAccessibleDescription(/must not be empty/);
  await expect(panel.getByLabel('First name')).toBeFocused();
  await expect(panel.getByLabel('Last name')).toHaveValue('Kept');
});

test('shows a refused group at the groups and names it', async ({ page, expectFailure }) => {
  expectFailure(400);
  await page.route('**/api/rest/v1/management/user', (route) =>
    route.fulfill({
      status: 400,
      json: { message: 'Invalid request', errors: [{ path: 'groups.1', message: 'was deleted' }] },
    }),
  );
  const panel = await openPanel(page);
  await fillForm(panel, {
    'First name': 'Refused',
    'Last name': 'Group',
    'E-mail': 'refused@people.example',
    Groups: ['Finance', 'Stewards'],
  });
  await panel.getByRole('button', { name: 'Create user' }).click();
  const groups = panel.getByRole('combobox', { name: 'Groups' });
  await expect(groups).toHaveAccessibleDescription('Stewards: was deleted');
  await expect(panel.getByRole('group', { name: 'Groups' })).toBeFocused();
  await expect(page.getByRole('listbox')).toBeHidden();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Remove Stewards' }).click();
  await expect(groups).not.toHaveAccessibleDescription('Stewards: was deleted');
});

test('offers to invite a user of another site', async ({ page, request, calls, expectFailure }) => {
  expectFailure(409);
  const harbor = await createCalls(request, ada, HARBOR);
  const theirs = await harbor.createUser();
  await createCalls(request, ada);
  const panel = await openPanel(page);
  await fillForm(panel, { 'First name': 'Known', 'Last name': 'Elsewhere', 'E-mail': theirs.email });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(panel.getByLabel('E-mail')).toHaveAccessibleDescription(
    /^Has an account on another site\. Invite them/,
  );
  await expect(panel.getByLabel('E-mail')).toBeFocused();
  await expect(panel.getByRole('button', { name: 'Add without confirmation' })).toHaveAccessibleDescription(
    /does not belong to |has no dedicated domain/i,
  );
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Invite them' }).click();
  await expectToast(page, `${theirs.email} was invited`);
  await expect(page).toHaveURL('/users');
  const pending = await calls.call<{ email: string }[]>('GET', '/user/invitations?status=pending');
  expect(pending.map(({ email }) => email)).toContain(theirs.email);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, `The invitation of ${theirs.email} is revoked`);
  const left = await calls.call<{ email: string }[]>('GET', '/user/invitations?status=pending');
  expect(left.map(({ email }) => email)).not.toContain(theirs.email);
});

test('links to the existing user of an address', async ({ page, calls }) => {
  const existing = await calls.createUser();
  const panel = await openPanel(page);
  await fillForm(panel, {
    'First name': 'Same',
    'Last name': 'Address',
    'E-mail': existing.email.toUpperCase(),
  });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expect(panel.getByLabel('E-mail')).toHaveAccessibleDescription(
    'Is already a user of this site. Open user',
  );
  await panel.getByRole('link', { name: 'Open user' }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(page.getByRole('heading', { name: existing.name, level: 1 })).toBeVisible();
});

test('asks before discarding input', async ({ page }) => {
  const panel = await openPanel(page);
  await panel.getByLabel('First name').fill('Unsaved');
  await page.keyboard.press('Escape');
  const ask = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await expect(ask.getByRole('button', { name: 'Keep editing' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(panel.getByLabel('First name')).toHaveValue('Unsaved');
  await page.goBack();
  await ask.getByRole('button', { name: 'Discard changes' }).click();
  await expect(panel).toBeHidden();
  await expect(page).toHaveURL('/users');
});
