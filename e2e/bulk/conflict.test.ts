import type { Page } from '@playwright/test';
import { fill } from '../support/actions.ts';
import { bar, downloaded, dryRun, jobs, more, selectAll } from '../support/bulk.ts';
import { type Calls, callsOf, enter } from '../support/calls.ts';
import { ada, type Person } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

/** A second administrator, with as much to say as the first. */
async function anotherAdministrator(calls: Calls) {
  const [me] = await calls.call<{ groups: number[] }[]>(
    'GET',
    `/user?email=${encodeURIComponent(ada.email)}`,
  );
  return calls.makeUser({ firstName: 'Otto', lastName: 'Other', groups: me?.groups ?? [] });
}

async function family(calls: Calls, lastName: string, number: number) {
  const made = [];
  for (let at = 1; at <= number; at += 1) made.push(await calls.makeUser({ firstName: `No${at}`, lastName }));
  return made;
}

const licenseOf = async (calls: Calls, userId: number) =>
  (await calls.call<{ licenseTypeId: number }>('GET', `/userLicense/${userId}`)).licenseTypeId;

const part = (page: Page, name: RegExp) =>
  page.getByRole('group', { name: 'Shown people' }).getByRole('button', { name });

/** Opens the dry run of a license for all of a family. */
async function planLicense(page: Page, who: Person, lastName: string, number: number, license: string) {
  await enter(page, who, `/users?q=${lastName}`);
  await selectAll(page, number);
  await bar(page).getByRole('button', { name: 'Change license' }).click();
  const choice = page.getByRole('dialog', { name: `Change the license of ${number} people` });
  await fill(choice, { License: license });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = await dryRun(page, `Set ${number} licenses to ${license}?`);
  return dialog.getByRole('button', { name: `Set ${number} licenses to ${license}` });
}

test('the last administrator stays one', async ({ page }) => {
  await enter(page, ada, `/users?q=${encodeURIComponent(ada.email)}`);
  await selectAll(page, 1);
  await expect(bar(page).getByRole('button', { name: 'Deactivate' })).toHaveAccessibleDescription(
    'Nobody else selected is active',
  );
  await more(page, 'Remove from groups');
  const choice = page.getByRole('dialog', { name: 'Remove 1 person from groups' });
  await fill(choice, { Groups: ['Administrators'] });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = page.getByRole('dialog', { name: /^Remove 0 people from Administrators/ });
  await part(page, /^Cannot be changed 1$/).click();
  await expect(dialog.getByText('Would leave no administrator who can sign in')).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Remove 0 people/ })).toHaveAccessibleDescription(
    'Nobody would be changed',
  );
});

test('who was changed since the list was loaded is told, and can be left out', async ({
  page,
  calls,
  playwright,
  baseURL,
}) => {
  const other = await anotherAdministrator(calls);
  const [first, second] = await family(calls, 'Meanwhile', 2);
  await enter(page, ada, '/users?q=meanwhile');
  await selectAll(page, 2);
  const request = await playwright.request.newContext({ ...(baseURL !== undefined && { baseURL }) });
  await (
    await callsOf(request, other)
  ).call('PUT', '/user', { id: first?.id, lastName: 'Meanwhile-Changed' });
  await bar(page).getByRole('button', { name: 'Deactivate' }).click();
  const dialog = await dryRun(page, 'Deactivate 2 people?');
  await part(page, /^Changed meanwhile 1$/).click();
  await expect(dialog.getByRole('row', { name: /No1 Meanwhile-Changed.*by Otto Other/ })).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'Leave them out' }).check();
  await page
    .getByRole('dialog', { name: 'Deactivate 1 person?' })
    .getByRole('button', { name: 'Deactivate 1 person' })
    .click();
  await expect(jobs(page)).toContainText('1 of 1');
  expect([(await calls.user(first?.id ?? 0)).isActive, (await calls.user(second?.id ?? 0)).isActive]).toEqual(
    [true, false],
  );
  await request.dispose();
});

test('a change between dry run and job leaves those people alone and says so', async ({
  page,
  elsewhere,
  calls,
}) => {
  const other = await anotherAdministrator(calls);
  const people = await family(calls, 'Twoadmins', 3);
  const mine = await planLicense(page, ada, 'twoadmins', 3, 'Limited');
  const theirs = await planLicense(elsewhere, other, 'twoadmins', 3, 'Free/Complimentary');
  await theirs.click();
  await expect(jobs(elsewhere)).toContainText('3 of 3');
  await mine.click();
  await expect(jobs(page)).toContainText('3 of 3, 3 changed meanwhile and left alone');
  for (const { id } of people) expect(await licenseOf(calls, id)).toBe(3);
  await jobs(page).getByRole('button', { name: 'Review the rest' }).click();
  const again = await dryRun(page, 'Set 3 licenses to Limited?');
  await expect(again.getByRole('row', { name: /No1 Twoadmins.*Free\/Complimentary.*Limited/ })).toBeVisible();
});

test('two administrators at once: each person is changed by one, and the other is told', async ({
  browser,
  calls,
}) => {
  const other = await anotherAdministrator(calls);
  const people = await family(calls, 'Atonce', 12);
  // Which of them the service refuses is a matter of the moment: both answers are right, so nobody listens for faults.
  const pages = await Promise.all([0, 1].map(async () => (await browser.newContext()).newPage()));
  const [one, two] = pages;
  if (!one || !two) throw new Error('There are two pages');
  const mine = await planLicense(one, ada, 'atonce', 12, 'Limited');
  const theirs = await planLicense(two, other, 'atonce', 12, 'Free/Complimentary');
  await Promise.all([mine.click(), theirs.click()]);
  const reports = [];
  for (const page of pages) {
    await expect(jobs(page)).toContainText('12 of 12');
    const report = jobs(page).getByRole('button', { name: 'Report' });
    reports.push((await downloaded(page, () => report.click())).text);
  }
  for (const { id } of people) {
    const told = reports.map((text) => new RegExp(`^${id},.*`, 'm').exec(text)?.[0] ?? '');
    const winner = (await licenseOf(calls, id)) === 2 ? 0 : 1;
    expect(told[winner]).toContain('"done"');
    expect(told[1 - winner]).toContain('"changed meanwhile, left alone"');
  }
  await Promise.all(pages.map((page) => page.context().close()));
});
