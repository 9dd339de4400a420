import type { Page } from '@playwright/test';
import { choose, expectNoAxeInBothThemes, expectToast, fill } from './support/actions.ts';
import { enter } from './support/calls.ts';
import { ada } from './support/people.ts';
import { expect, test } from './support/test.ts';

test.use({
  installation: { sample: true, administrator: ada },
});

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** Nothing on the page is wider than the window. */
async function expectFits(page: Page): Promise<void> {
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(beyond, `${page.url()} fits its width`).toBeLessThanOrEqual(0);
}

async function judge(page: Page): Promise<void> {
  await expectFits(page);
  await expectNoAxeInBothThemes(page);
}

async function judgeAll(page: Page, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(path);
    await expect(heading(page)).toBeVisible();
    await expect(page.getByRole('main')).not.toHaveAttribute('aria-busy', 'true');
    await judge(page);
  }
}

/** Opens something over the page, judges it, and closes it. */
async function judgeOpened(
  page: Page,
  role: 'menu' | 'dialog' | 'alertdialog' | 'listbox',
  open: () => Promise<void>,
) {
  await open();
  const opened = page.getByRole(role);
  await expect(opened.first()).toBeVisible();
  await judge(page);
  await page.keyboard.press('Escape');
  await expect(opened).toHaveCount(0);
}

for (const width of [1280, 390]) {
  test.describe(`${width} wide`, () => {
    test.use({ viewport: { width, height: 800 } });
    const small = width < 768;

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
        await judge(page);
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

    test('what opens over every page', async ({ page }) => {
      await enter(page, ada);
      await expect(heading(page)).toBeVisible();
      await judgeOpened(page, 'menu', () =>
        page.getByRole('button', { name: /appearance and sign out/ }).click(),
      );
      await judgeOpened(page, 'menu', () => page.getByRole('button', { name: /switch site/ }).click());
      await judgeOpened(page, 'dialog', () => page.keyboard.press('?'));
      await page.keyboard.press('Control+k');
      await page.keyboard.type('an');
      await expect(page.getByRole('menuitem').first()).toBeVisible();
      await judge(page);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      if (!small) return;
      await judgeOpened(page, 'dialog', () => page.getByRole('button', { name: 'Navigation' }).click());
    });

    test('what opens over the list', async ({ page }) => {
      await enter(page, ada, '/users');
      const grid = page.getByRole('grid', { name: 'Users' });
      await expect(grid.getByRole('row').nth(3)).toBeVisible();
      await judgeOpened(page, 'menu', () =>
        grid
          .getByRole('button', { name: /^Actions for/ })
          .first()
          .click(),
      );
      await judgeOpened(page, 'dialog', () => page.getByRole('button', { name: /^Group.* filter$/ }).click());
      await judgeOpened(page, 'menu', () =>
        page.getByRole('button', { name: small ? 'Sort' : 'Columns' }).click(),
      );
      await grid
        .getByRole('checkbox', { name: /^Select/ })
        .nth(2)
        .check();
      await expect(page.getByRole('region', { name: 'Selection' })).toBeVisible();
      await judge(page);
      await page.goto('/users/new');
      const panel = page.getByRole('dialog', { name: 'New user' });
      await panel.getByRole('button', { name: 'Create user' }).click();
      await expect(panel.getByText('Fill this in').first()).toBeVisible();
      await judge(page);
      await judgeOpened(page, 'listbox', () => panel.getByRole('combobox', { name: 'Groups' }).click());
      await judgeOpened(page, 'listbox', () => panel.getByRole('button', { name: /License/ }).click());
    });

    test('entries', async ({ page }) => {
      await enter(page, ada);
      const type = `Firm${width}`;
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
      for (const path of [
        '/entries',
        `/entries/${type}`,
        `/entries/${type}?q=nobody`,
        `/entries/${type}/schema`,
        `/entries/${type}/${entry?.entryId}`,
      ]) {
        await page.goto(path);
        await expect(heading(page)).toBeVisible();
        await expect(page.getByRole('main')).not.toHaveAttribute('aria-busy', 'true');
        await judge(page);
      }
      await judgeOpened(page, 'dialog', () => page.goto('/entries?new=true').then(() => undefined));
      await judgeOpened(page, 'dialog', () =>
        page.goto(`/entries/${type}/schema?field=new`).then(() => undefined),
      );
      await page.goto(`/entries/${type}?query=${encodeURIComponent('{"Stage":"$notNoData","Nope":1}')}`);
      await expect(page.getByText('This filter cannot be asked')).toBeVisible();
      await judge(page);
    });

    test('changes, backups, and entries in time and as files', async ({ page }) => {
      await enter(page, ada);
      const entries = ['/entries/Company/past', '/entries/Company/import'];
      await judgeAll(page, ['/changes', '/backups', ...entries]);
      for (const panel of ['/backups/new', '/backups/schedule'])
        await judgeOpened(page, 'dialog', () => page.goto(panel).then(() => undefined));
    });

    test('access, settings and sites', async ({ page, faults }) => {
      // Nobody has a key yet, which is what this answer says.
      faults.allow(/^404: GET .*\/session\/apikey$/);
      await enter(page, ada);
      const settings = ['/settings', '/settings/addresses', '/settings/two-factor'];
      await judgeAll(page, ['/profile', ...settings, '/sites', '/sites/1']);
      await judgeOpened(page, 'dialog', () => page.goto('/sites/new').then(() => undefined));
    });

    test('invitations', async ({ page, calls }) => {
      const [first] = await calls.call<{ email: string }[]>('GET', '/user/invitations?status=pending');
      await enter(page, ada, '/invitations');
      const grid = page.getByRole('grid', { name: 'Invitations' });
      await expect(grid.getByRole('row').nth(2)).toBeVisible();
      await judge(page);
      await judgeOpened(page, 'alertdialog', () => choose(page, `Actions for ${first?.email}`, 'Revoke…'));
      await choose(page, `Actions for ${first?.email}`, 'Extend…');
      await page.getByRole('dialog').getByText('Other', { exact: true }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('0');
      await judge(page);
      await page.keyboard.press('Escape');
      await page.goto('/invitations/new');
      const typed = `${first?.email}, ${first?.email}, nobody@nowhere.example, broken@`;
      await page.getByLabel('E-mail addresses').fill(typed);
      await page.getByText('Temporary', { exact: true }).click();
      await expect(page.getByText('No user yet')).toBeVisible();
      await judge(page);
    });

    test('what opens over a user', async ({ page, calls }) => {
      const person = await calls.makeUser();
      await enter(page, ada, `/users/${person.id}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await judge(page);
      await fill(page.getByRole('region', { name: 'Profile', exact: true }), { 'First name': 'Shown' });
      await page.getByRole('button', { name: 'Save' }).click();
      await expectToast(page, /^Shown .* was saved$/);
      await judge(page);
      await judgeOpened(page, 'alertdialog', () => page.getByRole('button', { name: 'Deactivate…' }).click());
      await judgeOpened(page, 'alertdialog', () =>
        page.getByRole('button', { name: 'Remove from site…' }).click(),
      );
      await judgeOpened(page, 'alertdialog', () =>
        page.getByRole('switch', { name: 'Two-factor authentication' }).click(),
      );
      await choose(page, /^Actions for/, 'Deactivate');
      await judge(page);
    });

    test('who may act for whom, and working as somebody else', async ({ page, elsewhere, calls }) => {
      const [proxy, principal] = [await calls.makeUser(), await calls.makeUser()];
      const pairs = [
        { proxyUserId: proxy.id, userId: principal.id },
        { proxyUserId: principal.id, userId: proxy.id },
      ];
      await calls.call('POST', '/user/proxy/changes', { add: pairs });
      await enter(page, ada, `/proxies/${proxy.id}`);
      await expect(page.getByRole('dialog', { name: proxy.name })).toContainText('May act for 1 user');
      await judge(page);
      await page.goto(`/proxies/assign?delegate=${proxy.id}`);
      await expect(
        page.getByRole('checkbox', { name: 'Replace the whole list of 1 assignment' }),
      ).toBeVisible();
      await judge(page);
      await page.goto(`/proxies/graph?around=${proxy.id}`);
      await expect(page.getByRole('figure').getByRole('link')).toHaveCount(2);
      await judge(page);

      await elsewhere.setViewportSize({ width, height: 800 });
      await enter(elsewhere, proxy, '/agent');
      await choose(elsewhere, /appearance and sign out/, 'Work as…');
      const dialog = elsewhere.getByRole('dialog', { name: /^Work as/ });
      await dialog
        .getByLabel('Reason')
        .fill('A reason that is written down, and longer than one line has room');
      await judge(elsewhere);
      await dialog.getByRole('button', { name: /^Work as/ }).click();
      await expect(elsewhere.getByRole('region', { name: 'Working as somebody else' })).toBeVisible();
      await expect(heading(elsewhere)).toBeVisible();
      await judge(elsewhere);

      await page.goto('/proxies/reports');
      await page.getByRole('link', { name: `${proxy.name} for ${principal.name}` }).click();
      await expect(page.getByRole('region', { name: 'Step by step' })).toBeVisible();
      await judge(page);
    });
  });
}
