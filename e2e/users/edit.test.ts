import type { Page } from '@playwright/test';
import { generate } from 'otplib';
import {
  chooseMenuItem,
  expectAccessible,
  expectToast,
  fillForm,
  holdRequests,
  signIn,
} from '../support/actions.ts';
import { endSession, openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const profile = (page: Page) => page.getByRole('region', { name: 'Profile', exact: true });

async function edit(page: Page): Promise<void> {
  await profile(page).getByRole('button', { name: 'Edit' }).click();
  await expect(profile(page).getByRole('button', { name: 'Save' })).toBeVisible();
}

test('edits a profile in place and updates list and title immediately', async ({ page, calls }) => {
  const person = await calls.createUser();
  await openAs(page, ada, '/users');
  await page.getByRole('searchbox', { name: 'Search users' }).fill(person.email);
  await page.getByRole('link', { name: person.name }).click();
  await edit(page);
  await fillForm(profile(page), { 'First name': 'Changed', 'Federation id': 'fed-77' });
  await expectAccessible(page);
  await profile(page).getByRole('button', { name: 'Save' }).click();
  await expectToast(page, `Changed ${person.name.slice(7)} was saved`);
  await expect(page).toHaveTitle(/Changed Number/);
  expect(await calls.getUser(person.id)).toMatchObject({ firstName: 'Changed', federationId: 'fed-77' });
  await page.goBack();
  await expect(page.getByRole('link', { name: /^Changed Number/ })).toBeVisible();
});

test('keeps what is typed into a profile while it is being saved', async ({ page, calls }) => {
  const person = await calls.createUser();
  await openAs(page, ada, `/users/${person.id}`);
  await edit(page);
  await fillForm(profile(page), { 'First name': 'Changed' });
  const answer = await holdRequests(page, '**/management/user');
  const save = profile(page).getByRole('button', { name: 'Save' });
  const sent = page.waitForRequest('**/management/user');
  await save.click();
  await sent;
  await fillForm(profile(page), { 'Last name': 'Typed' });
  answer();
  await expectToast(page, `Changed ${person.name.slice(7)} was saved`);
  await expect(save).not.toHaveAttribute('aria-busy');
  await expect(profile(page).getByLabel('Last name')).toHaveValue('Typed');
  await save.click();
  await expectToast(page, 'Changed Typed was saved');
  await expect(save).toBeHidden();
  expect(await calls.getUser(person.id)).toMatchObject({ firstName: 'Changed', lastName: 'Typed' });
});

test('shows a taken address on its field and keeps the input', async ({ page, calls, expectFailure }) => {
  expectFailure(409);
  const [person, other] = [await calls.createUser(), await calls.createUser()];
  await openAs(page, ada, `/users/${person.id}`);
  await edit(page);
  await fillForm(profile(page), { 'Last name': 'Typed', 'E-mail': other.email });
  await profile(page).getByRole('button', { name: 'Save' }).click();
  await expect(profile(page).getByLabel('E-mail')).toHaveAccessibleDescription(/belongs to another user/);
  await expect(profile(page).getByLabel('Last name')).toHaveValue('Typed');
  await expectAccessible(page);
});

test('shows both versions when two people edit the same user', async ({
  page,
  elsewhere,
  calls,
  expectFailure,
}) => {
  expectFailure(412);
  const person = await calls.createUser();
  await openAs(page, ada, `/users/${person.id}`);
  await openAs(elsewhere, ada, `/users/${person.id}`);
  await edit(page);
  await edit(elsewhere);
  await fillForm(profile(elsewhere), { 'First name': 'Theirs', 'Federation id': 'their-id' });
  await profile(elsewhere).getByRole('button', { name: 'Save' }).click();
  await expectToast(elsewhere, /was saved/);

  await fillForm(profile(page), { 'First name': 'Mine', 'Last name': 'Alone' });
  await profile(page).getByRole('button', { name: 'Save' }).click();
  const conflict = page.getByRole('note').filter({ hasText: 'changed this user while you were editing' });
  await expect(conflict).toContainText('First Administrator changed this user');
  await expect(conflict.getByRole('radio', { name: 'First name, theirs: Theirs' })).toBeVisible();
  await expect(conflict.getByRole('radio', { name: 'First name, mine: Mine' })).toBeChecked();
  await expect(conflict).toContainText('Federation id “their-id”');
  await expect(profile(page).getByLabel('Last name')).toHaveValue('Alone');
  await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).toContainText('Theirs');
  await expect(page).toHaveTitle(/Theirs/);
  await expect(page.locator(':focus')).toContainText('changed this user');
  await expectAccessible(page);
  expect((await calls.getUser(person.id)).firstName).toBe('Theirs');

  await conflict.getByRole('radio', { name: 'First name, theirs: Theirs' }).check();
  await expect(profile(page).getByRole('textbox', { name: 'First name' })).toHaveValue('Theirs');
  await conflict.getByRole('button', { name: 'Keep all of mine' }).click();
  await expect(profile(page).getByRole('textbox', { name: 'First name' })).toHaveValue('Mine');
  await profile(page).getByRole('button', { name: 'Save with these values' }).click();
  await expectToast(page, 'Mine Alone was saved');
  expect(await calls.getUser(person.id)).toMatchObject({
    firstName: 'Mine',
    lastName: 'Alone',
    federationId: 'their-id',
  });
});

test('keeps the input when the session ends in a form', async ({ page, calls, expectFailure }) => {
  expectFailure(401);
  const person = await calls.createUser();
  await openAs(page, ada, `/users/${person.id}`);
  await edit(page);
  await fillForm(profile(page), { 'First name': 'Kept', 'Last name': 'Through' });
  await endSession(page);
  await profile(page).getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Sign in again to continue' });
  await dialog.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expectToast(page, 'Kept Through was saved');
  expect((await calls.getUser(person.id)).firstName).toBe('Kept');
});

test('deactivating ends the session immediately and activating allows sign-in again', async ({
  page,
  elsewhere,
  calls,
  expectFailure,
}) => {
  expectFailure(401, 403);
  const person = await calls.createUser();
  await openAs(elsewhere, person);
  await expect(elsewhere.getByRole('heading', { level: 1 })).toBeVisible();
  await openAs(page, ada, `/users/${person.id}`);
  await page.getByRole('button', { name: 'Deactivate…' }).click();
  const dialog = page.getByRole('alertdialog', { name: `Deactivate ${person.name}?` });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await expectToast(page, `${person.name} is inactive`);
  await expect(page.getByText('Inactive', { exact: true }).first()).toBeVisible();
  await elsewhere.reload();
  await elsewhere.getByLabel('E-mail').fill(person.email);
  await elsewhere.getByLabel('Password', { exact: true }).fill(person.password);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(elsewhere.getByRole('alert')).toContainText('You have no access to any site');

  await chooseMenuItem(page, `Actions for ${person.name}`, 'Activate');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Activate' }).click();
  await expectToast(page, `${person.name} is active`);
  await signIn(elsewhere, person);
});

test('explains why somebody cannot sign in, and fixes it', async ({ page, calls }) => {
  // Without a password, a license and approved addresses: three of the checks fail.
  const person = await calls.createUser({ password: undefined, ipRestrictionsEnabled: true });
  await calls.call('PUT', '/userLicense', { userId: person.id, licenseTypeId: 4 });
  await openAs(page, ada, `/users/${person.id}`);
  const card = page.getByRole('region', { name: 'Can Person sign in?' });
  await card.getByLabel('From the address').fill('198.51.100.7');
  const checks = card.getByRole('list', { name: 'Checks' }).getByRole('listitem');
  await expect(checks.nth(2)).toContainText('198.51.100.7 is not approved on this site.');
  await expect(checks.nth(0)).toContainText('The license is No License.');
  await expect(checks.nth(1)).toContainText('The user has not set a password yet.');
  await expect(card.getByText('Any address may be used.')).toBeHidden();
  await expect(card.getByRole('group').getByText(/checks pass$/)).toBeVisible();
  await expectAccessible(page);

  const task = await countSteps(page);
  await checks.nth(1).getByRole('button', { name: 'Send a link' }).click();
  await expectToast(page, `A link to set a password was sent to ${person.email}`);
  task.expectAtMost(1);
  await card.getByText('Call the API').click();
  await expect(page.getByRole('region', { name: 'Can programs of Person call the API?' })).toContainText(
    'No API key is turned on.',
  );
  // Other goals have their own checks, each with what fixes it.
  await page.getByRole('button', { name: 'More questions' }).click();
  await page.getByRole('menuitem', { name: 'Download a backup' }).click();
  const backup = page.getByRole('region', { name: 'Can Person download a backup?' });
  await expect(backup).toContainText('Downloading backups requires Manage Backups.');
  await expect(backup.getByRole('link', { name: 'Request a backup…' })).toBeVisible();
  await card.page().getByText('Sign in', { exact: true }).first().click();
  await checks.nth(2).getByRole('link', { name: 'Approve 198.51.100.7…' }).click();
  await expect(page.getByLabel(/^Address or network \d+$/).last()).toHaveValue('198.51.100.7');
  await page.goBack();
  await checks.nth(0).getByRole('link', { name: 'Give a license' }).click();
  await expect(page).toHaveURL(`/users/${person.id}/license`);
});

test('somebody who cannot get in is found, let in and signs in, in a few steps', async ({
  page,
  elsewhere,
  calls,
}) => {
  const person = await calls.createUser({ firstName: 'Leonora', lastName: 'Lockedout', isActive: false });
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const task = await countSteps(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', { name: /^Search people/ }).fill('lockedout');
  await page.getByRole('menuitem', { name: /^Leonora Lockedout/ }).click();
  const card = page.getByRole('region', { name: 'Can Leonora sign in?' });
  await expect(card).toContainText('The user is inactive.');
  await card.getByRole('button', { name: 'Activate…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Activate' }).click();
  await expect(card).toContainText('Nothing prevents it.');
  task.expectAtMost(5);
  await signIn(elsewhere, person);
});

test('the explainer leads to the groups of somebody who can do nothing', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Gwen', lastName: 'Groupless', groups: [] });
  await openAs(page, ada, `/users/${person.id}`);
  const card = page.getByRole('region', { name: 'Can Gwen sign in?' });
  await expect(card).toContainText('No group grants a capability');
  await card.getByRole('link', { name: 'Add to groups' }).click();
  await expect(page).toHaveURL(`/users/${person.id}/groups`);
  await expect(page.getByRole('region', { name: 'Add to groups' })).toBeVisible();
});

test('a lost second factor is reset from the explainer', async ({ page, elsewhere, calls }) => {
  const person = await calls.createUser({ firstName: 'Fay', lastName: 'Factorless' });
  await sendRequest(elsewhere.request, 'POST', '/api/session', {
    email: person.email,
    password: person.password,
  });
  const enrolment = (await sendRequest(elsewhere.request, 'POST', '/api/session/two-factor/enrolment')) as {
    secret: string;
  };
  await sendRequest(elsewhere.request, 'PUT', '/api/session/two-factor/enrolment', {
    code: await generate({ secret: enrolment.secret }),
  });
  await openAs(page, ada, `/users/${person.id}`);
  const card = page.getByRole('region', { name: 'Can Fay sign in?' });
  await card.getByRole('button', { name: 'Reset second factor…' }).click();
  await expect(
    page.getByRole('alertdialog', { name: 'Reset the second factor of Fay Factorless?' }),
  ).toBeVisible();
});

test('a one-way switch explains itself and stays on', async ({ page, calls }) => {
  const person = await calls.createUser();
  await openAs(page, ada, `/users/${person.id}`);
  const door = page.getByRole('switch', { name: 'Two-factor authentication' });
  await expect(door).not.toBeChecked();
  await door.click();
  const dialog = page.getByRole('alertdialog', { name: /Turn on “Two-factor authentication”/ });
  await expect(dialog).toContainText('This cannot be turned off again');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(door).not.toBeChecked();
  await door.click();
  await dialog.getByLabel(/^Type “/).fill(person.email);
  await dialog.getByRole('button', { name: 'Turn on permanently' }).click();
  await expect(door).toBeChecked();
  await expect(door).toHaveAccessibleDescription(/cannot be turned off/);
  await door.press(' ');
  await expect(door).toBeChecked();
  await expect(dialog).toBeHidden();
  expect((await calls.getUser(person.id)).twoFactorEnabled).toBe(true);
});

test('a license change shows its effect on billing', async ({ page, calls }) => {
  const person = await calls.createUser();
  await openAs(page, ada, `/users/${person.id}/license`);
  const card = page.getByRole('region', { name: 'Change license' });
  await fillForm(card, { 'New license': 'Free/Complimentary' });
  const effect = await card.getByText(/billable after this/).innerText();
  const [after, now] = [...effect.matchAll(/\d+/g)].map(Number);
  expect(after).toBe((now ?? 0) - 1);
  await card.getByRole('button', { name: 'Change license' }).click();
  await expectToast(page, `${person.name} has Free/Complimentary`);
  await expect(page.getByRole('region', { name: 'License', exact: true })).toContainText('BillableNo');
  await expectAccessible(page);

  await fillForm(card, { 'New license': 'No License' });
  await card.getByRole('button', { name: 'Change license' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove license' }).click();
  await expectToast(page, `${person.name} has No License`);
  await page.getByRole('link', { name: 'Profile', exact: true }).click();
  await expect(page.getByRole('region', { name: `Can Person sign in?` })).toContainText('No License');
});

test('adds and removes groups one by one', async ({ page, calls }) => {
  const person = await calls.createUser();
  await openAs(page, ada, `/users/${person.id}/groups`);
  await expect(page.getByRole('heading', { name: 'No groups' })).toBeVisible();
  const add = page.getByRole('region', { name: 'Add to groups' });
  await fillForm(add, { Groups: ['Finance', 'Research'] });
  await add.getByRole('button', { name: 'Add to groups' }).click();
  await expectToast(page, `${person.name} was added to 2 groups`);
  await expect(page.getByRole('region', { name: 'Capabilities from all groups' })).toContainText(
    'Write Data',
  );
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove from Research' }).click();
  const dialog = page.getByRole('alertdialog', { name: `Remove ${person.name} from Research?` });
  await expect(dialog).toContainText('Write Data');
  await dialog.getByRole('button', { name: 'Remove from group' }).click();
  await expectToast(page, `${person.name} is no longer in Research`);
  await expect(page.getByRole('region', { name: 'Capabilities from all groups' })).not.toContainText(
    'Write Data',
  );
});

test('removing from the site requires typing the address', async ({ page, calls, expectFailure }) => {
  expectFailure(404, 'does not exist on this site');
  const person = await calls.createUser();
  await openAs(page, ada, `/users/${person.id}`);
  await page.getByRole('button', { name: 'Remove from site…' }).click();
  const dialog = page.getByRole('alertdialog', { name: `Remove ${person.name} from Northlight Capital?` });
  const remove = dialog.getByRole('button', { name: 'Remove from site' });
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await expect(remove).toHaveAccessibleDescription(`Type “${person.email}” first`);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.type(person.email);
  await remove.click();
  await expectToast(page, `${person.name} was removed from Northlight Capital`);
  await expect(page).toHaveURL('/users');
  await page.getByRole('searchbox', { name: 'Search users' }).fill(person.email);
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();

  await page.goto(`/users/${person.id}`);
  await expect(page.getByRole('alert')).toContainText(
    'It may have been removed, or it belongs to another site.',
  );
  await expectAccessible(page);
});

test('a single change can be undone until someone else changes the same user', async ({ page, calls }) => {
  const { id, name } = await calls.createUser({ firstName: 'Una', lastName: 'Undone' });
  await openAs(page, ada, `/users/${id}`);
  const status = (text: string) => page.getByRole('main').getByText(text, { exact: true }).first();
  const deactivate = async () => {
    await chooseMenuItem(page, `Actions for ${name}`, 'Deactivate');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click();
    await expectToast(page, `${name} is inactive`);
  };
  await deactivate();
  await expect(status('Inactive')).toBeVisible();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expectToast(page, `${name} is active again`);
  await expect(status('Active')).toBeVisible();
  await deactivate();
  await expect(status('Inactive')).toBeVisible();
  await calls.call('PUT', '/user', { id, lastName: 'Renamed' });
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expectToast(page, 'Someone else has changed it since. Nothing was sent.');
  await expect(status('Inactive')).toBeVisible();
});
