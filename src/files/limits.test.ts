import { expect, test } from 'vitest';
import {
  LIMITS_TEXT,
  MOST_BYTES,
  MOST_UNPACKED,
  tooLarge,
  TOO_LARGE_BOOK,
  TOO_MANY_CELLS,
} from './limits.ts';

const inMb = (bytes: number): string => `${bytes / 1024 / 1024} MB`;

test('limits are told as they are, and where a workbook is beyond them, the way out is CSV', () => {
  expect(LIMITS_TEXT).toContain(inMb(MOST_BYTES));
  expect(LIMITS_TEXT).toContain(inMb(MOST_UNPACKED));
  expect(TOO_LARGE_BOOK).toContain(`more than ${inMb(MOST_UNPACKED)}`);
  for (const text of [tooLarge('Q3.XLSX'), TOO_LARGE_BOOK, TOO_MANY_CELLS]) {
    expect(text).toContain('Save the sheet as CSV');
    expect(text).toContain(inMb(MOST_BYTES));
  }
  expect(tooLarge('q3.csv')).toBe(`q3.csv is larger than ${inMb(MOST_BYTES)}. Split it into several files.`);
});
