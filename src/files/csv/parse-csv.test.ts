import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCsv } from '../../../contract/rules/tables/csv.ts';
import { parseCsv } from './parse-csv.ts';

const rowsOf = (text: string) => parseCsv(text).rows.map(({ row, cells, error }) => [row, ...cells, error]);

test.each([
  [',', 'Id,Name\r\n1,Ann\r\n'],
  [';', 'Id;Name\n1;Ann\n'],
  ['\t', 'Id\tName\n1\tAnn'],
  ['|', '"Id"|"Na,me"\r1|Ann'],
  [';', '"Last, first";"Id"\n1;Ann'],
])('detects the separator of the heading: %j', (separator, text) => {
  expect(parseCsv(text)).toMatchObject({ separator, rows: [{ row: 2, cells: ['1', 'Ann'] }] });
});

test.each(['sep=;', 'SEP=; ', '"sep=;"'])('a first line %j sets the separator and is not a row', (line) => {
  expect(parseCsv(`${line}\r\nId;Last, first\r\n1;Marsh, Ann\r\n`)).toEqual({
    separator: ';',
    headings: ['Id', 'Last, first'],
    rows: [{ row: 2, cells: ['1', 'Marsh, Ann'] }],
  });
});

test('numbers rows like a spreadsheet, skips empty rows and joins quoted lines', () => {
  expect(rowsOf('Id,Name\n1,"two\nlines"\n,\n\n2,Ann\n')).toEqual([
    [2, '1', 'two\nlines', undefined],
    [5, '2', 'Ann', undefined],
  ]);
});

test('skips and counts empty lines above the heading', () => {
  expect(parseCsv('\n;;\nId;Name\n1;Ann\n')).toEqual({
    separator: ';',
    headings: ['Id', 'Name'],
    rows: [{ row: 4, cells: ['1', 'Ann'] }],
  });
});

test('reports invalid records and keeps the others', () => {
  expect(rowsOf('Id,Name\n1,Ann,extra\n2,Ben,,\n3\n')).toEqual([
    [2, '1', 'Ann', 'extra', 'Has 3 cells where the heading has 2'],
    [3, '2', 'Ben', '', '', undefined],
    [4, '3', undefined],
  ]);
  expect(parseCsv('Id,Name\n1,Ann\n2,"Ben\n3,Cy\n').rows.at(-1)?.error).toContain('quotation mark');
});

test('removes apostrophes that guard formulas and keeps others', () => {
  expect(rowsOf(`Id,Name\n"'=1","'tis"\n`)).toEqual([[2, '=1', "'tis", undefined]]);
});

test('parses every written table back', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...Array.from(`'"=+-@\t\r\n,;|＝ a`)) }),
  );
  // A row of only spaces counts as empty.
  const table = fc.array(fc.tuple(fc.constant('x'), cell, cell));
  fc.assert(
    fc.property(table, (rows) => {
      const read = parseCsv(formatCsv([['A', 'B', 'C'], ...rows]).slice(1));
      expect(read.rows.map(({ cells }) => cells)).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});
