import { expectAllFetched, expectNoAxe } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { AWAY } from '../support/faults.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

test('while the service is away, what is on screen stays; when it is back, so is the console', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(AWAY, 'ServiceError: The service cannot be reached');
  await enter(page, ada, '/users');
  const table = page.getByRole('grid', { name: 'Users' });
  await expect(table.getByRole('row').nth(5)).toBeVisible();
  await expectAllFetched(page);
  expect(await service.stop()).toBe(0);

  await page.getByRole('button', { name: 'Read everything again' }).click();
  const banner = page.getByRole('note').filter({ hasText: 'No answer since' });
  await expect(banner).toBeVisible();
  await expect(table.getByRole('row').nth(5)).toBeVisible();
  await expect(table).toHaveAttribute('aria-busy', 'false');
  await expectNoAxe(page);

  // A page that was never loaded does not pass for an empty one.
  await table.getByRole('rowheader').first().getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'The service cannot be reached' })).toBeVisible();
  await expect(page.getByText('Nothing of yours is lost')).toBeVisible();
  await expectNoAxe(page);
  await page.goBack();
  await expect(table.getByRole('row').nth(5)).toBeVisible();

  await service.start();
  // The console's own next try may come before the button is pressed.
  const now = page.getByRole('button', { name: 'Try now' });
  await expect(async () => {
    if (await now.isVisible()) await now.click({ timeout: 500 });
    await expect(banner).toBeHidden({ timeout: 500 });
  }).toPass({ timeout: 15_000 });
  await table.getByRole('rowheader').first().getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible();
});

test('the console comes back by itself', async ({ page, service, expectFailure }) => {
  expectFailure(AWAY);
  await enter(page, ada, '/users');
  await expect(page.getByRole('grid', { name: 'Users' }).getByRole('row').nth(5)).toBeVisible();
  await expectAllFetched(page);
  await service.stop();
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByText('Not loaded: the service cannot be reached.').first()).toBeVisible();
  await expectNoAxe(page);
  await service.start();
  await expect(page.getByRole('region', { name: 'People' }).getByRole('definition').first()).toHaveText(
    /^5\d\d$/,
  );
  await expect(page.getByText('cannot be reached')).toHaveCount(0);
});
