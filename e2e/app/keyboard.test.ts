import type { Page } from '@playwright/test';
import { expectToast } from '../support/actions.ts';
import { createCalls } from '../support/calls.ts';
import { recordResult } from '../support/checks/quality.ts';
import { ada } from '../support/data/people.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

test.afterEach(() => {
  const { title, status } = test.info();
  recordResult({ kind: 'keyboard', name: title, passed: status === 'passed' });
});

const MAX_TAB_PRESSES = 60;

/** Presses Tab until a control with the name has the focus, so that only reachable controls are used. */
async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const isFocused = async () => {
    const focused = page.locator(':focus');
    if ((await focused.count()) === 0) return false;
    const snapshot = await focused.ariaSnapshot();
    const focusedName = /"((?:[^"\\]|\\.)*)"/.exec(snapshot)?.[1] ?? snapshot;
    return typeof name === 'string' ? focusedName === name : name.test(focusedName);
  };
  for (let presses = 0; presses < MAX_TAB_PRESSES; presses += 1) {
    if (await isFocused()) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not lead to ${String(name)}`);
}

test('finds, edits, creates and deactivates users without a mouse', async ({ page, request }) => {
  const calls = await createCalls(request, ada);
  const person = await calls.createUser({ firstName: 'Keyna', lastName: 'Boardman' });
  await page.goto('/sign-in');
  await expect(page.getByLabel('E-mail')).toBeFocused();
  await page.keyboard.type(ada.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(ada.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Northlight Capital', level: 1 })).toBeFocused();

  // Finds a user in the palette and edits them.
  await page.keyboard.press('Control+k');
  await expect(
    page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox'),
  ).toBeFocused();
  await page.keyboard.type('keyna');
  await expect(
    page.getByRole('menuitem', { name: `${person.name} ${person.email}`, exact: true }),
  ).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: person.name, level: 1 })).toBeFocused();
  await tabTo(page, 'Edit');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Last name');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Typed');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Keyna Typed was saved');

  // Creates a user over the list.
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeFocused();
  await tabTo(page, 'New user');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('First name')).toBeFocused();
  await page.keyboard.type('Made');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Bykeys');
  await page.keyboard.press('Tab');
  await page.keyboard.type('made.bykeys@people.example');
  await tabTo(page, 'Groups');
  await page.keyboard.type('Fina');
  await expect(page.getByRole('option', { name: /^Finance/ })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator(':focus')).toHaveAttribute('aria-activedescendant', /./);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: /^Finance/ })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Remove Finance' })).toBeVisible();
  await tabTo(page, /License/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option').locator('visible=true').first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Create user');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Made Bykeys', level: 1 })).toBeVisible();

  // Finds the user in the list and deactivates them from the row menu, in the dark theme.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dark theme');
  await expect(page.getByRole('menuitem', { name: 'Dark theme' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  const task = await countSteps(page);
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeFocused();
  await tabTo(page, 'Search users');
  await page.keyboard.type('bykeys');
  await expect(page.getByRole('grid', { name: 'Users' })).toHaveAttribute('aria-rowcount', '2');
  await tabTo(page, 'Actions for Made Bykeys');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Open' })).toBeFocused();
  await page.keyboard.type('Deac');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Deactivate Made Bykeys?' });
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expectToast(page, 'Made Bykeys is inactive');
  // Four of them are letters that lead to a menu item.
  task.expectAtMost(10);
  await expect(page.getByRole('button', { name: 'Actions for Made Bykeys' })).toBeFocused();
  await expect(page.getByRole('grid', { name: 'Users' })).toContainText('Inactive');
});
