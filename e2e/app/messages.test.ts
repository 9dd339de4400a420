/** Jobs and messages have their own place in the window: they cover no control, on a desktop and on a phone. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes, expectToast, fillForm } from '../support/actions.ts';
import { usersGrid } from '../support/bulk.ts';
import { type ApiCalls, openAs } from '../support/calls.ts';
import { expectFits, expectNothingCovered, VIEWPORT_WIDTHS } from '../support/checks/page-checks.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: true, administrator: ada } });

const SHORT_LIVED = 'Short-lived';

/** Shows a message that stays until it is closed: a job whose group was deleted after the dry run fails. */
async function showFailedJob(page: Page, calls: ApiCalls, groupId: number, isNarrow: boolean): Promise<void> {
  await expect(usersGrid(page).getByRole('row').nth(5)).toBeVisible();
  await usersGrid(page).getByRole('checkbox').first().check();
  const selection = page.getByRole('region', { name: 'Selection' });
  if (isNarrow) {
    await selection.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Add to groups' }).click();
  } else await selection.getByRole('button', { name: 'Add to groups' }).click();
  const choice = page.getByRole('dialog', { name: /^Add \d+ people to groups/ });
  await fillForm(choice, { Groups: [SHORT_LIVED] });
  await choice.getByRole('button', { name: 'Review' }).click();
  const dialog = page.getByRole('dialog', { name: /^Add \d+ people to Short-lived\?/ });
  const start = dialog.getByRole('button', { name: /^Add \d+ people to Short-lived/ });
  await expect(start).not.toHaveAttribute('aria-disabled', 'true');
  await calls.call('DELETE', `/user/group/${groupId}`);
  await start.click();
  await expectToast(page, /: finished, \d+ failed$/);
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
    const groupId = await calls.createGroup(SHORT_LIVED, []);
    await page.setViewportSize({ width, height: 800 });
    await openAs(page, ada, '/users?status=active&license=2');

    await showFailedJob(page, calls, groupId, width < 768);
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
