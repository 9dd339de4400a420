import { createHash } from 'node:crypto';
import type { Page } from '@playwright/test';
import { findSelect } from '../support/actions.ts';
import { openAs, sendRequest } from '../support/calls.ts';
import { checkOpened, checkPageAtWidths } from '../support/checks/page-checks.ts';
import { createEntryType, SCHEMA } from '../support/data/entries.ts';
import { ada } from '../support/data/people.ts';
import { ENDLESS_FILE, IMAGE_FILES, INACTIVE_FILE, LARGEST_PAGE_FILE } from '../support/pdf/pdf-faults.ts';
import { makeWithTools } from '../support/pdf/pdf-tools.ts';
import { buildPdf } from '../support/pdf/pdf.ts';
import { expect, test } from '../support/test.ts';

const report = buildPdf({
  pages: Array.from({ length: 12 }, (_, at) => `Page ${at + 1}: Hafen Logistik`),
  isRich: true,
});

const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex');

const pdf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/pdf', buffer });

/** Text files whose cross-reference table is at the wrong place, as some editors write them. */
const breakTable = (file: Buffer) =>
  Buffer.from(file.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1');

/** The same content as other programs write it. */
const MADE_FILES = makeWithTools(buildPdf({ pages: ['Made elsewhere'] }));

const FILES = [
  pdf('report.pdf', report),
  pdf('locked.pdf', buildPdf({ pages: ['Salaries'], password: 'winter' })),
  pdf('broken.pdf', breakTable(buildPdf({ pages: ['Repaired'] }))),
  pdf('empty.pdf', Buffer.from('%PDF-1.7 and nothing else')),
  pdf('miscounted.pdf', buildPdf({ pages: ['Only page'], namedPageCount: 3 })),
  pdf('long.pdf', buildPdf({ pages: Array.from({ length: 5001 }, () => 'x') })),
  ...MADE_FILES.map(({ name, buffer }) => pdf(name, buffer)),
  { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('<b>Low tide</b>') },
  { name: 'letter.docx', mimeType: 'application/zip', buffer: Buffer.from('PK\u0003\u0004') },
];

const UNUSUAL_FILES = [
  pdf('cut.pdf', report.subarray(0, report.length / 2)),
  pdf('endless.pdf', ENDLESS_FILE),
  pdf('largest.pdf', LARGEST_PAGE_FILE),
  pdf('inactive.pdf', INACTIVE_FILE),
  ...IMAGE_FILES.map(({ name, buffer }) => pdf(name, buffer)),
];

/** The color in the middle of the square on the first page. */
const readSquare = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-page="1"] canvas');
    const [x, y] = [(100 / 595) * (canvas?.width ?? 0), (692 / 842) * (canvas?.height ?? 0)];
    return [...(canvas?.getContext('2d')?.getImageData(x, y, 1, 1).data ?? [])];
  });

/** The color in the middle of the image of a file of `IMAGE_FILES`. */
const readImage = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('[data-page="1"] canvas');
    const [x, y] = [canvas?.width ?? 0, canvas?.height ?? 0];
    return canvas?.getContext('2d')?.getImageData(x / 4, (y * 3) / 4, 1, 1).data[0];
  });

/** Opens an entry of a new type with these files. @returns its id, and what is fetched for the viewer from then on */
async function openEntryWith(
  page: Page,
  type: string,
  files: typeof FILES,
): Promise<{ first: number; fetched: string[] }> {
  const fetched: string[] = [];
  page.on('request', (request) => {
    if (/\/assets\/pdf/.test(request.url())) fetched.push(request.url());
  });
  await openAs(page, ada);
  const { first } = await createEntryType(page, type);
  await sendRequest(page.request, 'POST', `${SCHEMA}/${type}/fields`, {
    apiName: 'Papers',
    name: 'Papers',
    fieldType: 13,
    isMultiSelect: true,
  });
  await page.goto(`/entries/${type}/${first}`);
  await page.getByLabel('Files for Papers').setInputFiles(files);
  return { first, fetched };
}

test('shows PDF files of an entry, and says what it does not show', async ({ page }) => {
  const { first, fetched } = await openEntryWith(page, 'Berth', FILES);
  await expect(page.getByRole('button', { name: 'Preview letter.docx' })).toHaveAccessibleDescription(
    'Office files have no preview. Download the file to open it.',
  );
  expect(fetched).toEqual([]);

  const viewer = page.getByRole('dialog', { name: 'report.pdf' });
  const pageField = viewer.getByRole('textbox', { name: 'Page', exact: true });
  await test.step('a file with outline, link, form and script', async () => {
    const worker = page.waitForResponse(/\/assets\/pdf-worker-/);
    const part = page.waitForResponse(/\/entryfiles\//);
    await page.getByRole('button', { name: 'Preview report.pdf' }).click();
    expect((await worker).headers()['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'",
    );
    expect((await part).status()).toBe(206);
    await expect(viewer.getByRole('group', { name: 'Page 1 of 12' })).toContainText('Page 1: Hafen Logistik');
    await expect(
      viewer.getByText('Form fields are shown as stored and cannot be filled in here.'),
    ).toBeVisible();
    await expect(viewer.getByText('Scripts of this file are not run.')).toBeVisible();
    await expect.poll(() => readSquare(page)).toEqual([0, 0, 255, 255]);
    await expect(viewer.getByText(`SHA-256 ${hash(report)}`)).toBeVisible();
    await expect(viewer.getByText(/^Unchanged since /)).toBeVisible();
  });

  await test.step('find, outline, keys and link', async () => {
    await viewer.getByRole('region', { name: 'Pages of report.pdf' }).focus();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('hafen');
    await expect(viewer.getByText('1 of 12', { exact: true })).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(viewer.getByText('2 of 12', { exact: true })).toBeVisible();
    await expect(pageField).toHaveValue('2');
    expect(await page.evaluate(() => CSS.highlights.get('pdf-current-match')?.size)).toBe(1);
    await page.keyboard.press('Escape');
    await viewer.getByRole('button', { name: 'Show outline' }).click();
    await viewer.getByRole('button', { name: 'Chapter two' }).click();
    await expect(pageField).toHaveValue('7');
    await viewer.getByRole('region', { name: 'Pages of report.pdf' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(pageField).toHaveValue('8');
    await page.keyboard.press('r');
    await expect(viewer.getByRole('group', { name: 'Page 8 of 12' }).locator('canvas')).toBeVisible();
    await pageField.fill('1');
    await page.keyboard.press('Enter');
    await viewer.getByRole('button', { name: 'Link to example.com' }).click();
    const question = page.getByRole('alertdialog', { name: 'Open example.com?' });
    await expect(question).toContainText('https://example.com/report');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await viewer.getByRole('button', { name: 'Close', exact: true }).click();
  });

  await test.step('an encrypted file', async () => {
    await page.getByRole('button', { name: 'Preview locked.pdf' }).click();
    await page.getByLabel('Password of locked.pdf').fill('summer');
    await page.keyboard.press('Enter');
    await expect(page.getByText('The password is not correct.')).toBeVisible();
    await page.getByLabel('Password of locked.pdf').fill('winter');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('group', { name: 'Page 1 of 1' })).toContainText('Salaries');
    await page.keyboard.press('Escape');
  });

  await test.step('files of other programs', async () => {
    for (const { name } of MADE_FILES) {
      await page.getByRole('button', { name: `Preview ${name}` }).click();
      // Letters that a program placed one by one may be read with a space between them.
      await expect(page.getByRole('group', { name: /^Page 1 of/ })).toContainText(/M ?ade elsewhere/);
      await page.keyboard.press('Escape');
    }
  });

  await test.step('damaged and too long files', async () => {
    await page.getByRole('button', { name: 'Preview broken.pdf' }).click();
    await expect(page.getByRole('group', { name: 'Page 1 of 1' })).toContainText('Repaired');
    await page.keyboard.press('Escape');
    // The last page is looked for when the first one is shown.
    await page.getByRole('button', { name: 'Preview miscounted.pdf' }).click();
    await expect(page.getByRole('group', { name: 'Page 1 of 1' })).toContainText('Only page');
    await page.keyboard.press('Escape');
    for (const [name, reason] of [
      ['empty.pdf', 'The file is damaged or not a PDF file.'],
      ['long.pdf', 'The file has more than 5,000 pages.'],
    ]) {
      await page.getByRole('button', { name: `Preview ${name}` }).click();
      await expect(page.getByRole('alert')).toContainText(reason ?? '');
      await page.keyboard.press('Escape');
    }
  });

  await checkOpened(
    page,
    'dialog',
    async () => {
      await page.getByRole('button', { name: 'Preview report.pdf' }).click();
      await expect(viewer.getByRole('group', { name: 'Page 1 of 12' })).toContainText('Hafen');
    },
    checkPageAtWidths,
  );

  await test.step('the first page in the grid, under the pointer', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto('/entries/Berth');
    await page.getByRole('grid').locator('.val-file').first().hover();
    await expect(page.locator('.fl-hover canvas')).toBeVisible();
    await page.getByRole('heading', { name: 'Berths' }).hover();
    await expect(page.locator('.fl-hover')).toBeHidden();
    await page.goto(`/entries/Berth/${first}`);
  });

  await test.step('two versions side by side, from the history', async () => {
    await page.getByRole('button', { name: 'Remove report.pdf' }).click();
    await page.getByRole('button', { name: 'Remove file' }).click();
    await expect(page.getByRole('button', { name: 'Preview report.pdf' })).toBeHidden();
    const edition = buildPdf({ pages: ['Second edition'] });
    await page.getByLabel('Files for Papers').setInputFiles([pdf('report.pdf', edition)]);
    const events = page.getByRole('region', { name: 'History' }).getByRole('listitem');
    // Created, one for each upload, and the two above.
    await expect(events).toHaveCount(FILES.length + 3);
    await events.nth(2).getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Show both versions of Papers' }).click();
    const versions = page.getByRole('dialog', { name: 'Versions of Papers' });
    const [earlier, today] = [versions.getByRole('region').first(), versions.getByLabel('Today')];
    await expect(earlier.getByRole('group', { name: 'Page 1 of 12' })).toContainText('Page 1: Hafen');
    await expect(today.getByRole('group', { name: 'Page 1 of 1' })).toContainText('Second edition');
    await expect(earlier).toContainText(`SHA-256 ${hash(report)}`);
    await expect(today).toContainText(`SHA-256 ${hash(edition)}`);
    await findSelect(versions, 'File').click();
    await page.getByRole('option', { name: 'notes.txt' }).click();
    await expect(earlier.getByLabel('notes.txt')).toHaveText('<b>Low tide</b>');
    await checkPageAtWidths(page);
  });
});

test('shows unusual PDF files', async ({ page }) => {
  const { fetched } = await openEntryWith(page, 'Pier', UNUSUAL_FILES);
  await test.step('half of a file', async () => {
    // Half of a file has some of its pages, or none that can be found.
    await page.getByRole('button', { name: 'Preview cut.pdf' }).click();
    await expect(
      page
        .getByRole('group', { name: /^Page 1 of/ })
        .or(page.getByRole('alert'))
        .first(),
    ).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('unusual files', async () => {
    const shown = page.getByRole('group', { name: 'Page 1 of 1' });
    await page.getByRole('button', { name: 'Preview endless.pdf' }).click();
    await expect(shown).toContainText('Unusual');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Preview largest.pdf' }).click();
    await expect(shown.locator('canvas')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Preview inactive.pdf' }).click();
    await expect(page.getByText('The form in this file (XFA) is not shown')).toBeVisible();
    await expect(page.getByText('1 attached file is not shown.')).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('images whose decoders are WebAssembly, and without it', async () => {
    for (const policy of [undefined, "default-src 'none'; script-src 'self'; connect-src 'self'"]) {
      if (policy !== undefined)
        await page.route(/\/assets\/pdf-worker-/, async (route) => {
          const response = await route.fetch();
          const headers = { ...response.headers(), 'content-security-policy': policy };
          await route.fulfill({ response, headers });
        });
      for (const { name, gray } of IMAGE_FILES) {
        await page.getByRole('button', { name: `Preview ${name}` }).click();
        await expect.poll(() => readImage(page), { message: name }).toBe(gray);
        await page.keyboard.press('Escape');
      }
    }
    expect(fetched.filter((url) => url.endsWith('_nowasm_fallback.js'))).not.toEqual([]);
    await page.unroute(/\/assets\/pdf-worker-/);
  });
});
