import type { Page } from '@playwright/test';
import { choose, expectNoAxe, expectToast, signIn } from '../support/actions.ts';
import { endSession, enter } from '../support/calls.ts';
import { mailedLink } from '../support/mail.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const ME = /appearance and sign out/;

/** How many people the overview counts on this site. */
const peopleOf = (page: Page) => page.getByRole('region', { name: 'People' }).getByRole('definition').first();

async function typePassword(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test.describe('the door', () => {
  test('leads to where somebody wanted to go, after a wrong password too', async ({
    page,
    expectFailure,
  }) => {
    expectFailure(401);
    await page.goto('/groups?from=mail');
    await expect(page).toHaveURL('/sign-in?next=%2Fgroups%3Ffrom%3Dmail');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Fill this in');
    await typePassword(page, ada.email, 'not the one she chose');
    await expect(page.getByRole('alert')).toContainText('The e-mail address or the password is wrong');
    await expect(page.getByLabel('E-mail')).toHaveValue(ada.email);
    await expectNoAxe(page);
    await typePassword(page, ada.email, ada.password);
    await expect(page.getByRole('heading', { name: 'Groups', level: 1 })).toBeVisible();
    await expect(page).toHaveURL('/groups?from=mail');
  });

  for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    test(`does not lead to ${next}`, async ({ page, baseURL }) => {
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await typePassword(page, ada.email, ada.password);
      await expect(page.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
      expect(page.url()).toBe(`${baseURL ?? ''}/`);
    });
  }

  test('says the same of an unknown address as of a wrong password', async ({ page, expectFailure }) => {
    expectFailure(401);
    await page.goto('/sign-in');
    await typePassword(page, 'nobody@nowhere.example', 'whatever it may be');
    await expect(page.getByRole('alert')).toContainText('The e-mail address or the password is wrong');
  });

  test('a forgotten password is replaced through the mailed link', async ({
    page,
    elsewhere,
    service,
    calls,
    expectFailure,
  }) => {
    expectFailure(401);
    const person = await calls.makeUser();
    await enter(elsewhere, person);
    await expect(elsewhere.getByRole('heading', { level: 1 })).toBeVisible();

    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgot the password?' }).click();
    await expectNoAxe(page);
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect(page.getByRole('heading', { name: 'Look into your mail' })).toBeVisible();

    await page.goto(await mailedLink(service, person.email));
    await expect(page.getByText(`For ${person.email} on Northlight Capital.`)).toBeVisible();
    await expectNoAxe(page);
    const fresh = { email: person.email, password: 'eleven pipers piping' };
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByLabel('New password')).toHaveAccessibleDescription('Use at least 12 characters');
    await page.getByLabel('New password').fill(fresh.password);
    await page.getByRole('button', { name: 'Set password' }).click();
    await expectToast(page, 'Password set');
    await typePassword(page, person.email, person.password);
    await expect(page.getByRole('alert')).toContainText('wrong');
    await signIn(page, fresh);

    await elsewhere.reload();
    await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  });

  test('after signing out, Back shows nothing of the earlier person', async ({ page, expectFailure }) => {
    expectFailure(401);
    await signIn(page, ada);
    await page.getByRole('link', { name: 'Imports' }).click();
    await choose(page, ME, 'Sign out');
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await expect(page.getByText(/northlight/i)).toHaveCount(0);
  });
});

test.describe('a session', () => {
  test('that ends under the page is begun again over it', async ({ page, expectFailure }) => {
    expectFailure(401);
    // A page that asks for nothing by itself: the click is what finds the session ended.
    await enter(page, ada, '/reports');
    await expect(page.getByRole('heading', { name: 'Reports', level: 1 })).toBeVisible();
    await endSession(page);
    await page.getByRole('link', { name: 'Overview' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Sign in again to go on' });
    await expect(dialog).toContainText(`The session of ${ada.email} on Northlight Capital has ended`);
    await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused();
    await expectNoAxe(page);
    await dialog.getByLabel('Password', { exact: true }).fill('not the one she chose');
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('alert')).toContainText('wrong');
    await dialog.getByLabel('Password', { exact: true }).fill(ada.password);
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(peopleOf(page)).toHaveText(/^5\d\d$/);
  });

  test('that is about to end whatever happens says so, and goes on under the page', async ({ page }) => {
    await page.route('**/console/api/session', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const session = (await response.json()) as { serverTime: string };
      const expiresDate = new Date(Date.parse(session.serverTime) + 270_000).toISOString();
      return route.fulfill({ response, json: { ...session, expiresDate } });
    });
    await enter(page, ada, '/reports');
    await expect(page.getByRole('note')).toContainText('Your session ends in 5 minutes');
    await expectNoAxe(page);
    await page.getByRole('button', { name: 'Sign in again…' }).press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Sign in again to go on' });
    await dialog.getByLabel('Password', { exact: true }).fill(ada.password);
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('note')).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Reports', level: 1 })).toBeVisible();
  });

  test('that is left in one tab is left in all', async ({ page, context }) => {
    await enter(page, ada, '/reports');
    const second = await context.newPage();
    await second.goto('/imports');
    await expect(second.getByRole('heading', { name: 'Imports', level: 1 })).toBeVisible();
    await choose(page, ME, 'Sign out');
    await expect(second).toHaveURL('/sign-in?next=%2Fimports');
    await expect(second.getByText(/northlight/i)).toHaveCount(0);
  });

  test('taken over by another person in another tab sends nothing more from this one', async ({
    page,
    context,
    calls,
  }) => {
    const other = await calls.makeUser();
    await enter(page, ada, '/reports');
    const second = await context.newPage();
    await second.goto('/imports');
    await choose(second, ME, 'Sign out');
    await page.waitForURL('/sign-in?next=%2Freports');
    await signIn(page, ada);
    const third = await context.newPage();
    await third.goto('/sign-in');
    await typePassword(third, other.email, other.password);
    await expect(third.getByRole('heading', { level: 1 })).toBeVisible();
    const dialog = page.getByRole('alertdialog', { name: 'This tab is out of date' });
    await expectNoAxe(page);
    await dialog.getByRole('button', { name: 'Load anew' }).click();
    await expect(page.getByRole('button', { name: `sign out of ${other.name}` })).toBeVisible();
  });

  test('goes to the other site and takes nothing of the first along', async ({ page }) => {
    await enter(page, ada);
    await expect(peopleOf(page)).toHaveText(/^\d+$/);
    const here = await peopleOf(page).innerText();
    await choose(page, /Northlight Capital .* switch site/, 'Harbor Partners');
    await expect(page.getByRole('heading', { name: 'Harbor Partners', level: 1 })).toBeVisible();
    await expect(peopleOf(page)).toHaveText(/^\d+$/);
    await expect(peopleOf(page)).not.toHaveText(here);
    await expect(page).toHaveTitle('Overview · Harbor Partners · Steward');
    await expect(page.getByText('Northlight')).toHaveCount(0);
    await choose(page, /Harbor Partners .* switch site/, 'Northlight Capital');
    await expect(page.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
  });
});
