import { expectAccessible } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { createEntryType, SCHEMA } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const png = (name: string) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.concat([PNG, Buffer.from(name)]),
});

test('a file whose upload lost its answer is possibly stored', async ({ page, pageErrors }) => {
  pageErrors.allow(/ERR_CONNECTION_RESET/);
  await openAs(page, ada);
  const { first } = await createEntryType(page, 'Slip');
  await sendRequest(page.request, 'POST', `${SCHEMA}/Slip/fields`, {
    apiName: 'Plans',
    name: 'Plans',
    fieldType: 16,
    isMultiSelect: true,
  });
  await page.goto(`/entries/Slip/${first}`);
  await page.route('**/data/entrydata/*', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    await route.fetch();
    return route.abort('connectionreset');
  });
  await page.getByLabel('Files for Plans').setInputFiles([png('a.png')]);
  await expect(page.getByText('It is unknown whether the file was stored')).toBeVisible();
  // The list is read again and has it.
  await expect(page.getByRole('list', { name: 'Files of Plans' }).getByRole('listitem')).toHaveText([
    /^a\.pngNo\. 0/,
  ]);
});

test('reorders files of an entry by keyboard, and refuses files that are no images', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400);
  await openAs(page, ada);
  const { first } = await createEntryType(page, 'Berth');
  await sendRequest(page.request, 'POST', `${SCHEMA}/Berth/fields`, {
    apiName: 'Plans',
    name: 'Plans',
    fieldType: 16,
    isMultiSelect: true,
  });
  await page.goto(`/entries/Berth/${first}`);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"></svg>';
  await page
    .getByLabel('Files for Plans')
    .setInputFiles([
      png('a.png'),
      png('b.png'),
      { name: 'drawing.png', mimeType: 'image/png', buffer: Buffer.from(svg) },
      { name: 'empty.png', mimeType: 'image/png', buffer: Buffer.alloc(0) },
    ]);
  const files = page.getByRole('list', { name: 'Files of Plans' }).getByRole('listitem');
  await expect(page.getByText('"drawing.png" is not a PNG, JPEG, GIF or WebP image')).toBeVisible();
  await expect(page.getByText('The file is empty')).toBeVisible();
  await expect(files).toHaveText([/^a\.pngNo\. 0/, /^b\.pngNo\. 1/]);
  const down = files.first().getByRole('button', { name: 'Move a.png down' });
  await down.focus();
  await page.keyboard.press('Enter');
  await expect(files).toHaveText([/^b\.pngNo\. 0/, /^a\.pngNo\. 1/]);
  await expect(page.getByRole('button', { name: 'Move a.png down' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Move a.png down' })).toHaveAccessibleDescription(
    'This is the last file',
  );
  await expectAccessible(page);
});
