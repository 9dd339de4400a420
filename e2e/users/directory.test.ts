import type { Page } from '@playwright/test';
import {
  expectAllFetched,
  expectNoAxe,
  expectNoAxeInBothThemes,
  rowAction,
  signIn,
} from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { AWAY } from '../support/faults.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const grid = (page: Page) => page.getByRole('grid', { name: 'Users' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search users' });
const names = (page: Page) => grid(page).getByRole('rowheader').getByRole('link').allInnerTexts();

/** Everybody has been read, and what was read is kept. */
async function expectEverybody(page: Page): Promise<void> {
  await expect(page.getByText(/people · [\d,]+ billable/)).toBeVisible();
  await expect(grid(page).getByRole('row').nth(5)).toBeVisible();
}

/** Whether this browser keeps people for the next visit. */
const keepsPeople = (page: Page) =>
  page.evaluate(async () => (await indexedDB.databases()).some(({ name }) => name === 'steward-directory'));

/** The pages of users that this tab asks the service for. */
function usersAsked(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search: query } = new URL(request.url());
    if (pathname.endsWith('/management/user')) asked.push(query);
  });
  return asked;
}

async function paste(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await search(page).focus();
  await page.keyboard.press('ControlOrMeta+v');
}

test('the next visit has everybody, whether or not the service answers', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(AWAY);
  await enter(page, ada, '/users');
  await expectEverybody(page);
  const before = await names(page);
  await page.goto('/');
  await expectAllFetched(page);
  await service.stop();
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Users/ })
    .click();
  await expectEverybody(page);
  expect(await names(page)).toEqual(before);
  await search(page).fill(before[3] ?? '');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^[2-5]$/);
  await page.getByRole('button', { name: 'Read everything again' }).click();
  await expect(page.getByText('No answer since')).toBeVisible();
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^[2-5]$/);
  await service.start();
  await expect(page.getByText('No answer since')).toBeHidden({ timeout: 30_000 });
});

test('a second tab takes what the first has read, and what the first changes', async ({
  page,
  context,
  calls,
}) => {
  const person = await calls.makeUser({ firstName: 'Tamsin', lastName: 'Twotabs' });
  await enter(page, ada, '/users?q=twotabs');
  await expectEverybodyFound(page, person.name);
  const second = await context.newPage();
  const asked = usersAsked(second);
  await second.goto('/users?q=twotabs');
  await expectEverybodyFound(second, person.name);
  await rowAction(grid(page).getByRole('row', { name: new RegExp(person.name) }), 'Deactivate');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click();
  await expect(page.getByText(`${person.name} is inactive`)).toBeVisible();
  await expect(grid(second).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  expect(asked).toEqual([]);
});

async function expectEverybodyFound(page: Page, name: string): Promise<void> {
  await expect(page.getByText(/people · [\d,]+ billable/)).toBeVisible();
  await expect(grid(page).getByRole('rowheader', { name })).toBeVisible();
}

test('signing out leaves nobody in the browser', async ({ page }) => {
  await signIn(page, ada);
  await page.goto('/users');
  await expectEverybody(page);
  await expect.poll(() => keepsPeople(page)).toBe(true);
  await page.getByRole('button', { name: /appearance and sign out/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  expect(await keepsPeople(page)).toBe(false);
});

test('somebody else at the same browser finds nothing of the one before', async ({
  page,
  calls,
  expectFailure,
}) => {
  const guest = await calls.makeUser({ firstName: 'Gus', lastName: 'Guest' });
  await enter(page, ada, '/users');
  await expectEverybody(page);
  await expect.poll(() => keepsPeople(page)).toBe(true);
  await enter(page, guest);
  await expect(page.getByRole('navigation').first()).toBeVisible();
  await expect.poll(() => keepsPeople(page)).toBe(false);
  expectFailure(403, 'ServiceError');
  await page.goto('/users');
  await expect(page.getByRole('heading', { name: 'You may not see this page' })).toBeVisible();
  await expect(page.getByRole('grid')).toHaveCount(0);
});

test('a pasted list becomes the selection, by keyboard', async ({ page, calls }) => {
  const [first, second] = [
    await calls.makeUser({ firstName: 'Pia', lastName: 'Pastewell' }),
    await calls.makeUser({ firstName: 'Pär', lastName: 'Pastewell' }),
  ];
  const twins = [
    await calls.makeUser({ firstName: 'Same', lastName: 'Namesake', email: 'same.one@people.example' }),
    await calls.makeUser({ firstName: 'Same', lastName: 'Namesake', email: 'same.two@people.example' }),
  ];
  await enter(page, ada, '/users?q=pastewell');
  await expect(grid(page).getByRole('rowheader')).toHaveCount(2);
  await paste(page, `${first.email}\n${second.id}\nSame Namesake\nnobody@nowhere.example\n`);
  const panel = page.getByRole('dialog', { name: 'People in the pasted text' });
  await expect(panel.getByRole('heading', { name: '2 people are recognised' })).toBeVisible();
  await expect(panel.getByRole('heading', { name: '1 entry was not found' })).toBeVisible();
  await expect(panel.getByText('nobody@nowhere.example')).toBeVisible();
  await expect(panel.getByText(first.name)).toBeVisible();
  await expectNoAxeInBothThemes(page);
  const choice = panel.getByRole('group', { name: 'Same Namesake' });
  await choice.getByRole('checkbox', { name: /same\.two/ }).focus();
  await page.keyboard.press('Space');
  await panel.getByRole('button', { name: 'Select these 3' }).focus();
  await page.keyboard.press('Enter');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('3 selected');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '4');
  await expect(grid(page).getByRole('rowheader', { name: first.name })).toBeVisible();
  await expect(grid(page).getByRole('row', { name: /same\.two/ })).toHaveCount(1);
  await expect(grid(page).getByRole('row', { name: new RegExp(twins[0]?.email ?? '') })).toHaveCount(0);
  // The address says nothing of it, and the search that stood there has gone.
  await expect(page).toHaveURL('/users');
  await expectNoAxe(page);
  const only = page.getByRole('button', { name: 'Selected: 3' });
  await expect(only).toHaveAttribute('aria-pressed', 'true');
  await only.press('Enter');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', /^5\d\d$/);
});

test('rows far down are there when one goes there', async ({ page }) => {
  await enter(page, ada, '/users?status=any');
  await expectEverybody(page);
  const rows = Number(await grid(page).getAttribute('aria-rowcount'));
  await grid(page).getByRole('row').nth(1).focus();
  await page.keyboard.press('End');
  const last = grid(page).locator(`tr[aria-rowindex="${rows}"]`);
  await expect(last).toBeFocused();
  await expect(last.getByRole('rowheader').getByRole('link')).toBeVisible();
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Space');
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText('1 selected');
  await page.keyboard.press('Home');
  await expect(grid(page).locator('tr[aria-rowindex="2"]')).toBeFocused();
});

test('how many are found is said, and which columns are hidden is remembered', async ({ page }) => {
  await enter(page, ada, '/users');
  await expectEverybody(page);
  await search(page).fill('no person of this name');
  await expect(page.locator('[data-live-announcer]')).toHaveText('0 people found');
  await search(page).fill('');
  await expectEverybody(page);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Access' }).click();
  await page.keyboard.press('Escape');
  const access = grid(page).getByRole('columnheader', { name: 'Access' });
  await expect(access).toHaveCount(0);
  await page.goto('/users');
  await expectEverybody(page);
  await expect(access).toHaveCount(0);
  // A link that says it is followed.
  await page.goto('/users?hide=email');
  await expectEverybody(page);
  await expect(access).toHaveCount(1);
  await expect(grid(page).getByRole('columnheader', { name: 'E-mail' })).toHaveCount(0);
});
