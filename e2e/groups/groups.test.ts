import {
  chooseMenuItem,
  chooseRowAction,
  expectAccessibleInBothThemes,
  expectRow,
  expectToast,
  fillForm,
  holdRequests,
} from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { type Group, groupHeading, groupsGrid, membersGrid } from '../support/locators.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

test('locks the fields of a group while it is saved, so that nothing typed is lost', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(400);
  const id = await calls.createGroup('Slow', ['Read Data']);
  await openAs(page, ada, `/groups/${id}/edit`);
  const panel = page.getByRole('dialog', { name: 'Edit Slow' });
  const name = panel.getByLabel('Name', { exact: true });
  const save = panel.getByRole('button', { name: 'Save' });
  const respond = async (fails: boolean) => {
    const answer = Promise.withResolvers<void>();
    await page.route(`**/user/group/${id}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback();
      await answer.promise;
      return fails
        ? route.fulfill({
            status: 400,
            json: { message: 'Invalid', errors: [{ path: 'name', message: 'Choose another name' }] },
          })
        : route.fallback();
    });
    return answer.resolve;
  };
  for (const fails of [true, false]) {
    const answer = await respond(fails);
    await name.fill('Slow group');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await name.press('Enter');
    await sent;
    await expect(save).toHaveAttribute('aria-busy', 'true');
    await expect(save).toBeFocused();
    await name.evaluate((input) => input.focus());
    await page.keyboard.type(' lost');
    await expect(name).toHaveValue('Slow group');
    answer();
    await page.unrouteAll({ behavior: 'wait' });
    if (!fails) break;
    await expect(name).toBeFocused();
    await expect(name).toHaveAccessibleDescription(/Choose another name/);
    await name.press('End');
    await page.keyboard.type('s');
    await expect(name).toHaveValue('Slow groups');
  }
  await expectToast(page, 'Slow group was saved');
  await expect(panel).toBeHidden();
});

test('finds groups by name and capability, sorts them and keeps the URL', async ({ page, calls }) => {
  const id = await calls.createGroup('Zebra keepers', ['Manage Backups', 'Read Data']);
  await openAs(page, ada, '/groups');
  await expectRow(groupsGrid(page), {
    Name: 'Zebra keepers',
    Capabilities: /Manage Backups, Read Data/,
    Members: '0',
  });
  await expect(groupsGrid(page).getByRole('rowheader').first()).toContainText('Administrators');
  await expectAccessibleInBothThemes(page);
  await groupsGrid(page).getByRole('columnheader', { name: 'Members' }).getByRole('button').click();
  await groupsGrid(page).getByRole('columnheader', { name: 'Members' }).getByRole('button').click();
  await expect(page).toHaveURL('/groups?sort=-members');
  await expect(groupsGrid(page).getByRole('rowheader').first()).toContainText('Deal team');
  await page.getByRole('searchbox', { name: 'Search groups' }).fill('backups zebra');
  await expect(groupsGrid(page).getByRole('row')).toHaveCount(2);
  await expect(page).toHaveURL('/groups?q=backups+zebra&sort=-members');
  await groupsGrid(page).getByRole('link', { name: 'Zebra keepers' }).click();
  await expect(groupHeading(page, 'Zebra keepers')).toBeVisible();
  await expect(page).toHaveURL(`/groups/${id}`);
  await page.goBack();
  await expect(page.getByRole('searchbox', { name: 'Search groups' })).toHaveValue('backups zebra');
  await page.reload();
  await expect(groupsGrid(page).getByRole('row')).toHaveCount(2);
  await page.getByRole('searchbox', { name: 'Search groups' }).fill('no such thing');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(groupsGrid(page).getByRole('row').nth(10)).toBeVisible();
});

test('creates, changes and deletes a group by keyboard and shows the effects', async ({
  page,
  calls,
  pageErrors,
}) => {
  const other = await calls.createGroup('Other source', ['Run Reports']);
  await openAs(page, ada, '/groups');
  await expect(groupsGrid(page).getByRole('row').nth(3)).toBeVisible();
  await page.keyboard.press('n');
  const panel = page.getByRole('dialog', { name: 'New group' });
  await expect(panel.getByLabel('Name')).toBeFocused();
  await expect(page).toHaveURL('/groups/new');
  await page.keyboard.press('Enter');
  await expect(panel.getByLabel('Name')).toHaveAccessibleDescription('Enter a name');
  await expectAccessibleInBothThemes(page);
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
  await expect(groupHeading(page, 'Quarter close')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Grants 1 capability' })).toContainText('Read Data');
  await expect(page.getByRole('heading', { name: 'Nobody is in this group' })).toBeVisible();
  const id = Number(new URL(page.url()).pathname.split('/').at(-1));

  const [ann, ben] = [
    await calls.createUser({ groups: [id] }),
    await calls.createUser({ groups: [id, other] }),
  ];
  await page.getByRole('button', { name: 'Reload everything' }).click();
  await expect(membersGrid(page).getByRole('row')).toHaveCount(3);
  await page.getByRole('link', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Quarter close' });
  await fillForm(edit, { Name: 'Quarter and year close' });
  await fillForm(edit, { 'Read Data': false, 'Run Reports': true });
  const preview = edit.getByRole('region', { name: 'Effect on members' });
  await expect(preview).toContainText(`2 people lose Read Data.${ann.name} and ${ben.name}`);
  await expect(preview).toContainText(
    `1 person gains Run Reports. 1 person already has it through another group.${ann.name}`,
  );
  await expectAccessibleInBothThemes(page);
  await edit.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Quarter and year close was saved');
  await expect(groupHeading(page, 'Quarter and year close')).toBeVisible();
  await expect(page).toHaveTitle(/Quarter and year close/);
  expect(await calls.call<Group>('GET', `/user/group/${id}`)).toMatchObject({
    name: 'Quarter and year close',
    description: 'Reads and reports at the end of a quarter',
    capabilities: ['Run Reports'],
  });

  await chooseMenuItem(page, 'Actions for Quarter and year close', 'Delete group');
  const dialog = page.getByRole('alertdialog', { name: 'Delete Quarter and year close?' });
  await expect(dialog).toContainText('2 members leave it');
  await expect(dialog).toContainText(`1 person loses Run Reports. 1 person keeps it through another group.`);
  const remove = dialog.getByRole('button', { name: 'Delete group' });
  await expect(remove).toHaveAccessibleDescription('Type “Quarter and year close” first');
  await expectAccessibleInBothThemes(page);
  await page.keyboard.type('Quarter and year close');
  // The page may hear of the deletion from the stream before it is left, and read the group again.
  pageErrors.allow(/^404: GET \S+\/user\/group\/\d+$/);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Quarter and year close was deleted');
  await expect(page).toHaveURL('/groups');
  await expect(groupsGrid(page).getByRole('link', { name: 'Quarter and year close' })).toHaveCount(0);
  expect((await calls.getUser(ben.id)).groups).toEqual([other]);
});

test('the tooltip of a button of a row does not cover the next row', async ({ page }) => {
  await openAs(page, ada, '/groups');
  const buttons = groupsGrid(page).getByRole('button', { name: /^actions/i });
  const [first, second] = [buttons.nth(0), buttons.nth(1)];
  await first.click();
  await expect(page.getByRole('menu')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(first).toBeFocused();
  await expect(page.locator('.tip')).toHaveText('Actions for Administrators');
  await second.click();
  await expect(second).toHaveAttribute('aria-expanded', 'true');
});

test('shows a taken name on its field and asks before leaving', async ({ page, expectFailure }) => {
  expectFailure(409);
  await openAs(page, ada, '/groups/new');
  const panel = page.getByRole('dialog', { name: 'New group' });
  await fillForm(panel, { Name: 'finance' });
  await panel.getByRole('button', { name: 'Create group' }).click();
  await expect(panel.getByLabel('Name')).toHaveAccessibleDescription('Another group has this name.');
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
  await expect(panel.getByLabel('Name')).toHaveValue('finance');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();
  await expect(page).toHaveURL('/groups');
});

test('disables groups with capabilities the user does not hold', async ({ page, calls }) => {
  const helpers = await calls.createGroup('Group helpers', ['Access Web Service', 'Manage Groups']);
  const strong = await calls.createGroup('Strong', ['Manage Backups', 'Manage Groups']);
  const helper = await calls.createUser({ groups: [helpers] });
  await openAs(page, helper, `/groups/${strong}/edit`);
  const panel = page.getByRole('dialog', { name: 'Edit Strong' });
  const backups = panel.getByRole('checkbox', { name: 'Manage Backups' });
  await expect(backups).toHaveAccessibleDescription(
    'You do not have it, so you cannot remove it from this group.',
  );
  await backups.press('Space');
  await expect(backups).toBeChecked();
  await expect(panel.getByRole('checkbox', { name: 'Manage Users' })).toHaveAccessibleDescription(
    'You do not have it, so you cannot grant it.',
  );
  await fillForm(panel, { Description: 'Harmless' });
  await panel.getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'Strong was saved');
  await expect(panel).toBeHidden();
  await expect(page.getByRole('button', { name: 'Add people' })).toHaveAccessibleDescription(
    'Grants Manage Backups, which you do not have',
  );
  await page.getByRole('button', { name: 'Actions for Strong' }).click();
  await expect(page.getByRole('menuitem', { name: /Delete group/ })).toContainText(
    'Grants Manage Backups, which you do not have',
  );
});

test('explains everywhere why groups cannot be changed', async ({ page, calls }) => {
  const readers = await calls.createGroup('Looking only', ['Manage Licences']);
  const reader = await calls.createUser({ groups: [readers] });
  const why = 'You need the Manage Groups capability';
  await openAs(page, reader, '/groups');
  await expect(page.getByRole('button', { name: 'New group' })).toHaveAccessibleDescription(why);
  await page.goto(`/groups/${readers}`);
  for (const name of ['Edit', 'Add people'])
    await expect(page.getByRole('button', { name })).toHaveAccessibleDescription(why);
  await membersGrid(page)
    .getByRole('checkbox', { name: `Select ${reader.name}` })
    .check();
  await expect(page.getByRole('button', { name: 'Remove from group' })).toHaveAccessibleDescription(why);
  await page.goto(`/groups/compare?a=${reader.id}&b=1`);
  await expect(page.getByRole('button', { name: /^Add/ })).toHaveAccessibleDescription(why);
  await expectAccessibleInBothThemes(page);
});

test('names the missing capability', async ({ page, calls, expectFailure }) => {
  expectFailure(403, 'Manage Users');
  const person = await calls.createUser();
  await openAs(page, person);
  for (const path of ['/groups', '/groups/1', '/groups/matrix', '/groups/compare']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: 'You do not have access to this page' })).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('Manage Groups');
  }
});

test('reports a missing group', async ({ page, expectFailure }) => {
  expectFailure(404, 'does not exist on this site');
  await openAs(page, ada, '/groups/999999');
  await expect(page.getByRole('alert')).toContainText('It may have been removed');
});

test('a panel that cannot be shown leaves its page as it is', async ({ page, expectFailure }) => {
  expectFailure(404, 'does not exist on this site');
  await openAs(page, ada, '/groups/edit/999999?q=a');
  const panel = page.getByRole('dialog', { name: 'Not found' });
  await expect(panel.getByRole('alert')).toContainText('Group 999999 does not exist on this site');
  await expectAccessibleInBothThemes(page);
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(page).toHaveURL('/groups?q=a');
  await expect(panel).toBeHidden();

  await page.goto('/groups/edit/nothing');
  await expect(panel).toContainText('There is nothing at this address');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/groups');
});

test('a list keeps its height while a panel over it is loaded', async ({ page, calls }) => {
  const name = 'Answers late';
  const id = await calls.createGroup(name, []);
  await page.clock.install();
  await openAs(page, ada, '/groups');
  const row = groupsGrid(page).getByRole('row', { name });
  await expect(row).toBeVisible();
  // The grid scrolls in an element that fills the page.
  const heights = await groupsGrid(page).evaluateHandle(({ parentElement }) => {
    const seen = new Set<number>();
    if (parentElement)
      new ResizeObserver(() => seen.add(parentElement.getBoundingClientRect().height)).observe(parentElement);
    return seen;
  });
  const answer = await holdRequests(page, `**/user/group/${id}`);
  await chooseRowAction(row, 'Edit');
  await expect(page.locator('.nav-progress')).toBeVisible();
  // Past the moment when a page would get its skeleton.
  await page.clock.runFor(1_000);
  answer();
  await expect(page.getByRole('dialog', { name: `Edit ${name}` })).toBeVisible();
  expect(await heights.evaluate((seen) => seen.size)).toBe(1);
});

test('many groups with long names fit, wide and narrow', async ({ page, calls }) => {
  const name = 'Interessengemeinschaft der Wertpapierabwicklungskoordination';
  const ids = await Promise.all(
    Array.from({ length: 24 }, (_, at) =>
      calls.createGroup(`${name} number ${at}`, at % 2 === 0 ? ['Read Data'] : []),
    ),
  );
  const [first = 0] = ids;
  await calls.createUser({ groups: ids.slice(0, 12) });
  const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  for (const path of [
    '/groups',
    `/groups/${first}`,
    `/groups/matrix?columns=${ids.join('-')}`,
    `/groups/compare?a=1&b=2`,
  ]) {
    await openAs(page, ada, path);
    await expect(page.getByRole('main').getByRole('row').nth(1)).toBeVisible();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(beyond, `${path} fits ${width}`).toBeLessThanOrEqual(0);
    }
    // Wide pages are checked at their width.
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});
