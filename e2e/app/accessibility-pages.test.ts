/** Checks every page at both widths and in both themes; overlays are checked in accessibility.test.ts. */
import type { Page } from '@playwright/test';
import type { Job } from '../../contract/generated/types.gen.ts';
import { openAs } from '../support/calls.ts';
import { pageHeading, checkOpened, checkPageAtWidths } from '../support/page-checks.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

async function checkPages(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path);
    await expect(pageHeading(page)).toBeVisible();
    await expect(page.getByRole('main')).not.toHaveAttribute('aria-busy', 'true');
    await checkPageAtWidths(page);
  }
}

test('pages without a session', async ({ page, expectFailure }) => {
  expectFailure(400);
  for (const path of [
    '/sign-in',
    '/sign-in/identity',
    '/forgot-password',
    '/link#not-a-token',
    '/invitation#not-a-token',
  ]) {
    await page.goto(path);
    await expect(pageHeading(page)).toBeVisible();
    await checkPageAtWidths(page);
  }
});

test('overview, users, entries, proxies and error pages', async ({ page, expectFailure }) => {
  expectFailure(404, 'does not exist on this site');
  await openAs(page, ada);
  const pages = ['/', '/users', '/users?q=nobody+at+all', '/entries', '/proxies', '/proxies/reports'];
  await checkPages(page, [...pages, '/nowhere', '/users/999999']);
});

test('activity report and user pages', async ({ page, calls }) => {
  const { id } = await calls.createUser();
  await openAs(page, ada);
  const tabs = ['', '/license', '/groups', '/proxies', '/activity', '/activity?view=to'];
  const pages = ['/activity?range=30', '/activity/save', '/activity/investigations'];
  await checkPages(page, [...pages, ...tabs.map((tab) => `/users/${id}${tab}`)]);
});

test('entry pages', async ({ page }) => {
  await openAs(page, ada);
  const type = 'Firm';
  const headers = { 'X-Steward-Console': '1' };
  const door = '/console/api/rest/v4';
  const send = (path: string, sent: object) => page.request.post(door + path, { data: sent, headers });
  await send('/schema/entrytypes', { apiName: type, singularName: 'Firm', pluralName: 'Firms' });
  const choiceValues = [{ name: 'Open' }, { name: 'Won' }];
  await send(`/schema/entrytypes/${type}/fields`, {
    apiName: 'Stage',
    name: 'Stage',
    fieldType: 2,
    choiceValues,
  });
  const fields = (await (
    await page.request.get(`${door}/schema/entrytypes/${type}/fields`, { headers })
  ).json()) as { id: number; choiceValues?: { id: number }[] }[];
  const [name, stage] = fields;
  const made = await send(`/data/entrydata/${type}`, {
    storeRequests: [
      { entryId: -1, fieldId: name?.id, value: 'Hafen Logistik' },
      { entryId: -1, fieldId: stage?.id, value: stage?.choiceValues?.[0]?.id },
    ],
  });
  const [entry] = (await made.json()) as { entryId: number }[];
  const below = ['', '?q=nobody', '/schema', `/${entry?.entryId}`];
  await checkPages(page, ['/entries', ...below.map((rest) => `/entries/${type}${rest}`)]);
  await checkOpened(page, 'dialog', () => page.goto('/entries?new=true'), checkPageAtWidths);
  await checkOpened(page, 'dialog', () => page.goto(`/entries/${type}/schema?field=new`), checkPageAtWidths);
  await page.goto(`/entries/${type}?query=${encodeURIComponent('{"Stage":"$notNoData","Nope":1}')}`);
  await expect(page.getByText('This filter is not valid')).toBeVisible();
  await checkPageAtWidths(page);
});

test('changes, backups, reports, entries as of a date and import', async ({ page }) => {
  await openAs(page, ada);
  const entries = ['/entries/Company/past', '/entries/Company/import'];
  const reports = ['/reports', '/reports/runs', '/reports/generate'];
  await checkPages(page, ['/changes', '/backups', ...reports, ...entries]);
  for (const panel of ['/backups/new', '/backups/schedule', '/reports?new=true'])
    await checkOpened(page, 'dialog', () => page.goto(panel), checkPageAtWidths);
});

test('profile, settings and sites', async ({ page, pageErrors }) => {
  // The user has no API key yet.
  pageErrors.allow(/^404: GET .*\/session\/apikey$/);
  await openAs(page, ada);
  const settings = ['/settings', '/settings/addresses', '/settings/two-factor'];
  await checkPages(page, ['/profile', ...settings, '/sites', '/sites/1']);
  await checkOpened(page, 'dialog', () => page.goto('/sites/new'), checkPageAtWidths);
});

test('agent server', async ({ page }) => {
  await openAs(page, ada);
  const below = ['', '/ledger', '/seen', '/preview', '/settings'];
  await checkPages(
    page,
    below.map((path) => `/agent${path}`),
  );
  await checkOpened(page, 'dialog', () => page.goto('/agent/new'), checkPageAtWidths);
});

test('jobs', async ({ page, calls }) => {
  const body = { userIds: [1, 2, 3, 999_999], timeZone: 'Europe/Berlin' };
  const { id } = await calls.call<Job>('POST', '/jobs/userUpdates', body);
  await openAs(page, ada);
  await checkPages(page, ['/jobs', '/jobs?owner=others', '/jobs?state=stopped', `/jobs/${id}`]);
});

test('publications', async ({ page }) => {
  await openAs(page, ada);
  const lists = ['', '/consumers', '/destinations'];
  await checkPages(
    page,
    [...lists, '/topics/new', '/tail'].map((path) => `/publications${path}`),
  );
});
