import type { Job } from '../../contract/generated/types.gen.ts';
import { expectToast } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada } });

/** Readings of jobs by the console: the list and single jobs. */
const READINGS = /\/management\/jobs(\?|\/\d+$)/;
const EVENTS = /\/management\/jobs\/events$/;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

test('progress arrives as events, without a connection before a job and after the last one', async ({
  page,
  calls,
}) => {
  const { id } = await calls.createUser();
  const streams: string[] = [];
  page.on('request', (request) => {
    if (EVENTS.test(request.url())) streams.push('opened');
  });
  page.on('requestfinished', (request) => {
    if (EVENTS.test(request.url())) streams.push('ended');
  });
  page.on('requestfailed', (request) => {
    if (EVENTS.test(request.url())) streams.push('ended');
  });
  const first = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: [id],
    isActive: false,
    notBefore: inSeconds(3_600),
  });
  await openAs(page, ada, `/jobs/${first.id}`);
  await expect(page.getByText('Scheduled', { exact: true })).toBeVisible();
  const job = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: [id],
    timeZone: 'Europe/Lisbon',
    notBefore: inSeconds(8),
  });
  expect(streams).toEqual([]);
  const stream = page.waitForResponse(EVENTS);
  await page.goto(`/jobs/${job.id}`);
  await stream;
  // From here on the page learns only from events what happens.
  await page.route(READINGS, (route) => route.abort());
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expectToast(page, 'Set the time zone of 1 person to Europe/Lisbon');
  await expect.poll(() => streams).toEqual(['opened', 'ended']);
});

test('progress is polled where events do not pass', async ({ page, calls }) => {
  const { id } = await calls.createUser();
  // A proxy that collects the response.
  let attempts = 0;
  await page.route(EVENTS, () => {
    attempts += 1;
  });
  const job = await calls.call<Job>('POST', '/jobs/userUpdates', {
    userIds: [id],
    isActive: false,
    notBefore: inSeconds(8),
  });
  await openAs(page, ada, `/jobs/${job.id}`);
  await expect(page.getByText('Scheduled', { exact: true })).toBeVisible();
  await expect(page.getByText('Finished', { exact: true })).toBeVisible({ timeout: 30_000 });
  await expectToast(page, 'Deactivated 1 person');
  expect(attempts).toBe(1);
  await expect(page.getByText('takes longer than usual')).toHaveCount(0);
});
