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

test('a refused list shows its errors at their lines, and beside Save', async ({
  page,
  calls,
  expectFailure,
}) => {
  expectFailure(400);
  await openAs(page, ada, '/settings/addresses');
  const lines = page.getByLabel(/^Address or network/);
  const addLine = page.getByRole('button', { name: 'Add line' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  // Two notations of an address, after an empty line, which is not sent.
  for (const network of ['', '127.0.0.0/8', '2001:DB8::1', '2001:db8:0::1']) {
    await addLine.click();
    await lines.last().fill(network);
  }
  await save.click();
  await expect(lines.nth(3)).toHaveAccessibleDescription(/is in the list already/);
  await expect(lines.nth(2)).toHaveAccessibleDescription('');

  const addresses = Array.from({ length: 1000 }, (_, at) => ({ network: `127.0.${at >> 8}.${at & 255}` }));
  await calls.call('PUT', '/settings/addresses', { addresses });
  await page.goto('about:blank');
  await page.goto('/settings/addresses');
  await addLine.click();
  await lines.last().fill('203.0.113.1');
  await save.click();
  await expect(page.getByText('At most 1,000 addresses.')).toBeInViewport();
});
