/** A site whose people an identity manager signs in, set up and used in the browser against a real provider. */
import type { APIRequestContext } from '@playwright/test';
import { startIdentityProvider, type IdentityProvider } from '../../service/testing/identity-provider.ts';
import { choose, expectNoAxe, expectToast, fill } from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import type { Service } from '../support/service.ts';
import { expect, test as base } from '../support/test.ts';

const test = base.extend<{ provider: IdentityProvider }>({
  provider: async ({ service }, provide) => {
    const provider = await startIdentityProvider(`${service.url}/sign-in/identity`);
    await provide(provider);
    await provider.close();
  },
});

/** Somebody else who runs the platform, with a site of their own. */
async function addRunner(request: APIRequestContext, service: Service): Promise<void> {
  const email = 'rhea@platform.example';
  const person = { email, firstName: 'Rhea', lastName: 'Runner', password: 'seven swans a-swimming' };
  await send(request, 'POST', '/api/rest/v1/management/user', person);
  const site = { slug: 'second', name: 'Second site', administrator: { email } };
  await send(request, 'POST', '/api/platform/sites', site);
  await service.admin('platform', 'grant', email);
}

test('a site is opened by its identity manager from the moment it is set up', async ({
  page,
  elsewhere,
  service,
  provider,
  expectFailure,
  faults,
}) => {
  // The page of the provider that ends its session has a font of its own.
  faults.allow(/fonts\.googleapis/, /an identity manager opened this session/);
  provider.setPerson({ sub: 'ada-at-work', email: ada.email, email_verified: true });
  await enter(page, ada, '/sites');
  await page.getByRole('grid', { name: 'Sites' }).getByRole('link').first().click();
  const card = page.getByRole('region', { name: 'Sign-in' });
  await card.getByRole('button', { name: /People sign in by/ }).click();
  await page.getByRole('option', { name: /Identity manager/ }).click();
  // It opens the platform for nobody: who runs it needs a way in beside it, or somebody else who has one.
  await expect(card.getByRole('alert')).toContainText('You would lock yourself out');
  await expect(card.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true');
  await addRunner(page.request, service);
  await page.reload();
  await card.getByRole('button', { name: /People sign in by/ }).click();
  await page.getByRole('option', { name: /Identity manager/ }).click();
  await fill(card, { Issuer: provider.issuer, 'Client id': provider.clientId });
  await card.getByLabel('Client secret', { exact: true }).fill(provider.clientSecret);
  await expectNoAxe(page);
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Use the identity manager' }).click();
  await expectToast(page, 'The sign-in of the site was saved');
  const slug = new URL(page.url()).pathname;

  // With the password alone nobody comes in any more.
  expectFailure(403);
  await elsewhere.goto('/sign-in');
  await fill(elsewhere.getByRole('main'), { 'E-mail': ada.email });
  await elsewhere.getByLabel('Password', { exact: true }).fill(ada.password);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(elsewhere.getByText('through its identity manager')).toBeVisible();

  await elsewhere.getByRole('link', { name: 'Sign in through your organization' }).click();
  await expectNoAxe(elsewhere);
  await fill(elsewhere.getByRole('main'), { 'Short name of the site': 'main' });
  await elsewhere.getByRole('button', { name: 'Go on' }).click();
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Main site' })).toBeVisible();
  // What came back in the address is gone from it, and counts once.
  expect(elsewhere.url()).not.toContain('code=');
  // It says who somebody is on this site, and nothing of the platform.
  await elsewhere.goto(slug);
  await expect(elsewhere.getByText('an identity manager opened this session')).toBeVisible();

  // A session that has ended goes on from another tab, and what was on screen stays.
  // The page asks for nothing of its own: the click is the first call that finds it ended.
  await elsewhere.goto('/agent');
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Agent server' })).toBeVisible();
  await elsewhere.context().clearCookies({ name: 'steward' });
  expectFailure(401);
  await elsewhere.getByRole('link', { name: 'Groups' }).first().click();
  const dialog = elsewhere.getByRole('alertdialog', { name: 'Sign in again to go on' });
  const opened = elsewhere.context().waitForEvent('page');
  await dialog.getByRole('link', { name: 'Sign in through your organization' }).click();
  const tab = await opened;
  await tab.getByRole('button', { name: 'Go on' }).click();
  await expect(dialog).toBeHidden();
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Groups' })).toBeVisible();
  await tab.close();

  // Signing out ends the session of the identity manager too.
  await choose(elsewhere, /appearance and sign out/, 'Sign out');
  await expect(elsewhere).toHaveURL(new RegExp(`^${provider.issuer}/session/end`));
});

test('a sign-in that was begun elsewhere is not finished here', async ({ page }) => {
  await page.goto('/sign-in/identity?code=stolen&state=of-somebody-else');
  await expect(page.getByRole('alert')).toContainText('begun in another tab');
});
