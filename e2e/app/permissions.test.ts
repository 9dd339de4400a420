import { expectAccessible } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

// Without sample data, Ada is the last administrator.
test.use({ installation: { sample: false, administrator: ada } });

test('the last administrator cannot be deactivated or removed from the group', async ({
  page,
  expectFailure,
}) => {
  expectFailure(409);
  await openAs(page, ada, '/users');
  await page.getByRole('grid', { name: 'Users' }).getByRole('link', { name: 'First Administrator' }).click();
  await page.getByRole('button', { name: 'Deactivate…' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Deactivate First Administrator?' });
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await expect(dialog.getByRole('alert')).toContainText(/administrator/i);
  await expect(dialog.getByRole('alert').getByRole('button', { name: 'Copy request id' })).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Active', { exact: true }).first()).toBeVisible();

  await page
    .getByRole('link', { name: /^Groups/ })
    .last()
    .click();
  await page.getByRole('button', { name: 'Remove from Administrators' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove from group' }).click();
  await expect(page.getByRole('alertdialog').getByRole('alert')).toContainText(/administrator/i);
});

test('pages name the missing capability', async ({ page, calls, expectFailure }) => {
  expectFailure(403, 'Manage Users');
  const person = await calls.createUser();
  await openAs(page, person);
  await expect(page.getByText('None of your groups grants a capability on this site.')).toBeVisible();
  await expectAccessible(page);
  await page.goto(`/users/${person.id}`);
  await expect(page.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Manage Users');
  await expectAccessible(page);
  await page.goto('/users');
  await expect(page.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Manage Users');
  await expectAccessible(page);
  expectFailure('View Activity', 'Read Publications');
  for (const path of ['/users', '/activity', '/publications']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
  }
});

test('settings without the capability are refused without asking the service', async ({ page, calls }) => {
  await openAs(page, await calls.createUser(), '/settings');
  await expect(
    page.getByRole('heading', { name: 'You cannot view the settings of this site' }),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden();
});

test('templates open without Read Data', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Template authors', ['Manage Report Templates']);
  await openAs(page, await calls.createUser({ groups: [groupId] }), '/reports');
  await expect(page.getByRole('heading', { name: 'Reports', level: 1 })).toBeVisible();
});

test('buttons are disabled with a reason for users with read access only', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Readers', ['Manage Licences']);
  const reader = await calls.createUser({ groups: [groupId] });
  await openAs(page, reader, '/users');
  const create = page.getByRole('button', { name: 'New user' });
  await expect(create).toHaveAttribute('aria-disabled', 'true');
  await expect(create).toHaveAccessibleDescription('You need the Manage Users capability');
});
