import type { Page } from '@playwright/test';
import { chooseMenuItem, expectAccessible, expectToast, signIn } from '../support/actions.ts';
import { endSession, openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { waitForMailedLink } from '../support/mail.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const ACCOUNT_MENU = /appearance and sign out/;
/** A tab may read the session just after another one has ended it, and before it is told. */
const READ_OF_ENDED_SESSION = /^401: GET \S+\/session$/;
/** The stream that tells of changes is opened in the background, also while the page leaves its session. */
const POSITIONS_OF_ENDED_SESSION = /^401: GET \S+\/publication\/positions$/;

/** Number of people on the overview, beside its title. */
const peopleCount = (page: Page) => page.getByText(/^\d+ people · /);

async function typePassword(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test.describe('sign-in', () => {
  test('continues to the requested page, also after a wrong password', async ({ page, expectFailure }) => {
    expectFailure(401);
    await page.goto('/groups?from=mail');
    await expect(page).toHaveURL('/sign-in?next=%2Fgroups%3Ffrom%3Dmail');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Enter an e-mail address');
    await typePassword(page, ada.email, 'not the one she chose');
    await expect(page.getByRole('alert')).toContainText('The e-mail address or the password is wrong');
    await expect(page.getByLabel('E-mail')).toHaveValue(ada.email);
    await expectAccessible(page);
    await typePassword(page, ada.email, ada.password);
    await expect(page.getByRole('heading', { name: 'Groups', level: 1 })).toBeVisible();
    await expect(page).toHaveURL('/groups?from=mail');
  });

  for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    test(`does not redirect to ${next}`, async ({ page, baseURL }) => {
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await typePassword(page, ada.email, ada.password);
      await expect(page.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
      expect(page.url()).toBe(`${baseURL ?? ''}/`);
    });
  }

  test('shows the same error for an unknown address and a wrong password', async ({
    page,
    expectFailure,
  }) => {
    expectFailure(401);
    await page.goto('/sign-in');
    await typePassword(page, 'nobody@nowhere.example', 'whatever it may be');
    await expect(page.getByRole('alert')).toContainText('The e-mail address or the password is wrong');
  });

  test('replaces a forgotten password through the mailed link', async ({
    page,
    elsewhere,
    service,
    calls,
    expectFailure,
  }) => {
    expectFailure(401);
    const person = await calls.createUser();
    await openAs(elsewhere, person);
    await expect(elsewhere.getByRole('heading', { level: 1 })).toBeVisible();

    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await expectAccessible(page);
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect(page.getByRole('heading', { name: 'Check your e-mail' })).toBeFocused();

    await page.goto(await waitForMailedLink(service, person.email));
    await expect(page.getByText(`For ${person.email} on Northlight Capital.`)).toBeVisible();
    await expectAccessible(page);
    const credentials = { email: person.email, password: 'eleven pipers piping' };
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Set password' }).click();
    await expect(page.getByLabel('New password')).toHaveAccessibleDescription('Use at least 12 characters');
    await page.getByLabel('New password').fill(credentials.password);
    await page.getByRole('button', { name: 'Set password' }).click();
    await expectToast(page, 'Password set');
    await typePassword(page, person.email, person.password);
    await expect(page.getByRole('alert')).toContainText('wrong');
    await signIn(page, credentials);

    await elsewhere.reload();
    await expect(elsewhere.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  });

  test('shows nothing of the previous user on Back after sign-out', async ({ page, expectFailure }) => {
    expectFailure(401);
    await signIn(page, ada);
    await page.getByRole('link', { name: 'Imports' }).click();
    await chooseMenuItem(page, ACCOUNT_MENU, 'Sign out');
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await expect(page.getByText(/northlight/i)).toHaveCount(0);
  });
});

test.describe('session', () => {
  test('is renewed over the page after it has ended', async ({ page, calls, expectFailure }) => {
    expectFailure(401);
    // Without Read Publications the page has no stream and polls nothing: the click sends the first request after the session ended.
    const groups = [
      await calls.createGroup('Reporters', ['Access Web Service', 'Manage Users', 'Run Reports']),
    ];
    const person = await calls.createUser({ groups });
    await openAs(page, person, '/reports');
    await expect(page.getByRole('heading', { name: 'Reports', level: 1 })).toBeVisible();
    await endSession(page);
    await page.getByRole('link', { name: 'Overview' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Sign in again to continue' });
    await expect(dialog).toContainText(`The session of ${person.email} on Northlight Capital has ended`);
    await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused();
    await expectAccessible(page);
    await dialog.getByLabel('Password', { exact: true }).fill('not the one she chose');
    await page.keyboard.press('Enter');
    await expect(dialog.getByRole('alert')).toContainText('wrong');
    await dialog.getByLabel('Password', { exact: true }).fill(person.password);
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(peopleCount(page)).toHaveText(/^5\d\d people/);
  });

  test('shows no error of its end after signing in again in another tab', async ({
    page,
    context,
    calls,
    expectFailure,
  }) => {
    expectFailure(401);
    const groups = [await calls.createGroup('Group makers', ['Access Web Service', 'Manage Groups'])];
    const person = await calls.createUser({ groups });
    const cancelSignIn = () =>
      page
        .getByRole('alertdialog', { name: 'Sign in again to continue' })
        .getByRole('button', { name: 'Cancel' })
        .click();
    /** Refuses calls as after the end of the session, until the user has cancelled the sign-in. */
    const refuse = async (url: string, act: () => Promise<void>) => {
      await page.route(url, (route) => route.fulfill({ status: 401 }));
      await act();
      await cancelSignIn();
      await expect(page.getByText('The session has ended').first()).toBeVisible();
      await page.unroute(url);
    };
    const second = await context.newPage();
    const signInElsewhere = async () => {
      await second.goto('/sign-in');
      await typePassword(second, person.email, person.password);
      await expect(second.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
    };
    await openAs(page, person, '/groups/new');
    const panel = page.getByRole('dialog', { name: 'New group' });
    const create = panel.getByRole('button', { name: 'Create group' });
    await panel.getByLabel('Name').fill('Tea drinkers');
    await refuse('**/management/user/group', () => create.click());
    await signInElsewhere();
    await expect(page.getByText('The session has ended')).toHaveCount(0);
    await create.click();
    await expectToast(page, 'Tea drinkers was created');
    await expect(page.getByRole('heading', { name: 'Nobody is in this group' })).toBeVisible();

    await refuse('**/management/jobs?**', () => page.getByRole('link', { name: 'Exports' }).click());
    await signInElsewhere();
    await expect(page.getByText('The session has ended')).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'No exports yet' })).toBeVisible();
  });

  test('announces its end and can be renewed before', async ({ page }) => {
    await page.route('**/console/api/session', async (route) => {
      if (route.request().method() !== 'GET') return route.continue();
      const response = await route.fetch();
      const session = (await response.json()) as { serverTime: string };
      const expiresDate = new Date(Date.parse(session.serverTime) + 270_000).toISOString();
      return route.fulfill({ response, json: { ...session, expiresDate } });
    });
    await openAs(page, ada, '/reports');
    await expect(page.getByRole('note')).toContainText('Your session ends in 5 minutes');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in again…' }).press('Enter');
    const dialog = page.getByRole('alertdialog', { name: 'Sign in again to continue' });
    await dialog.getByLabel('Password', { exact: true }).fill(ada.password);
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('note')).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Reports', level: 1 })).toBeVisible();
  });

  test('ends in all tabs on sign-out', async ({ page, context, pageErrors }) => {
    pageErrors.allow(READ_OF_ENDED_SESSION);
    await openAs(page, ada, '/reports');
    const second = await context.newPage();
    await second.goto('/imports');
    await expect(second.getByRole('heading', { name: 'Imports', level: 1 })).toBeVisible();
    await chooseMenuItem(page, ACCOUNT_MENU, 'Sign out');
    await expect(second).toHaveURL('/sign-in?next=%2Fimports');
    await expect(second.getByText(/northlight/i)).toHaveCount(0);
  });

  test('stops requests of a tab after another user signed in elsewhere', async ({
    page,
    context,
    calls,
    pageErrors,
  }) => {
    pageErrors.allow(READ_OF_ENDED_SESSION, POSITIONS_OF_ENDED_SESSION);
    const other = await calls.createUser();
    await openAs(page, ada, '/reports');
    const second = await context.newPage();
    await second.goto('/imports');
    await chooseMenuItem(second, ACCOUNT_MENU, 'Sign out');
    await page.waitForURL('/sign-in?next=%2Freports');
    await signIn(page, ada);
    const third = await context.newPage();
    await third.goto('/sign-in');
    await typePassword(third, other.email, other.password);
    await expect(third.getByRole('heading', { level: 1 })).toBeVisible();
    const dialog = page.getByRole('alertdialog', { name: 'This tab is out of date' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await expect(page.getByRole('button', { name: `sign out of ${other.name}` })).toBeVisible();
  });

  test('switches to another site and shows nothing of the first', async ({ page, pageErrors }) => {
    pageErrors.allow(POSITIONS_OF_ENDED_SESSION);
    await openAs(page, ada);
    await expect(peopleCount(page)).toHaveText(/^\d+ people/);
    const here = await peopleCount(page).innerText();
    await chooseMenuItem(page, /Northlight Capital .* switch site/, 'Harbor Partners');
    await expect(page.getByRole('heading', { name: 'Harbor Partners', level: 1 })).toBeVisible();
    await expect(peopleCount(page)).toHaveText(/^\d+ people/);
    await expect(peopleCount(page)).not.toHaveText(here);
    await expect(page).toHaveTitle('Overview · Harbor Partners · Steward');
    await expect(page.getByText('Northlight')).toHaveCount(0);
    await chooseMenuItem(page, /Harbor Partners .* switch site/, 'Northlight Capital');
    await expect(page.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();

    // Sites can have the same name.
    const site = { slug: 'harbor-two', name: 'Harbor Partners', administrator: { email: ada.email } };
    await sendRequest(page.request, 'POST', '/api/platform/sites', site);
    await page.reload();
    await page.getByRole('button', { name: /Northlight Capital .* switch site/ }).click();
    const items = page.getByRole('menuitem').filter({ hasText: 'Harbor Partners' });
    await expect(items).toContainText(['harbor, ', 'harbor-two, ']);
    await items.last().click();
    await expect(page.getByRole('button', { name: 'Harbor Partners harbor-two, switch site' })).toBeVisible();
  });
});
