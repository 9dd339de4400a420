import type { Page } from '@playwright/test';
import { choose, expectNoAxe } from '../support/actions.ts';
import { enter } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const ME = /appearance and sign out/;

/** From now on notes theme and density of every frame that is drawn. */
async function noteLooks(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const looks = new Set<string>();
    Reflect.set(window, 'looks', looks);
    const note = () => {
      const { theme, density } = document.documentElement.dataset;
      const ground = document.body ? getComputedStyle(document.body).backgroundColor : 'none';
      looks.add(`${String(theme)} ${String(density)} ${ground}`);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  return () =>
    page.evaluate(() => {
      const looks: unknown = Reflect.get(window, 'looks');
      return looks instanceof Set ? [...looks].map(String) : [];
    });
}

test('theme and density are remembered, and no other flashes by', async ({ page, context }) => {
  await enter(page, ada);
  await choose(page, ME, 'Dark theme');
  await page.keyboard.press('Escape');
  await choose(page, ME, 'Compact rows');
  await page.keyboard.press('Escape');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');

  const looks = await noteLooks(page);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const seen = await looks();
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatch(/^dark compact rgb/);

  // Another tab follows at once, and the system's theme only where it was asked for.
  const second = await context.newPage();
  await second.emulateMedia({ colorScheme: 'dark' });
  await second.goto('/');
  await choose(page, ME, 'Light theme');
  await expect(second.locator('html')).toHaveAttribute('data-theme', 'light');
  await page.keyboard.press('Escape');
  await choose(page, ME, 'Theme of the system');
  await expect(second.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
});

test('the palette finds pages and people by keyboard', async ({ page, calls }) => {
  const person = await calls.makeUser({ firstName: 'Ottoline', lastName: 'Quickly' });
  await enter(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search and commands' });
  await expect(palette.getByRole('searchbox')).toBeFocused();
  await expectNoAxe(page);
  await page.keyboard.type('licen');
  await expect(palette.getByRole('menuitem', { name: 'Licenses' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Licenses', level: 1 })).toBeVisible();
  await expect(palette).toBeHidden();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('otto quick');
  await expect(
    palette.getByRole('menuitem', { name: `${person.name} ${person.email}`, exact: true }),
  ).toBeVisible();
  await expectNoAxe(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: person.name, level: 1 })).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.keyboard.type('nothing of this name');
  await expect(palette.getByText('Nothing found for “nothing of this name”')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
});

test('the keyboard leads everywhere, and the cheat sheet says how', async ({ page }) => {
  await enter(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByRole('heading', { name: 'Go to' })).toBeVisible();
  await expect(sheet.getByRole('term').filter({ hasText: 'Users' })).toBeVisible();
  await expectNoAxe(page);
  // Over a dialog the page's keys rest.
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page).toHaveURL('/');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await expect(page.getByRole('heading', { name: 'Backups', level: 1 })).toBeFocused();
});

test('shortcuts of plain keys can be switched off, and stay off', async ({ page }) => {
  await enter(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByRole('heading', { name: 'In a table' })).toBeVisible();
  await sheet.getByRole('switch', { name: 'Shortcuts of plain keys' }).press('Space');
  await expect(sheet.getByRole('switch', { name: 'Shortcuts of plain keys' })).not.toBeChecked();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await expect(page.getByRole('dialog', { name: 'Search and commands' })).toBeVisible();
});

test('a change of page is announced, and the content can be skipped to', async ({ page }) => {
  await enter(page, ada);
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

test('an area without pages says so and what it will do', async ({ page }) => {
  await enter(page, ada, '/agent');
  await expect(page.getByRole('heading', { name: 'Agent server', level: 1 })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'This area has no pages yet' })).toBeVisible();
  await expect(page.getByText('POST /api/agent/mcp')).toBeVisible();
});

for (const path of ['/nowhere', '/users/12/nowhere', '/users/nobody']) {
  test(`${path} leads nowhere and says so inside the frame`, async ({ page }) => {
    await enter(page, ada, path);
    await expect(page.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible();
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await expect(page.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeVisible();
  });
}

test('files of the console come as the build packed them, to whoever can unpack them', async ({
  request,
}) => {
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
  // What is packed for each caller has no length yet when it is sent.
  expect(brotli.length).toBeLessThan(gzip.length);
  expect(gzip.length).toBeLessThan(plain.length / 2);
  expect(plain.vary).toBe('accept-encoding');
});
