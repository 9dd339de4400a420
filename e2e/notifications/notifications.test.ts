import type { Page } from '@playwright/test';
import type { Job, Notification } from '../../contract/generated/types.gen.ts';
import { expectAccessibleInBothThemes } from '../support/actions.ts';
import { type ApiCalls, openAs } from '../support/calls.ts';
import { expectFits, setWidth } from '../support/checks/page-checks.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ });
const list = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });

/** Returns to the tab: it reads at once what it otherwise reads every 30 seconds. */
const returnTo = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));

/** Runs a job that changes a user and fails for the only administrator. */
async function runFailingJob(calls: ApiCalls): Promise<Job> {
  const user = await calls.createUser();
  const administrator = await calls.call<{ id: number }[]>('GET', `/user?email=${ada.email}`);
  const userIds = [user.id, ...administrator.map(({ id }) => id)];
  const job = await calls.call<Job>('POST', '/jobs/licenseChanges', {
    licenses: userIds.map((userId) => ({ userId, licenseTypeId: 4 })),
  });
  await expect
    .poll(async () => (await calls.call<Job>('GET', `/jobs/${job.id}`)).state, { timeout: 20_000 })
    .toBe('finished');
  return job;
}

test('the end of a job appears in the bell, and reading it counts on all devices', async ({
  page,
  elsewhere,
  calls,
}) => {
  await openAs(page, ada, '/groups');
  await bell(page).click();
  await expect(list(page).getByText('No notifications')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(bell(page)).toBeFocused();

  const first = await runFailingJob(calls);
  await runFailingJob(calls);
  await returnTo(page);
  await expect(bell(page)).toHaveAccessibleName('Notifications, 2 unread');
  await openAs(elsewhere, ada, '/groups');
  await expect(bell(elsewhere)).toHaveAccessibleName('Notifications, 2 unread');

  await bell(page).press('Enter');
  const items = list(page).getByRole('listitem');
  await expect(items).toHaveCount(2);
  await expect(items.last()).toContainText('Set 2 licenses to No License');
  await expect(items.last()).toContainText('1 changed, 1 failed');
  await expectAccessibleInBothThemes(page);
  await items.last().getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/jobs/${first.id}$`));
  await expect(list(page)).toBeHidden();
  await expect(bell(page)).toHaveAccessibleName('Notifications, 1 unread');

  await elsewhere.reload();
  await expect(bell(elsewhere)).toHaveAccessibleName('Notifications, 1 unread');
  await bell(elsewhere).click();
  await list(elsewhere).getByText('Unread 1').click();
  await expect(list(elsewhere).getByRole('listitem')).toHaveCount(1);
  await list(elsewhere).getByRole('button', { name: 'Mark all as read' }).click();
  await expect(list(elsewhere).getByText('No unread notifications')).toBeVisible();
  await page.reload();
  await expect(bell(page)).toHaveAccessibleName('Notifications');
});

test('the list says why older notifications could not be read', async ({ page, expectFailure }) => {
  expectFailure(500);
  await page.route(/\/notifications\?/, (route) =>
    route.request().url().includes('pageNumber=1')
      ? route.fulfill({ json: Array.from({ length: 30 }, (_, at) => createNotification(100 - at)) })
      : route.fulfill({
          status: 500,
          json: { message: 'An unexpected error occurred', requestId: 'failing' },
        }),
  );
  await openAs(page, ada, '/groups');
  await bell(page).click();
  await list(page).getByRole('button', { name: 'Show older' }).click();
  await expect(list(page).getByRole('alert')).toContainText('An unexpected error occurred');
  await expect(list(page).getByRole('listitem')).toHaveCount(30);
});

const createNotification = (id: number): Notification => ({
  id,
  category: 'jobFinished',
  title: `Job ${id}`,
  detail: '1 changed',
  path: '/jobs',
  createdDate: '2026-03-01T08:00:00.000Z',
  readDate: '2026-03-01T09:00:00.000Z',
});

test('the profile says where notifications go', async ({ page, calls }) => {
  await setWidth(page, 390);
  await openAs(page, ada, '/groups');
  await bell(page).click();
  await expectFits(page);
  await list(page).getByRole('link', { name: 'Change', exact: true }).click();
  const card = page.getByRole('region', { name: 'Notifications' });
  await expect(card).toBeInViewport();
  // Skipped items count as failed (service/kernel/jobs/run-jobs.ts).
  await expect(card).toContainText('Your jobs that stopped, or had failed or skipped items.');
  await card.getByRole('checkbox', { name: 'A job failed: Console' }).uncheck();
  await expect(card.getByRole('checkbox', { name: 'A job failed: Console' })).not.toBeChecked();
  await expectFits(page);
  await expectAccessibleInBothThemes(page);
  await page.reload();
  await expect(card.getByRole('checkbox', { name: 'A job failed: Console' })).not.toBeChecked();
  await runFailingJob(calls);
  await page.reload();
  await expect(bell(page)).toHaveAccessibleName('Notifications');
  await card.getByRole('checkbox', { name: 'A job failed: Console' }).check();
});

test('the browser shows what is new, once, and only if the user wants it', async ({ page, calls }) => {
  // Chromium's headless shell always denies permission, so the whole interface is replaced.
  await page.addInitScript(() => {
    const shown: string[] = [];
    class ShownNotification extends EventTarget {
      static readonly permission = 'granted';
      static requestPermission = () => Promise.resolve('granted');
      constructor(title: string) {
        super();
        shown.push(title);
      }
    }
    Object.assign(window, { shown, Notification: ShownNotification });
  });
  await openAs(page, ada, '/profile');
  const card = page.getByRole('region', { name: 'Notifications' });
  await card.getByRole('checkbox', { name: 'A job failed: Browser' }).check();
  await expect(card.getByRole('checkbox', { name: 'A job failed: Browser' })).toBeChecked();
  await runFailingJob(calls);
  await returnTo(page);
  const getShown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  await expect.poll(getShown).toEqual(['Set 2 licenses to No License']);
  await page.reload();
  await expect(bell(page)).toHaveAccessibleName(/unread/);
  expect(await getShown()).toEqual([]);
});
