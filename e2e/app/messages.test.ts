/** Jobs and messages have their own place in the window: they cover no control, on a desktop and on a phone. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes, expectToast } from '../support/actions.ts';
import { jobTray, usersGrid } from '../support/bulk.ts';
import { holdCalls, openAs } from '../support/calls.ts';
import { expectFits, expectNothingCovered, VIEWPORT_WIDTHS } from '../support/page-checks.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

/** Shows a message that stays until it is closed: a file that is no undo file was chosen. */
async function showMessage(page: Page): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox').fill('undo from');
  await page.getByRole('menuitem', { name: 'Undo from file…' }).click();
  const file = { name: 'notes.json', mimeType: 'application/json', buffer: Buffer.from('{}') };
  await (await choosing).setFiles(file);
  await expectToast(page, 'notes.json was not opened');
}

async function scrollToEnd(page: Page): Promise<void> {
  await page.locator('#main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }));
}

/** Expects that the page keeps a height at 400 % zoom of a window of 1280 × 1024 px (WCAG 1.4.10), and can be reached. */
async function expectUsableAtHighZoom(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 256 });
  const main = page.locator('#main');
  await expect.poll(() => main.evaluate(({ clientHeight }) => clientHeight)).toBeGreaterThanOrEqual(160);
  await main.evaluate((element) => element.scrollIntoView({ block: 'start' }));
  await expect(main).toBeInViewport({ ratio: 0.5 });
}

for (const width of VIEWPORT_WIDTHS) {
  test(`jobs and messages cover no control at ${width}`, async ({ page, calls }) => {
    const guest = await calls.createUser({ firstName: 'Gwen', lastName: 'Guest' });
    await page.setViewportSize({ width, height: 800 });
    await openAs(page, ada, '/users?status=active&license=2');

    // A running job, then an ended one.
    await expect(usersGrid(page).getByRole('row').nth(5)).toBeVisible();
    await usersGrid(page).getByRole('checkbox').first().check();
    const selection = page.getByRole('region', { name: 'Selection' });
    if (width < 768) {
      await selection.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Deactivate' }).click();
    } else await selection.getByRole('button', { name: 'Deactivate' }).click();
    const dialog = page.getByRole('dialog', { name: /^Deactivate \d+ people\?/ });
    const release = await holdCalls(page, 'PUT', '/user');
    await dialog.getByRole('button', { name: /^Deactivate \d+ people/ }).click();
    await expect(jobTray(page).getByRole('button', { name: 'Stop' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expectFits(page);
    await expectNothingCovered(page);
    await jobTray(page).getByRole('button', { name: 'Stop' }).click();
    await release();
    await expect(jobTray(page).getByRole('button', { name: 'Continue' })).toBeVisible();
    await showMessage(page);
    await expectNothingCovered(page);
    await expectFits(page);
    await expectAccessibleInBothThemes(page);
    await expectUsableAtHighZoom(page);
    await page.setViewportSize({ width, height: 800 });

    // A panel whose buttons are at its end.
    await page.getByRole('link', { name: 'New user' }).click();
    const panel = page.getByRole('dialog', { name: 'New user' });
    await expect(panel.getByRole('button', { name: 'Create user' })).toBeVisible();
    await expectNothingCovered(page);
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await expect(panel).toBeHidden();

    // A page with its primary action at its end.
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('link', { name: 'Invite' }).first().click();
    await page.getByLabel('E-mail addresses').fill(guest.email);
    await expect(page.getByRole('button', { name: /^Invite/ })).toBeVisible();
    await scrollToEnd(page);
    await expectNothingCovered(page);
    await expectFits(page);
  });
}
