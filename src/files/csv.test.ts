import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCsv, unguard } from './csv.ts';

test('texts are quoted, so that commas, quotes and lines are theirs', () => {
  expect(
    toCsv([
      ['a', 1],
      ['b,c', 'say "so"'],
      ['two\nlines', ''],
    ]),
  ).toBe('\uFEFF"a",1\r\n"b,c","say ""so"""\r\n"two\nlines",""\r\n');
});

test('what a spreadsheet would run as a formula is text; a number stays one', () => {
  expect(toCsv([['=1+1', '@x', -5, '-5.5', '＝1']])).toBe(`\uFEFF"'=1+1","'@x",-5,"'-5.5","'＝1"\r\n`);
});

const nasty = fc.string({
  unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＠', 'a', ' '),
});

test('no text begins like a formula, and taking the apostrophe away restores it', () => {
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (text) => {
      const written = toCsv([[text]])
        .slice(2, -3)
        .replaceAll('""', '"');
      expect(written).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(unguard(written)).toBe(text);
    }),
  );
});
