import type { Page } from '@playwright/test';
import { expectNoAxeInBothThemes, expectToast, fill } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { type Group, heading, members } from '../support/groups.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const ascending = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);
const jobs = (page: Page) => page.getByRole('region', { name: 'Jobs' });

/** Agrees to the dry run that is open, and waits until its job is done. */
async function agree(page: Page, title: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: `${title}?` });
  await dialog.getByRole('button', { name: title }).click();
  await expect(dialog).toBeHidden();
  await expect(jobs(page).getByRole('listitem').filter({ hasText: title }).last()).toHaveAttribute(
    'data-state',
    'done',
  );
}
test('two people change one group: nothing of either is lost', async ({
  page,
  elsewhere,
  calls,
  expectFailure,
}) => {
  expectFailure(412);
  const id = await calls.makeGroup('Shared', ['Read Data']);
  await enter(page, ada, `/groups/${id}/edit`);
  await enter(elsewhere, ada, `/groups/edit/${id}`);
  const mine = page.getByRole('dialog', { name: 'Edit Shared' });
  const theirs = elsewhere.getByRole('dialog', { name: 'Edit Shared' });
  await fill(mine, { Name: 'Shared by me', 'Write Data': true });
  await fill(theirs, { Description: 'Said by them', 'Read Data': false });
  await theirs.getByRole('button', { name: 'Save' }).click();
  await expectToast(elsewhere, 'Shared was saved');
  await expect(elsewhere).toHaveURL('/groups');
  await mine.getByRole('button', { name: 'Save' }).click();
  await expect(mine.getByRole('note').first()).toContainText('Said by them');
  await expect(mine.getByLabel('Name')).toHaveValue('Shared by me');
  await expect(mine.getByRole('checkbox', { name: 'Read Data' })).not.toBeChecked();
  await expectNoAxeInBothThemes(page);
  await mine.getByRole('button', { name: 'Save both' }).click();
  await expectToast(page, 'Shared by me was saved');
  expect(await calls.call<Group>('GET', `/user/group/${id}`)).toMatchObject({
    name: 'Shared by me',
    description: 'Said by them',
    capabilities: ['Write Data'],
  });
});

test('many are added from a pasted list and by search, and removed together', async ({ page, calls }) => {
  const id = await calls.makeGroup('Committee', ['Read Data']);
  const twins = { firstName: 'Robin', lastName: 'Doppel' };
  const [ann, ben, one, two] = [
    await calls.makeUser({ firstName: 'Ann', lastName: 'Pasted' }),
    await calls.makeUser({ firstName: 'Ben', lastName: 'Searched' }),
    await calls.makeUser(twins),
    await calls.makeUser(twins),
  ];
  const member = await calls.makeUser({ groups: [id] });
  await enter(page, ada, `/groups/${id}`);
  await expect(members(page).getByRole('row')).toHaveCount(2);
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
  await expect(panel).toContainText('1 person is in the group already and will be passed over');
  await expect(panel.getByRole('note')).toContainText('stranger@nowhere.example');
  const who = panel.getByRole('group', { name: 'Who is “Robin Doppel”?' });
  await who.getByRole('checkbox').nth(1).check();
  await expect(panel.getByText('3 people will be added')).toBeVisible();
  await expectNoAxeInBothThemes(page);
  await panel.getByRole('button', { name: 'Add 3 people' }).click();
  await agree(page, 'Add 3 people to Committee');
  await expect(panel).toBeHidden();
  await expect(members(page).getByRole('row')).toHaveCount(5);
  await expect(heading(page, 'Committee')).toBeVisible();
  await expect(page.getByText('4 members')).toBeVisible();
  const groupsOf = async (userId: number) => (await calls.user(userId)).groups;
  expect(await groupsOf(ann.id)).toEqual([id]);
  expect(await groupsOf(ben.id)).toEqual([id]);
  expect([await groupsOf(one.id), await groupsOf(two.id)].flat()).toEqual([id]);

  await page.getByRole('searchbox', { name: 'Search members' }).fill('pasted, searched');
  await expect(members(page).getByRole('row')).toHaveCount(3);
  await members(page).getByRole('checkbox', { name: 'Select all' }).check();
  const bar = page.getByRole('region', { name: 'Selection' });
  await expectNoAxeInBothThemes(page);
  await bar.getByRole('button', { name: 'Remove from group' }).click();
  await agree(page, 'Remove 2 people from Committee');
  await expect(bar).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  expect(await groupsOf(ann.id)).toEqual([]);
});

test('turning back in the dry run loses nobody who was chosen', async ({ page, calls }) => {
  const id = await calls.makeGroup('Undecided', []);
  const ann = await calls.makeUser();
  await enter(page, ada, `/groups/${id}/add`);
  const panel = page.getByRole('dialog', { name: 'Add people to Undecided' });
  await panel.getByLabel('Or paste a list').fill(ann.email);
  await expect(panel.getByText('1 person will be added')).toBeVisible();
  await panel.getByLabel('Or paste a list').fill('');
  await expect(panel.getByRole('button', { name: 'Add people' })).toHaveAccessibleDescription(
    'Choose somebody first',
  );
  await panel.getByLabel('Or paste a list').fill(ann.email);
  await panel.getByRole('button', { name: 'Add 1 person' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add 1 person to Undecided?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(panel.getByText('1 person will be added')).toBeVisible();
});

test('two users are compared, and groups copied from one to the other', async ({ page, calls }) => {
  const [shared, more, own] = [
    await calls.makeGroup('Compared both', ['Read Data']),
    await calls.makeGroup('Compared first', ['Write Data']),
    await calls.makeGroup('Compared second', ['Run Reports']),
  ];
  const ann = await calls.makeUser({ firstName: 'Ann', lastName: 'Original', groups: [shared, more] });
  const ben = await calls.makeUser({ firstName: 'Ben', lastName: 'Copied', groups: [shared, own] });
  await enter(page, ada, '/groups/compare');
  await expect(page.getByRole('heading', { name: 'Choose two people' })).toBeVisible();
  await expectNoAxeInBothThemes(page);
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
  const able = page.getByRole('region', { name: 'What they may do, and from which groups' });
  await expect(able.getByRole('row', { name: /Write Data/ })).toContainText('Compared first');
  await expect(able.getByRole('row', { name: /Write Data/ })).toContainText('Does not have it');
  await expectNoAxeInBothThemes(page);

  await page.getByRole('button', { name: 'Add 1 group' }).click();
  await agree(page, 'Change the groups of 1 person');
  await expect(page.getByRole('region', { name: 'Groups: 1 difference' })).toBeVisible();
  expect(ascending((await calls.user(ben.id)).groups)).toEqual([shared, more, own]);

  await expect(page.getByText(/in no others\. .* one removes Compared second/)).toBeVisible();
  await page.getByRole('button', { name: 'Set exactly' }).click();
  await agree(page, 'Change the groups of 1 person');
  await expect(page.getByRole('region', { name: 'Groups: the same' })).toBeVisible();
  expect(ascending((await calls.user(ben.id)).groups)).toEqual([shared, more]);
  await expect(page.getByRole('button', { name: 'Set exactly' })).toHaveAccessibleDescription(
    'There is nothing to remove',
  );
  await page.getByRole('button', { name: 'Swap' }).click();
  await expect(page).toHaveURL(`/groups/compare?a=${ben.id}&b=${ann.id}`);
});
