import { writeFile } from 'node:fs/promises';
import { chooseMenuItem, expectAccessible, expectToast, holdRequests } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { waitForMail } from '../support/mail.ts';
import { expect, test } from '../support/test.ts';

/** A red square of 4 by 4 pixels. */
const LOGO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGM4IKAARwzEcQCQQw8Bh63VPQAAAABJRU5ErkJggg==',
  'base64',
);

test('sets logo and color, previews the mails and sends one to oneself', async ({ page, service }) => {
  await openAs(page, ada, '/settings/appearance');
  const color = page.getByLabel('Color', { exact: true });
  await color.fill('#ffee00');
  await expect(page.getByText(/^The color is too light: white text on it has a contrast of 1/)).toBeVisible();
  await color.fill('#0a5c36');
  await page
    .getByLabel('Logo (optional)')
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: LOGO });
  await page.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Appearance saved');
  const mark = page.getByRole('banner').locator('img.mark-logo');
  await expect(mark).toHaveJSProperty('naturalWidth', 4);

  await page.getByRole('button', { name: 'Backup failed', exact: true }).click();
  const preview = page.getByRole('region', { name: 'Preview: Backup failed' });
  await expect(preview.getByText('The disk is full.')).toBeVisible();
  await expect(preview.getByText('Open Main site')).toHaveCSS('background-color', 'rgb(10, 92, 54)');
  await expectAccessible(page);
  await preview.getByRole('button', { name: 'Send to me' }).click();
  await expectToast(page, `Test mail sent to ${ada.email}`);
  const mail = await waitForMail(service, ada.email);
  expect(mail).toContain('Subject: Test: The backup of Main site failed');
  expect(mail).toContain('background:#0a5c36');
  expect(mail).toContain('Content-ID: <site-logo>');

  // The sign-in page belongs to no site: it shows the brand that this browser showed last.
  await chooseMenuItem(page, /appearance and sign out/, 'Sign out');
  await expect(page.getByLabel('E-mail')).toBeVisible();
  await expect(page.getByRole('main').locator('img.mark-logo')).toHaveJSProperty('naturalWidth', 4);
});

test('a logo that can no longer be read does not keep the form busy', async ({ page }, testInfo) => {
  await openAs(page, ada, '/settings/appearance');
  const path = testInfo.outputPath('changing.png');
  await writeFile(path, LOGO);
  const logo = page.getByLabel('Logo (optional)');
  await logo.setInputFiles(path);
  await writeFile(path, Buffer.concat([LOGO, LOGO]));
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  await expect(page.getByText('The file can no longer be read: choose it again')).toBeVisible();
  await expect(save).not.toHaveAttribute('aria-busy');
  await writeFile(path, LOGO);
  await logo.setInputFiles(path);
  await save.click();
  await expectToast(page, 'Appearance saved');
});

test('a removal of the logo that is chosen while the form is saved stays', async ({ page }) => {
  await openAs(page, ada, '/settings/appearance');
  const logo = page.getByLabel('Logo (optional)');
  const save = page.getByRole('button', { name: 'Save' });
  await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: LOGO });
  await save.click();
  await expectToast(page, 'Appearance saved');
  await page.getByLabel('Color', { exact: true }).fill('#5c0a36');
  const answer = await holdRequests(page, '**/settings/brand');
  await save.click();
  await expect(save).toHaveAttribute('aria-busy', 'true');
  const remove = page.getByRole('button', { name: 'Remove logo' });
  await remove.click();
  answer();
  await expect(save).not.toHaveAttribute('aria-busy');
  await expect(remove).toHaveCount(0);
  await save.click();
  await expect(page.getByRole('banner').locator('img.mark-logo')).toHaveCount(0);
});
