import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';
import { parse } from './parse.ts';

const rowsOf = (text: string) => parse(text).rows.map(({ row, cells, broken }) => [row, ...cells, broken]);

test.each([
  [',', 'Id,Name\r\n1,Ann\r\n'],
  [';', 'Id;Name\n1;Ann\n'],
  ['\t', 'Id\tName\n1\tAnn'],
  ['|', '"Id"|"Na,me"\r1|Ann'],
  [';', '"Last, first";"Id"\n1;Ann'],
])('the heading says the separator: %j', (separator, text) => {
  expect(parse(text)).toMatchObject({ separator, rows: [{ row: 2, cells: ['1', 'Ann'] }] });
});

test.each(['sep=;', 'SEP=; ', '"sep=;"'])('a first line %j names the separator and is no row', (line) => {
  expect(parse(`${line}\r\nId;Last, first\r\n1;Marsh, Ann\r\n`)).toEqual({
    separator: ';',
    headings: ['Id', 'Last, first'],
    rows: [{ row: 2, cells: ['1', 'Marsh, Ann'] }],
  });
});

test('rows count as a spreadsheet counts them: empty ones are passed over, lines within quotes are one', () => {
  expect(rowsOf('Id,Name\n1,"two\nlines"\n,\n\n2,Ann\n')).toEqual([
    [2, '1', 'two\nlines', undefined],
    [5, '2', 'Ann', undefined],
  ]);
});

test('empty lines above the heading are passed over and counted', () => {
  expect(parse('\n;;\nId;Name\n1;Ann\n')).toEqual({
    separator: ';',
    headings: ['Id', 'Name'],
    rows: [{ row: 4, cells: ['1', 'Ann'] }],
  });
});

test('a record that cannot be meant so is told, and the others stay', () => {
  expect(rowsOf('Id,Name\n1,Ann,extra\n2,Ben,,\n3\n')).toEqual([
    [2, '1', 'Ann', 'extra', 'Has 3 cells where the heading has 2'],
    [3, '2', 'Ben', '', '', undefined],
    [4, '3', undefined],
  ]);
  expect(parse('Id,Name\n1,Ann\n2,"Ben\n3,Cy\n').rows.at(-1)?.broken).toContain('quotation mark');
});

test('apostrophes that guard formulas are undone, others stay', () => {
  expect(rowsOf(`Id,Name\n"'=1","'tis"\n`)).toEqual([[2, '=1', "'tis", undefined]]);
});

test('a table that was written comes back, whatever is in it', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...Array.from(`'"=+-@\t\r\n,;|＝ a`)) }),
  );
  // A row of spaces alone is nobody.
  const table = fc.array(fc.tuple(fc.constant('x'), cell, cell));
  fc.assert(
    fc.property(table, (rows) => {
      const read = parse(toCsv([['A', 'B', 'C'], ...rows]).slice(1));
      expect(read.rows.map(({ cells }) => cells)).toEqual(rows);
    }),
    { numRuns: 500 },
  );
});
