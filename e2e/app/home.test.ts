import { expectAccessible } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

test('the overview names what needs attention, and each of its parts leads somewhere', async ({
  page,
  calls,
}) => {
  await openAs(page, ada);
  await page.getByRole('list', { name: 'Getting started' }).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.reload();
  const attention = page.getByRole('list', { name: 'Needs attention' });
  const factors = attention.getByRole('listitem').filter({ hasText: 'second factor' });
  await expect(factors).toContainText(/administrators? ha(s|ve) no second factor/);
  await expect(
    page.getByRole('list', { name: 'Recent changes' }).getByRole('listitem').first(),
  ).toBeVisible();
  await expect(page.getByRole('definition').filter({ hasText: 'in 30 days' }).first()).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });

  await expect(page.getByRole('list', { name: 'Getting started' })).toBeHidden();
  await factors.getByRole('link', { name: 'Show them' }).click();
  await expect(page).toHaveURL('/settings/two-factor');
  await page.goBack();
  await page.getByRole('link', { name: 'Sign-ins' }).click();
  await expect(page.getByRole('button', { name: /^Type is Login Successful/ })).toBeVisible();
  await page.goBack();
  await page.getByRole('list', { name: 'Recent changes' }).getByRole('link').last().click();
  await expect(page).toHaveURL(/\/entries\/\d+\/\d+$/);

  // Without capabilities only the own work is shown.
  const person = await calls.createUser();
  await openAs(page, person);
  await expect(page.getByRole('heading', { name: 'My jobs' })).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Needs attention/ })).toBeHidden();
  await expect(page.getByText('None of your groups grants a capability on this site.')).toBeVisible();
  await expect(page.getByText('Billable seats')).toBeHidden();
});
