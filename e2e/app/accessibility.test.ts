/** Checks what opens over pages: in both themes on a desktop, in dark on a phone. Pages are checked in pages.test.ts. */
import { chooseMenuItem, expectToast, fillForm, openFilter } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { pageHeading, checkOpened, checkOverlay, VIEWPORT_WIDTHS } from '../support/checks/page-checks.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

for (const width of VIEWPORT_WIDTHS) {
  test.describe(`${width} wide`, () => {
    test.use({ viewport: { width, height: 800 } });
    const small = width < 768;

    test('overlays of every page', async ({ page }) => {
      await openAs(page, ada);
      await expect(pageHeading(page)).toBeVisible();
      await checkOpened(page, 'menu', () =>
        page.getByRole('button', { name: /appearance and sign out/ }).click(),
      );
      await checkOpened(page, 'menu', () => page.getByRole('button', { name: /switch site/ }).click());
      await checkOpened(page, 'dialog', () => page.keyboard.press('?'));
      await page.keyboard.press('Control+k');
      await page.keyboard.type('an');
      await expect(page.getByRole('menuitem').first()).toBeVisible();
      await checkOverlay(page);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      if (!small) return;
      await checkOpened(page, 'dialog', () => page.getByRole('button', { name: 'Navigation' }).click());
    });

    test('overlays of the users list', async ({ page }) => {
      await openAs(page, ada, '/users');
      const grid = page.getByRole('grid', { name: 'Users' });
      await expect(grid.getByRole('row').nth(3)).toBeVisible();
      await checkOpened(page, 'menu', () =>
        grid
          .getByRole('button', { name: /^Actions for/ })
          .first()
          .click(),
      );
      // A phone shows the filters on demand.
      if (small) await page.getByRole('button', { name: /^Filter/ }).click();
      await checkOpened(page, 'dialog', () => openFilter(page, 'Group'));
      await checkOpened(page, 'menu', () =>
        page.getByRole('button', { name: small ? 'Sort' : 'Columns' }).click(),
      );
      await grid
        .getByRole('checkbox', { name: /^Select/ })
        .nth(2)
        .check();
      await expect(page.getByRole('region', { name: 'Selection' })).toBeVisible();
      await checkOverlay(page);
      await page.goto('/users/new');
      const panel = page.getByRole('dialog', { name: 'New user' });
      await panel.getByRole('button', { name: 'Create user' }).click();
      await expect(panel.getByText('Enter a first name')).toBeVisible();
      await checkOverlay(page);
      await checkOpened(page, 'listbox', () => panel.getByRole('combobox', { name: 'Groups' }).click());
      await checkOpened(page, 'listbox', () => panel.getByRole('button', { name: /License/ }).click());
    });

    test('invitations', async ({ page, calls }) => {
      const [first] = await calls.call<{ email: string }[]>('GET', '/user/invitations?status=pending');
      await openAs(page, ada, '/invitations');
      const grid = page.getByRole('grid', { name: 'Invitations' });
      await expect(grid.getByRole('row').nth(2)).toBeVisible();
      await checkOverlay(page);
      await checkOpened(page, 'alertdialog', () =>
        chooseMenuItem(page, `Actions for ${first?.email}`, 'Revoke…'),
      );
      await chooseMenuItem(page, `Actions for ${first?.email}`, 'Extend…');
      await page.getByRole('dialog').getByText('Other', { exact: true }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('0');
      await checkOverlay(page);
      await page.keyboard.press('Escape');
      await page.goto('/invitations/new');
      const typed = `${first?.email}, ${first?.email}, nobody@nowhere.example, broken@`;
      await page.getByLabel('E-mail addresses').fill(typed);
      await page.getByText('Temporary', { exact: true }).click();
      await expect(page.getByText('No user yet')).toBeVisible();
      await checkOverlay(page);
    });

    test('overlays of a user page', async ({ page, calls }) => {
      const person = await calls.createUser();
      await openAs(page, ada, `/users/${person.id}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      await checkOverlay(page);
      await fillForm(page.getByRole('region', { name: 'Profile', exact: true }), { 'First name': 'Shown' });
      await page.getByRole('button', { name: 'Save' }).click();
      await expectToast(page, /^Shown .* was saved$/);
      await checkOverlay(page);
      await checkOpened(page, 'alertdialog', () => page.getByRole('button', { name: 'Deactivate…' }).click());
      await checkOpened(page, 'alertdialog', () =>
        page.getByRole('button', { name: 'Remove from site…' }).click(),
      );
      await checkOpened(page, 'alertdialog', () =>
        page.getByRole('switch', { name: 'Two-factor authentication' }).click(),
      );
      await chooseMenuItem(page, /^Actions for/, 'Deactivate');
      await checkOverlay(page);
    });

    test('proxy assignments and acting', async ({ page, elsewhere, calls }) => {
      const [proxy, principal] = [await calls.createUser(), await calls.createUser()];
      const pairs = [
        { proxyUserId: proxy.id, userId: principal.id },
        { proxyUserId: principal.id, userId: proxy.id },
      ];
      await calls.call('POST', '/user/proxy/changes', { add: pairs });
      await openAs(page, ada, `/proxies/${proxy.id}`);
      await expect(page.getByRole('dialog', { name: proxy.name })).toContainText('May act for 1 user');
      await checkOverlay(page);
      await page.goto(`/proxies/assign?delegate=${proxy.id}`);
      await expect(
        page.getByRole('checkbox', { name: 'Replace the whole list of 1 assignment' }),
      ).toBeVisible();
      await checkOverlay(page);
      await page.goto(`/proxies/graph?around=${proxy.id}`);
      await expect(page.getByRole('figure').getByRole('link')).toHaveCount(2);
      await checkOverlay(page);

      await elsewhere.setViewportSize({ width, height: 800 });
      await openAs(elsewhere, proxy, '/nowhere');
      await chooseMenuItem(elsewhere, /appearance and sign out/, 'Work as…');
      const dialog = elsewhere.getByRole('dialog', { name: /^Work as/ });
      await dialog
        .getByLabel('Reason')
        .fill('A reason that is written down, and longer than one line has room');
      await checkOverlay(elsewhere);
      await dialog.getByRole('button', { name: /^Work as/ }).click();
      await expect(elsewhere.getByRole('region', { name: 'Working as someone else' })).toBeVisible();
      await expect(pageHeading(elsewhere)).toBeVisible();
      await checkOverlay(elsewhere);

      await page.goto('/proxies/reports');
      await page.getByRole('link', { name: `${proxy.name} for ${principal.name}` }).click();
      await expect(page.getByRole('region', { name: 'Steps' })).toBeVisible();
      await checkOverlay(page);
    });
  });
}
