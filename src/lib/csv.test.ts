import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

test('commas, quotes and lines are quoted', () => {
  expect(
    toCsv([
      ['a', 1],
      ['b,c', 'say "so"'],
      ['two\nlines', ''],
    ]),
  ).toBe('\uFEFFa,1\r\n"b,c","say ""so"""\r\n"two\nlines",\r\n');
});

test('what a spreadsheet would run as a formula is text; a number stays one', () => {
  expect(toCsv([['=1+1', '@x', -5, '-5.5', '-x']])).toBe("\uFEFF'=1+1,'@x,-5,-5.5,'-x\r\n");
});
