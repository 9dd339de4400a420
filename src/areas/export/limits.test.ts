import { expect, test } from 'vitest';
import { toDrop } from './limits.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const kept = (id: string, days: number, size = 1000, isFileKept = true) => ({
  id,
  at: new Date(NOW - days * 86_400_000).toISOString(),
  size,
  isFileKept,
});

test('files go after a week, records after a month', () => {
  const { records, files } = toDrop(
    [kept('a', 6.9), kept('b', 7.1), kept('c', 29.9, 0, false), kept('d', 31)],
    NOW,
  );
  expect([...files]).toEqual(['b']);
  expect([...records]).toEqual(['d']);
});

test('the latest files are kept as far as they have room; one that is too large goes, older small ones stay', () => {
  const { files } = toDrop(
    [
      kept('a', 1, 150_000_000),
      kept('gone', 2, 900_000_000, false),
      kept('b', 2, 49_000_000),
      kept('c', 3, 2_000_000),
    ],
    NOW,
  );
  expect([...files]).toEqual(['c']);
  expect([...toDrop([kept('huge', 0, 300_000_000), kept('small', 1)], NOW).files]).toEqual(['huge']);
});
