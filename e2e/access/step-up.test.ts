import { expectAccessible, expectRow, expectToast, chooseRowAction } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { ada } from '../support/data/people.ts';
import { expireProofs } from '../support/expire-proofs.ts';
import { expect, test } from '../support/test.ts';

test.use({ installation: { sample: false, administrator: ada } });

test('requires a proof of presence for an irreversible action and then continues it', async ({
  page,
  service,
  expectFailure,
}) => {
  expectFailure(403, 400);
  await openAs(page, ada);
  const requested = await sendRequest(page.request, 'POST', '/api/rest/v4/backups/request', {});
  const { fileName } = (requested as { data: { fileName: string } }).data;
  await expect
    .poll(async () => JSON.stringify(await sendRequest(page.request, 'GET', '/api/rest/v4/backups')))
    .toContain('"Ready"');
  await page.goto('about:blank');
  await expireProofs(service);

  await page.goto('/backups');
  const list = page.getByRole('grid', { name: 'Backups' });
  await chooseRowAction(await expectRow(list, { File: fileName }), 'Delete…');
  const confirmDialog = page.getByRole('alertdialog', { name: `Delete ${fileName}?` });
  await confirmDialog.getByRole('textbox').fill(fileName);
  await page.keyboard.press('Enter');

  const proof = page.getByRole('alertdialog', { name: 'Confirm it’s you' });
  await expect(proof.getByLabel('Password', { exact: true })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type('not the one she chose');
  await page.keyboard.press('Enter');
  await expect(proof.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/is wrong/);
  await proof.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.keyboard.press('Enter');
  await expectToast(page, `${fileName} was deleted`);
  await expect(proof).toHaveCount(0);
});
