/** Every page, wide and narrow, light and dark; what opens over them is in accessibility.test.ts. */
import type { Page } from '@playwright/test';
import { enter } from '../support/calls.ts';
import { heading, judgeOpened, judgeWidths } from '../support/judge.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

async function judgeAll(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path);
    await expect(heading(page)).toBeVisible();
    await expect(page.getByRole('main')).not.toHaveAttribute('aria-busy', 'true');
    await judgeWidths(page);
  }
}

test('the pages before the console', async ({ page, expectFailure }) => {
  expectFailure(400);
  for (const path of [
    '/sign-in',
    '/sign-in/identity',
    '/forgot-password',
    '/link#not-a-token',
    '/invitation#not-a-token',
  ]) {
    await page.goto(path);
    await expect(heading(page)).toBeVisible();
    await judgeWidths(page);
  }
});

test('every page of the console', async ({ page, expectFailure }) => {
  expectFailure(404, 'does not exist on this site');
  await enter(page, ada);
  const pages = ['/', '/users', '/users?q=nobody+at+all', '/entries', '/proxies', '/proxies/reports'];
  await judgeAll(page, [...pages, '/nowhere', '/users/999999']);
});

test('every page of the report, and of a user', async ({ page, calls }) => {
  const { id } = await calls.makeUser();
  await enter(page, ada);
  const tabs = ['', '/license', '/groups', '/proxies', '/activity', '/activity?view=to'];
  const pages = ['/activity?range=30', '/activity/save', '/activity/investigations'];
  await judgeAll(page, [...pages, ...tabs.map((tab) => `/users/${id}${tab}`)]);
});

test('entries', async ({ page }) => {
  await enter(page, ada);
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
  await judgeAll(page, ['/entries', ...below.map((rest) => `/entries/${type}${rest}`)]);
  await judgeOpened(page, 'dialog', () => page.goto('/entries?new=true'), judgeWidths);
  await judgeOpened(page, 'dialog', () => page.goto(`/entries/${type}/schema?field=new`), judgeWidths);
  await page.goto(`/entries/${type}?query=${encodeURIComponent('{"Stage":"$notNoData","Nope":1}')}`);
  await expect(page.getByText('This filter cannot be asked')).toBeVisible();
  await judgeWidths(page);
});

test('changes, backups, and entries in time and as files', async ({ page }) => {
  await enter(page, ada);
  const entries = ['/entries/Company/past', '/entries/Company/import'];
  await judgeAll(page, ['/changes', '/backups', ...entries]);
  for (const panel of ['/backups/new', '/backups/schedule'])
    await judgeOpened(page, 'dialog', () => page.goto(panel), judgeWidths);
});

test('access, settings and sites', async ({ page, faults }) => {
  // Nobody has a key yet, which is what this answer says.
  faults.allow(/^404: GET .*\/session\/apikey$/);
  await enter(page, ada);
  const settings = ['/settings', '/settings/addresses', '/settings/two-factor'];
  await judgeAll(page, ['/profile', ...settings, '/sites', '/sites/1']);
  await judgeOpened(page, 'dialog', () => page.goto('/sites/new'), judgeWidths);
});
