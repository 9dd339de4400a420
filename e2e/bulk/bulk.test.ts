import type { Page } from '@playwright/test';
import { expectAccessible, expectAccessibleInBothThemes, fillForm } from '../support/actions.ts';
import {
  selectionBar,
  waitForDryRun,
  usersGrid,
  jobTray,
  chooseBulkAction,
  chooseJobAction,
  selectAll,
} from '../support/bulk.ts';
import { type ApiCalls, openAs } from '../support/calls.ts';
import { downloadText } from '../support/files.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** Creates users with the same last name. */
async function family(calls: ApiCalls, lastName: string, firstNames: readonly string[], info: object = {}) {
  const created = [];
  for (const firstName of firstNames) created.push(await calls.createUser({ firstName, lastName, ...info }));
  return created;
}

const part = (page: Page, name: RegExp) =>
  page.getByRole('group', { name: 'Shown people' }).getByRole('button', { name });

test('deactivates all matching users after a dry run, and the undo file restores them', async ({
  page,
  calls,
}) => {
  const people = await family(calls, 'Bulkington', ['Ann', '=Ben', 'Cal', 'Dee']);
  await family(calls, 'Bulkington', ['Eve'], { isActive: false });
  await openAs(page, ada, '/users?q=bulkington');
  await selectAll(page, 5);
  await expectAccessible(page);
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await waitForDryRun(page, 'Deactivate 4 people?');
  await expect(dialog.getByRole('row', { name: /Ann Bulkington.*Active.*Inactive/ })).toBeVisible();
  await expect(part(page, /^Will change 4$/)).toHaveAttribute('aria-pressed', 'true');
  await part(page, /^Already set 1$/).click();
  await expect(dialog.getByRole('row', { name: /Eve Bulkington/ })).toBeVisible();
  await expectAccessibleInBothThemes(page);

  await dialog.getByRole('button', { name: 'Deactivate 4 people' }).click();
  await expect(dialog).toBeHidden();
  await expect(jobTray(page)).toContainText('4 of 4');
  await expect(usersGrid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(5);
  for (const { id } of people) expect((await calls.getUser(id)).isActive).toBe(false);
  await expect(selectionBar(page)).toBeHidden();

  const report = await downloadText(page, () =>
    jobTray(page).getByRole('button', { name: 'Report' }).click(),
  );
  expect(report.name).toMatch(/^deactivate-\d{4}-\d\d-\d\d\.csv$/);
  for (const { id, email } of people)
    expect(report.text).toMatch(new RegExp(`\\b${id},.*"${email}","Active","Inactive","done"`));
  expect(report.text).toContain(`"'=Ben Bulkington"`);
  expect(report.text).not.toContain('Eve');

  const undo = await downloadText(page, () => chooseJobAction(page, 'Deactivate 4 people', 'Save undo file'));
  expect(JSON.parse(undo.text)).toMatchObject({
    format: 'steward-undo',
    version: 1,
    done: 'Deactivate 4 people',
    undo: { kind: 'activate' },
    userIds: expect.arrayContaining(people.map(({ id }) => id)),
  });
  await jobTray(page).getByRole('button', { name: 'Clear ended jobs' }).click();
  await expect(jobTray(page)).toBeHidden();
  const choosing = page.waitForEvent('filechooser');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox').fill('undo from');
  await page
    .getByRole('option', { name: 'Undo from file…' })
    .or(page.getByRole('menuitem', { name: 'Undo from file…' }))
    .click();
  await (await choosing).setFiles(undo.path);
  const back = await waitForDryRun(page, 'Activate 4 people?');
  await back.getByRole('button', { name: 'Activate 4 people' }).click();
  await expect(jobTray(page)).toContainText('4 of 4');
  await expect(usersGrid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  for (const { id } of people) expect((await calls.getUser(id)).isActive).toBe(true);
});

test('selects, deactivates and undoes by keyboard', async ({ page, calls }) => {
  const [one] = await family(calls, 'Keybound', ['Ida']);
  await openAs(page, ada, '/users?q=keybound');
  await expect(usersGrid(page)).toHaveAttribute('aria-rowcount', '2');
  await usersGrid(page).getByRole('row').nth(1).focus();
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
  await expect(jobTray(page)).toContainText('1 of 1');
  await expect(usersGrid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  await jobTray(page).getByRole('button', { name: 'More about Deactivate 1 person' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Enter');
  const back = await waitForDryRun(page, 'Activate 1 person?');
  await page.keyboard.press('Escape');
  await expect(back).toBeHidden();
  expect((await calls.getUser(one?.id ?? 0)).isActive).toBe(false);
});

test('licenses show the effect on billing, and No License for many must be typed', async ({
  page,
  calls,
}) => {
  const people = await family(calls, 'Seatwell', ['Ann', 'Ben']);
  await openAs(page, ada, '/users?q=seatwell');
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
  await expect(jobTray(page)).toContainText('2 of 2');
  const license = ({ id }: { id: number }) =>
    calls.call<{ licenseTypeId: number }>('GET', `/userLicense/${id}`);
  for (const one of people) expect((await license(one)).licenseTypeId).toBe(4);

  await chooseJobAction(page, 'Set 2 licenses to No License', 'Undo');
  const back = await waitForDryRun(page, 'Change 2 licenses?');
  await expect(back).toContainText('Billable licenses: +2');
  await back.getByRole('button', { name: 'Change 2 licenses' }).click();
  await expect(jobTray(page).getByText('2 of 2')).toHaveCount(2);
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
  await expect(part(page, /^Already set 1$/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Add 1 person to Bulk readers' }).click();
  await expect(jobTray(page)).toContainText('1 of 1');
  expect((await calls.getUser(second?.id ?? 0)).groups).toEqual([groupId]);

  await selectAll(page, 2);
  await chooseBulkAction(page, 'Remove from groups');
  const removal = page.getByRole('dialog', { name: 'Remove 2 people from groups' });
  await fillForm(removal, { Groups: ['Bulk readers'] });
  await removal.getByRole('button', { name: 'Review' }).click();
  const away = await waitForDryRun(page, 'Remove 2 people from Bulk readers?');
  await away.getByRole('button', { name: 'Remove 2 people from Bulk readers' }).click();
  await expect(jobTray(page)).toContainText('2 of 2');
  for (const one of [first, second]) expect((await calls.getUser(one?.id ?? 0)).groups).toEqual([]);
});

test('explains one-way changes, and removal must be typed', async ({ page, calls }) => {
  const [one] = await family(calls, 'Onewaya', ['Ann']);
  await openAs(page, ada, '/users?q=onewaya');
  await selectAll(page, 1);
  await chooseBulkAction(page, 'Turn two-factor on');
  const dialog = await waitForDryRun(page, 'Turn two-factor on for 1 person?');
  await expect(dialog.getByText('Cannot be undone')).toBeVisible();
  await dialog.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  await dialog.getByRole('button', { name: 'Turn two-factor on for 1 person' }).click();
  await expect(jobTray(page)).toContainText('1 of 1');
  expect((await calls.getUser(one?.id ?? 0)).twoFactorEnabled).toBe(true);
  await expect(jobTray(page).getByRole('button', { name: 'Report' })).toBeVisible();
  await expect(jobTray(page).getByRole('button', { name: /^More about/ })).toHaveCount(0);

  await selectAll(page, 1);
  await chooseBulkAction(page, 'Remove from site');
  const removal = await waitForDryRun(page, 'Remove 1 person from Northlight Capital?');
  await removal.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  await removal.getByRole('button', { name: 'Remove 1 person from Northlight Capital' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await expect(jobTray(page).getByText('1 of 1')).toHaveCount(2);
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
  ).toHaveAccessibleDescription('Needs the capability Manage Licences');
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

test('a job resumes after a reload without changing users twice', async ({ page }) => {
  const sent: number[] = [];
  page.on('request', (call) => {
    const body = call.method() === 'PUT' ? (call.postDataJSON() as { id: number }) : undefined;
    if (body) sent.push(body.id);
  });
  page.on('dialog', (dialog) => void dialog.accept());
  await openAs(page, ada, '/users?status=active&license=2');
  const header = usersGrid(page).getByRole('checkbox').first();
  await expect(usersGrid(page).getByRole('row').nth(5)).toBeVisible();
  await header.check();
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = page.getByRole('dialog', { name: /^Deactivate \d+ people\?/ });
  await dialog.getByRole('button', { name: /^Deactivate \d+ people/ }).click();
  await expect(jobTray(page)).toContainText(/[1-9]\d* of \d+/);
  await page.reload();
  await expect(jobTray(page).getByRole('heading', { name: 'Jobs stopped' })).toBeVisible();
  await expectAccessible(page);
  await jobTray(page).getByRole('button', { name: 'Continue' }).click();
  await expect(jobTray(page).getByRole('heading', { name: 'Jobs done' })).toBeVisible({ timeout: 90_000 });
  expect(new Set(sent).size).toBe(sent.length);
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await jobTray(page).getByRole('button', { name: 'Clear ended jobs' }).click();
  await expect(jobTray(page)).toBeHidden();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await expect(jobTray(page)).toBeHidden();
});
