/** Sign-in through an identity manager: set up and used in the browser against a real OpenID provider. */
import type { APIRequestContext, Page } from '@playwright/test';
import {
  startIdentityProvider,
  type IdentityProvider,
} from '../../service/testing/servers/identity-provider.ts';
import { chooseMenuItem, expectAccessible, expectToast, fillForm } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import type { Service } from '../support/service.ts';
import { expect, test as base } from '../support/test.ts';

const test = base.extend<{ provider: IdentityProvider }>({
  provider: async ({ service }, provide) => {
    const provider = await startIdentityProvider(`${service.url}/sign-in/identity`);
    await provide(provider);
    await provider.close();
  },
});

/** Adds a second platform administrator with a site of their own. */
async function addPlatformAdministrator(request: APIRequestContext, service: Service): Promise<void> {
  const email = 'rhea@platform.example';
  const person = { email, firstName: 'Rhea', lastName: 'Runner', password: 'seven swans a-swimming' };
  await sendRequest(request, 'POST', '/api/rest/v1/management/user', person);
  const site = { slug: 'second', name: 'Second site', administrator: { email } };
  await sendRequest(request, 'POST', '/api/platform/sites', site);
  await service.admin('platform', 'grant', email);
}

/** Continues to the provider, which answers like one where the user cancels. */
async function cancelAtProvider(page: Page, service: Service, { issuer }: IdentityProvider): Promise<void> {
  const address = `${issuer}/auth?**`;
  await page.route(address, (route) => {
    const state = new URL(route.request().url()).searchParams.get('state') ?? '';
    const answer = new URLSearchParams({ error: 'access_denied', state, iss: issuer });
    return route.fulfill({
      status: 303,
      headers: { location: `${service.url}/sign-in/identity?${answer}` },
    });
  });
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('alert')).toContainText(
    'The identity manager did not confirm your sign-in: you cancelled it, or may not sign in to this site',
  );
  await expect(page.getByLabel('Short name of the site')).toHaveValue('main');
  await expectAccessible(page);
  await page.unroute(address);
}

test('signs users in through the identity manager once it is set up', async ({
  page,
  elsewhere,
  service,
  provider,
  expectFailure,
  pageErrors,
}) => {
  // The sign-out page of the provider loads a web font.
  pageErrors.allow(/fonts\.googleapis/, /opened by an identity manager/);
  provider.setPerson({ sub: 'ada-at-work', email: ada.email, email_verified: true });
  await openAs(page, ada, '/sites');
  await page.getByRole('grid', { name: 'Sites' }).getByRole('link').first().click();
  const card = page.getByRole('region', { name: 'Sign-in' });
  await card.getByRole('button', { name: /Sign-in method/ }).click();
  await page.getByRole('option', { name: /Identity manager/ }).click();
  // Platform administrators must keep another way to sign in, or another administrator must have one.
  await expect(card.getByRole('alert')).toContainText('You would lock yourself out');
  await expect(card.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true');
  await addPlatformAdministrator(page.request, service);
  await page.reload();
  await card.getByRole('button', { name: /Sign-in method/ }).click();
  await page.getByRole('option', { name: /Identity manager/ }).click();
  await fillForm(card, { Issuer: provider.issuer, 'Client id': provider.clientId });
  await card.getByLabel('Client secret', { exact: true }).fill(provider.clientSecret);
  await expectAccessible(page);
  await card.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Use identity manager' }).click();
  await expectToast(page, 'Sign-in settings saved');
  const sitePath = new URL(page.url()).pathname;

  // The password no longer opens the site.
  expectFailure(401, 403);
  await elsewhere.goto('/sign-in');
  await fillForm(elsewhere.getByRole('main'), { 'E-mail': ada.email });
  await elsewhere.getByLabel('Password', { exact: true }).fill(ada.password);
  await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(elsewhere.getByText('through its identity manager')).toBeVisible();

  await elsewhere.getByRole('link', { name: 'Sign in through your organization' }).click();
  await expectAccessible(elsewhere);
  await fillForm(elsewhere.getByRole('main'), { 'Short name of the site': 'main' });
  await cancelAtProvider(elsewhere, service, provider);
  await elsewhere.getByRole('button', { name: 'Continue' }).click();
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Main site' })).toBeVisible();
  // The authorization code is removed from the URL.
  expect(elsewhere.url()).not.toContain('code=');
  // Fields that the identity manager makes ineffective are disabled, with the reason.
  await elsewhere.goto('/users/new');
  const password = elsewhere.getByRole('dialog').getByLabel('Password', { exact: true });
  await expect(password).toBeDisabled();
  await expect(password).toHaveAccessibleDescription(/identity manager/);
  await elsewhere.goto('/users');
  await elsewhere.getByRole('grid', { name: 'Users' }).getByRole('link').first().click();
  await elsewhere
    .getByRole('region', { name: 'Profile', exact: true })
    .getByRole('button', { name: 'Edit' })
    .click();
  const federationId = elsewhere.getByLabel('Federation id');
  await expect(federationId).toBeDisabled();
  await expect(federationId).toHaveAccessibleDescription(/an identity manager signs people in/);
  // A session of the identity manager cannot administer the platform.
  await elsewhere.goto(sitePath);
  await expect(elsewhere.getByText('opened by an identity manager')).toBeVisible();

  // An ended session is renewed in another tab, and the page stays open.
  // The page polls nothing: the click sends the first request after the session ended.
  await elsewhere.goto('/nowhere');
  await expect(elsewhere.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible();
  await elsewhere.context().clearCookies({ name: 'steward' });
  await elsewhere.getByRole('link', { name: 'Groups' }).first().click();
  const dialog = elsewhere.getByRole('alertdialog', { name: 'Sign in again to continue' });
  const newTab = elsewhere.context().waitForEvent('page');
  await dialog.getByRole('link', { name: 'Sign in through your organization' }).click();
  const tab = await newTab;
  await tab.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog).toBeHidden();
  await expect(elsewhere.getByRole('heading', { level: 1, name: 'Groups' })).toBeVisible();
  await tab.close();

  // Ada has an id of the provider now, which another issuer or claim may give to somebody else.
  await page.reload();
  await card.getByLabel('Claim with the federation id').fill('oid');
  await card.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('alertdialog', { name: 'Keep the federation ids of users?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(card.getByLabel('Claim with the federation id')).toHaveValue('oid');
  await page.reload();
  await expect(card.getByLabel('Claim with the federation id')).toHaveValue('sub');

  // Signing out also ends the session of the identity manager.
  await chooseMenuItem(elsewhere, /appearance and sign out/, 'Sign out');
  await expect(elsewhere).toHaveURL(new RegExp(`^${provider.issuer}/session/end`));
});

test('rejects a sign-in that was started in another browser', async ({ page }) => {
  await page.goto('/sign-in/identity?code=stolen&state=of-somebody-else');
  await expect(page.getByRole('alert')).toContainText('started in another tab');
});

test('opens the requested page also after a change to the password', async ({ page }) => {
  await page.goto('/sign-in/identity?next=%2Freports');
  await page.getByRole('link', { name: 'Sign in with a password' }).click();
  await expect(page).toHaveURL('/sign-in?next=%2Freports');
});
