/** The page *Installation*: what platform administrators see of processes, database, queues, backups and checks. */
import { expectAccessible } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test('shows the state of the installation to platform administrators and refreshes itself', async ({
  page,
}) => {
  // Before the page measures how long its requests take.
  await page.clock.install();
  await openAs(page, ada);
  await page.getByRole('navigation').getByRole('link', { name: 'Installation' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Installation' })).toBeVisible();
  await expect(page.getByText(/^Steward \d+\.\d+\.\d+ · As of/)).toBeVisible();
  // The service of this test writes its mail to a folder.
  const checks = page.getByRole('region', { name: /^Checks: / });
  await expect(checks).toContainText('Set SMTP_URL to a mail server.');
  await checks.getByText(/checks passed$/).click();
  await expect(checks.getByText('Readiness')).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Processes' })).toContainText('served this page');
  await expect(page.getByRole('region', { name: 'Database' })).toContainText('migrations, newest');
  await expect(page.getByRole('region', { name: 'Queues and jobs' })).toContainText('Calculations');
  await expect(page.getByRole('region', { name: 'Backups and copies' })).toContainText('Newest copy');
  await expectAccessible(page);
  const refreshed = page.waitForResponse('**/api/platform/installation');
  await page.clock.fastForward(16_000);
  await refreshed;
});
