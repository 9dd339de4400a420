import { chooseMenuItem, expectRow, expectToast, fillForm, chooseRowAction } from '../support/actions.ts';
import { openAs } from '../support/calls.ts';
import { followPath, setWidth } from '../support/checks/page-checks.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** Hostile names; a page that executed any of them would fail by a dialog or the CSP. */
const NAMES: Readonly<Record<string, string>> = {
  'a script': '<script>alert(1)</script>',
  'a picture that fails': '<img src=x onerror=alert(1)>',
  'a link': '"><a href="javascript:alert(1)">x</a>',
  'a template': '{{constructor.constructor("alert(1)")()}}',
  'many letters': 'W'.repeat(100),
  'signs and marks': 'Zoë 👩🏽‍💻 ‏שלום Ȩ̴̛x̸̛',
};

test.beforeEach(({ page }) => {
  page.on('dialog', (dialog) => {
    throw new Error(`Something ran: ${dialog.message()}`);
  });
});

for (const [what, firstName] of Object.entries(NAMES)) {
  test(`shows ${what} as a name as text everywhere`, async ({ page, calls }) => {
    const person = await calls.createUser({ firstName, lastName: 'Hostile' });
    await openAs(page, ada, `/users?q=id:${person.id}`);
    const grid = page.getByRole('grid', { name: 'Users' });
    const row = await expectRow(grid, { Name: person.name });
    await chooseRowAction(row, 'Deactivate');
    const dialog = page.getByRole('alertdialog');
    await expect(dialog.getByRole('heading')).toHaveText(`Deactivate ${person.name}?`);
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await expectToast(page, `${person.name} is inactive`);

    await row.getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(person.name);
    expect(await page.title()).toContain(firstName.slice(0, 20));
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused();
    await page.keyboard.type(person.email);
    await expect(page.getByRole('menuitem').first()).toContainText(firstName);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await chooseMenuItem(page, /^Actions for/, 'Activate');
    await expect(page.getByRole('alertdialog').getByRole('heading')).toHaveText(`Activate ${person.name}?`);
    await expect(page.locator('img[src=x], script:not([src]), a[href^="javascript:"]')).toHaveCount(0);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}

test('breaks a name without blanks on a phone', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'W'.repeat(100), lastName: 'V'.repeat(100) });
  await openAs(page, ada, `/users/${person.id}`);
  await setWidth(page, 390);
  // Tabs with the name in the breadcrumbs, in sentences and in empty states.
  for (const tab of ['', '/groups', '/proxies', '/license', '/activity']) {
    await followPath(page, `/users/${person.id}${tab}`);
    const beyond = () =>
      page.locator('#main').evaluate((main) => {
        const range = document.createRange();
        const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
        const tooWide: string[] = [];
        while (texts.nextNode()) {
          range.selectNodeContents(texts.currentNode);
          const { left, right } = range.getBoundingClientRect();
          const isName = /[WV]{100}/.test(texts.currentNode.textContent ?? '');
          if (isName && (left < 0 || right > window.innerWidth)) tooWide.push(`${left} to ${right}`);
        }
        return tooWide;
      });
    await expect.poll(beyond, tab).toEqual([]);
  }
});

test('does not execute content of the address', async ({ page }) => {
  await openAs(page, ada, '/users?q=%3Csvg%20onload%3Dalert(1)%3E');
  await expect(page.getByRole('searchbox', { name: 'Search users' })).toHaveValue('<svg onload=alert(1)>');
  await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
  await page.goto('/%3Cscript%3Ealert(1)%3C%2Fscript%3E');
  await expect(page.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible();
});

test('shows the typed name of a new user as text in the toast', async ({ page }) => {
  await openAs(page, ada, '/users/new');
  const panel = page.getByRole('dialog', { name: 'New user' });
  await fillForm(panel, {
    'First name': '<b>Bold</b>',
    'Last name': 'Typed',
    'E-mail': 'bold@people.example',
    Password: 'three french hens',
  });
  await panel.getByRole('button', { name: 'Create user' }).click();
  await expectToast(page, '<b>Bold</b> Typed was created');
});
