import * as fc from 'fast-check';
import readBook from 'read-excel-file/universal';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WORKBOOK_MEDIA_TYPE } from '../../../contract/rules/tables/workbook-parts.ts';
import { createWorkbook } from '../../../contract/rules/tables/write-workbook.ts';
import { createZipWriter } from './zip-writer.fixture.ts';

const columns = [
  { heading: 'Id', width: 8 },
  { heading: 'Name', width: 20 },
];
const made = new Date('2026-03-01T08:00:00Z');

async function sheetsOf(rows: number, most?: number, sheet = 'Things') {
  const book = createWorkbook(
    { columns, sheet, filter: 'City: Oslo', note: 'Each once', exportedAt: made },
    createZipWriter(WORKBOOK_MEDIA_TYPE),
    most,
  );
  for (let at = 0; at < rows; at += 3)
    // A file is written in order.
    await book.add(
      Array.from({ length: Math.min(3, rows - at) }, (_, more) => [at + more + 1, `=E${at + more}`]),
    );
  const blob = await book.end();
  return readBook(await blob.arrayBuffer(), { trim: false });
}

async function bytesIn(year: number): Promise<Uint8Array> {
  vi.setSystemTime(new Date(year, 1));
  const book = createWorkbook(
    { columns, sheet: 'Things', filter: '', exportedAt: made },
    createZipWriter(WORKBOOK_MEDIA_TYPE),
  );
  await book.add([[1, 'E']]);
  return new Uint8Array(await (await book.end()).arrayBuffer());
}

test('writes the same bytes for the same rows at any time, with sizes before the data', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = await bytesIn(2026);
  expect(await bytesIn(2031)).toEqual(first);
  // Version 2.0 without flags: no data descriptor, no ZIP64.
  expect(first.slice(0, 8)).toEqual(Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0));
});

test('continues in another sheet with the same heading when a sheet is full', async () => {
  const sheets = await sheetsOf(7, 4);
  expect(sheets.map(({ sheet, data }) => [sheet, data.map(([id]) => id)])).toEqual([
    ['Things', ['Id', 1, 2, 3]],
    ['Things 2', ['Id', 4, 5, 6]],
    ['Things 3', ['Id', 7]],
    ['About', ['Rows', 'Filter', 'Exported', 'Reading']],
  ]);
  expect(sheets.at(-1)?.data[0]).toEqual(['Rows', 7]);
  // A text that looks like a formula stays a text (security T19).
  expect(sheets[0]?.data[1]).toEqual([1, '=E0']);
});

const names = async (sheet: string) => (await sheetsOf(0, undefined, sheet)).map((one) => one.sheet);

test('writes a table without rows and valid sheet names', async () => {
  expect(await names('about')).toEqual(['about', 'About 2']);
  expect(await names("'Sales/2026' <all> and everything beside")).toEqual([
    "Sales 2026' <all> and everythin",
    'About',
  ]);
  expect(await names('')).toEqual(['Sheet', 'About']);
  expect(await names('History')).toEqual(['History 2', 'About']);
  expect(await names('a\u0001b')).toEqual(['a b', 'About']);
  const long = 'x'.repeat(30);
  expect(await names(`${long}'s`)).toEqual([long, 'About']);
  expect(await names(`${long}\u{1f600}`)).toEqual([long, 'About']);
});

const AWKWARD = Array.from(
  '\u0000\u0001\t\n\r\u001f\u007f\u0085\u2028\ufdd0\ufffd\ufffe\uffff\u{1fffe}_x0aF&<>"\'= שa',
);

const NUMBER = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger())
  .map((value) => value + 0);

/** Integers with more digits than programs keep are written as text. */
const asCell = (cell: string | number): string | number =>
  Number.isInteger(cell) && Math.abs(Number(cell)) >= 1e15 && Math.abs(Number(cell)) < 1e21
    ? String(cell)
    : cell;

test('another reader reads every text and number unchanged', async () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...AWKWARD) }));
  const cell = fc.oneof(text, NUMBER);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), async (rows) => {
      const book = createWorkbook(
        { columns, sheet: 'Things', filter: '', exportedAt: made },
        createZipWriter(WORKBOOK_MEDIA_TYPE),
      );
      await book.add(rows);
      const blob = await book.end();
      const [sheet] = await readBook(await blob.arrayBuffer(), { trim: false });
      const found = rows.map((_, at) => [0, 1].map((column) => sheet?.data[at + 1]?.[column] ?? ''));
      expect(found).toEqual(rows.map((row) => row.map(asCell)));
    }),
    { numRuns: 100 },
  );
});
