import type { Page } from '@playwright/test';
import { chooseMenuItem, expectAccessible, listChunks } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const USER_MENU = /appearance and sign out/;

/** Records theme and density of every rendered frame from now on. */
async function recordLooks(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const looks = new Set<string>();
    Reflect.set(window, 'looks', looks);
    const recordLook = () => {
      const { theme, density } = document.documentElement.dataset;
      const ground = document.body ? getComputedStyle(document.body).backgroundColor : 'none';
      looks.add(`${String(theme)} ${String(density)} ${ground}`);
      requestAnimationFrame(recordLook);
    };
    requestAnimationFrame(recordLook);
  });
  return () =>
    page.evaluate(() => {
      const looks: unknown = Reflect.get(window, 'looks');
      return looks instanceof Set ? [...looks].map(String) : [];
    });
}

test('theme and density are stored and applied without a flash', async ({ page, context }) => {
  await openAs(page, ada);
  await chooseMenuItem(page, USER_MENU, 'Dark theme');
  await page.keyboard.press('Escape');
  await chooseMenuItem(page, USER_MENU, 'Compact rows');
  await page.keyboard.press('Escape');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');

  const looks = await recordLooks(page);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const recordedLooks = await looks();
  expect(recordedLooks).toHaveLength(1);
  expect(recordedLooks[0]).toMatch(/^dark compact rgb/);

  // Another tab follows at once, and the system theme only if it is selected.
  const second = await context.newPage();
  await second.emulateMedia({ colorScheme: 'dark' });
  await second.goto('/');
  await chooseMenuItem(page, USER_MENU, 'Light theme');
  await expect(second.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.keyboard.press('Escape');
  await chooseMenuItem(page, USER_MENU, 'System theme');
  await expect(second.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});

test('the palette finds pages and users by keyboard', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'Ottoline', lastName: 'Quickly' });
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await expect(palette.getByRole('searchbox')).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type('licen');
  await expect(palette.getByRole('menuitem', { name: /^Licenses/ })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Licenses', level: 1 })).toBeVisible();
  await expect(palette).toBeHidden();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('otto quick');
  await expect(
    palette.getByRole('menuitem', { name: `${person.name} ${person.email}`, exact: true }),
  ).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: person.name, level: 1 })).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('nothing of this name');
  // Only the search in the lists of entries is offered.
  await expect(palette.getByRole('menuitem').first()).toHaveText(/^Search .* for “nothing of this name”/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
});

test('help opens for the page and lists its shortcuts; the cheat sheet lists all', async ({ page }) => {
  await openAs(page, ada, '/users');
  await expect(page.getByRole('grid', { name: 'Users' }).getByRole('row').nth(1)).toBeVisible();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Help: Users' });
  await expect(help.getByRole('heading', { name: 'Create a user' })).toBeVisible();
  await expectAccessible(page);
  await help.getByRole('link', { name: 'Documentation' }).click();
  await expect(page).toHaveURL('/help/users');
  await expect(help).toBeHidden();
  await expect(page.getByRole('article', { name: 'Users' })).toBeVisible();
  await expectAccessible(page);
  await page.goto('/help/constructor');
  await expect(page.getByText('There is no page “constructor”')).toBeVisible();
  await page.getByRole('link', { name: 'Operating' }).click();
  await expect(page.getByRole('article').getByRole('table').first()).toBeVisible();
  await page.getByRole('button', { name: 'Help', exact: true }).click();
  await page.getByRole('button', { name: 'All keyboard shortcuts' }).click();
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByRole('heading', { name: 'Go to' })).toBeVisible();
  await expect(sheet.getByRole('term').filter({ hasText: 'Users' })).toBeVisible();
  await expectAccessible(page);
  // Shortcuts of the page are inactive under a dialog.
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page).toHaveURL('/help/operating');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page.getByRole('heading', { name: 'Backups', level: 1 })).toBeFocused();
});

test('single-key shortcuts can be disabled permanently', async ({ page }) => {
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  await page.getByRole('button', { name: 'All keyboard shortcuts' }).click();
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByRole('heading', { name: 'In a table' })).toBeVisible();
  await sheet.getByRole('switch', { name: 'Single-key shortcuts' }).press('Space');
  await expect(sheet.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await expect(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible();
});

test('a navigation is announced, and a link skips to the content', async ({ page }) => {
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.locator('body').press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();

  await page.getByRole('link', { name: 'Proxies' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Proxies' })).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'Proxies', level: 1 })).toBeFocused();
  await expect(page).toHaveTitle('Proxies · Northlight Capital · Steward');
  await expect(page.getByRole('link', { name: 'Proxies' })).toHaveAttribute('aria-current', 'page');
});

// 2147483648 is no int32, which all ids are.
for (const path of [
  '/nowhere',
  '/users/12/nowhere',
  '/users/nobody',
  '/users/2147483648',
  '/groups/2147483648',
  '/groups/edit/2147483648',
  '/proxies/2147483648',
  '/proxies/reports/2147483648',
  '/sites/2147483648',
  '/jobs/2147483648',
  '/entries/Company/2147483648',
  '/reports/2147483648',
  '/publications/topics/2147483648',
  '/publications/destinations/2147483648',
  '/activity/investigations/2147483648',
]) {
  test(`${path} shows the not found page inside the frame`, async ({ page }) => {
    await openAs(page, ada, path);
    await expect(page.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await expect(page.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
  });
}

test('title and breadcrumbs follow when somebody else renames what is open', async ({ page }) => {
  await page.clock.install();
  await openAs(page, ada, '/sites/1');
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
  await expect(crumbs).toContainText('Northlight Capital');
  await sendRequest(page.request, 'PUT', '/api/platform/sites/1', { name: 'Southlight Capital' });
  // Data older than half a minute is read again when the window gets the focus.
  await page.clock.fastForward(60_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(page.getByRole('heading', { name: 'Southlight Capital', level: 1 })).toBeVisible();
  await expect(crumbs).toContainText('Southlight Capital');
  await expect(page).toHaveTitle(/^Southlight Capital/);
  await sendRequest(page.request, 'PUT', '/api/platform/sites/1', { name: 'Northlight Capital' });
});

test('a list starts without the code of dialogs, forms and other areas', async ({ page }) => {
  const changes = page.waitForRequest(/\/publication\/positions/);
  await openAs(page, ada, '/users');
  await expect(page.getByRole('grid', { name: 'Users' }).getByRole('rowheader').first()).toBeVisible();
  // The follower of changes is the last code that the page loads by itself.
  await changes;
  expect(await listChunks(page)).toEqual(['core', 'index', 'lists', 'start', 'users', 'worker']);
});

test('static files are served precompressed according to the accepted encodings', async ({ request }) => {
  const page = await (await request.get('/')).text();
  const script = /assets\/[^"]*\.js/.exec(page)?.[0];
  const as = async (encoding: string) => {
    const answer = await request.get(`/${script}`, { headers: { 'accept-encoding': encoding } });
    const { 'content-encoding': packing, 'content-length': length, vary } = answer.headers();
    return { text: await answer.text(), packing, length: Number(length), vary };
  };
  const [plain, brotli, gzip] = [await as('identity'), await as('gzip, br'), await as('gzip')];
  expect([plain.packing, brotli.packing, gzip.packing]).toEqual([undefined, 'br', 'gzip']);
  expect([brotli.text === plain.text, gzip.text === plain.text]).toEqual([true, true]);
  // A file compressed per request would have no length.
  expect(brotli.length).toBeLessThan(gzip.length);
  expect(gzip.length).toBeLessThan(plain.length / 2);
  expect(plain.vary).toBe('accept-encoding');
});
