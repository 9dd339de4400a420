import { chooseRowAction, expectAccessible, expectToast, fillForm } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test('nobody locks out themselves or the site, and who is refused learns whom to ask', async ({
  page,
  elsewhere,
  calls,
  expectFailure,
}) => {
  expectFailure(400, 401, 403, 409);
  const rhea = await calls.createUser({ firstName: 'Rhea', lastName: 'Runner', ipRestrictionsEnabled: true });
  // No address is approved. The names are shown only after the password was right.
  await elsewhere.goto('/sign-in');
  const signIn = async (password: string) => {
    await fillForm(elsewhere.getByRole('main'), { 'E-mail': rhea.email });
    await elsewhere.getByLabel('Password', { exact: true }).fill(password);
    await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  await signIn('not the password');
  await expect(elsewhere.getByRole('alert')).toContainText('is wrong');
  await signIn(rhea.password);
  await expect(elsewhere.getByRole('alert')).toContainText(
    /The address 127\.0\.0\.1 is not approved on this site\. Ask \S.*, who can approve it\./,
  );
  await expectAccessible(elsewhere);

  // The last administrator stays.
  await openAs(page, ada, '/users');
  await chooseRowAction(page.getByRole('row').filter({ hasText: ada.email }), 'Deactivate');
  const dialog = page.getByRole('alertdialog', { name: /^Deactivate / });
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await expect(dialog).toContainText('without an administrator who can sign in');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  // A list without the own address is saved, and undone, while one has no restrictions.
  await page.goto('/settings/addresses');
  const form = page.getByRole('region', { name: 'Approved addresses', exact: true });
  const line = form.getByLabel('Address or network 1');
  const save = () => form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('button', { name: 'Add line' }).click();
  await line.fill('203.0.113.0/24');
  await save();
  await expectToast(page, 'Approved addresses saved');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, 'The approved addresses are as before');
  await expect(form.getByText('No addresses are approved')).toBeVisible();

  // With restrictions, it is refused.
  await form.getByRole('button', { name: /^Add my address/ }).click();
  await save();
  await expect(form.getByText(', which is approved.')).toBeVisible();
  const users = await calls.call<{ id: number; email: string }[]>('GET', '/user?pageSize=100');
  const id = users.find(({ email }) => email === ada.email)?.id;
  await calls.call('PUT', '/user', { id, ipRestrictionsEnabled: true });
  await page.reload();
  await line.fill('203.0.113.0/24');
  await save();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Save list' }).click();
  await expect(form.getByRole('alert')).toContainText('a list without it would lock you out');
  await expectAccessible(page);
});
