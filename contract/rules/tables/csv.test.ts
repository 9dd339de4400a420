import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCsv, removeFormulaGuard } from './csv.ts';

test('quotes texts with commas, quotes and newlines', () => {
  expect(
    formatCsv([
      ['a', 1],
      ['b,c', 'say "so"'],
      ['two\nlines', ''],
    ]),
  ).toBe('\uFEFF"a",1\r\n"b,c","say ""so"""\r\n"two\nlines",""\r\n');
});

test('guards texts that look like a formula but not numbers', () => {
  expect(formatCsv([['=1+1', '@x', -5, '-5.5', '＝1']])).toBe(`\uFEFF"'=1+1","'@x",-5,"'-5.5","'＝1"\r\n`);
});

const nasty = fc.string({
  unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＠', 'a', ' '),
});

test('no written text starts like a formula, and removing the guard restores it', () => {
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (text) => {
      const written = formatCsv([[text]])
        .slice(2, -3)
        .replaceAll('""', '"');
      expect(written).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(removeFormulaGuard(written)).toBe(text);
    }),
  );
});
