import { expect, test } from 'vitest';
import { splitAtMarks } from './marks.ts';

const mark = (offset: number, length: number, finding: number | null = null) => ({ offset, length, finding });

test('splits a text into plain parts and placeholders', () => {
  const [wrong, right] = [mark(5, 6, 0), mark(11, 6)];
  expect(splitAtMarks({ text: 'Dear {Nmae}{Name}, hello', marks: [right, wrong] })).toEqual([
    { text: 'Dear ' },
    { text: '{Nmae}', mark: wrong },
    { text: '{Name}', mark: right },
    { text: ', hello' },
  ]);
});

test('keeps the whole text with marks that overlap or leave it', () => {
  const text = 'abcdef';
  const parts = splitAtMarks({ text, marks: [mark(1, 3), mark(2, 3), mark(5, 9), mark(9, 2)] });
  expect(parts.map((part) => part.text)).toEqual(['a', 'bcd', 'e', 'f']);
  expect(splitAtMarks({ text, marks: [] })).toEqual([{ text }]);
  expect(splitAtMarks({ text: '', marks: [] })).toEqual([]);
});
