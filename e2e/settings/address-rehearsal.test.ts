import { createCalls, openAs } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { countSteps } from '../support/steps.ts';
import { expect, test } from '../support/test.ts';

test('a list of addresses is rehearsed from Home in a few steps', async ({ page, elsewhere, calls }) => {
  const person = await calls.createUser({ firstName: 'Wanda', lastName: 'Wanderer' });
  await createCalls(elsewhere.request, person);
  await calls.call('PUT', '/user', { id: person.id, ipRestrictionsEnabled: true });
  await openAs(page, ada);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const task = await countSteps(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Approved addresses' }).click();
  await page.getByRole('button', { name: 'Add line' }).click();
  await page.getByLabel('Address or network 1').fill('203.0.113.0/24');
  const rehearsal = page.getByRole('region', { name: 'Who would be locked out' });
  await expect(rehearsal).toContainText('1 user of 1 with IP restrictions used an address outside this list');
  await expect(rehearsal).toContainText('Wanda Wanderer');
  task.expectAtMost(4);
});

test('the focus stays in the list when a line is removed', async ({ page }) => {
  await openAs(page, ada, '/settings/addresses');
  const addLine = page.getByRole('button', { name: 'Add line' });
  await addLine.click();
  await page.getByLabel('Address or network 1').fill('203.0.113.0/24');
  await addLine.click();
  await page.getByRole('button', { name: 'Remove line 1' }).press('Enter');
  await expect(page.getByLabel('Address or network 1')).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Remove line 1' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(addLine).toBeFocused();
});

test('a double click removes one line', async ({ page }) => {
  await openAs(page, ada, '/settings/addresses');
  for (const network of ['203.0.113.0/24', '198.51.100.0/24', '192.0.2.0/24']) {
    await page.getByRole('button', { name: 'Add line' }).click();
    await page
      .getByLabel(/^Address or network/)
      .last()
      .fill(network);
  }
  await page.getByRole('button', { name: 'Remove line 1' }).dblclick();
  await expect(page.getByLabel('Address or network 1')).toHaveValue('198.51.100.0/24');
  await expect(page.getByLabel('Address or network 2')).toHaveValue('192.0.2.0/24');
});
