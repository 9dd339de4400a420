import type { Page } from '@playwright/test';
import { choose, expectNoAxe } from '../support/actions.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

// Passkeys belong to a host name, and an IP address is none.
test.use({ installation: { sample: false, administrator: ada, env: { HOST: 'localhost' } } });

/** An authenticator of this computer, which verifies whoever sits at it. */
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

/** Adds a passkey as the page of the own account does. */
const addPasskey = (page: Page) =>
  page.evaluate(async () => {
    const path = '/console/api/session/security/passkeys';
    const door = { 'X-Steward-Console': '1' };
    const asked = await fetch(`${path}/options`, { method: 'POST', headers: door });
    const options = (await asked.json()) as PublicKeyCredentialCreationOptionsJSON;
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const passkey = await navigator.credentials.create({ publicKey });
    const added = await fetch(path, {
      method: 'POST',
      headers: { ...door, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'This computer', passkey }),
    });
    return added.status;
  });

test('a passkey signs in by itself, and is the second factor over a page whose session ended', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(401);
  const home = service.url.replace('127.0.0.1', 'localhost');
  await addAuthenticator(page);
  await page.goto(`${home}/sign-in`);
  await page.getByLabel('E-mail').fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('navigation').first()).toBeVisible();
  expect(await addPasskey(page)).toBe(200);

  await choose(page, /appearance and sign out/, 'Sign out');
  const door = page.getByRole('button', { name: 'Sign in with a passkey' });
  await expect(door).toBeVisible();
  await expectNoAxe(page);
  await door.press('Enter');
  await expect(page.getByRole('navigation').first()).toBeVisible();
  // A page that asks for nothing by itself: the click is what finds the session ended.
  await page.goto(`${home}/reports`);
  await expect(page.getByRole('heading', { name: 'Reports', level: 1 })).toBeVisible();

  await page.evaluate(() =>
    fetch('/console/api/session', { method: 'DELETE', headers: { 'X-Steward-Console': '1' } }),
  );
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Sign in again to go on' });
  await dialog.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  const factor = page.getByRole('alertdialog', { name: 'Second factor' });
  await expect(factor.getByRole('button', { name: 'Use a recovery code' })).toBeVisible();
  await expectNoAxe(page);
  await factor.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(factor).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Main site', level: 1 })).toBeVisible();
});
