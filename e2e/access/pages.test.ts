import { generate } from 'otplib';
import type { Page } from '@playwright/test';
import { choose, expectNoAxeInBothThemes, expectToast } from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { ada, type Person } from '../support/people.ts';
import { letProofsAge } from '../support/proofs.ts';
import { expect, test } from '../support/test.ts';

test.use({
  installation: { sample: false, administrator: ada },
  permissions: ['clipboard-read', 'clipboard-write'],
});

const dialog = (page: Page, name: string | RegExp) => page.getByRole('alertdialog', { name });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).press('Enter');

/** Sets up an app in the open dialog, by keyboard; answers its secret. */
async function enrol(page: Page): Promise<string> {
  const field = page.getByLabel('Code that the app shows');
  await expect(field).toBeFocused();
  const secret = (await page.getByLabel('Secret', { exact: true }).innerText()).replaceAll(/\s/g, '');
  await page.keyboard.type(await generate({ secret }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'I have kept them' })).toBeVisible();
  return secret;
}

test('on the own profile a second factor is set up, and a key turned on and off with what it breaks', async ({
  page,
  service,
  calls,
}) => {
  const groupId = await calls.makeGroup('Integrators', ['Access Web Service', 'Manage Users']);
  await enter(page, await calls.makeUser({ groups: [groupId] }));
  await choose(page, /appearance and sign out/, 'Your profile');
  await expect(page.getByRole('heading', { name: 'Your profile', level: 1 })).toBeFocused();
  await expectNoAxeInBothThemes(page);

  const factor = page.getByRole('region', { name: 'Two-factor authentication' });
  await press(page, 'Set up…');
  await enrol(page);
  await expect(dialog(page, 'Set up an authenticator app').getByRole('listitem')).toHaveCount(10);
  await press(page, 'I have kept them');
  await expectToast(page, 'Two-factor authentication is on');
  await expect(factor).toContainText('10 codes are left');

  const key = page.getByRole('region', { name: /^API key for/ });
  await expect(key.getByRole('checkbox', { name: 'Backups' })).toHaveAccessibleDescription(/Manage Backups/);
  await key.getByRole('checkbox', { name: 'User management' }).press(' ');
  await expect(key.getByRole('radio', { name: '1 year' })).toBeChecked();
  await key.getByRole('radio', { name: '1 year' }).press('ArrowLeft');
  await expect(key).toContainText('You are told by e-mail 14 days before');
  await key.getByRole('button', { name: 'Turn the key on' }).press('Enter');
  const shown = dialog(page, 'Your API key is on');
  await expect(shown).toContainText('never shown again');
  const secret = await shown.getByLabel('Client secret', { exact: true }).innerText();
  await page.keyboard.press('Escape');
  await press(page, 'Go back to the secret');
  await shown.getByRole('button', { name: 'Copy the secret' }).press('Enter');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await press(page, 'Close');
  await expect(shown).toBeHidden();
  await expect(key.getByRole('definition').filter({ hasText: 'in 90 days' })).toBeVisible();

  const clientId = (await key.getByRole('definition').first().innerText()).trim();
  const token = () =>
    page.request.post(`${service.url}/api/rest/v1/oauth/token`, {
      form: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
    });
  expect((await token()).status()).toBe(200);
  await key.getByRole('button', { name: 'Turn off…' }).press('Enter');
  const door = dialog(page, `Turn off the API key ${clientId}?`);
  await expect(door).toContainText('The same key cannot be enabled again');
  await expect(door).toContainText('Open now: 1 access token');
  await expectNoAxeInBothThemes(page);
  await door.getByRole('textbox').fill(clientId);
  await page.keyboard.press('Enter');
  await expectToast(page, `The API key ${clientId} is off for good`);
  await expect(key.getByRole('button', { name: 'Turn the key on' })).toBeVisible();
  await page.keyboard.press('Tab');
  // The window itself may have lost the focus meanwhile; the place in the page counts.
  const first = key.getByRole('checkbox').first();
  await expect.poll(() => first.evaluate((box) => box === document.activeElement)).toBe(true);
  expect((await token()).status()).toBe(401);
});

/** Signs in and sets up an app as the pages of it do, without them: those are proved in second-factor.test.ts. */
async function enrolUnseen({ request }: Page, { email, password }: Person): Promise<void> {
  await send(request, 'POST', '/api/session', { email, password });
  const begun = await send(request, 'POST', '/api/session/two-factor/enrolment');
  const { secret } = begun as { secret: string };
  await send(request, 'PUT', '/api/session/two-factor/enrolment', { code: await generate({ secret }) });
}

test('an administrator resets a lost second factor after proving who they are; coverage tells before and after', async ({
  page,
  elsewhere,
  calls,
  service,
  expectFailure,
}) => {
  expectFailure(403, 401);
  const person = await calls.makeUser({ twoFactorEnabled: true });
  await enrolUnseen(elsewhere, person);

  await enter(page, ada, '/settings/two-factor');
  const listed = page.getByRole('list', { name: 'People without a second factor' });
  await expect(listed).not.toContainText(person.email);
  await page.goto('about:blank');
  await letProofsAge(service);

  await page.goto(`/users/${person.id}`);
  await expect(page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveCount(1);
  await page.getByRole('button', { name: 'Reset…' }).click();
  const door = dialog(page, `Reset the second factor of ${person.name}?`);
  await expect(door).toContainText('Every session of theirs ends at once');
  await door.getByRole('textbox').fill(person.email);
  await page.keyboard.press('Enter');
  const proof = dialog(page, 'Is it still you?');
  await proof.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expectToast(page, `The second factor of ${person.name} was reset`);
  await expect(page.getByRole('region', { name: 'Second factor' })).toContainText('Required, not set up');
  await expect(page.getByRole('region', { name: 'Sessions' })).toContainText('Not signed in');

  await page.goto('/settings/two-factor');
  await expect(listed).toContainText(person.email);
  await expectNoAxeInBothThemes(page);
  await elsewhere.goto('/');
  await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible();
});
