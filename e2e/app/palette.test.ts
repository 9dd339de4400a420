import type { Page } from '@playwright/test';
import type {
  EntryTypeVm,
  FoundEntries,
  Job,
  PagedResultOfUserActivityEntry,
} from '../../contract/generated/types.gen.ts';
import { expectAccessible, expectToast } from '../support/actions.ts';
import { createCalls, openAs } from '../support/calls.ts';
import { callApi, createEntryType } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const getPalette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' });

async function typeInPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(getPalette(page).getByRole('searchbox')).toBeFocused();
  await page.keyboard.type(text);
}

const getItem = (page: Page, section: string, name: string | RegExp) =>
  getPalette(page)
    .getByRole('group', { name: new RegExp(`^${section}( [\\d,]+\\+?)?$`) })
    .getByRole('menuitem', { name });

test('the palette finds entries, types, addresses and tabs, and runs commands with their target', async ({
  page,
  calls,
}) => {
  const person = await calls.createUser({ firstName: 'Ottoline', lastName: 'Quickly' });
  await openAs(page, ada);
  await createEntryType(page, 'Ship');
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

  await typeInPalette(page, 'deac ottoline');
  await getItem(page, 'Commands', 'Deactivate Ottoline Quickly').click();
  const dialog = page.getByRole('dialog', { name: /Deactivate/ });
  await dialog.getByRole('button', { name: /^Deactivate/ }).click();
  await expect.poll(async () => (await calls.getUser(person.id)).isActive).toBe(false);
  await expect(dialog).toBeHidden();

  // A command without a target asks for it in the field.
  await typeInPalette(page, 'activate a');
  await getItem(page, 'Actions', /^Activate a user…/).click();
  await expect(getPalette(page).getByRole('searchbox')).toHaveValue('activate ');
  const field = getPalette(page).getByRole('searchbox');
  // The directory learns of the deactivation when the job has ended.
  await expect(async () => {
    await field.fill('activate');
    await field.fill('activate ottoline');
    await expect(getItem(page, 'Commands', /^Activate Ottoline Quickly Inactive/)).toBeVisible({
      timeout: 1_000,
    });
  }).toPass();
  await expectAccessible(page);
  await field.fill('203.0.113.7');
  await expect(getItem(page, 'Addresses', 'Activity from 203.0.113.7')).toBeVisible();
  await field.fill('two-f');
  await expect(getItem(page, 'Pages', /^Two-factor coverage/)).toBeVisible();
  await field.fill('ships');
  // A type is shown with its own icon, and so are its entries.
  await expect(getItem(page, 'Entry types', 'Ships 2 entries').locator('.tile')).toBeVisible();
  await field.fill('new ship');
  await getItem(page, 'Commands', 'New Ship').click();
  await expect(page.getByRole('dialog', { name: /New Ship/ })).toBeVisible();
  await page.keyboard.press('Escape');

  await typeInPalette(page, 'WERF');
  await getItem(page, 'Entries', /^Werft Ship/).click();
  await expect(page.getByRole('heading', { name: 'Werft', level: 1 })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page.getByRole('heading', { name: 'Backups', level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  await getItem(page, 'Recent', /^Werft Ships/).click();
  await expect(page.getByRole('heading', { name: 'Werft', level: 1 })).toBeVisible();
});

test('the palette leads to every page, and opens the dialogs of pages for its targets', async ({
  page,
  elsewhere,
  calls,
  expectFailure,
}) => {
  expectFailure(404, 'This page is gone');
  const person = await calls.createUser({ firstName: 'Wilhelmina', lastName: 'Target' });
  const waiting = await calls.createUser({ firstName: 'Ulrike', lastName: 'Elsewhere' });
  await createCalls(elsewhere.request, person);
  await calls.createGroup('Lighthouse keepers', []);
  const job = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: [waiting.id],
    isActive: false,
    notBefore: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await openAs(page, ada);
  await createEntryType(page, 'Raft');
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await typeInPalette(page, 'appearance');
  const field = getPalette(page).getByRole('searchbox');
  for (const [text, name] of [
    ['appearance', 'Appearance and mails Settings'],
    ['configuration', 'Configuration log Activity'],
    ['from a file', 'New type from a file Entry types'],
    ['new site', 'New site Sites'],
    ['quality', 'Quality Help'],
  ] as const) {
    await field.fill(text);
    await expect(getItem(page, 'Pages', name)).toBeVisible();
  }
  const report = await calls.call<PagedResultOfUserActivityEntry>('POST', '/user/activity', {});
  const [activity] = report.rows;
  await field.fill(`activity ${activity?.activityId}`);
  await getItem(page, 'Activity', `Activity ${activity?.activityId}`).click();
  await expect(page).toHaveURL(`/activity/${activity?.activityId}`);
  const panel = page.getByRole('dialog', { name: activity?.activityType ?? '-', exact: true });
  await expect(panel.getByRole('heading', { name: 'Nearby activity' })).toBeVisible();
  await page.goto('/activity/999999999999');
  await expect(page.getByText('No such row')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/activity');
  await typeInPalette(page, `job ${job.id}`);
  await expect(getItem(page, 'Jobs', `Job ${job.id}`)).toBeVisible();
  await page.keyboard.press('Escape');

  const dialog = page.getByRole('alertdialog');
  for (const [text, item, title] of [
    [
      'send password link wilhelmina',
      /^Send a password link to Wilhelmina/,
      /^Send Wilhelmina Target a link/,
    ],
    [
      'end the sessions of wilhelmina',
      /^End the sessions of Wilhelmina/,
      'End 1 session of Wilhelmina Target?',
    ],
    ['delete group lighth', 'Delete the group Lighthouse keepers', 'Delete Lighthouse keepers?'],
    ['export raft', 'Export Rafts', /^Export /],
    [`cancel job ${job.id}`, /^Cancel: /, 'Cancel this job?'],
  ] as const) {
    await typeInPalette(page, text);
    await getItem(page, 'Commands', item).click();
    await expect(dialog.filter({ has: page.getByRole('heading', { name: title }) })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }
  // A page that failed to load does not open the dialog on a later visit.
  await calls.createGroup('Buoy menders', []);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const failing = /\/user\/group\/\d+$/;
  await page.route(failing, (route) =>
    route.fulfill({ status: 404, json: { message: 'This page is gone' } }),
  );
  await typeInPalette(page, 'delete group buoy');
  await getItem(page, 'Commands', 'Delete the group Buoy menders').click();
  await expect(page).toHaveURL(/\/groups\/\d+$/);
  await expect(page.getByRole('heading', { name: 'This page is gone' })).toBeVisible();
  await page.unroute(failing);
  await typeInPalette(page, 'licenses');
  await getItem(page, 'Pages', /^Licenses/)
    .first()
    .click();
  await expect(page).toHaveURL('/licenses');
  await typeInPalette(page, 'buoy menders');
  await getItem(page, 'Groups', /^Buoy menders/).click();
  await expect(page.getByRole('heading', { name: 'Buoy menders', level: 1 })).toBeVisible();
  await expect(dialog).toBeHidden();

  // An action that is not possible says why.
  await typeInPalette(page, 'reset second factor wilh');
  await getItem(page, 'Commands', /^Reset the second factor of Wilhelmina/).click();
  await expectToast(page, 'They have not set up a second factor');
  await typeInPalette(page, 'assign wilh as a proxy');
  await getItem(page, 'Commands', /^Assign Wilhelmina Target as a proxy/).click();
  await expect(page).toHaveURL(`/proxies/assign?delegate=${person.id}`);
});

test('invitations are sent again and revoked from the palette', async ({ page, request, calls }) => {
  const harbor = await createCalls(request, ada, 2);
  const guest = await harbor.createUser();
  await createCalls(request, ada);
  await calls.call('POST', '/user/invite', { email: guest.email, type: 0 });
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await typeInPalette(page, `resend ${guest.email}`);
  await getItem(page, 'Commands', `Send the invitation to ${guest.email} again`).click();
  await expectToast(page, 'Sent again; the earlier link no longer works.');
  await typeInPalette(page, `revoke invitation ${guest.email}`);
  await getItem(page, 'Commands', `Revoke the invitation of ${guest.email}`).click();
  await expect(page.getByRole('alertdialog', { name: /^Revoke the invitation/ })).toBeVisible();
});

test('an old entry id leads to what became of it from the palette, the address and the list', async ({
  page,
}) => {
  await openAs(page, ada);
  const { first, second } = await createEntryType(page, 'Boat');
  await callApi(page, 'POST', '/data/entrydata/merge/Boat', { entryId: first, mergeEntries: [second] });
  const found = await callApi<FoundEntries>(page, 'POST', '/data/entrylookup', { startsWith: 'a' });
  const types = await callApi<EntryTypeVm[]>(page, 'GET', '/schema/entrytypes');
  const other = types.find(({ apiName }) => apiName === 'Company');
  const [stranger] = found.starting.filter(({ entryListId }) => entryListId === other?.id);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

  await typeInPalette(page, String(second));
  await expect(getItem(page, 'Entries', /^Werft Merged/)).toBeVisible();
  await getItem(page, 'Entries', `Hafen ${second} was merged into it`).click();
  await expect(page.getByRole('heading', { name: 'Hafen', level: 1 })).toBeVisible();

  await page.goto(`/entries/${second}`);
  await expect(page.getByRole('heading', { name: 'Werft', level: 1 })).toBeVisible();
  await expect(page.getByText('This entry was merged')).toBeVisible();
  await page.goto(`/entries/Boat/${stranger?.id}`);
  await expect(page.getByRole('heading', { name: stranger?.name ?? '-', level: 1 })).toBeVisible();

  await page.goto(`/entries/Boat?entry=${second}`);
  await expect(page.getByText(`Entry ${second} was merged into Hafen`)).toBeVisible();
  await page.goto('/entries/Boat');
  await page.getByRole('searchbox', { name: /Search/ }).fill(String(second));
  await page.getByRole('link', { name: 'Open Hafen' }).click();
  await expect(page.getByRole('heading', { name: 'Hafen', level: 1 })).toBeVisible();
});

test('a pasted text is recognized from any page, and people become a selection', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Peregrine', lastName: 'Pasted' });
  await calls.createGroup('Harbour pilots', []);
  await openAs(page, ada);
  const { first } = await createEntryType(page, 'Dock');
  await page.goto('/backups');
  await expect(page.getByRole('heading', { name: 'Backups', level: 1 })).toBeVisible();
  const text = `Harbour pilots
refused ${person.email} from 203.0.113.77, entry ${first}, request 0b1f9a2e-6f0d-4b7c-9b3a-1d2e3f405162
nobody@nowhere.example`;
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, text);
  await expect(getItem(page, 'Groups', 'Harbour pilots')).toBeVisible();
  await expect(getItem(page, 'Entries', `Hafen Dock ${first}`)).toBeVisible();
  await expect(getItem(page, 'Addresses', 'Activity from 203.0.113.77')).toBeVisible();
  await expect(getItem(page, 'Request ids', /^Copy 0b1f9a2e/)).toBeVisible();
  await expectAccessible(page);
  await getItem(page, 'People', 'Select 1 person in Users').click();
  await expect(page.getByRole('row', { name: /Peregrine Pasted/, selected: true })).toBeVisible();
});

test('restricting people to approved addresses shows who would have been locked out', async ({
  page,
  calls,
  elsewhere,
}) => {
  const person = await calls.createUser({ firstName: 'Lucinda', lastName: 'Lockout' });
  await createCalls(elsewhere.request, person);
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const task = await countSteps(page);
  await typeInPalette(page, 'restrict lucinda');
  await getItem(page, 'Commands', /^Restrict .* to approved addresses/).click();
  const rehearsal = page.getByRole('region', { name: 'Who would have been locked out' });
  await expect(rehearsal).toContainText(
    'In the last 90 days, 1 of 1 person used an address that is not approved.',
  );
  await rehearsal.getByText('30 days').click();
  await expect(rehearsal).toContainText('In the last 30 days,');
  await expect(rehearsal.getByRole('list', { name: 'People outside the list' })).toContainText('127.0.0.1');
  await expectAccessible(page);
  const [settings] = await Promise.all([
    page.waitForEvent('popup'),
    rehearsal.getByRole('link', { name: 'Approve 127.0.0.1…' }).click(),
  ]);
  await expect(settings.getByLabel(/^Address or network \d+$/).last()).toHaveValue('127.0.0.1');
  task.expectAtMost(5);
  await settings.getByRole('button', { name: 'Save', exact: true }).click();
  await settings.getByRole('button', { name: 'Save list' }).click();
  await expectToast(settings, 'Approved addresses saved');
  // The check is made again when the user returns to it.
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await expect(rehearsal).toContainText('none of 1 person used an address that is not approved');
  await settings.getByRole('button', { name: /^Undo/ }).click();
  await expectToast(settings, 'The approved addresses are as before');
});
