import { expectAccessible } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: undefined } });
test.describe.configure({ mode: 'serial' });

/** The link that the first test used. */
let usedLink = '';

test('the printed link creates the first administrator and signs in', async ({ page, service }) => {
  usedLink = await service.link();
  const task = await countSteps(page);
  await page.goto(usedLink);
  await expect(page.getByRole('heading', { name: 'First administrator' })).toBeVisible();
  // The token is not left in the address bar.
  await expect(page).toHaveURL('/link');
  await expect(page.getByLabel('First name')).toBeFocused();
  await expectAccessible(page);

  const create = page.getByRole('button', { name: 'Create and sign in' });
  await create.click();
  await expect(page.getByText('Enter a first name')).toBeVisible();
  await expect(page.getByText('Enter a last name')).toBeVisible();
  await expect(page.getByText('This is not an e-mail address')).toBeVisible();
  await expect(page.getByText('Use at least 12 characters')).toBeVisible();
  await expectAccessible(page);

  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Marsh');
  await page.getByLabel('E-mail').fill(ada.email);
  const password = page.getByLabel('Password', { exact: true });
  await password.fill('too short');
  await create.click();
  await expect(password).toBeFocused();
  await expect(password).toHaveAccessibleDescription('Use at least 12 characters');
  await expect(page.getByLabel('First name')).toHaveValue('Ada');

  await password.fill(ada.password);
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  // The second click must not use the link again.
  await create.dblclick();
  await expect(page.getByRole('heading', { name: 'Main site', level: 1 })).toBeVisible();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { name: 'Your permissions' })).toBeVisible();
  // With two mistakes, a look at the password and a second click; without them five.
  task.expectAtMost(10);
});

test('a site without sample data has only its administrator', async ({ page }) => {
  await openAs(page, ada);
  await expect(page.getByText('1 person · 1 billable')).toBeVisible();
  // The checklist of a new site names only what is left to do as open.
  const steps = page.getByRole('region', { name: 'First steps' });
  await expect(steps.getByRole('link', { name: 'New user' })).toBeVisible();
  await expect(steps.getByRole('link', { name: 'Backup schedule' })).toBeVisible();
  await expectAccessible(page);
  await expect(page.getByText(/northlight|harbor/i)).toHaveCount(0);
  // No site switcher with one site.
  await expect(page.getByRole('button', { name: /switch site/ })).toHaveCount(0);
});

test('the link works once', async ({ page, expectFailure }) => {
  expectFailure(404);
  await page.goto(usedLink);
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await expectAccessible(page);
});

test('an invalid link shows the same page', async ({ page, expectFailure }) => {
  expectFailure(400);
  await page.goto('/link#not-a-token');
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Open the link again' })).toBeVisible();
});

test('the service prints no further link once there is an administrator', async ({ service }) => {
  const linkCount = service.output().split('/link#').length;
  await service.stop();
  await service.start();
  expect(service.output().split('/link#')).toHaveLength(linkCount);
});
