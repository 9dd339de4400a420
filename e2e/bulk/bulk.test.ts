import type { Page } from '@playwright/test';
import type { UserLicenseInfoResponse } from '../../contract/generated/types.gen.ts';
import { expectAccessible, expectAccessibleInBothThemes, fillForm } from '../support/actions.ts';
import {
  selectionBar,
  waitForDryRun,
  waitForJob,
  usersGrid,
  openJob,
  openJobs,
  undoJob,
  chooseBulkAction,
  selectAll,
} from '../support/bulk.ts';
import { type ApiCalls, openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { findTile } from '../support/locators.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** Creates users with the same last name. */
async function family(calls: ApiCalls, lastName: string, firstNames: readonly string[], info: object = {}) {
  const created = [];
  for (const firstName of firstNames) created.push(await calls.createUser({ firstName, lastName, ...info }));
  return created;
}

/** Pastes into the search of the list. */
async function pasteText(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.getByRole('searchbox', { name: 'Search users' }).focus();
  await page.keyboard.press('ControlOrMeta+v');
}

const part = (page: Page, name: RegExp) =>
  page.getByRole('group', { name: 'Shown people' }).getByRole('button', { name });

test('deactivates all matching users after a dry run, and undoing the job restores them', async ({
  page,
  calls,
}) => {
  const people = await family(calls, 'Bulkington', ['Ann', '=Ben', 'Cal', 'Dee']);
  const [inactive] = await family(calls, 'Bulkington', ['Eve'], { isActive: false });
  await openAs(page, ada, '/users?q=bulkington');
  await expect(usersGrid(page)).toHaveAttribute('aria-rowcount', '6');
  const task = await countSteps(page);
  await pasteText(page, [...people, inactive].map((person) => person?.email).join('\n'));
  await page.getByRole('button', { name: 'Select these 5' }).click();
  await expect(selectionBar(page)).toContainText('5 selected');
  await expectAccessible(page);
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await waitForDryRun(page, 'Deactivate 4 people?');
  await expect(dialog.getByRole('row', { name: /Ann Bulkington.*Active.*Inactive/ })).toBeVisible();
  await expect(part(page, /^Will change 4$/)).toHaveAttribute('aria-pressed', 'true');
  await part(page, /^Unchanged 1$/).click();
  await expect(dialog.getByRole('row', { name: /Eve Bulkington/ })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await dialog.getByRole('button', { name: 'Deactivate 4 people' }).click();
  await expect(dialog).toBeHidden();
  await waitForJob(page, 'Deactivate 4 people: finished');
  // One of them is the look at those left unchanged.
  task.expectAtMost(5);
  await expect(usersGrid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(5);
  for (const { id } of people) expect((await calls.getUser(id)).isActive).toBe(false);
  await expect(selectionBar(page)).toBeHidden();

  await expect(await openJob(page, 'Deactivate 4 people')).toContainText('4 changed');
  const items = page.getByRole('grid', { name: 'People' });
  for (const { name, email } of people)
    await expect(items.getByRole('row').filter({ hasText: name }).filter({ hasText: email })).toBeVisible();
  await expect(items).not.toContainText('Eve');

  await page.goto('/users?q=bulkington');
  const undoing = task.steps.length;
  await undoJob(page, 'Deactivate 4 people', 'Activate 4 people: finished');
  task.expectAtMost(undoing + 3);
  await expect(usersGrid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  for (const { id } of people) expect((await calls.getUser(id)).isActive).toBe(true);
});

/** Creates people without passwords, whose hashes would take most of the time. */
const createCrowd = (calls: ApiCalls, lastName: string, size: number) =>
  family(
    calls,
    lastName,
    Array.from({ length: size }, (_, at) => `Person ${at + 1}`),
    { password: undefined },
  );

/** Opens the list of users from Home and selects the people of a pasted list. */
async function selectPasted(page: Page, people: readonly { email: string }[]): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
  await pasteText(page, people.map(({ email }) => email).join('\n'));
  await page.getByRole('button', { name: `Select these ${people.length}` }).click();
  await expect(selectionBar(page)).toContainText(`${people.length} selected`);
}

test('40 people of a pasted list are deactivated, and the undo restores them', async ({ page, calls }) => {
  const people = await createCrowd(calls, 'Pastebury', 40);
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const task = await countSteps(page);
  await selectPasted(page, people);
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await waitForDryRun(page, 'Deactivate 40 people?');
  await dialog.getByRole('button', { name: 'Deactivate 40 people' }).click();
  await waitForJob(page, 'Deactivate 40 people: finished');
  task.expectAtMost(5);
  const countActive = async () => {
    const users = await calls.call<{ lastName: string; isActive: boolean }[]>('GET', '/user?pageSize=1000');
    return users.filter(({ lastName, isActive }) => lastName === 'Pastebury' && isActive).length;
  };
  expect(await countActive()).toBe(0);
  await undoJob(page, 'Deactivate 40 people', 'Activate 40 people: finished');
  task.expectAtMost(8);
  expect(await countActive()).toBe(40);
});

test('30 people of a pasted list get a license, and the dialog and the page of licenses count the seats', async ({
  page,
  calls,
}) => {
  const people = await createCrowd(calls, 'Seatbury', 30);
  for (const { id: userId } of people) await calls.call('PUT', '/userLicense', { userId, licenseTypeId: 3 });
  const listBillable = () =>
    calls.call<UserLicenseInfoResponse[]>('GET', '/userLicenses?isBillable=true&pageSize=1000');
  const before = await listBillable();
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const task = await countSteps(page);
  await selectPasted(page, people);
  await selectionBar(page).getByRole('button', { name: 'Change license' }).click();
  const choice = page.getByRole('dialog', { name: 'Change the license of 30 people' });
  await fillForm(choice, { License: 'Limited' });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = await waitForDryRun(page, 'Set 30 licenses to Limited?');
  await expect(dialog).toContainText(`Billable licenses: +30, ${before.length} → ${before.length + 30}`);
  await dialog.getByRole('button', { name: 'Set 30 licenses to Limited' }).click();
  await waitForJob(page, 'Set 30 licenses to Limited: finished');
  task.expectAtMost(8);
  const after = await listBillable();
  expect(after).toHaveLength(before.length + 30);
  await page.getByRole('navigation').getByRole('link', { name: 'Licenses' }).click();
  await expect(findTile(page, 'Billable')).toHaveText(String(after.length));
  const limited = after.filter(({ description }) => description === 'Limited');
  await expect(findTile(page, 'Limited')).toHaveText(String(limited.length));
});

test('selects, deactivates and undoes by keyboard', async ({ page, calls }) => {
  const [one] = await family(calls, 'Keybound', ['Ida', 'Max']);
  await openAs(page, ada, '/users?q=keybound');
  await expect(usersGrid(page)).toHaveAttribute('aria-rowcount', '3');
  const firstRow = usersGrid(page).getByRole('row').nth(1);
  await firstRow.focus();
  await page.keyboard.press('Space');
  await selectionBar(page).getByRole('button', { name: 'Select all 2' }).focus();
  await page.keyboard.press('Enter');
  await expect(selectionBar(page)).toContainText('2 selected');
  await expect(selectionBar(page)).toBeFocused();
  await selectionBar(page).getByRole('button', { name: 'Clear selection' }).focus();
  await page.keyboard.press('Enter');
  await expect(firstRow).toBeFocused();
  await page.keyboard.press('Space');
  await expect(selectionBar(page)).toContainText('1 selected');
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).focus();
  await page.keyboard.press('Enter');
  const dialog = await waitForDryRun(page, 'Deactivate 1 person?');
  // Cancel has the focus; the next stop is the action.
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('button', { name: 'Deactivate 1 person' })).toBeFocused();
  await page.keyboard.press('Enter');
  await waitForJob(page, 'Deactivated 1 person');
  await expect(usersGrid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  expect((await calls.getUser(one?.id ?? 0)).isActive).toBe(false);
  await page.getByRole('button', { name: /^Jobs/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Undo: Deactivate 1 person' }).focus();
  await page.keyboard.press('Enter');
  const undo = page.getByRole('alertdialog', { name: 'Undo for 1 person?' });
  await expect(undo.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await waitForJob(page, 'Activated 1 person');
  await expect(usersGrid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(0);
  expect((await calls.getUser(one?.id ?? 0)).isActive).toBe(true);
});

test('licenses show the effect on billing, and No License for many must be typed', async ({
  page,
  calls,
}) => {
  const people = await family(calls, 'Seatwell', ['Ann', 'Ben']);
  await openAs(page, ada, '/users?q=seatwell');
  await expect(usersGrid(page)).toHaveAttribute('aria-rowcount', '3');
  const task = await countSteps(page);
  await selectAll(page, 2);
  await selectionBar(page).getByRole('button', { name: 'Change license' }).click();
  const choice = page.getByRole('dialog', { name: 'Change the license of 2 people' });
  await expect(choice).toBeVisible();
  await expectAccessible(page);
  await fillForm(choice, { License: 'No License' });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = await waitForDryRun(page, 'Set 2 licenses to No License?');
  await expect(dialog).toContainText('Billable licenses: −2');
  const action = dialog.getByRole('button', { name: 'Set 2 licenses to No License' });
  await expect(action).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  await expectAccessibleInBothThemes(page);
  await action.click();
  await waitForJob(page, 'Set 2 licenses to No License: finished');
  // Two more than for another license: the name of the site is typed.
  task.expectAtMost(8);
  const license = ({ id }: { id: number }) =>
    calls.call<{ licenseTypeId: number }>('GET', `/userLicense/${id}`);
  for (const one of people) expect((await license(one)).licenseTypeId).toBe(4);

  await undoJob(page, 'Set 2 licenses to No License', 'Set 2 licenses to Standard: finished');
  for (const one of people) expect((await license(one)).licenseTypeId).toBe(1);
});

test('adds and removes groups without requests for members', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Bulk readers', ['Read Data']);
  const [first] = await family(calls, 'Groupley', ['Ann'], { groups: [groupId] });
  const [second] = await family(calls, 'Groupley', ['Ben']);
  await openAs(page, ada, '/users?q=groupley');
  await selectAll(page, 2);
  await selectionBar(page).getByRole('button', { name: 'Add to groups' }).click();
  const choice = page.getByRole('dialog', { name: 'Add 2 people to groups' });
  await fillForm(choice, { Groups: ['Bulk readers'] });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = await waitForDryRun(page, 'Add 1 person to Bulk readers?');
  await expect(dialog.getByRole('row', { name: /Ben Groupley.*\+ Bulk readers/ })).toBeVisible();
  await expect(part(page, /^Unchanged 1$/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Add 1 person to Bulk readers' }).click();
  await waitForJob(page, 'Added 1 person to Bulk readers');
  expect((await calls.getUser(second?.id ?? 0)).groups).toEqual([groupId]);

  await selectAll(page, 2);
  await chooseBulkAction(page, 'Remove from groups');
  const removal = page.getByRole('dialog', { name: 'Remove 2 people from groups' });
  await fillForm(removal, { Groups: ['Bulk readers'] });
  await removal.getByRole('button', { name: 'Review' }).click();
  const away = await waitForDryRun(page, 'Remove 2 people from Bulk readers?');
  await away.getByRole('button', { name: 'Remove 2 people from Bulk readers' }).click();
  await waitForJob(page, 'Remove 2 people from Bulk readers: finished');
  for (const one of [first, second]) expect((await calls.getUser(one?.id ?? 0)).groups).toEqual([]);
});

test('explains one-way changes, and removal must be typed', async ({ page, calls }) => {
  const [one] = await family(calls, 'Onewaya', ['Ann']);
  await openAs(page, ada, '/users?q=onewaya');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page).toHaveURL('/');
  await page.goBack();
  await selectAll(page, 1);
  await chooseBulkAction(page, 'Turn two-factor on');
  const dialog = await waitForDryRun(page, 'Turn two-factor on for 1 person?');
  await expect(dialog.getByText('Cannot be undone')).toBeVisible();
  await dialog.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  // Back and forward leave the page.
  await page.goForward();
  const question = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await question.getByRole('button', { name: 'Keep editing' }).click();
  const cancel = dialog.getByRole('button', { name: 'Cancel' });
  for (const leave of [() => cancel.press('Escape'), () => cancel.click()]) {
    await leave();
    await question.getByRole('button', { name: 'Keep editing' }).click();
  }
  await expect(dialog.getByLabel(/^Type “Northlight/)).toHaveValue('Northlight Capital');
  await dialog.getByRole('button', { name: 'Turn two-factor on for 1 person' }).click();
  await waitForJob(page, 'Turned two-factor on for 1 person');
  expect((await calls.getUser(one?.id ?? 0)).twoFactorEnabled).toBe(true);
  const jobs = await openJobs(page);
  await expect(jobs.getByRole('link', { name: 'Turn two-factor on for 1 person' })).toBeVisible();
  await expect(jobs.getByRole('button', { name: /^Undo: Turn/ })).toHaveCount(0);
  await page.keyboard.press('Escape');

  await selectAll(page, 1);
  await chooseBulkAction(page, 'Remove from site');
  const removal = await waitForDryRun(page, 'Remove 1 person from Northlight Capital?');
  await removal.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  await removal.getByRole('button', { name: 'Remove 1 person from Northlight Capital' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await waitForJob(page, 'Removed 1 person');
});

test('skips users with more capabilities and explains missing ones', async ({ page, calls }) => {
  const groupId = await calls.createGroup('Bulk helpers', ['Access Web Service', 'Manage Users']);
  const stronger = await calls.createGroup('Bulk strong', ['Manage Backups']);
  const helper = await calls.createUser({ groups: [groupId] });
  await family(calls, 'Mightier', ['Ann'], { groups: [stronger] });
  await family(calls, 'Mightier', ['Ben']);
  await openAs(page, helper, '/users?q=mightier');
  await selectAll(page, 2);
  await expect(
    selectionBar(page).getByRole('button', { name: 'Change license' }),
  ).toHaveAccessibleDescription('You need the Manage Licences capability');
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await waitForDryRun(page, 'Deactivate 1 person?');
  await part(page, /^Cannot be changed 1$/).click();
  await expect(
    dialog.getByRole('row', { name: /Ann Mightier.*Has more capabilities than you: Manage Backups/ }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(selectionBar(page)).toContainText('2 selected');
});

test('a job goes on after its page was closed, and another device sees it finish', async ({
  page,
  elsewhere,
  calls,
}) => {
  await openAs(page, ada, '/users?status=active&license=2');
  const header = usersGrid(page).getByRole('checkbox').first();
  await expect(usersGrid(page).getByRole('row').nth(5)).toBeVisible();
  await header.check();
  const ids = (
    await calls.call<{ userId: number; licenseTypeId: number }[]>('GET', '/userLicenses?pageSize=1000')
  ).flatMap(({ userId, licenseTypeId }) => (licenseTypeId === 2 ? [userId] : []));
  const countActive = async () => {
    const users = await calls.call<{ isActive: boolean }[]>('POST', '/users', ids);
    return users.filter(({ isActive }) => isActive).length;
  };
  const active = await countActive();
  expect(active).toBeGreaterThan(20);
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const title = `Deactivate ${active} people`;
  const dialog = page.getByRole('dialog', { name: `${title}?` });
  await dialog.getByRole('button', { name: title }).click();
  await expect(dialog).toBeHidden();
  await page.close();

  await openAs(elsewhere, ada, '/users?status=active&license=2');
  await expect(elsewhere.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  expect(await countActive()).toBe(0);
  await expect(await openJob(elsewhere, title)).toContainText(`${active} changed`);
  await expect(elsewhere.getByText('Finished', { exact: true })).toBeVisible();
  await expectAccessible(elsewhere);
  const audited = await calls.call<{ done: number; unchanged: number; failed: number }[]>(
    'GET',
    '/jobs?pageSize=1',
  );
  expect(audited).toMatchObject([{ done: active, unchanged: 0, failed: 0 }]);
});
