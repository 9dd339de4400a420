import type { Page } from '@playwright/test';
import { chooseMenuItem, expectAccessibleInBothThemes } from '../support/actions.ts';
import { waitForJob } from '../support/bulk.ts';
import { openAs, type ApiCalls } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({
  installation: { sample: true, administrator: ada },
});

const grid = (page: Page) => page.getByRole('grid', { name: 'People by groups' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search people' });
const cell = (page: Page, person: { name: string }, group: string) =>
  grid(page).getByRole('checkbox', { name: `${person.name} in ${group}`, exact: true });

let sets = 0;

/** Three groups and three users of this test only. */
async function arrange(calls: ApiCalls) {
  sets += 1;
  const names = [`Alpha ${sets}`, `Beta ${sets}`, `Gamma ${sets}`] as const;
  const ids = [
    await calls.createGroup(names[0], ['Read Data']),
    await calls.createGroup(names[1], ['Write Data']),
    await calls.createGroup(names[2], []),
  ] as const;
  const lastName = `Matrixer${sets}`;
  const people = [
    await calls.createUser({ firstName: 'Ann', lastName, groups: [ids[0]] }),
    await calls.createUser({ firstName: 'Ben', lastName, groups: [ids[1]] }),
    await calls.createUser({ firstName: 'Cid', lastName, groups: [] }),
  ] as const;
  return { names, ids, people, path: `/groups/matrix?q=matrixer${sets}&columns=${ids.join('-')}` };
}

const groupsOf = async (calls: ApiCalls, { id }: { id: number }) =>
  (await calls.getUser(id)).groups.toSorted((a, b) => a - b);

test('changes cells by mouse and keyboard, reviews and saves them together', async ({ page, calls }) => {
  const { names, ids, people, path } = await arrange(calls);
  const [ann, ben, cid] = people;
  await openAs(page, ada, path);
  await expect(grid(page)).toHaveAttribute('aria-rowcount', '4');
  await expect(cell(page, ann, names[0])).toBeChecked();
  await expect(cell(page, ben, names[0])).not.toBeChecked();
  await expectAccessibleInBothThemes(page);

  await cell(page, ann, names[0]).click();
  await expect(cell(page, ann, names[0])).not.toBeChecked();
  await expect(cell(page, ann, names[0])).toHaveAccessibleDescription('Will be removed');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(cell(page, ann, names[2])).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(cell(page, ben, names[2])).toBeChecked();
  await expect(cell(page, ben, names[2])).toHaveAccessibleDescription('Will be added');
  await page.keyboard.press('Control+End');
  await expect(grid(page).getByRole('button', { name: `Actions for ${cid.name}` })).toBeFocused();
  await page.keyboard.press('Home');
  await expect(grid(page).getByRole('link', { name: cid.name })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await expect(cell(page, cid, names[0])).toBeChecked();
  await expect(page.getByText('3 changes for 3 people, not saved')).toBeVisible();
  await expectAccessibleInBothThemes(page);

  // Pending changes are kept while others are shown.
  await search(page).fill('nobody of this name');
  await expect(page.getByRole('heading', { name: 'Nobody matches' })).toBeVisible();
  await expect(page.getByText('3 changes for 3 people, not saved')).toBeVisible();
  await page.getByRole('button', { name: 'Review' }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await expect(review).toContainText('2 additions, 1 removal');
  await expect(review).toContainText('Additions and removals are sent separately');
  await expect(review.getByRole('listitem').filter({ hasText: ann.name })).toContainText(
    `Remove from ${names[0]}`,
  );
  await expectAccessibleInBothThemes(page);
  await review.getByRole('button', { name: `Undo the changes for ${cid.name}` }).click();
  await expect(review).toContainText('1 addition, 1 removal');
  await review.getByRole('button', { name: 'Save 2 changes' }).click();
  const dryRun = page.getByRole('dialog', { name: 'Change the groups of 2 people?' });
  await expect(dryRun).toContainText(`− ${names[0]}`);
  await dryRun.getByRole('button', { name: 'Change the groups of 2 people' }).click();
  await waitForJob(page, 'Change the groups of 2 people: finished');
  await expect(page.getByText(/^Click a cell/)).toBeVisible();
  expect(await groupsOf(calls, ann)).toEqual([]);
  expect(await groupsOf(calls, ben)).toEqual([ids[1], ids[2]]);
  expect(await groupsOf(calls, cid)).toEqual([]);
  await search(page).fill(ben.name);
  await expect(cell(page, ben, names[2])).toBeChecked();
  await expect(cell(page, ben, names[2])).toHaveAccessibleDescription('');
});

test('keeps failed changes pending and completes the others', async ({ page, calls }) => {
  const { names, ids, people, path } = await arrange(calls);
  const [ann, ben, cid] = people;
  await openAs(page, ada, path);
  await cell(page, ann, names[1]).click();
  await cell(page, ben, names[0]).click();
  await cell(page, cid, names[2]).click();
  await page.getByRole('button', { name: 'Save 3 changes' }).click();
  const dryRun = page.getByRole('dialog', { name: 'Change the groups of 3 people?' });
  await expect(dryRun.getByRole('button', { name: 'Change the groups of 3 people' })).not.toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await expect(dryRun).toContainText('Will change 3');
  await calls.call('DELETE', `/user/${ben.id}`);
  await dryRun.getByRole('button', { name: 'Change the groups of 3 people' }).click();
  await waitForJob(page, 'Change the groups of 3 people: finished, 1 skipped');
  await expect(page.getByText(/^1 change for 1 person/)).toBeVisible();
  expect(await groupsOf(calls, ann)).toEqual([ids[0], ids[1]]);
  expect(await groupsOf(calls, cid)).toEqual([ids[2]]);
  await page.getByRole('button', { name: 'Review' }).click();
  const review = page.getByRole('dialog', { name: 'Review changes' });
  await expect(review.getByRole('listitem')).toHaveCount(1);
  await expect(review).toContainText(`Add to ${names[0]}`);
  await expectAccessibleInBothThemes(page);
});

test('splits "set exactly" into additions and removals', async ({ page, calls }) => {
  const { names, people, path } = await arrange(calls);
  const [ann] = people;
  await openAs(page, ada, path);
  await expect(cell(page, ann, names[0])).toBeChecked();
  await chooseMenuItem(page, `Actions for ${ann.name}`, 'Set exactly…');
  const dialog = page.getByRole('dialog', { name: `Set the groups of ${ann.name} exactly` });
  await expect(dialog).toContainText('0 additions, 0 removals');
  await dialog.getByRole('checkbox', { name: names[0] }).uncheck();
  await dialog.getByRole('checkbox', { name: names[1] }).check();
  await dialog.getByRole('checkbox', { name: names[2] }).check();
  await expect(dialog).toContainText('2 additions, 1 removal');
  await expectAccessibleInBothThemes(page);
  await dialog.getByRole('button', { name: 'Stage 3 changes' }).click();
  await expect(cell(page, ann, names[0])).toHaveAccessibleDescription('Will be removed');
  await expect(cell(page, ann, names[1])).toHaveAccessibleDescription('Will be added');
  await chooseMenuItem(page, `Actions for ${ann.name}`, 'Undo changes');
  await expect(page.getByText(/^Click a cell/)).toBeVisible();
});

test('asks before leaving pending changes and keeps columns and filters in the URL', async ({
  page,
  calls,
}) => {
  const { names, people, path } = await arrange(calls);
  const [ann] = people;
  await openAs(page, ada, path);
  await cell(page, ann, names[2]).click();
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Discard changes?' });
  await dialog.getByRole('button', { name: 'Keep editing' }).click();
  await expect(cell(page, ann, names[2])).toBeChecked();
  await page
    .getByRole('button', { name: /^Columns.* filter$/ })
    .first()
    .click();
  const options = page.getByRole('dialog', { name: 'Columns filter' });
  await options.getByRole('checkbox', { name: names[1] }).click();
  await page.keyboard.press('Escape');
  await expect(grid(page).getByRole('columnheader', { name: names[1] })).toHaveCount(0);
  await expect(page).not.toHaveURL(path);
  await expect(cell(page, ann, names[2])).toBeChecked();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();
  await expect(cell(page, ann, names[2])).not.toBeChecked();
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page).toHaveURL('/');
});

test('scrolls five hundred users, and the keyboard keeps its column', async ({ page }) => {
  await openAs(page, ada, '/groups/matrix');
  const first = grid(page).getByRole('checkbox').first();
  await first.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await expect(grid(page).locator(':focus')).toHaveAttribute('data-place', /^\d{2,}:2$/);
  await page.keyboard.press('Control+End');
  await expect(grid(page).locator('tr:focus-within')).toHaveAttribute('aria-rowindex', /^[45]\d\d$/);
  await page.keyboard.press('Control+Home');
  await expect(grid(page).getByRole('link').first()).toBeFocused();
});

test('shows the matrix read-only with a reason without Manage Groups', async ({ page, calls }) => {
  const { names, people, path } = await arrange(calls);
  const readers = await calls.createGroup('Matrix readers', ['Manage Licences']);
  const reader = await calls.createUser({ groups: [readers] });
  await openAs(page, reader, path);
  const box = cell(page, people[0], names[0]);
  await expect(box).toBeChecked();
  await expect(box).toHaveAccessibleDescription('You need the Manage Groups capability');
  await box.press('Space');
  await expect(box).toBeChecked();
  await expect(page.getByText(/^You can view but not change this/)).toBeVisible();
  await expectAccessibleInBothThemes(page);
});

test('reaches and changes cells by touch on a phone', async ({ page, calls }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  const { names, people, path } = await arrange(calls);
  await openAs(page, ada, path);
  await cell(page, people[2], names[2]).click();
  await expect(cell(page, people[2], names[2])).toBeChecked();
  await expect(page.getByText('1 change for 1 person, not saved')).toBeVisible();
  await expectAccessibleInBothThemes(page);
});
