import { expectNoAxe, expectRow, expectToast, rowAction } from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { letProofsAge } from '../support/proofs.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada } });

test('what cannot be undone asks for a proof first, and goes on by itself after it', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(403, 400);
  await enter(page, ada);
  const asked = await send(page.request, 'POST', '/api/rest/v4/backups/request', {});
  const { fileName } = (asked as { data: { fileName: string } }).data;
  await expect
    .poll(async () => JSON.stringify(await send(page.request, 'GET', '/api/rest/v4/backups')))
    .toContain('"Ready"');
  await page.goto('about:blank');
  await letProofsAge(service);

  await page.goto('/backups');
  const list = page.getByRole('grid', { name: 'Backups' });
  await rowAction(await expectRow(list, { File: fileName }), 'Delete…');
  const door = page.getByRole('alertdialog', { name: `Delete ${fileName}?` });
  await door.getByRole('textbox').fill(fileName);
  await page.keyboard.press('Enter');

  const proof = page.getByRole('alertdialog', { name: 'Is it still you?' });
  await expect(proof.getByLabel('Password', { exact: true })).toBeFocused();
  await expectNoAxe(page);
  await page.keyboard.type('not the one she chose');
  await page.keyboard.press('Enter');
  await expect(proof.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/is wrong/);
  await proof.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expectToast(page, `${fileName} was deleted`);
  await expect(proof).toHaveCount(0);
});
