/** Settings of a site for platform administrators: its storage, which its administrators see, and conflicts. */
import { expectAccessible, expectToast } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test('sets the storage of a site and shows it to its administrators', async ({ page }) => {
  await openAs(page, ada, '/sites');
  const sites = page.getByRole('grid', { name: 'Sites' });
  await expect(sites).toContainText('0 bytes of 10 GB');
  await sites.getByRole('link').first().click();
  const card = page.getByRole('region', { name: 'Site', exact: true });
  const storage = card.getByLabel(/^Storage for files in GB/);
  await expect(card).toContainText('Used: 0 bytes of 10 GB.');
  await storage.fill('half');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card).toContainText('Enter a number of gigabytes');
  await storage.fill('0.5');
  await card.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, /was saved/);
  await expect(card).toContainText('Used: 0 bytes of 500 MB.');
  await page.getByRole('main').getByRole('link', { name: '1 active user' }).click();
  await expect(page).toHaveURL('/users?status=active');
  await page.goBack();
  await page.getByRole('main').getByRole('link', { name: '1 manages users and groups' }).click();
  await expect(page).toHaveURL('/groups?q=Manage+Groups');
  await expect(page.getByRole('grid', { name: 'Groups' })).toContainText('Administrators');
  await page.goto('/settings');
  await expect(page.getByRole('region', { name: 'Set by platform administrators' })).toContainText(
    '0 bytes of 500 MB',
  );
});

test('names who changed a site and its sign-in in the meantime', async ({ page, expectFailure }) => {
  expectFailure(412);
  await openAs(page, ada, '/sites/1');
  const site = page.getByRole('region', { name: 'Site', exact: true });
  const signIn = page.getByRole('region', { name: 'Sign-in' });
  await expect(signIn.getByRole('button', { name: 'Save' })).toBeVisible();
  await sendRequest(page.request, 'PUT', '/api/platform/sites/1', { storageQuotaBytes: 1_000_000_000 });
  await sendRequest(page.request, 'PUT', '/api/platform/sites/1/identity', {
    mode: 'password',
    issuer: 'https://login.people.example',
    clientId: 'steward',
  });
  await site.getByLabel('Name', { exact: true }).fill('Renamed');
  await site.getByRole('button', { name: 'Save' }).click();
  await expect(site.getByText('First Administrator changed this site in the meantime')).toBeVisible();
  await signIn.getByRole('button', { name: 'Save' }).click();
  await expect(
    signIn.getByText('First Administrator changed the sign-in settings in the meantime'),
  ).toBeVisible();
  await expectAccessible(page);
});
