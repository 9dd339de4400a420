/** What opens over the pages, wide and narrow, light and dark; the pages are in accessibility-pages.test.ts. */
import { choose, expectToast, fill } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { heading, judge, judgeOpened, WIDTHS } from '../support/judge.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

for (const width of WIDTHS) {
  test.describe(`${width} wide`, () => {
    test.use({ viewport: { width, height: 800 } });
    const small = width < 768;

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
