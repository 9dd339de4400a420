import type { Page } from '@playwright/test';
import { generate } from 'otplib';
import { chooseMenuItem, expectAccessible } from '../support/actions.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada } });

/** Signs in by keyboard only. */
async function typePassword(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.goto('/sign-in');
  await expect(page.getByLabel('E-mail')).toBeFocused();
  await page.keyboard.type(person.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
}

test('sets up a second factor at the next sign-in and requires it from then on, by keyboard', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(400);
  const person = await calls.createUser({ twoFactorEnabled: true });

  await typePassword(page, person);
  await expect(page.getByRole('heading', { name: 'Set up a second factor' })).toBeVisible();
  const secret = (await page.getByLabel('Secret', { exact: true }).innerText()).replaceAll(/\s/g, '');
  await expect(page.getByLabel('Code shown in the app')).toBeFocused();
  await expect(page.locator('svg.qr path')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.type('12345');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Code shown in the app')).toHaveAccessibleDescription(/six digits/);
  await page.getByLabel('Code shown in the app').fill('');
  const code = await generate({ secret });
  await page.keyboard.type(`${code.slice(0, 3)} ${code.slice(3)}`);
  await page.keyboard.press('Enter');
  const codes = page.getByRole('listitem');
  await expect(codes).toHaveCount(10);
  const questions: string[] = [];
  page.once('dialog', (question) => {
    questions.push(question.type());
    void question.dismiss();
  });
  await page.evaluate(() => location.reload());
  await expect.poll(() => questions).toEqual(['beforeunload']);
  const recovery = await codes.first().innerText();
  await expectAccessible(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a file' }).press('Enter');
  expect((await download).suggestedFilename()).toBe('steward-recovery-codes.txt');
  await page.getByRole('button', { name: 'Continue' }).press('Enter');
  await expect(page.getByRole('navigation').first()).toBeVisible();

  await chooseMenuItem(page, /appearance and sign out/, 'Sign out');
  await expect(page).toHaveURL('/sign-in');
  await typePassword(page, person);
  await expect(page.getByRole('heading', { name: 'Second factor' })).toBeVisible();
  const field = page.getByLabel('Authenticator code');
  await expect(field).toBeFocused();
  await page.keyboard.type(code);
  await page.keyboard.press('Enter');
  await expect(field).toHaveAccessibleDescription(/was already used/);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Use a recovery code' }).press('Enter');
  await expect(page.getByLabel('Recovery code')).toBeFocused();
  await page.keyboard.type(recovery.toLowerCase());
  await page.keyboard.press('Enter');
  await expect(page.getByRole('navigation').first()).toBeVisible();
});

test('keeps the e-mail and the focus when a sign-in is cancelled or its attempts are used up', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(400, 401, 'net::ERR_FAILED');
  const person = await calls.createUser({ twoFactorEnabled: true });
  // The sign-in is over when the secret is requested again.
  const enrolment = '**/two-factor/enrolment';
  await page.route(enrolment, (route) => route.abort());
  await typePassword(page, person);
  const retry = page.getByRole('button', { name: 'Try again' });
  await expect(retry).toBeVisible();
  await page.unroute(enrolment);
  await page.context().clearCookies();
  await retry.press('Enter');
  const expired = page.getByRole('alert').filter({ hasText: 'This sign-in has expired.' });
  await expect(expired).toBeVisible();
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  const code = page.getByLabel('Code shown in the app');
  await expect(code).toBeFocused();
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  const password = page.getByLabel('Password', { exact: true });
  await expect(password).toBeFocused();
  await expect(page.getByLabel('E-mail')).toHaveValue(person.email);
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await code.fill('000000');
    const answer = page.waitForResponse('**/two-factor/enrolment');
    await page.keyboard.press('Enter');
    await answer;
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  }
  await expect(page.getByRole('alert')).toHaveText(
    'This sign-in has expired. Start again with your password.',
  );
  await expect(password).toBeFocused();
  await expect(page.getByLabel('E-mail')).toHaveValue(person.email);
});
