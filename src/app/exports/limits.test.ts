import { expect, test } from 'vitest';
import { findExpired } from './export-store.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const createRecord = (id: string, days: number, size = 1000, hasFile = true) => ({
  id,
  startedAt: new Date(NOW - days * 86_400_000).toISOString(),
  sizeBytes: size,
  hasFile,
});

test('deletes files after a week and records after a month', () => {
  const { records, files } = findExpired(
    [
      createRecord('a', 6.9),
      createRecord('b', 7.1),
      createRecord('c', 29.9, 0, false),
      createRecord('d', 31),
    ],
    NOW,
  );
  expect([...files]).toEqual(['b']);
  expect([...records]).toEqual(['d']);
});

test('deletes files beyond the size limit, newest files first served', () => {
  const { files } = findExpired(
    [
      createRecord('a', 1, 150_000_000),
      createRecord('gone', 2, 900_000_000, false),
      createRecord('b', 2, 49_000_000),
      createRecord('c', 3, 2_000_000),
    ],
    NOW,
  );
  expect([...files]).toEqual(['c']);
  expect([
    ...findExpired([createRecord('huge', 0, 300_000_000), createRecord('small', 1)], NOW).files,
  ]).toEqual(['huge']);
});
