import type { Page } from '@playwright/test';
import { generate } from 'otplib';
import { chooseMenuItem, expectAccessibleInBothThemes, expectToast } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { ada, type Person } from '../support/data/people.ts';
import { expireProofs } from '../support/expire-proofs.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({
  installation: { sample: false, administrator: ada },
  permissions: ['clipboard-read', 'clipboard-write'],
});

const dialog = (page: Page, name: string | RegExp) => page.getByRole('alertdialog', { name });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter');

/** Sets up an authenticator app in the open dialog by keyboard and returns its secret. */
async function enrol(page: Page): Promise<string> {
  const field = page.getByLabel('Code shown in the app');
  await expect(field).toBeFocused();
  const secret = (await page.getByLabel('Secret', { exact: true }).innerText()).replaceAll(/\s/g, '');
  await page.keyboard.type(await generate({ secret }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'I have saved them' })).toBeVisible();
  return secret;
}

test('sets up a second factor and turns an API key on and off on the profile', async ({
  page,
  service,
  calls,
}) => {
  const groupId = await calls.createGroup('Integrators', ['Access Web Service', 'Manage Users']);
  await openAs(page, await calls.createUser({ groups: [groupId] }));
  await chooseMenuItem(page, /appearance and sign out/, 'Your profile');
  await expect(page.getByRole('heading', { name: 'Your profile', level: 1 })).toBeFocused();
  await expectAccessibleInBothThemes(page);

  const factor = page.getByRole('region', { name: 'Two-factor authentication' });
  await press(page, 'Set up…');
  await enrol(page);
  await expect(dialog(page, 'Set up an authenticator app').getByRole('listitem')).toHaveCount(10);
  await page.evaluate(() => history.back());
  await press(page, 'Back to the codes');
  await press(page, 'I have saved them');
  await expectToast(page, 'Two-factor authentication is on');
  await expect(factor).toContainText('10 codes are left');

  const key = page.getByRole('region', { name: /^API key for/ });
  const task = await countSteps(page);
  await expect(key.getByRole('checkbox', { name: 'Backups' })).toHaveAccessibleDescription(/Manage Backups/);
  await key.getByRole('checkbox', { name: 'User management' }).press(' ');
  await expect(key.getByRole('radio', { name: '1 year' })).toBeChecked();
  await key.getByRole('radio', { name: '1 year' }).press('ArrowLeft');
  await expect(key).toContainText('You will get an e-mail 14 days before');
  await key.getByRole('button', { name: 'Turn on' }).press('Enter');
  const shown = dialog(page, 'Your API key is on');
  await expect(shown).toContainText('never shown again');
  const secret = await shown.getByLabel('Client secret', { exact: true }).innerText();
  await expect(shown).toContainText(`${service.url}/api/rest/v1/oauth/token`);
  await expect(shown.getByRole('link', { name: 'API reference' })).toHaveAttribute('href', '/api/current');
  const [, firstAddress = ''] = /Bearer \$TOKEN" "([^"]+)"/.exec(await shown.innerText()) ?? [];
  await page.keyboard.press('Escape');
  await press(page, 'Back to the secret');
  await shown.getByRole('button', { name: 'Copy the secret' }).press('Enter');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  // Among them closing without having copied, which is asked about.
  task.expectAtMost(5);
  await press(page, 'Close');
  await expect(shown).toBeHidden();
  await expect(key.getByRole('definition').filter({ hasText: 'in 90 days' })).toBeVisible();

  const clientId = (await key.getByRole('definition').first().innerText()).trim();
  const token = () =>
    page.request.post(`${service.url}/api/rest/v1/oauth/token`, {
      form: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
    });
  const granted = (await (await token()).json()) as { access_token: string };
  const firstCall = await page.request.get(firstAddress, {
    headers: { authorization: `Bearer ${granted.access_token}` },
  });
  expect(firstCall.status(), firstAddress).toBe(200);
  await key.getByRole('button', { name: 'Turn off…' }).press('Enter');
  const confirmDialog = dialog(page, `Turn off the API key ${clientId}?`);
  await expect(confirmDialog).toContainText('The same key cannot be enabled again');
  await expect(confirmDialog).toContainText('Open now: 1 access token');
  await expectAccessibleInBothThemes(page);
  await confirmDialog.getByRole('textbox').fill(clientId);
  await page.keyboard.press('Enter');
  await expectToast(page, `The API key ${clientId} is off for good`);
  await expect(key.getByRole('button', { name: 'Turn on' })).toBeVisible();
  await page.keyboard.press('Tab');
  // The window may have lost the focus: the active element of the document is checked.
  const first = key.getByRole('checkbox').first();
  await expect.poll(() => first.evaluate((box) => box === document.activeElement)).toBe(true);
  expect((await token()).status()).toBe(401);
});

test('a double click turns an API key on once and shows its secret', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Double clickers', ['Access Web Service', 'Manage Users']);
  await openAs(page, await calls.createUser({ groups: [groupId] }), '/profile');
  const key = page.getByRole('region', { name: /^API key for/ });
  await key.getByRole('checkbox', { name: 'User management' }).check();
  await key.getByRole('button', { name: 'Turn on' }).dblclick();
  const shown = dialog(page, 'Your API key is on');
  await expect(shown.getByLabel('Client secret', { exact: true })).toHaveText(/\S/);
  await expect(key.getByRole('alert')).toHaveCount(0);
  // The variables have the secret, so that closing does not ask for it.
  await shown.getByRole('button', { name: 'Copy the variables with the secret' }).click();
  await shown.getByRole('button', { name: 'Close' }).click();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});

test('shows the secret of an API key that the card reads before the answer', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Slow readers', ['Access Web Service', 'Manage Users']);
  await openAs(page, await calls.createUser({ groups: [groupId] }), '/profile');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page).toHaveURL('/');
  await page.goBack();
  const { promise: isRead, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/session/apikey', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const response = await route.fetch();
    await isRead;
    await route.fulfill({ response });
  });
  const key = page.getByRole('region', { name: /^API key for/ });
  await key.getByRole('checkbox', { name: 'User management' }).check();
  await key.getByRole('button', { name: 'Turn on' }).click();
  // A window that gets the focus reads again what is shown.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    await expect(key.getByText('On', { exact: true })).toBeVisible({ timeout: 500 });
  }).toPass();
  release();
  const shown = dialog(page, 'Your API key is on');
  await expect(shown.getByLabel('Client secret', { exact: true })).toHaveText(/\S/);
  // Back and forward ask what closing asks.
  await page.goForward();
  const question = dialog(page, 'Close without copying the secret?');
  await question.getByRole('button', { name: 'Back to the secret' }).click();
  await expect(shown.getByLabel('Client secret', { exact: true })).toHaveText(/\S/);
});

/** Signs in and sets up an authenticator app through the API; second-factor.test.ts covers the pages. */
async function enrolByApi({ request }: Page, { email, password }: Person): Promise<void> {
  await sendRequest(request, 'POST', '/api/session', { email, password });
  const enrolment = await sendRequest(request, 'POST', '/api/session/two-factor/enrolment');
  const { secret } = enrolment as { secret: string };
  await sendRequest(request, 'PUT', '/api/session/two-factor/enrolment', {
    code: await generate({ secret }),
  });
}

test('resets a lost second factor after a proof of presence, and shows the coverage', async ({
  page,
  elsewhere,
  calls,
  service,
  expectFailure,
}) => {
  expectFailure(403, 401);
  const person = await calls.createUser({ twoFactorEnabled: true });
  await enrolByApi(elsewhere, person);

  await openAs(page, ada, '/settings/two-factor');
  const missingFactors = page.getByRole('list', { name: 'People without a second factor' });
  await expect(missingFactors).not.toContainText(person.email);
  await page.goto('about:blank');
  await expireProofs(service);

  await page.goto(`/users/${person.id}`);
  await expect(page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1);
  await page.getByRole('button', { name: 'Reset…' }).click();
  const confirmDialog = dialog(page, `Reset the second factor of ${person.name}?`);
  await expect(confirmDialog).toContainText('All their sessions end immediately');
  await confirmDialog.getByRole('textbox').fill(person.email);
  await page.keyboard.press('Enter');
  const proof = dialog(page, 'Confirm it’s you');
  await proof.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expectToast(page, `The second factor of ${person.name} was reset`);
  await expect(page.getByRole('region', { name: 'Second factor' })).toContainText('Required, not set up');
  await expect(page.getByRole('region', { name: 'Sessions' })).toContainText('Not signed in');

  await page.goto('/settings/two-factor');
  await expect(missingFactors).toContainText(person.email);
  await expectAccessibleInBothThemes(page);
  await elsewhere.goto('/');
  await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
