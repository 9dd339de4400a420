import type { Page } from '@playwright/test';
import type { DataRequestResultVm, FieldVm } from '../../contract/generated/types.gen.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { DATA, SCHEMA } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { expect, test } from '../support/test.ts';

/** Texts that would run or render if a page did not escape them (security T03). */
const PAYLOADS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  'javascript:alert(1)',
  '</textarea></title></script><script>alert(1)</script>',
  '{{constructor.constructor("alert(1)")()}}',
  '\u202Egnp.exe\u202C שלום 👩🏽‍💻 Ȩ̴̛x̸̛',
];
const ALL_PAYLOADS = PAYLOADS.join(' ');
const [SCRIPT = '', IMAGE = ''] = PAYLOADS;

/** Creates a type with hostile names, fields of every type with free text, and two entries. */
async function createHostileEntries(page: Page, userId: number) {
  const { request } = page;
  await sendRequest(request, 'POST', SCHEMA, { apiName: 'Evil', singularName: SCRIPT, pluralName: IMAGE });
  const createField = async (field: object) =>
    (await sendRequest(request, 'POST', `${SCHEMA}/Evil/fields`, field)) as FieldVm;
  const text = await createField({
    apiName: 'Text',
    name: `Text ${IMAGE}`,
    description: ALL_PAYLOADS,
    fieldType: 1,
  });
  const choiceValues = PAYLOADS.map((name) => ({ name }));
  const choice = await createField({
    apiName: 'Choice',
    name: 'Choice',
    fieldType: 2,
    isMultiSelect: true,
    choiceValues,
  });
  const user = await createField({ apiName: 'Owner', name: 'Owner', fieldType: 7 });
  const reference = await createField({ apiName: 'Other', name: 'Other', fieldType: 5 });
  await createField({ apiName: 'File', name: 'File', fieldType: 13 });
  const fields = (await sendRequest(request, 'GET', `${SCHEMA}/Evil/fields`)) as FieldVm[];
  const key = fields.find(({ isKey }) => isKey)?.id ?? 0;
  const write = (method: 'POST' | 'PUT', storeRequests: readonly object[]) =>
    sendRequest(request, method, `${DATA}/Evil`, { storeRequests }) as Promise<DataRequestResultVm[]>;
  const [first] = await write('POST', [
    { entryId: -1, fieldId: key, value: ALL_PAYLOADS },
    { entryId: -1, fieldId: text.id, value: ALL_PAYLOADS },
    { entryId: -1, fieldId: choice.id, value: choice.choiceValues?.map(({ id }) => id) },
    { entryId: -1, fieldId: user.id, value: userId },
  ]);
  const id = first?.entryId ?? 0;
  const [second] = await write('POST', [
    { entryId: -1, fieldId: key, value: `Second ${ALL_PAYLOADS}` },
    { entryId: -1, fieldId: reference.id, value: id },
  ]);
  return { id, second: second?.entryId ?? 0, write, textFieldId: text.id };
}

test('renders hostile texts in names, fields, choices, users and values as text on all pages of entries', async ({
  page,
  calls,
}) => {
  page.on('dialog', (dialog) => {
    throw new Error(`Something ran: ${dialog.message()}`);
  });
  const person = await calls.createUser({ firstName: IMAGE, lastName: 'Hostile' });
  await openAs(page, ada);
  const { id, second, write, textFieldId } = await createHostileEntries(page, person.id);
  await write('PUT', [{ entryId: id, fieldId: textFieldId, value: `${ALL_PAYLOADS} again` }]);
  const now = encodeURIComponent(new Date().toISOString());
  const main = page.getByRole('main');
  /** Expects the text to be visible, without elements created from it and without horizontal overflow. */
  const expectText = async (text: string) => {
    await expect(main.getByText(text).first()).toBeVisible();
    await expect(page.locator('img[src=x], svg[onload], main script, a[href^="javascript:"]')).toHaveCount(0);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  };
  await page.goto('/entries');
  await expectText(IMAGE);
  await page.goto('/entries/Evil/schema');
  await expectText(ALL_PAYLOADS);
  await page.goto(`/entries/Evil/past?asOf=${now}`);
  await expectText(ALL_PAYLOADS);
  await page.goto('/changes?type=Evil');
  await expectText(SCRIPT);
  await page.goto(`/entries/Evil/merge?ids=${id}-${second}`);
  await expectText(`Second ${ALL_PAYLOADS}`);
  await page.goto('/entries/Evil');
  await expectText(ALL_PAYLOADS);
  const grid = page.getByRole('grid');
  await grid.getByRole('rowheader').first().focus();
  // The editors of a text and of choices, and the review of the changes.
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
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(ALL_PAYLOADS);
  await expectText(`${ALL_PAYLOADS} again`);
  const name = `${IMAGE.replaceAll('/', '')}.txt`;
  const buffer = Buffer.from('text');
  await page.getByLabel('Files for File').setInputFiles([{ name, mimeType: 'text/html', buffer }]);
  await expectText(name);
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await expectText(ALL_PAYLOADS);
  // The text area is uncontrolled: React must not write a text of a million characters back at every key.
  const box = page.getByRole('textbox', { name: `Text ${IMAGE}` });
  const initialText = await box.inputValue();
  await box.press('ControlOrMeta+End');
  await box.pressSequentially('!');
  await expect(box).toHaveValue(`${initialText}!`);
  await expect(box).toHaveJSProperty('defaultValue', initialText);
  await box.press('Backspace');
  // A long text has a fixed height, which browsers need not compute from it.
  await expect(box).not.toHaveClass(/ed-long/);
  await box.fill(`${'Long. '.repeat(4000)}\n`);
  await expect(box).toHaveClass(/ed-long/);
  await box.press('Escape');
  await expect(box).toHaveValue(initialText);
  await page.getByRole('button', { name: 'Compare' }).last().click();
  await expectText(ALL_PAYLOADS);
});

/** Texts of the page that are cut off at the edge of the window, apart from those that end in an ellipsis. */
const findCutTexts = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main *, [role=dialog] *')]
      .filter((element) => {
        const { right, width } = element.getBoundingClientRect();
        return width > 1 && right > window.innerWidth + 1 && element.children.length === 0;
      })
      .filter((element) => {
        for (let box: Element | null = element; box; box = box.parentElement)
          if (getComputedStyle(box).textOverflow === 'ellipsis') return false;
        return true;
      })
      .map((element) => `${element.tagName} ${(element.textContent ?? '').slice(0, 30)}`),
  );

test('a name of 900 characters leaves room for the page, and is whole in its tooltip', async ({ page }) => {
  await openAs(page, ada);
  const names = { apiName: 'Wordy', singularName: 'Wordy', pluralName: 'Wordies' };
  await sendRequest(page.request, 'POST', SCHEMA, names);
  const [key] = (await sendRequest(page.request, 'GET', `${SCHEMA}/Wordy/fields`)) as FieldVm[];
  const name = 'An extraordinarily long name '.repeat(31).trim();
  const [entry] = (await sendRequest(page.request, 'POST', `${DATA}/Wordy`, {
    storeRequests: [{ entryId: -1, fieldId: key?.id, value: name }],
  })) as DataRequestResultVm[];
  await page.goto(`/entries/Wordy/${entry?.entryId}`);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading.getByTitle(name)).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Breadcrumbs' }).getByTitle(name)).toBeVisible();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const { y = 844 } = (await page.getByRole('region', { name: 'Values' }).boundingBox()) ?? {};
    expect(y).toBeLessThan(422);
  }
});

test('breaks long words of names on the pages of a phone', async ({ page }) => {
  await openAs(page, ada);
  const word = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichenverordnungen'
    .repeat(2)
    .slice(0, 99);
  const names = { apiName: 'Longest', singularName: word, pluralName: `${word}s` };
  await sendRequest(page.request, 'POST', SCHEMA, names);
  const choiceValues = [{ name: word.repeat(2) }, { name: 'Short' }];
  const choice = { apiName: 'Choice', name: word, fieldType: 2, choiceValues };
  const { id } = (await sendRequest(page.request, 'POST', `${SCHEMA}/Longest/fields`, choice)) as FieldVm;
  const fields = (await sendRequest(page.request, 'GET', `${SCHEMA}/Longest/fields`)) as FieldVm[];
  const [entry] = (await sendRequest(page.request, 'POST', `${DATA}/Longest`, {
    storeRequests: [{ entryId: -1, fieldId: fields[0]?.id, value: word }],
  })) as DataRequestResultVm[];
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of [
    'Longest/schema',
    `Longest/schema?field=${id}`,
    `Longest/${entry?.entryId}`,
    `Longest/merge?ids=${entry?.entryId}`,
    'Longest/import',
  ]) {
    await page.goto(`/entries/${path}`);
    await expect(page.getByText(word).first()).toBeVisible();
    await expect(page.getByRole('progressbar')).toHaveCount(0);
    expect(await findCutTexts(page), path).toEqual([]);
  }
});
