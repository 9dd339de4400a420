import type { Page } from '@playwright/test';
import { choose, expectNoAxeInBothThemes, expectRow, expectToast, fill } from './support/actions.ts';
import { enter } from './support/calls.ts';
import { ada } from './support/people.ts';
import { expect, test } from './support/test.ts';

test.use({
  installation: { sample: true, administrator: ada },
});

const ascending = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

interface Group {
  id: number;
  name: string;
  description: string | null;
  capabilities: string[];
  userCount: number;
}

const list = (page: Page) => page.getByRole('grid', { name: 'Groups' });
const members = (page: Page) => page.getByRole('grid', { name: 'Members' });
const jobs = (page: Page) => page.getByRole('region', { name: 'Jobs' });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

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

test('groups are found by name and capability, sorted, and the address says so', async ({ page, calls }) => {
  const id = await calls.makeGroup('Zebra keepers', ['Manage Backups', 'Read Data']);
  await enter(page, ada, '/groups');
  await expectRow(list(page), { Name: 'Zebra keepers', Gives: /Manage Backups, Read Data/, Members: '0' });
  await expect(list(page).getByRole('rowheader').first()).toContainText('Administrators');
  await expectNoAxeInBothThemes(page);
  await list(page).getByRole('columnheader', { name: 'Members' }).getByRole('button').click();
  await list(page).getByRole('columnheader', { name: 'Members' }).getByRole('button').click();
  await expect(page).toHaveURL('/groups?sort=-members');
  await expect(list(page).getByRole('rowheader').first()).toContainText('Deal team');
  await page.getByRole('searchbox', { name: 'Search groups' }).fill('backups zebra');
  await expect(list(page).getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL('/groups?q=backups+zebra&sort=-members');
  await list(page).getByRole('link', { name: 'Zebra keepers' }).click();
  await expect(heading(page, 'Zebra keepers')).toBeVisible();
  await expect(page).toHaveURL(`/groups/${id}`);
  await page.goBack();
  await expect(page.getByRole('searchbox', { name: 'Search groups' })).toHaveValue('backups zebra');
  await page.reload();
  await expect(list(page).getByRole('row')).toHaveCount(2);
  await page.getByRole('searchbox', { name: 'Search groups' }).fill('no such thing');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(list(page).getByRole('row').nth(10)).toBeVisible();
});

test('a group is created, changed and deleted by keyboard, and says who gains and loses', async ({
  page,
  calls,
}) => {
  const other = await calls.makeGroup('Other source', ['Run Reports']);
  await enter(page, ada, '/groups');
  await expect(list(page).getByRole('row').nth(3)).toBeVisible();
  await page.keyboard.press('n');
  const panel = page.getByRole('dialog', { name: 'New group' });
  await expect(panel.getByLabel('Name')).toBeFocused();
  await expect(page).toHaveURL('/groups/new');
  await page.keyboard.press('Enter');
  await expect(panel.getByLabel('Name')).toHaveAccessibleDescription('Fill this in');
  await expectNoAxeInBothThemes(page);
  await page.keyboard.type('Quarter close');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Reads and reports at the end of a quarter');
  await panel.getByRole('checkbox', { name: 'Read Data' }).focus();
  await page.keyboard.press('Space');
  await expect(panel.getByRole('checkbox', { name: 'Read Data' })).toHaveAccessibleDescription(
    'Read entries, their history and their files.',
  );
  await panel.getByRole('button', { name: 'Create group' }).click();
  await expectToast(page, 'Quarter close was created');
  await expect(heading(page, 'Quarter close')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Gives 1 capability' })).toContainText('Read Data');
  await expect(page.getByRole('heading', { name: 'Nobody is in this group' })).toBeVisible();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));

  const [ann, ben] = [await calls.makeUser({ groups: [id] }), await calls.makeUser({ groups: [id, other] })];
  await page.getByRole('button', { name: 'Read everything again' }).click();
  await expect(members(page).getByRole('row')).toHaveCount(3);
  await page.getByRole('link', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Quarter close' });
  await fill(edit, { Name: 'Quarter and year close' });
  await fill(edit, { 'Read Data': false, 'Run Reports': true });
  const preview = edit.getByRole('region', { name: 'Who gains and loses' });
  await expect(preview).toContainText(`2 people lose Read Data.${ann.name} and ${ben.name}`);
  await expect(preview).toContainText(
    `1 person gains Run Reports; 1 person has that from another group already.${ann.name}`,
  );
  await expectNoAxeInBothThemes(page);
  await edit.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Quarter and year close was saved');
  await expect(heading(page, 'Quarter and year close')).toBeVisible();
  await expect(page).toHaveTitle(/Quarter and year close/);
  expect(await calls.call<Group>('GET', `/user/group/${id}`)).toMatchObject({
    name: 'Quarter and year close',
    description: 'Reads and reports at the end of a quarter',
    capabilities: ['Run Reports'],
  });

  await choose(page, 'Actions for Quarter and year close', 'Delete group');
  const dialog = page.getByRole('alertdialog', { name: 'Delete Quarter and year close?' });
  await expect(dialog).toContainText('2 members leave it');
  await expect(dialog).toContainText(
    `1 person loses Run Reports; 1 person keeps that through another group.`,
  );
  const remove = dialog.getByRole('button', { name: 'Delete group' });
  await expect(remove).toHaveAccessibleDescription('Type “Quarter and year close” first');
  await expectNoAxeInBothThemes(page);
  await page.keyboard.type('Quarter and year close');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Quarter and year close was deleted');
  await expect(page).toHaveURL('/groups');
  await expect(list(page).getByRole('link', { name: 'Quarter and year close' })).toHaveCount(0);
  expect((await calls.user(ben.id)).groups).toEqual([other]);
});

test('a name that is taken is refused on its field, and leaving asks', async ({ page, expectFailure }) => {
  expectFailure(409);
  await enter(page, ada, '/groups/new');
  const panel = page.getByRole('dialog', { name: 'New group' });
  await fill(panel, { Name: 'finance' });
  await panel.getByRole('button', { name: 'Create group' }).click();
  await expect(panel.getByLabel('Name')).toHaveAccessibleDescription('Another group has this name.');
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await expect(panel.getByLabel('Name')).toHaveValue('finance');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();
  await expect(page).toHaveURL('/groups');
});

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

test('nobody gives what they do not have: the list says so', async ({ page, calls }) => {
  const helpers = await calls.makeGroup('Group helpers', ['Access Web Service', 'Manage Groups']);
  const strong = await calls.makeGroup('Strong', ['Manage Backups', 'Manage Groups']);
  const helper = await calls.makeUser({ groups: [helpers] });
  await enter(page, helper, `/groups/${strong}/edit`);
  const panel = page.getByRole('dialog', { name: 'Edit Strong' });
  const backups = panel.getByRole('checkbox', { name: 'Manage Backups' });
  await expect(backups).toHaveAccessibleDescription(
    'You do not have it, so you cannot take it from this group.',
  );
  await backups.press('Space');
  await expect(backups).toBeChecked();
  await expect(panel.getByRole('checkbox', { name: 'Manage Users' })).toHaveAccessibleDescription(
    'You do not have it, so you cannot give it.',
  );
  await fill(panel, { Description: 'Harmless' });
  await panel.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Strong was saved');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('button', { name: 'Add people' })).toHaveAccessibleDescription(
    'Gives Manage Backups, which you do not have',
  );
  await page.getByRole('button', { name: 'Actions for Strong' }).click();
  await expect(page.getByRole('menuitem', { name: /Delete group/ })).toContainText(
    'Gives Manage Backups, which you do not have',
  );
});

test('who may look but not change groups is told why, everywhere', async ({ page, calls }) => {
  const readers = await calls.makeGroup('Looking only', ['Manage Licences']);
  const reader = await calls.makeUser({ groups: [readers] });
  const why = 'Needs the capability Manage Groups';
  await enter(page, reader, '/groups');
  await expect(page.getByRole('button', { name: 'New group' })).toHaveAccessibleDescription(why);
  await page.goto(`/groups/${readers}`);
  for (const name of ['Edit', 'Add people'])
    await expect(page.getByRole('button', { name })).toHaveAccessibleDescription(why);
  await members(page)
    .getByRole('checkbox', { name: `Select ${reader.name}` })
    .check();
  await expect(page.getByRole('button', { name: 'Remove from group' })).toHaveAccessibleDescription(why);
  await page.goto(`/groups/compare?a=${reader.id}&b=1`);
  await expect(page.getByRole('button', { name: /^Add/ })).toHaveAccessibleDescription(why);
  await expectNoAxeInBothThemes(page);
});

test('without any capability the pages say what they need', async ({ page, calls, expectFailure }) => {
  expectFailure(403, 'Manage Users');
  const person = await calls.makeUser();
  await enter(page, person);
  for (const path of ['/groups', '/groups/1', '/groups/matrix', '/groups/compare']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'You may not see this page' })).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('Manage Groups');
  }
});

test('a group that does not exist is told', async ({ page, expectFailure }) => {
  expectFailure(404, 'does not exist on this site');
  await enter(page, ada, '/groups/999999');
  await expect(page.getByRole('alert')).toContainText('It may have been removed');
});

test('many groups with long names fit, wide and narrow', async ({ page, calls }) => {
  const name = 'Interessengemeinschaft der Wertpapierabwicklungskoordination';
  const ids = await Promise.all(
    Array.from({ length: 24 }, (_, at) =>
      calls.makeGroup(`${name} number ${at}`, at % 2 === 0 ? ['Read Data'] : []),
    ),
  );
  const [first = 0] = ids;
  await calls.makeUser({ groups: ids.slice(0, 12) });
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  for (const path of [
    '/groups',
    `/groups/${first}`,
    `/groups/matrix?columns=${ids.join('-')}`,
    `/groups/compare?a=1&b=2`,
  ]) {
    await enter(page, ada, path);
    await expect(page.getByRole('main').getByRole('row').nth(1)).toBeVisible();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(beyond, `${path} fits ${width}`).toBeLessThanOrEqual(0);
    }
    // The wide pages are judged where they are used.
    await expectNoAxeInBothThemes(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});
