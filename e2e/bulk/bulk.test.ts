import type { Page } from '@playwright/test';
import { expectNoAxe, expectNoAxeInBothThemes, fill } from '../support/actions.ts';
import { bar, downloaded, dryRun, grid, jobs, more, moreOfJob, selectAll } from '../support/bulk.ts';
import { type Calls, enter } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** People of one last name, whom a search finds together. */
async function family(calls: Calls, lastName: string, firstNames: readonly string[], info: object = {}) {
  const made = [];
  for (const firstName of firstNames) made.push(await calls.makeUser({ firstName, lastName, ...info }));
  return made;
}

const part = (page: Page, name: RegExp) =>
  page.getByRole('group', { name: 'Shown people' }).getByRole('button', { name });

test('all that match are deactivated after a dry run, with a report, and the undo file brings them back', async ({
  page,
  calls,
}) => {
  const people = await family(calls, 'Bulkington', ['Ann', '=Ben', 'Cal', 'Dee']);
  await family(calls, 'Bulkington', ['Eve'], { isActive: false });
  await enter(page, ada, '/users?q=bulkington');
  await selectAll(page, 5);
  await expectNoAxe(page);
  await bar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await dryRun(page, 'Deactivate 4 people?');
  await expect(dialog.getByRole('row', { name: /Ann Bulkington.*Active.*Inactive/ })).toBeVisible();
  await expect(part(page, /^Will change 4$/)).toHaveAttribute('aria-pressed', 'true');
  await part(page, /^So already 1$/).click();
  await expect(dialog.getByRole('row', { name: /Eve Bulkington/ })).toBeVisible();
  await expectNoAxeInBothThemes(page);

  await dialog.getByRole('button', { name: 'Deactivate 4 people' }).click();
  await expect(dialog).toBeHidden();
  await expect(jobs(page)).toContainText('4 of 4');
  await expect(grid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(5);
  for (const { id } of people) expect((await calls.user(id)).isActive).toBe(false);
  await expect(bar(page)).toBeHidden();

  const report = await downloaded(page, () => jobs(page).getByRole('button', { name: 'Report' }).click());
  expect(report.name).toMatch(/^deactivate-\d{4}-\d\d-\d\d\.csv$/);
  for (const { id, email } of people)
    expect(report.text).toMatch(new RegExp(`\\b${id},.*"${email}","Active","Inactive","done"`));
  expect(report.text).toContain(`"'=Ben Bulkington"`);
  expect(report.text).not.toContain('Eve');

  const undo = await downloaded(page, () => moreOfJob(page, 'Deactivate 4 people', 'Save undo file'));
  expect(JSON.parse(undo.text)).toMatchObject({
    format: 'steward-undo',
    version: 1,
    done: 'Deactivate 4 people',
    undo: { kind: 'activate' },
    userIds: expect.arrayContaining(people.map(({ id }) => id)),
  });
  await jobs(page).getByRole('button', { name: 'Clear ended jobs' }).click();
  await expect(jobs(page)).toBeHidden();
  const choosing = page.waitForEvent('filechooser');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox').fill('undo from');
  await page
    .getByRole('option', { name: 'Undo from file…' })
    .or(page.getByRole('menuitem', { name: 'Undo from file…' }))
    .click();
  await (await choosing).setFiles(undo.path);
  const back = await dryRun(page, 'Activate 4 people?');
  await back.getByRole('button', { name: 'Activate 4 people' }).click();
  await expect(jobs(page)).toContainText('4 of 4');
  await expect(grid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  for (const { id } of people) expect((await calls.user(id)).isActive).toBe(true);
});

test('by keyboard alone: select, deactivate, undo', async ({ page, calls }) => {
  const [one] = await family(calls, 'Keybound', ['Ida']);
  await enter(page, ada, '/users?q=keybound');
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '2');
  await grid(page).getByRole('row').nth(1).focus();
  await page.keyboard.press('Space');
  await expect(bar(page)).toContainText('1 selected');
  await bar(page).getByRole('button', { name: 'Deactivate' }).focus();
  await page.keyboard.press('Enter');
  const dialog = await dryRun(page, 'Deactivate 1 person?');
  // The careful answer has the focus; the next stop is the act.
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('button', { name: 'Deactivate 1 person' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(jobs(page)).toContainText('1 of 1');
  await expect(grid(page).getByRole('row', { name: /Inactive/ })).toHaveCount(1);
  await jobs(page).getByRole('button', { name: 'More about Deactivate 1 person' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Enter');
  const back = await dryRun(page, 'Activate 1 person?');
  await page.keyboard.press('Escape');
  await expect(back).toBeHidden();
  expect((await calls.user(one?.id ?? 0)).isActive).toBe(false);
});

test('licenses say what they do to the bill, and No License for many is typed', async ({ page, calls }) => {
  const people = await family(calls, 'Seatwell', ['Ann', 'Ben']);
  await enter(page, ada, '/users?q=seatwell');
  await selectAll(page, 2);
  await bar(page).getByRole('button', { name: 'Change license' }).click();
  const choice = page.getByRole('dialog', { name: 'Change the license of 2 people' });
  await expect(choice).toBeVisible();
  await expectNoAxe(page);
  await fill(choice, { License: 'No License' });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = await dryRun(page, 'Set 2 licenses to No License?');
  await expect(dialog).toContainText('Billable licenses: −2');
  const act = dialog.getByRole('button', { name: 'Set 2 licenses to No License' });
  await expect(act).toHaveAttribute('aria-disabled', 'true');
  await dialog.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  await expectNoAxeInBothThemes(page);
  await act.click();
  await expect(jobs(page)).toContainText('2 of 2');
  const license = ({ id }: { id: number }) =>
    calls.call<{ licenseTypeId: number }>('GET', `/userLicense/${id}`);
  for (const one of people) expect((await license(one)).licenseTypeId).toBe(4);

  await moreOfJob(page, 'Set 2 licenses to No License', 'Undo');
  const back = await dryRun(page, 'Change 2 licenses?');
  await expect(back).toContainText('Billable licenses: +2');
  await back.getByRole('button', { name: 'Change 2 licenses' }).click();
  await expect(jobs(page).getByText('2 of 2')).toHaveCount(2);
  for (const one of people) expect((await license(one)).licenseTypeId).toBe(1);
});

test('groups are added and taken, who has them already costs no call', async ({ page, calls }) => {
  const groupId = await calls.makeGroup('Bulk readers', ['Read Data']);
  const [first] = await family(calls, 'Groupley', ['Ann'], { groups: [groupId] });
  const [second] = await family(calls, 'Groupley', ['Ben']);
  await enter(page, ada, '/users?q=groupley');
  await selectAll(page, 2);
  await bar(page).getByRole('button', { name: 'Add to groups' }).click();
  const choice = page.getByRole('dialog', { name: 'Add 2 people to groups' });
  await fill(choice, { Groups: ['Bulk readers'] });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = await dryRun(page, 'Add 1 person to Bulk readers?');
  await expect(dialog.getByRole('row', { name: /Ben Groupley.*\+ Bulk readers/ })).toBeVisible();
  await expect(part(page, /^So already 1$/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Add 1 person to Bulk readers' }).click();
  await expect(jobs(page)).toContainText('1 of 1');
  expect((await calls.user(second?.id ?? 0)).groups).toEqual([groupId]);

  await selectAll(page, 2);
  await more(page, 'Remove from groups');
  const removal = page.getByRole('dialog', { name: 'Remove 2 people from groups' });
  await fill(removal, { Groups: ['Bulk readers'] });
  await removal.getByRole('button', { name: 'Review' }).click();
  const away = await dryRun(page, 'Remove 2 people from Bulk readers?');
  await away.getByRole('button', { name: 'Remove 2 people from Bulk readers' }).click();
  await expect(jobs(page)).toContainText('2 of 2');
  for (const one of [first, second]) expect((await calls.user(one?.id ?? 0)).groups).toEqual([]);
});

test('what has no way back says so, and removal is typed', async ({ page, calls }) => {
  const [one] = await family(calls, 'Onewaya', ['Ann']);
  await enter(page, ada, '/users?q=onewaya');
  await selectAll(page, 1);
  await more(page, 'Turn two-factor on');
  const dialog = await dryRun(page, 'Turn two-factor on for 1 person?');
  await expect(dialog.getByText('No way back')).toBeVisible();
  await dialog.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  await dialog.getByRole('button', { name: 'Turn two-factor on for 1 person' }).click();
  await expect(jobs(page)).toContainText('1 of 1');
  expect((await calls.user(one?.id ?? 0)).twoFactorEnabled).toBe(true);
  await expect(jobs(page).getByRole('button', { name: 'Report' })).toBeVisible();
  await expect(jobs(page).getByRole('button', { name: /^More about/ })).toHaveCount(0);

  await selectAll(page, 1);
  await more(page, 'Remove from site');
  const removal = await dryRun(page, 'Remove 1 person from Northlight Capital?');
  await removal.getByLabel(/^Type “Northlight/).fill('Northlight Capital');
  await removal.getByRole('button', { name: 'Remove 1 person from Northlight Capital' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await expect(jobs(page).getByText('1 of 1')).toHaveCount(2);
});

test('who may do more is left alone, and what one may not do says why', async ({ page, calls }) => {
  const groupId = await calls.makeGroup('Bulk helpers', ['Access Web Service', 'Manage Users']);
  const stronger = await calls.makeGroup('Bulk strong', ['Manage Backups']);
  const helper = await calls.makeUser({ groups: [groupId] });
  await family(calls, 'Mightier', ['Ann'], { groups: [stronger] });
  await family(calls, 'Mightier', ['Ben']);
  await enter(page, helper, '/users?q=mightier');
  await selectAll(page, 2);
  await expect(bar(page).getByRole('button', { name: 'Change license' })).toHaveAccessibleDescription(
    'Needs the capability Manage Licences',
  );
  await bar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await dryRun(page, 'Deactivate 1 person?');
  await part(page, /^Cannot be changed 1$/).click();
  await expect(
    dialog.getByRole('row', { name: /Ann Mightier.*May do more than you: holds Manage Backups/ }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(bar(page)).toContainText('2 selected');
});

test('a job is interrupted by a reload, goes on where it was, and does nobody twice', async ({ page }) => {
  const sent: number[] = [];
  page.on('request', (call) => {
    const body = call.method() === 'PUT' ? (call.postDataJSON() as { id: number }) : undefined;
    if (body) sent.push(body.id);
  });
  page.on('dialog', (dialog) => void dialog.accept());
  await enter(page, ada, '/users?status=active&license=2');
  const header = grid(page).getByRole('checkbox').first();
  await expect(grid(page).getByRole('row').nth(5)).toBeVisible();
  await header.check();
  await bar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = page.getByRole('dialog', { name: /^Deactivate \d+ people\?/ });
  await dialog.getByRole('button', { name: /^Deactivate \d+ people/ }).click();
  await expect(jobs(page)).toContainText(/[1-9]\d* of \d+/);
  await page.reload();
  await expect(jobs(page).getByRole('heading', { name: 'Jobs stopped' })).toBeVisible();
  await expectNoAxe(page);
  await jobs(page).getByRole('button', { name: 'Continue' }).click();
  await expect(jobs(page).getByRole('heading', { name: 'Jobs done' })).toBeVisible({ timeout: 45_000 });
  expect(new Set(sent).size).toBe(sent.length);
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await jobs(page).getByRole('button', { name: 'Clear ended jobs' }).click();
  await expect(jobs(page)).toBeHidden();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await expect(jobs(page)).toBeHidden();
});
