import { expectNoAxe, signIn } from './support/actions.ts';
import { ada } from './support/people.ts';
import { expect, test } from './support/test.ts';

test('an administrator signs in', async ({ page }) => {
  await signIn(page, ada);
  await expectNoAxe(page);
});

test('a wrong password is refused and says so', async ({ page, expectFailure }) => {
  expectFailure(401);
  await page.goto('/sign-in');
  await expectNoAxe(page);
  await page.getByLabel('E-mail').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill('not the one she chose');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('alert').first()).toBeVisible();
});

test('the service stops in order and comes back', async ({ page, service }) => {
  expect(await service.stop()).toBe(0);
  await service.start();
  await signIn(page, ada);
});
