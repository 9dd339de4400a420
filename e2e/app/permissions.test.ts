import { expectNoAxe } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

// A site of its own: here Ada is the last administrator.
test.use({ installation: { sample: false, administrator: ada } });

test('the last administrator stays one, and is told why', async ({ page, expectFailure }) => {
  expectFailure(409);
  await enter(page, ada, '/users');
  await page.getByRole('grid', { name: 'Users' }).getByRole('link', { name: 'First Administrator' }).click();
  await page.getByRole('button', { name: 'Deactivate…' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Deactivate First Administrator?' });
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await expect(dialog.getByRole('alert')).toContainText(/administrator/i);
  await expect(dialog.getByRole('alert').getByRole('button', { name: 'Copy request id' })).toBeVisible();
  await expectNoAxe(page);
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

test('without any capability every area says what it needs', async ({ page, calls, expectFailure }) => {
  expectFailure(403, 'Manage Users');
  const person = await calls.makeUser();
  await enter(page, person);
  await expect(page.getByRole('region', { name: 'People' })).toContainText(
    /Needs (the|one of the) capabilit/,
  );
  await expectNoAxe(page);
  await page.goto(`/users/${person.id}`);
  await expect(page.getByRole('heading', { name: 'You may not see this page' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Manage Users');
  await expectNoAxe(page);
  await page.goto('/users');
  await expect(page.getByRole('heading', { name: 'You may not see this page' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Manage Users');
  await expectNoAxe(page);
});

test('who may read users but not change them finds the buttons off, with the reason', async ({
  page,
  calls,
}) => {
  const groupId = await calls.makeGroup('Readers', ['Manage Licences']);
  const reader = await calls.makeUser({ groups: [groupId] });
  await enter(page, reader, '/users');
  const create = page.getByRole('button', { name: 'New user' });
  await expect(create).toHaveAttribute('aria-disabled', 'true');
  await expect(create).toHaveAccessibleDescription('Needs the capability Manage Users');
});
