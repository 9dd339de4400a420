import { expect, test } from 'vitest';
import {
  LIMITS_TEXT,
  MAX_FILE_BYTES,
  MAX_UNPACKED_BYTES,
  formatFileTooLarge,
  WORKBOOK_TOO_LARGE,
  TOO_MANY_CELLS,
} from './limits.ts';

const inMb = (bytes: number): string => `${bytes / 1024 / 1024} MB`;

test('messages name the limits and suggest CSV for workbooks', () => {
  expect(LIMITS_TEXT).toContain(inMb(MAX_FILE_BYTES));
  expect(LIMITS_TEXT).toContain(inMb(MAX_UNPACKED_BYTES));
  expect(WORKBOOK_TOO_LARGE).toContain(`more than ${inMb(MAX_UNPACKED_BYTES)}`);
  for (const text of [formatFileTooLarge('Q3.XLSX'), WORKBOOK_TOO_LARGE, TOO_MANY_CELLS]) {
    expect(text).toContain('Save the sheet as CSV');
    expect(text).toContain(inMb(MAX_FILE_BYTES));
  }
  expect(formatFileTooLarge('q3.csv')).toBe(
    `q3.csv is larger than ${inMb(MAX_FILE_BYTES)}. Split it into several files.`,
  );
});
