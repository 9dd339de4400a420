import { chooseMenuItem, findSelect } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { buildDocx, readDocx } from '../support/documents.ts';
import { createEntryType, SCHEMA } from '../support/entries.ts';
import { downloadBytes } from '../support/files.ts';
import { checkPageAtWidths } from '../support/page-checks.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

test('a report of the filtered list is generated, listed and downloaded', async ({ page }) => {
  await openAs(page, ada);
  await createEntryType(page, 'Berth');
  const type = (await sendRequest(page.request, 'GET', `${SCHEMA}/Berth`)) as { id: number };
  const created = await page.request.post('/console/api/rest/v4/templatereports', {
    headers: { 'X-Steward-Console': '1' },
    multipart: {
      model: JSON.stringify({ name: 'Profile', entryTypeId: type.id }),
      file: { name: 'profile.docx', mimeType: 'application/zip', buffer: buildDocx(['Berth {Name}']) },
    },
  });
  expect(created.status(), await created.text()).toBe(200);

  await page.goto('/entries/Berth?q=Haf');
  await expect(page.getByText('1 matches')).toBeVisible();
  await chooseMenuItem(page, 'Import and export', 'Generate report');
  await expect(findSelect(page, 'Template')).not.toHaveText('Choose');
  await expect(page.getByText(/^Berths: .*Haf/)).toBeVisible();
  await checkPageAtWidths(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Generate report' }).click();

  const run = page.getByRole('row', { name: /Profile/ });
  await expect(run).toContainText('Ready');
  const download = run.getByRole('button', { name: /^Download/ });
  const { name, bytes } = await downloadBytes(page, () => download.click());
  expect(name).toMatch(/\.docx$/);
  expect(readDocx(bytes)).toContain('Berth Hafen');
  expect(readDocx(bytes)).not.toContain('Werft');
  await checkPageAtWidths(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await run.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Generate again' }).click();
  await expect(page.getByText(/^Berths: .*Haf/)).toBeVisible();
});
