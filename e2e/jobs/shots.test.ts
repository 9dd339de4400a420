import type { Page } from '@playwright/test';
import type { Job } from '../../contract/generated/types.gen.ts';
import { openAs, type ApiCalls } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });
const shot = async (page: Page, name: string) => {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.waitForTimeout(400);
      await page.screenshot({ path: `/tmp/w/shots-center/${name}-${scheme}-${width}.png` });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
};
const wait = (calls: ApiCalls, id: number) =>
  expect
    .poll(async () => (await calls.call<Job>('GET', `/jobs/${id}`)).state, { timeout: 60_000 })
    .toBe('finished');

test('shots', async ({ page, calls, elsewhere }) => {
  test.setTimeout(200_000);
  await openAs(page, ada, '/jobs');
  await expect(page.getByText('No jobs yet')).toBeVisible();
  await shot(page, 'list-empty');
  await page.getByRole('button', { name: 'Jobs', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Jobs' })).toBeVisible();
  await shot(page, 'pop-empty');
  const users = Array.from({ length: 30 }, (_, i) => i + 2);
  const a = await calls.call<Job>('POST', '/jobs/licenseChanges', {
    licenses: users.map((userId) => ({ userId, licenseTypeId: 4 })),
  });
  await wait(calls, a.id);
  const g = await calls.createGroup(
    'Investment committee of the northern region and its advisers, 2026 review panel',
    ['Access Web Service'],
  );
  const b = await calls.call<Job>('POST', '/jobs/membershipChanges', {
    memberships: users.map((userId) => ({ userId, add: [g], remove: [] })),
  });
  await wait(calls, b.id);
  const c = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: [1, ...users, 777777],
    isActive: false,
  });
  await wait(calls, c.id);
  const filler = Array.from({ length: 99_000 }, (_, i) => 1_000_000 + i);
  const d = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: [1, ...users, ...filler],
    isActive: true,
  });
  const w = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: users,
    isActive: true,
    notBefore: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await page.goto('/users');
  await page.waitForTimeout(2500);
  await page.getByRole('button', { name: /^Jobs/ }).click();
  await page.waitForTimeout(1200);
  await shot(page, 'pop-running');
  await page.goto(`/jobs/${d.id}`);
  await page.waitForTimeout(2500);
  await shot(page, 'job-running');
  await page.goto('/jobs');
  await page.waitForTimeout(800);
  await shot(page, 'list');
  for (const [name, job] of [
    ['finished-license', a],
    ['finished-groups', b],
    ['finished-failed', c],
    ['waiting', w],
  ] as const) {
    await page.goto(`/jobs/${job.id}`);
    await page.waitForTimeout(800);
    await shot(page, `job-${name}`);
  }
  void elsewhere;
});
