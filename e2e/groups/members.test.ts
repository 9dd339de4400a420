import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes, expectToast, fillForm } from '../support/actions.ts';
import { waitForJob } from '../support/bulk.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { type Group, groupHeading, membersGrid } from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const ascending = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

/** Confirms the open dry run and waits until its job is done. */
async function agree(page: Page, title: string, message = `${title}: finished`): Promise<void> {
  const dialog = page.getByRole('dialog', { name: `${title}?` });
  await dialog.getByRole('button', { name: title }).click();
  await expect(dialog).toBeHidden();
  await waitForJob(page, message);
}

test('merges concurrent changes of a group', async ({ page, elsewhere, calls, expectFailure }) => {
  expectFailure(412);
  const id = await calls.createGroup('Shared', ['Read Data']);
  await openAs(page, ada, `/groups/${id}/edit`);
  await openAs(elsewhere, ada, `/groups/edit/${id}`);
  const mine = page.getByRole('dialog', { name: 'Edit Shared' });
  const theirs = elsewhere.getByRole('dialog', { name: 'Edit Shared' });
  await fillForm(mine, { Name: 'Shared by me', 'Write Data': true });
  await fillForm(theirs, { Description: 'Said by them', 'Read Data': false });
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expectToast(elsewhere, 'Shared was saved');
  await expect(elsewhere).toHaveURL('/groups');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(mine.getByRole('note').first()).toContainText('Said by them');
  await expect(mine.getByLabel('Name')).toHaveValue('Shared by me');
  await expect(mine.getByRole('checkbox', { name: 'Read Data' })).not.toBeChecked();
  await expectAccessibleInBothThemes(page);
  await mine.getByRole('button', { name: 'Save both' }).click();
  await expectToast(page, 'Shared by me was saved');
  expect(await calls.call<Group>('GET', `/user/group/${id}`)).toMatchObject({
    name: 'Shared by me',
    description: 'Said by them',
    capabilities: ['Write Data'],
  });
});

test('adds many users from a pasted list and by search, and removes them together', async ({
  page,
  calls,
}) => {
  const id = await calls.createGroup('Committee', ['Read Data']);
  const namesakes = { firstName: 'Robin', lastName: 'Doppel' };
  const [ann, ben, one, two] = [
    await calls.createUser({ firstName: 'Ann', lastName: 'Pasted' }),
    await calls.createUser({ firstName: 'Ben', lastName: 'Searched' }),
    await calls.createUser(namesakes),
    await calls.createUser(namesakes),
  ];
  const member = await calls.createUser({ groups: [id] });
  await openAs(page, ada, `/groups/${id}`);
  await expect(membersGrid(page).getByRole('row')).toHaveCount(2);
  await page.getByRole('link', { name: 'Add people' }).click();
  const panel = page.getByRole('dialog', { name: 'Add people to Committee' });
  await expect(panel.getByRole('combobox', { name: 'Find people' })).toBeFocused();
  await page.keyboard.type('searched');
  await page.getByRole('option', { name: /Ben Searched/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('combobox', { name: 'Find people' })).toHaveAttribute(
    'aria-activedescendant',
    /./,
  );
  await page.keyboard.press('Enter');
  await expect(panel.getByText('1 person will be added')).toBeVisible();
  await expect(page.getByRole('listbox')).toBeHidden();
  await panel
    .getByLabel('Or paste a list')
    .fill(`${ann.email}\n${member.id}\nRobin Doppel; stranger@nowhere.example`);
  await expect(panel).toContainText('1 person is already in the group and will be skipped');
  await expect(panel.getByRole('note')).toContainText('stranger@nowhere.example');
  const who = panel.getByRole('group', { name: 'Who is “Robin Doppel”?' });
  await who.getByRole('checkbox').nth(1).check();
  await expect(panel.getByText('3 people will be added')).toBeVisible();
  await expectAccessibleInBothThemes(page);
  await panel.getByRole('button', { name: 'Add 3 people' }).click();
  await agree(page, 'Add 3 people to Committee');
  await expect(panel).toBeHidden();
  await expect(membersGrid(page).getByRole('row')).toHaveCount(5);
  await expect(groupHeading(page, 'Committee')).toBeVisible();
  await expect(page.getByText('4 members')).toBeVisible();
  const groupsOf = async (userId: number) => (await calls.getUser(userId)).groups;
  expect(await groupsOf(ann.id)).toEqual([id]);
  expect(await groupsOf(ben.id)).toEqual([id]);
  expect([await groupsOf(one.id), await groupsOf(two.id)].flat()).toEqual([id]);

  await page.getByRole('searchbox', { name: 'Search members' }).fill('pasted, searched');
  await expect(membersGrid(page).getByRole('row')).toHaveCount(3);
  await membersGrid(page).getByRole('checkbox', { name: 'Select all' }).check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await expectAccessibleInBothThemes(page);
  await bar.getByRole('button', { name: 'Remove from group' }).click();
  await agree(page, 'Remove 2 people from Committee');
  await expect(bar).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  expect(await groupsOf(ann.id)).toEqual([]);
});

test('going back from the dry run keeps the selection', async ({ page, calls }) => {
  const id = await calls.createGroup('Undecided', []);
  const ann = await calls.createUser();
  await openAs(page, ada, `/groups/${id}/add`);
  const panel = page.getByRole('dialog', { name: 'Add people to Undecided' });
  await panel.getByLabel('Or paste a list').fill(ann.email);
  await expect(panel.getByText('1 person will be added')).toBeVisible();
  await panel.getByLabel('Or paste a list').fill('');
  await expect(panel.getByRole('button', { name: 'Add people' })).toHaveAccessibleDescription(
    'Choose a person first',
  );
  await panel.getByLabel('Or paste a list').fill(ann.email);
  await panel.getByRole('button', { name: 'Add 1 person' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add 1 person to Undecided?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(panel.getByText('1 person will be added')).toBeVisible();
});

test('the comparison of two users says that people could not be loaded', async ({
  page,
  calls,
  expectFailure,
}) => {
  const [ann, ben] = [await calls.createUser(), await calls.createUser()];
  expectFailure(500);
  const people = /\/management\/user(?:\?|$)/;
  await page.route(people, (route) =>
    route.fulfill({ status: 500, json: { message: 'An unexpected error occurred', requestId: 'failing' } }),
  );
  await openAs(page, ada, `/groups/compare?a=${ann.id}&b=${ben.id}`);
  await expect(page.getByRole('heading', { name: 'People could not be loaded' })).toBeVisible();
  await page.unroute(people);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'People could not be loaded' })).toBeHidden();
  await expect(page.getByRole('region', { name: 'First user' })).toContainText(ann.email);
});

test('compares two users and copies groups between them', async ({ page, calls }) => {
  const [shared, more, own] = [
    await calls.createGroup('Compared both', ['Read Data']),
    await calls.createGroup('Compared first', ['Write Data']),
    await calls.createGroup('Compared second', ['Run Reports']),
  ];
  const ann = await calls.createUser({ firstName: 'Ann', lastName: 'Original', groups: [shared, more] });
  const ben = await calls.createUser({ firstName: 'Ben', lastName: 'Copied', groups: [shared, own] });
  await openAs(page, ada, '/groups/compare');
  await expect(page.getByRole('heading', { name: 'Choose two people' })).toBeVisible();
  await expectAccessibleInBothThemes(page);
  for (const [label, one] of [
    ['First user', ann],
    ['Second user', ben],
  ] as const) {
    await page.getByRole('combobox', { name: label }).fill(one.email);
    await page.getByRole('option', { name: new RegExp(one.name) }).click();
    await expect(page.getByRole('region', { name: label })).toContainText(one.email);
  }
  await expect(page).toHaveURL(`/groups/compare?a=${ann.id}&b=${ben.id}`);
  const groups = page.getByRole('region', { name: 'Groups: 2 differences' });
  await expect(groups.getByRole('row', { name: /Compared first/ })).toHaveText(/Member.*Not in it/);
  await expect(groups.getByRole('row', { name: /Compared both/ })).toHaveText(/Member.*Member/);
  const able = page.getByRole('region', { name: 'Capabilities and their groups' });
  await expect(able.getByRole('row', { name: /Write Data/ })).toContainText('Compared first');
  await expect(able.getByRole('row', { name: /Write Data/ })).toContainText('Does not have it');
  await expectAccessibleInBothThemes(page);

  await page.getByRole('button', { name: 'Add 1 group' }).click();
  await agree(page, 'Change the groups of 1 person', 'Added 1 person to Compared first');
  await expect(page.getByRole('region', { name: 'Groups: 1 difference' })).toBeVisible();
  expect(ascending((await calls.getUser(ben.id)).groups)).toEqual([shared, more, own]);

  await expect(page.getByText(/in no others\. .* one removes Compared second/)).toBeVisible();
  await page.getByRole('button', { name: 'Set exactly' }).click();
  await agree(page, 'Change the groups of 1 person', 'Removed 1 person from Compared second');
  await expect(page.getByRole('region', { name: 'Groups: the same' })).toBeVisible();
  expect(ascending((await calls.getUser(ben.id)).groups)).toEqual([shared, more]);
  await expect(page.getByRole('button', { name: 'Set exactly' })).toHaveAccessibleDescription(
    'There is nothing to remove',
  );
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect(page).toHaveURL(`/groups/compare?a=${ben.id}&b=${ann.id}`);
});
