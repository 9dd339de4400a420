import type { Destination, EntryTypeVm, TopicDefinition } from '../../contract/generated/types.gen.ts';
import { chooseMenuItem, expectRow, expectToast, fillForm, chooseRowAction } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import {
  expectFits,
  expectNothingCovered,
  followPath,
  setWidth,
  VIEWPORT_WIDTHS,
} from '../support/checks/page-checks.ts';
import { SCHEMA } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { uploadTemplate } from '../support/data/templates.ts';
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

test('fits long names of everything', async ({ page, calls }) => {
  const person = await calls.createUser({ firstName: 'W'.repeat(100), lastName: 'V'.repeat(100) });
  const me = (await calls.call<{ id: number }[]>('GET', `/user?email=${encodeURIComponent(ada.email)}`))[0]
    ?.id;
  await calls.call('POST', '/user/proxy/changes', { add: [{ proxyUserId: me, userId: person.id }] });
  await openAs(page, ada);
  const type = (await sendRequest(page.request, 'POST', SCHEMA, {
    apiName: 'Long',
    singularName: 'S'.repeat(100),
    pluralName: 'P'.repeat(100),
  })) as EntryTypeVm;
  await uploadTemplate(page, 'Long', 'R'.repeat(100), '{Name}');
  const topics = '/api/rest/v1/publication/topicdefinitions';
  const topic = (await sendRequest(page.request, 'POST', topics, {
    name: 't'.repeat(100),
    format: 'Rows',
    entryTypes: [{ entryTypeId: type.id }],
  })) as TopicDefinition;
  const destination = (await sendRequest(page.request, 'POST', '/api/rest/v1/publication/destinations', {
    topicId: topic.id,
    name: 'D'.repeat(100),
    url: `https://hooks.example/${'x'.repeat(1000)}`,
  })) as Destination;
  for (const path of [
    `/users/${person.id}`,
    '/activity/configuration',
    '/entries/Long/schema',
    `/publications/topics/${topic.id}`,
    `/publications/destinations/${destination.id}`,
    '/reports/generate',
  ]) {
    await followPath(page, path);
    for (const width of VIEWPORT_WIDTHS) {
      await setWidth(page, width);
      await expectFits(page);
    }
  }
  await followPath(page, '/publications');
  await expectNothingCovered(page);
  const menu = page.getByRole('button', { name: `Actions for ${'t'.repeat(100)}` });
  const badge = page.getByRole('row').filter({ has: menu }).getByText('Rows');
  const edges = await Promise.all([badge.boundingBox(), menu.boundingBox()]);
  expect((edges[0]?.x ?? 0) + (edges[0]?.width ?? 0)).toBeLessThanOrEqual(edges[1]?.x ?? 0);
  await followPath(page, `/users/${person.id}`);
  await page.getByRole('button', { name: /^Work as/ }).click();
  await expect(page.getByRole('dialog').getByRole('radio')).toBeChecked();
  const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' });
  expect(await cancel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
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
