import type { Page } from '@playwright/test';
import type { Job, JobItem } from '../../contract/generated/types.gen.ts';
import { fillForm } from '../support/actions.ts';
import {
  selectionBar,
  waitForDryRun,
  waitForJob,
  openJob,
  chooseBulkAction,
  selectAll,
} from '../support/bulk.ts';
import { type ApiCalls, createCalls, openAs } from '../support/calls.ts';
import { ada, type Person } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

/** Creates a second administrator with the same capabilities. */
async function anotherAdministrator(calls: ApiCalls) {
  const [me] = await calls.call<{ groups: number[] }[]>(
    'GET',
    `/user?email=${encodeURIComponent(ada.email)}`,
  );
  return calls.createUser({ firstName: 'Otto', lastName: 'Other', groups: me?.groups ?? [] });
}

async function family(calls: ApiCalls, lastName: string, number: number) {
  const created = [];
  for (let at = 1; at <= number; at += 1)
    created.push(await calls.createUser({ firstName: `No${at}`, lastName }));
  return created;
}

const licenseOf = async (calls: ApiCalls, userId: number) =>
  (await calls.call<{ licenseTypeId: number }>('GET', `/userLicense/${userId}`)).licenseTypeId;

const part = (page: Page, name: RegExp) =>
  page.getByRole('group', { name: 'Shown people' }).getByRole('button', { name });

/** Opens the dry run of a license change for a family. */
async function planLicense(page: Page, who: Person, lastName: string, number: number, license: string) {
  await openAs(page, who, `/users?q=${lastName}`);
  await selectAll(page, number);
  await selectionBar(page).getByRole('button', { name: 'Change license' }).click();
  const choice = page.getByRole('dialog', { name: `Change the license of ${number} people` });
  await fillForm(choice, { License: license });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = await waitForDryRun(page, `Set ${number} licenses to ${license}?`);
  return dialog.getByRole('button', { name: `Set ${number} licenses to ${license}` });
}

test('keeps the last administrator', async ({ page }) => {
  await openAs(page, ada, `/users?q=${encodeURIComponent(ada.email)}`);
  await selectAll(page, 1);
  await expect(selectionBar(page).getByRole('button', { name: 'Deactivate' })).toHaveAccessibleDescription(
    'None of the others is active',
  );
  await chooseBulkAction(page, 'Remove from groups');
  const choice = page.getByRole('dialog', { name: 'Remove 1 person from groups' });
  await fillForm(choice, { Groups: ['Administrators'] });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = page.getByRole('dialog', { name: /^Remove 0 people from Administrators/ });
  await part(page, /^Cannot be changed 1$/).click();
  await expect(dialog.getByText('Would leave no administrator who can sign in')).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Remove 0 people/ })).toHaveAccessibleDescription(
    'No changes to make',
  );
});

test('reports users changed since the list was loaded and can skip them', async ({
  page,
  calls,
  playwright,
  baseURL,
}) => {
  const other = await anotherAdministrator(calls);
  const [first, second] = await family(calls, 'Meanwhile', 2);
  await openAs(page, ada, '/users?q=meanwhile');
  await selectAll(page, 2);
  const request = await playwright.request.newContext({ ...(baseURL !== undefined && { baseURL }) });
  await (
    await createCalls(request, other)
  ).call('PUT', '/user', { id: first?.id, lastName: 'Meanwhile-Changed' });
  await selectionBar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await waitForDryRun(page, 'Deactivate 2 people?');
  await part(page, /^Changed by others 1$/).click();
  await expect(dialog.getByRole('row', { name: /No1 Meanwhile-Changed.*by Otto Other/ })).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'Leave them out' }).check();
  await page
    .getByRole('dialog', { name: 'Deactivate 1 person?' })
    .getByRole('button', { name: 'Deactivate 1 person' })
    .click();
  await waitForJob(page, 'Deactivated 1 person');
  expect([
    (await calls.getUser(first?.id ?? 0)).isActive,
    (await calls.getUser(second?.id ?? 0)).isActive,
  ]).toEqual([true, false]);
  await request.dispose();
});

test('skips and reports users changed between dry run and job', async ({ page, elsewhere, calls }) => {
  const other = await anotherAdministrator(calls);
  const people = await family(calls, 'Twoadmins', 3);
  const mine = await planLicense(page, ada, 'twoadmins', 3, 'Limited');
  const theirs = await planLicense(elsewhere, other, 'twoadmins', 3, 'Free/Complimentary');
  await theirs.click();
  await waitForJob(elsewhere, 'Set 3 licenses to Free/Complimentary: finished');
  await mine.click();
  await waitForJob(page, 'Set 3 licenses to Limited: finished, 3 skipped');
  for (const { id } of people) expect(await licenseOf(calls, id)).toBe(3);
  await openJob(page, 'Set 3 licenses to Limited');
  await expect(page.getByText('Someone else changed this user in the meantime').first()).toBeVisible();
  await page.getByRole('button', { name: 'Review 3 again…' }).click();
  const retried = await waitForDryRun(page, 'Set 3 licenses to Limited?');
  await expect(
    retried.getByRole('row', { name: /No1 Twoadmins.*Free\/Complimentary.*Limited/ }),
  ).toBeVisible();
});

test('two concurrent administrators: each user is changed once and reported to the other', async ({
  browser,
  calls,
  playwright,
  baseURL,
}) => {
  const other = await anotherAdministrator(calls);
  const people = await family(calls, 'Atonce', 12);
  // Either may be refused, so failures are not checked.
  const pages = await Promise.all([0, 1].map(async () => (await browser.newContext()).newPage()));
  const [one, two] = pages;
  if (!one || !two) throw new Error('There are two pages');
  const mine = await planLicense(one, ada, 'atonce', 12, 'Limited');
  const theirs = await planLicense(two, other, 'atonce', 12, 'Free/Complimentary');
  await Promise.all([mine.click(), theirs.click()]);
  const jobs = await Promise.all(
    [ada, other].map(async (who, at) => {
      const context = await playwright.request.newContext({ ...(baseURL !== undefined && { baseURL }) });
      const own = await createCalls(context, who);
      const last = async () => (await own.call<Job[]>('GET', '/jobs?pageSize=1')).at(0);
      await expect.poll(async () => (await last())?.state, { message: `job ${at}` }).toBe('finished');
      const items = await own.call<JobItem[]>('GET', `/jobs/${(await last())?.id}/items?pageSize=100`);
      await context.dispose();
      return new Map(items.map(({ input, ...item }) => [input['userId'], item]));
    }),
  );
  for (const { id } of people) {
    const winner = (await licenseOf(calls, id)) === 2 ? 0 : 1;
    expect(jobs[winner]?.get(id)?.state).toBe('done');
    expect(jobs[1 - winner]?.get(id)).toMatchObject({
      state: 'conflict',
      reason: 'Someone else changed this user in the meantime',
    });
  }
  await Promise.all(pages.map((page) => page.context().close()));
});
