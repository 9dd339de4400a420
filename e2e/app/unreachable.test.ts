import { expectAccessible, preloadPage } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { SERVICE_DOWN } from '../support/checks/page-errors.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

test('keeps the page while the service is down and recovers when it is back', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(SERVICE_DOWN, 'ServiceError: The service cannot be reached');
  await openAs(page, ada, '/users');
  const table = page.getByRole('grid', { name: 'Users' });
  await expect(table.getByRole('row').nth(5)).toBeVisible();
  await preloadPage(page, table.getByRole('rowheader').nth(1).getByRole('link'), 'users-more');
  expect(await service.stop()).toBe(0);

  await page.getByRole('button', { name: 'Reload everything' }).click();
  const banner = page.getByRole('note').filter({ hasText: 'No answer since' });
  await expect(banner).toBeVisible();
  await expect(page.getByText(/^As of .* old$/)).toBeVisible();
  await expect(table.getByRole('row').nth(5)).toBeVisible();
  await expect(table).toHaveAttribute('aria-busy', 'false');
  await expectAccessible(page);

  // A page that was never loaded shows an error instead of an empty list.
  await table.getByRole('rowheader').first().getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'The service cannot be reached' })).toBeVisible();
  await expect(page.getByText('No data is lost')).toBeVisible();
  await expectAccessible(page);
  await page.goBack();
  await expect(table.getByRole('row').nth(5)).toBeVisible();

  await service.start();
  // The automatic retry may come before the click.
  const retryButton = page.getByRole('button', { name: 'Try now' });
  await expect(async () => {
    if (await retryButton.isVisible()) await retryButton.click({ timeout: 500 });
    await expect(banner).toBeHidden({ timeout: 500 });
  }).toPass({ timeout: 15_000 });
  await table.getByRole('rowheader').first().getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
});

test('recovers automatically', async ({ page, service, expectFailure }) => {
  expectFailure(SERVICE_DOWN);
  await openAs(page, ada, '/users');
  await expect(page.getByRole('grid', { name: 'Users' }).getByRole('row').nth(5)).toBeVisible();
  await preloadPage(page, page.getByRole('link', { name: 'Overview' }), 'overview');
  await service.stop();
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByText('Not loaded: the service cannot be reached.').first()).toBeVisible();
  await expectAccessible(page);
  await service.start();
  await expect(page.getByText(/^5\d\d people · /)).toBeVisible();
  await expect(page.getByText('cannot be reached')).toHaveCount(0);
});
