/** Storage of a site: the limit that platform administrators set, and what administrators of the site see. */
import { expectToast } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/people.ts';
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
  await page.goto('/settings');
  await expect(page.getByRole('region', { name: 'Set by platform administrators' })).toContainText(
    '0 bytes of 500 MB',
  );
});
