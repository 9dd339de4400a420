import type { Page } from '@playwright/test';
import { chooseMenuItem, expectAccessible } from '../support/actions.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

// Passkeys require a host name.
test.use({ installation: { sample: false, administrator: ada, env: { HOST: 'localhost' } } });

/** Adds a virtual platform authenticator that always verifies the user. */
async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Adds a passkey as the profile page does. */
const addPasskey = (page: Page) =>
  page.evaluate(async () => {
    const path = '/console/api/session/security/passkeys';
    const headers = { 'X-Steward-Console': '1' };
    const response = await fetch(`${path}/options`, { method: 'POST', headers });
    const options = (await response.json()) as PublicKeyCredentialCreationOptionsJSON;
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const passkey = await navigator.credentials.create({ publicKey });
    const added = await fetch(path, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'This computer', passkey }),
    });
    return added.status;
  });

test('signs in with a passkey alone, and with a passkey as second factor after a session has ended', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(401, 'ERR_FAILED');
  const origin = service.url.replace('127.0.0.1', 'localhost');
  await addAuthenticator(page);
  await page.goto(`${origin}/sign-in`);
  await page.getByLabel('E-mail').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(await addPasskey(page)).toBe(200);

  await chooseMenuItem(page, /appearance and sign out/, 'Sign out');
  const passkeyButton = page.getByRole('button', { name: 'Sign in with a passkey' });
  await expect(passkeyButton).toBeVisible();
  await expectAccessible(page);
  await passkeyButton.press('Enter');
  await expect(page.getByRole('navigation').first()).toBeVisible();
  // The page polls nothing: the click sends the first request after the session ended.
  await page.goto(`${origin}/reports`);
  await expect(page.getByRole('heading', { name: 'Reports', level: 1 })).toBeVisible();

  await page.evaluate(() =>
    fetch('/console/api/session', { method: 'DELETE', headers: { 'X-Steward-Console': '1' } }),
  );
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Sign in again to continue' });
  await dialog.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  const factor = page.getByRole('alertdialog', { name: 'Second factor' });
  await expect(factor.getByRole('button', { name: 'Use a recovery code' })).toBeVisible();
  await expectAccessible(page);
  await page.route('**/two-factor/passkey', (route) => route.abort());
  await expect(factor.getByRole('button', { name: 'Sign in', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(factor.getByRole('alert')).toContainText('The service cannot be reached');
  await page.unroute('**/two-factor/passkey');
  await factor.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(factor).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Main site', level: 1 })).toBeVisible();
});
