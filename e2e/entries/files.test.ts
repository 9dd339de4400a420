import { expectNoAxe } from '../support/actions.ts';
import { enter, send } from '../support/calls.ts';
import { makeType, SCHEMA } from '../support/entries.ts';
import { ada } from '../support/people.ts';
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

test('files of an entry take another order by keyboard, and what calls itself a picture is none', async ({
  page,
  expectFailure,
}) => {
  expectFailure(400);
  await enter(page, ada);
  const { first } = await makeType(page, 'Berth');
  await send(page.request, 'POST', `${SCHEMA}/Berth/fields`, {
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
  await expect(page.getByText('"drawing.png" is no PNG, JPEG, GIF or WebP image')).toBeVisible();
  await expect(page.getByText('It is empty')).toBeVisible();
  await expect(files).toHaveText([/^a\.pngNo\. 0/, /^b\.pngNo\. 1/]);
  const down = files.first().getByRole('button', { name: 'Move a.png down' });
  await down.focus();
  await page.keyboard.press('Enter');
  await expect(files).toHaveText([/^b\.pngNo\. 0/, /^a\.pngNo\. 1/]);
  await expect(page.getByRole('button', { name: 'Move a.png down' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Move a.png down' })).toHaveAccessibleDescription(
    'It is the last one',
  );
  await expectNoAxe(page);
});
