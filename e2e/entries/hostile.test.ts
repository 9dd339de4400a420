import type { Page } from '@playwright/test';
import type { DataRequestResultVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { enter, send } from '../support/calls.ts';
import { ada } from '../support/people.ts';
import { expect, test } from '../support/test.ts';

/** Texts that would do something where a page took them for more than texts (security, T03). */
const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  'javascript:alert(1)',
  '</textarea></title></script><script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202Egnp.exe\u202C שלום 👩🏽‍💻 Ȩ̴̛x̸̛',
];
const ALL = PAYLOADS.join(' ');
const [SCRIPT = '', IMAGE = ''] = PAYLOADS;

const DATA = '/api/rest/v4/data/entrydata';
const SCHEMA = '/api/rest/v4/schema/entrytypes';

/** A type whose every name is hostile, with a field of each type that holds texts of people. */
async function makeHostile(page: Page, userId: number) {
  const { request } = page;
  await send(request, 'POST', SCHEMA, { apiName: 'Evil', singularName: SCRIPT, pluralName: IMAGE });
  const make = async (field: object) =>
    (await send(request, 'POST', `${SCHEMA}/Evil/fields`, field)) as FieldVm;
  const text = await make({ apiName: 'Text', name: `Text ${IMAGE}`, description: ALL, fieldType: 1 });
  const choiceValues = PAYLOADS.map((name) => ({ name }));
  const choice = await make({
    apiName: 'Choice',
    name: 'Choice',
    fieldType: 2,
    isMultiSelect: true,
    choiceValues,
  });
  const user = await make({ apiName: 'Owner', name: 'Owner', fieldType: 7 });
  const reference = await make({ apiName: 'Other', name: 'Other', fieldType: 5 });
  await make({ apiName: 'File', name: 'File', fieldType: 13 });
  const fields = (await send(request, 'GET', `${SCHEMA}/Evil/fields`)) as FieldVm[];
  const key = fields.find(({ isKey }) => isKey)?.id ?? 0;
  const write = (method: 'POST' | 'PUT', storeRequests: readonly object[]) =>
    send(request, method, `${DATA}/Evil`, { storeRequests }) as Promise<DataRequestResultVm[]>;
  const [first] = await write('POST', [
    { entryId: -1, fieldId: key, value: ALL },
    { entryId: -1, fieldId: text.id, value: ALL },
    { entryId: -1, fieldId: choice.id, value: choice.choiceValues?.map(({ id }) => id) },
    { entryId: -1, fieldId: user.id, value: userId },
  ]);
  const id = first?.entryId ?? 0;
  const [second] = await write('POST', [
    { entryId: -1, fieldId: key, value: `Second ${ALL}` },
    { entryId: -1, fieldId: reference.id, value: id },
  ]);
  return { id, second: second?.entryId ?? 0, write, text: text.id };
}

test('hostile texts in names, fields, choices, people and values are texts on every page of entries', async ({
  page,
  calls,
}) => {
  page.on('dialog', (dialog) => {
    throw new Error(`Something ran: ${dialog.message()}`);
  });
  const person = await calls.makeUser({ firstName: IMAGE, lastName: 'Hostile' });
  await enter(page, ada);
  const { id, second, write, text } = await makeHostile(page, person.id);
  await write('PUT', [{ entryId: id, fieldId: text, value: `${ALL} again` }]);
  const now = encodeURIComponent(new Date().toISOString());
  const main = page.getByRole('main');
  /** The text is there to be read, nothing of it became an element, and nothing reaches beyond the window. */
  const expectText = async (said: string) => {
    await expect(main.getByText(said).first()).toBeVisible();
    await expect(page.locator('img[src=x], svg[onload], main script, a[href^="javascript:"]')).toHaveCount(0);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(beyond).toBeLessThanOrEqual(0);
  };
  await page.goto('/entries');
  await expectText(IMAGE);
  await page.goto('/entries/Evil/schema');
  await expectText(ALL);
  await page.goto(`/entries/Evil/past?asOf=${now}`);
  await expectText(ALL);
  await page.goto('/changes?type=Evil');
  await expectText(SCRIPT);
  await page.goto(`/entries/Evil/merge?ids=${id}-${second}`);
  await expectText(`Second ${ALL}`);
  await page.goto('/entries/Evil');
  await expectText(ALL);
  const grid = page.getByRole('grid');
  await grid.getByRole('rowheader').first().focus();
  // The editors: a text, choices of a list, and what is staged of them.
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('F2');
  await page.keyboard.press('End');
  await page.keyboard.type(SCRIPT);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Delete');
  await page.keyboard.type('img');
  await expect(page.getByRole('option', { name: IMAGE })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Review and save' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel.getByText(SCRIPT).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await grid.getByRole('rowheader').first().getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(ALL);
  await expectText(`${ALL} again`);
  const name = `${IMAGE.replaceAll('/', '')}.txt`;
  const buffer = Buffer.from('text');
  await page.getByLabel('Files for File').setInputFiles([{ name, mimeType: 'text/html', buffer }]);
  await expectText(name);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await expectText(ALL);
  // The browser alone holds what is typed: were it in the page's state, a text of a million signs would be written back
  // into the box, and its default with it, at every key.
  const box = page.getByRole('textbox', { name: `Text ${IMAGE}` });
  const begun = await box.inputValue();
  await box.press('ControlOrMeta+End');
  await box.pressSequentially('!');
  await expect(box).toHaveValue(`${begun}!`);
  await expect(box).toHaveJSProperty('defaultValue', begun);
  await box.press('Backspace');
  // A text that has become long has a height of its own: the browser does not reckon one from it any more.
  await expect(box).not.toHaveClass(/ed-long/);
  await box.fill(`${'Long. '.repeat(4000)}\n`);
  await expect(box).toHaveClass(/ed-long/);
  await box.press('Escape');
  await expect(box).toHaveValue(begun);
  await page.getByRole('button', { name: 'Compare' }).last().click();
  await expectText(ALL);
});
